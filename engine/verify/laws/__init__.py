"""What each operation computes, and its derivative, written anew. Importing this fills the table."""

from engine.verify.laws import (
    activations,
    arithmetic,
    bags,
    bessel,
    drawn,
    elementary,
    factors,
    layers,
    losses,
    matrices,
    picking,
    products,
    recurrent,
    reductions,
    rolling,
    second,
    shapes,
    special,
    together,
    windows,
    writing,
)  # fmt: skip

__all__ = [
    "activations", "arithmetic", "bags", "bessel", "drawn", "elementary", "factors", "layers", "losses",
    "matrices",
    "picking", "products", "recurrent", "reductions", "rolling", "second", "shapes", "special", "together",
    "windows", "writing",
]  # fmt: skip
