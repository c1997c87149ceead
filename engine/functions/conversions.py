"""Into another dtype or order of memory; the places of what is not 0."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine import create
from engine.dtype import DType
from engine.functions.moving import to
from engine.ops.table import F
from engine.tensor import Tensor

__all__ = ["argwhere", "clone", "contiguous", "fill", "nonzero", "type_as"]


def cast(input: Tensor, dtype: DType | None) -> Tensor:
    """Return the tensor in a dtype, if one is asked for."""
    return input if dtype is None or dtype is input.dtype else to(input, dtype)


def type_as(self: Tensor, other: Tensor) -> Tensor:
    """Return the tensor in the dtype of another."""
    return to(self, other.dtype)


def clone(input: Tensor, *, memory_format: Any = None) -> Tensor:
    """Return a copy; its gradient goes back to the original."""
    return F.clone(input)


def fill(input: Tensor, value: Any) -> Tensor:
    """Return a tensor of the same shape that holds one value."""
    return F.fill__with(input, value) if isinstance(value, Tensor) else F.fill(input, value)


def contiguous(self: Tensor, memory_format: Any = None) -> Tensor:
    """Return the tensor itself if its memory is in order, else a copy that is."""
    return self if self.array.flags.c_contiguous else F.contiguous(self)


# ----- what has no gradient -----
def nonzero(input: Tensor, *, as_tuple: bool = False) -> Any:
    """Return the indices of what is not 0: one row each, or one tensor per dimension."""
    if as_tuple:
        return tuple(create.finished(i, place=input.place) for i in np.nonzero(np.atleast_1d(input.array)))
    return F.nonzero(input)


def argwhere(input: Tensor) -> Tensor:
    """Return the indices of what is not 0, one row each."""
    return F.nonzero(input)
