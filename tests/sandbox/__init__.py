"""Tests of app/sandbox: the two walls, each alone and together, and the pool."""
