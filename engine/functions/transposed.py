"""The properties that turn a matrix over: `.T`, `.mT`, `.H`, `.mH`, and what they say of other shapes."""

from __future__ import annotations

from collections.abc import Callable

from engine import errors
from engine.ops.table import F
from engine.tensor import Tensor
from engine.warned import warn_once


def reversed_dims(self: Tensor) -> Tensor:
    """Return the tensor with its dimensions in reverse: `.T`."""
    ndim = self.array.ndim
    if ndim != 2:
        warn_once(f"T of {bool(ndim)}", errors.REVERSED if ndim else errors.no_matrix("T"))
    return F.permute(self, tuple(reversed(range(ndim))))


def of_matrices(name: str) -> Callable[[Tensor], Tensor]:
    """Return a property that swaps the last two dimensions; `.H` does so for single matrices only."""

    def swapped(self: Tensor) -> Tensor:
        ndim = self.array.ndim
        if ndim == 1 or (ndim > 2 and name == "H"):
            raise RuntimeError(errors.only_matrices(name, ndim))
        if not ndim:
            warn_once(name, errors.no_matrix(name))
            return F.permute(self, ())
        turned = F.transpose(self, -2, -1)
        return turned.conj() if name.endswith("H") and self.array.dtype.kind == "c" else turned

    return swapped
