"""Modules that put a border around their input: constant, mirrored, repeated, from the other side."""

from __future__ import annotations

from typing import Any

from engine.nn import functional as F
from engine.nn.module import Module
from engine.tensor import Tensor


class Pad(Module):
    """A border of a width, or of a width per side, along the last `dims` dimensions."""

    dims = 1
    mode = "constant"

    def __init__(self, padding: Any) -> None:
        super().__init__()
        self.padding = (padding,) * (2 * self.dims) if isinstance(padding, int) else tuple(padding)

    def forward(self, input: Tensor) -> Tensor:
        """Return the input with its border."""
        return F.pad(input, self.padding, self.mode)

    def extra_repr(self) -> str:
        return f"{self.padding}"


class ConstantPad1d(Pad):
    """A border of one value along the last dimension."""

    def __init__(self, padding: Any, value: float) -> None:
        super().__init__(padding)
        self.value = value

    def forward(self, input: Tensor) -> Tensor:
        """Return the input with its border."""
        return F.pad(input, self.padding, "constant", self.value)

    def extra_repr(self) -> str:
        return f"padding={self.padding}, value={self.value}"


class ConstantPad2d(ConstantPad1d):
    """A border of one value around images."""

    dims = 2


class ConstantPad3d(ConstantPad1d):
    """A border of one value around volumes."""

    dims = 3


class ZeroPad1d(Pad):
    """A border of zeros along the last dimension."""


class ZeroPad3d(Pad):
    """A border of zeros around volumes."""

    dims = 3


class ReflectionPad1d(Pad):
    """A border that mirrors what is inside."""

    mode = "reflect"


class ReflectionPad2d(ReflectionPad1d):
    """A border around images that mirrors what is inside."""

    dims = 2


class ReflectionPad3d(ReflectionPad1d):
    """A border around volumes that mirrors what is inside."""

    dims = 3


class ReplicationPad1d(Pad):
    """A border that repeats the edge."""

    mode = "replicate"


class ReplicationPad2d(ReplicationPad1d):
    """A border around images that repeats the edge."""

    dims = 2


class ReplicationPad3d(ReplicationPad1d):
    """A border around volumes that repeats the edge."""

    dims = 3


class CircularPad1d(Pad):
    """A border taken from the opposite side."""

    mode = "circular"


class CircularPad2d(CircularPad1d):
    """A border around images taken from the opposite side."""

    dims = 2


class CircularPad3d(CircularPad1d):
    """A border around volumes taken from the opposite side."""

    dims = 3
