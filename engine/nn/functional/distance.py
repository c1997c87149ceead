"""How far apart vectors are, and vectors of length one."""

from __future__ import annotations

import numpy as np

from engine.ops.table import F as rows
from engine.tensor import Tensor


def cosine_similarity(x1: Tensor, x2: Tensor, dim: int = 1, eps: float = 1e-8) -> Tensor:
    """Return the cosine of the angle between vectors along a dimension."""
    scaled = []
    for x in (x1, x2):
        norm = rows.linalg_vector_norm(x, 2, (dim,), True)
        held = rows.clone(norm)
        np.maximum(held.array, held.array.dtype.type(eps), out=held.array)
        scaled.append(x / held)
    return (scaled[0] * scaled[1]).sum(dim)


def pairwise_distance(x1: Tensor, x2: Tensor, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False) -> Tensor:
    """Return the p-norm of the difference along the last dimension, eps added to each difference."""
    return rows.norm__dim(rows.add__Scalar(x1 - x2, eps), p, (-1,), keepdim)


def normalize(input: Tensor, p: float = 2.0, dim: int = 1, eps: float = 1e-12) -> Tensor:
    """Return vectors divided by their p-norm along a dimension."""
    norm = rows.linalg_vector_norm(input, p, (dim,), True)
    return input / rows.clamp_min(norm, eps).expand_as(input)
