"""Timings, printed as ratios measured side by side in one run; nothing here asserts a time."""
