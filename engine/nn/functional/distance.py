"""How far apart vectors are, and vectors of length one."""

from __future__ import annotations

import numpy as np

from engine import events
from engine.ops.table import F as rows
from engine.tensor import Tensor


def cosine_similarity(x1: Tensor, x2: Tensor, dim: int = 1, eps: float = 1e-8) -> Tensor:
    """Return the cosine of the angle between vectors along a dimension."""
    lengths = []
    for x in (x1, x2):
        held = rows.clone(rows.linalg_vector_norm(x, 2, (dim,), True))
        events.overwriting(held.array)
        np.maximum(held.array, held.array.dtype.type(eps), out=held.array)
        lengths.append(held)
    second = x2 / lengths[1]  # PyTorch's compiler evaluates the right side first
    return ((x1 / lengths[0]) * second).sum(dim)


def pairwise_distance(
    x1: Tensor, x2: Tensor, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False
) -> Tensor:
    """Return the p-norm of the difference along the last dimension, eps added to each difference."""
    difference = rows.add__Scalar(x1 - x2, eps)
    return rows.norm__dim(difference, p, (difference.array.ndim - 1,), keepdim)


def normalize(input: Tensor, p: float = 2.0, dim: int = 1, eps: float = 1e-12) -> Tensor:
    """Return vectors divided by their p-norm along a dimension."""
    norm = rows.linalg_vector_norm(input, p, (dim,), True)
    return input / rows.clamp_min(norm, eps).expand_as(input)


def pdist(input: Tensor, p: float = 2.0) -> Tensor:
    """Return the distances of all pairs of rows."""
    return rows.pdist(input, p)
