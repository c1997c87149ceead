"""Into another dtype, into Python; new tensors like an old one."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine import dtype as dtypes
from engine.device import check
from engine.dtype import DType
from engine.ops.table import F
from engine.tensor import Tensor, make

__all__ = ["clone", "contiguous", "nonzero", "argwhere", "to", "type_as", "unique", "bincount"]


def cast(input: Tensor, dtype: DType | None) -> Tensor:
    """Return the tensor in a dtype, if one is asked for."""
    return input if dtype is None or dtype is input.dtype else to(input, dtype)


def to(self: Tensor, *args: Any, dtype: DType | None = None, device: Any = None, copy: bool = False, **_: Any) -> Tensor:
    """Return the tensor in another dtype; the same object if nothing changes."""
    for value in args:
        if isinstance(value, DType):
            dtype = value
        elif isinstance(value, Tensor):
            dtype = value.dtype
        elif not isinstance(value, bool):
            device = value
    if device is not None:
        check(device)
    if dtype is None or dtype is self.dtype:
        return F.clone(self) if copy else self
    out = F.to(self, dtype)
    if dtype is dtypes.bfloat16:
        out.exotic = dtype
    return out


def type_as(self: Tensor, other: Tensor) -> Tensor:
    """Return the tensor in the dtype of another."""
    return to(self, other.dtype)


def clone(input: Tensor, *, memory_format: Any = None) -> Tensor:
    """Return a copy; its gradient goes back to the original."""
    return F.clone(input)


def contiguous(self: Tensor, memory_format: Any = None) -> Tensor:
    """Return the tensor itself if its memory is in order, else a copy that is."""
    return self if self.array.flags.c_contiguous else F.contiguous(self)


# ----- what has no gradient -----
def nonzero(input: Tensor, *, as_tuple: bool = False) -> Any:
    """Return the indices of what is not 0: one row each, or one tensor per dimension."""
    if as_tuple:
        return tuple(make(i) for i in np.nonzero(np.atleast_1d(input.array)))
    return F.nonzero(input)


def argwhere(input: Tensor) -> Tensor:
    """Return the indices of what is not 0, one row each."""
    return F.nonzero(input)


def unique(input: Tensor, sorted: bool = True, return_inverse: bool = False, return_counts: bool = False, dim: Any = None) -> Any:
    """Return every value once, in order; where it stood and how often, if asked."""
    found = np.unique(input.array, return_inverse=True, return_counts=True, axis=dim)
    wanted = (True, return_inverse, return_counts)
    out = tuple(make(np.asarray(a)) for a, w in zip(found, wanted, strict=True) if w)
    return out[0] if len(out) == 1 else out


def bincount(input: Tensor, weights: Tensor | None = None, minlength: int = 0) -> Tensor:
    """Return how often each number 0, 1, 2, ... occurs."""
    return make(np.bincount(input.array, None if weights is None else weights.array, minlength))
