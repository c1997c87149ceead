"""What numbers a dtype can hold: `torch.finfo` and `torch.iinfo`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from engine import dtype as dtypes
from engine.numeric.kinds import TITLE

__all__ = ["finfo", "iinfo"]
OF_BFLOAT16 = (16, 0.0078125, 3.3895313892515355e38, 0.01)  # bits, eps, max, resolution; the rest as float32


@dataclass(frozen=True, slots=True)
class FloatRange:
    """The limits of a kind of floating-point number."""

    bits: int
    eps: float
    max: float
    min: float
    tiny: float
    smallest_normal: float
    resolution: float
    dtype: str

    def __repr__(self) -> str:
        names = ("resolution", "min", "max", "eps", "smallest_normal", "tiny")
        numbers = ", ".join(f"{name}={getattr(self, name):g}" for name in names)
        return f"finfo({numbers}, dtype={self.dtype})"


@dataclass(frozen=True, slots=True)
class WholeRange:
    """The limits of a kind of integer."""

    bits: int
    max: int
    min: int
    dtype: str

    def __repr__(self) -> str:
        low, high = (f"{n:g}" for n in (self.min, self.max))
        return f"iinfo(min={low}, max={high}, dtype={self.dtype})"


def _checked(function: str, type: Any) -> dtypes.DType:
    if not isinstance(type, dtypes.DType):
        raise TypeError(
            f"{function}(): argument 'type' (position 1) must be torch.dtype, not {TITLE(type.__class__)}"
        )
    return type


def finfo(type: Any = None) -> FloatRange:
    """Return the limits of a kind of floating-point number: its precision, its smallest, its largest."""
    asked = dtypes.default_dtype() if type is None else _checked("finfo", type)
    if asked.category < dtypes.FLOAT:
        raise TypeError(
            "torch.finfo() requires a floating point input type. Use torch.iinfo to handle 'torch.finfo'"
        )
    dtype = asked.to_real()
    found = np.finfo(dtype.numpy)
    bits, eps, high, resolution = found.bits, float(found.eps), float(found.max), float(str(found.resolution))
    if dtype is dtypes.bfloat16:
        bits, eps, high, resolution = OF_BFLOAT16
    tiny = float(found.tiny)
    return FloatRange(bits, eps, high, -high, tiny, tiny, resolution, dtype.name)


def iinfo(type: Any) -> WholeRange:
    """Return the limits of a kind of integer."""
    dtype = _checked("iinfo", type)
    if dtype.category >= dtypes.FLOAT:
        raise TypeError(
            "torch.iinfo() requires an integer input type. Use torch.finfo to handle 'torch.iinfo'"
        )
    if dtype is dtypes.bool_:
        raise TypeError("torch.bool is not supported by torch.iinfo")
    found = np.iinfo(dtype.numpy)
    return WholeRange(found.bits, int(found.max), int(found.min), dtype.name)
