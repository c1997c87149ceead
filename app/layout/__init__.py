"""From a trace's data to a drawing: graph, scenes, DOT, positions. Sees no live tensor and no HTML."""
