"""Importing this fills the table. Only a list."""

from engine.ops import (
    activations,
    arithmetic,
    attention,
    compare,
    conv,
    copies,
    draws,
    elementary,
    embedding,
    extremes,
    index,
    inverse,
    join,
    linalg,
    losses,
    normalise,
    norms,
    order,
    pooling,
    powers,
    reduce,
    scatter,
    shape,
    softmax,
    special,
)  # fmt: skip

__all__ = [
    "activations", "arithmetic", "attention", "compare", "conv", "copies", "draws", "elementary", "embedding",
    "extremes", "index", "inverse", "join", "linalg", "losses", "normalise", "norms", "order", "pooling",
    "powers", "reduce", "scatter", "shape", "softmax", "special",
]  # fmt: skip
