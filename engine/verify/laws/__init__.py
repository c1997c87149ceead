"""What each operation computes, and its derivative, written anew. Importing this fills the table."""

from engine.verify.laws import (
    activations,
    arithmetic,
    drawn,
    elementary,
    layers,
    losses,
    matrices,
    picking,
    products,
    reductions,
    rolling,
    second,
    shapes,
    special,
    windows,
    writing,
)  # fmt: skip

__all__ = [
    "activations", "arithmetic", "drawn", "elementary", "layers", "losses", "matrices", "picking",
    "products", "reductions", "rolling", "second", "shapes", "special", "windows", "writing",
]  # fmt: skip
