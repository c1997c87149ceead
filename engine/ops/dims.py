"""Counting dimensions: negative ones, several at once, those that a reduction took away."""

from __future__ import annotations

import math
from typing import Any

from engine import errors


def axis(dim: int, ndim: int) -> int:
    """Return a dimension counted from the front, or refuse it as PyTorch does."""
    low = max(ndim, 1)
    if not -low <= dim < low:
        raise errors.index_error(errors.dim_range(dim, ndim))
    return dim % low


def axes(dim: Any, ndim: int) -> tuple[int, ...]:
    """Return the dimensions a reduction runs over; none given means all."""
    if dim is None or dim == ():
        return tuple(range(ndim))
    found = tuple(axis(d, ndim) for d in ((dim,) if isinstance(dim, int) else dim))
    if len(set(found)) != len(found):
        twice = next(d for d in found if found.count(d) > 1)
        raise RuntimeError(f"dim {twice} appears multiple times in the list of dims")
    return found


def at(dim: int, index: Any) -> tuple:
    """Return what selects `index` in dimension `dim` and everything in the dimensions before it."""
    return (*(slice(None),) * dim, index)


def unreduced(tensor: Any, dim: Any, keepdim: bool, ndim: int) -> Any:
    """Give a tensor back the dimensions that a reduction took away, each of size 1."""
    if not keepdim and ndim and dim not in (None, ()):
        for d in sorted(axes(dim, ndim)):
            tensor = tensor.unsqueeze(d)
    return tensor


def reshaped(tensor: Any, sizes: tuple, dim: Any, keepdim: bool) -> Any:
    """The same as `unreduced` in one step, as some of PyTorch's rules do it."""
    over = axes(dim, len(sizes))
    return tensor if keepdim else tensor.reshape(tuple(1 if d in over else n for d, n in enumerate(sizes)))


def reduced_count(sizes: tuple, dim: Any) -> int:
    """Return how many elements one element of the result stands for."""
    return math.prod(sizes[d] for d in axes(dim, len(sizes))) if sizes else 1


def pair(value: Any, n: int = 2) -> tuple[int, ...]:
    """Return a size given once, or one per dimension, as one per dimension."""
    if isinstance(value, int):
        return (value,) * n
    return tuple(value) * n if len(value) == 1 else tuple(value)
