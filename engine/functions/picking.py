"""Picking and writing elements: names that cover several operations."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine import errors
from engine.ops import errors as words
from engine.ops.dims import axis
from engine.ops.table import F
from engine.tensor import Tensor, make_at

__all__ = ["index_fill", "masked_fill", "scatter", "select", "select_scatter", "take_along_dim"]


def select(input: Tensor, dim: int, index: int) -> Tensor:
    """Return one slice along a dimension, without that dimension."""
    shape = input.array.shape
    if shape and not -shape[axis(dim, len(shape))] <= index < shape[axis(dim, len(shape))]:
        raise errors.index_error(words.select_range(index, shape, axis(dim, len(shape))))
    return F.select(input, dim, index)


def select_scatter(input: Tensor, src: Tensor, dim: int, index: int) -> Tensor:
    """Return a copy with one slice along a dimension replaced."""
    return F.select_scatter(input, src, dim, index)


def masked_fill(input: Tensor, mask: Tensor, value: Any) -> Tensor:
    """Return the tensor with a value where a mask is true."""
    return (
        F.masked_fill__Tensor(input, mask, value)
        if isinstance(value, Tensor)
        else F.masked_fill(input, mask, value)
    )


def index_fill(input: Tensor, dim: int, index: Tensor, value: Any) -> Tensor:
    """Return the tensor with a value in the rows that an index names."""
    if isinstance(value, Tensor):
        return F.index_fill__Tensor(input, dim, index, value)
    return F.index_fill(input, dim, index, value)


def scatter(input: Tensor, dim: int, index: Tensor, src: Any = None, *, value: Any = None) -> Tensor:
    """Return the tensor with values written where an index says."""
    src = value if src is None else src
    return (
        F.scatter(input, dim, index, src)
        if isinstance(src, Tensor)
        else F.scatter__value(input, dim, index, src)
    )


def take_along_dim(input: Tensor, indices: Tensor, dim: int | None = None) -> Tensor:
    """Return the elements that indices name along a dimension, both broadcast against each other."""
    if dim is None:
        return F.gather(F.view(input, (-1,)), 0, F.view(indices, (-1,)))
    over, ndim = axis(dim, input.array.ndim), input.array.ndim
    shape = tuple(
        1 if d == over else max(a, b)
        for d, (a, b) in enumerate(zip(input.array.shape, indices.array.shape, strict=True))
    )
    own = tuple(input.array.shape[d] if d == over else shape[d] for d in range(ndim))
    other = tuple(indices.array.shape[d] if d == over else shape[d] for d in range(ndim))
    wide = make_at(np.broadcast_to(indices.array, other), None, indices.place)
    return F.gather(F.expand(input, own), over, wide)
