"""torch.special: what has no other name in torch."""

from __future__ import annotations

import math
from typing import Any

from engine.ops.table import F
from engine.tensor import Tensor, make

__all__ = ["entr", "i0e", "i1", "i1e", "ndtr", "xlog1py"]


def i0e(input: Tensor) -> Tensor:
    """Return the modified Bessel function of order 0 times exp(-|x|)."""
    return F.special_i0e(input)


def i1(input: Tensor) -> Tensor:
    """Return the modified Bessel function of order 1."""
    return F.special_i1(input)


def i1e(input: Tensor) -> Tensor:
    """Return the modified Bessel function of order 1 times exp(-|x|)."""
    return F.special_i1e(input)


def entr(input: Tensor) -> Tensor:
    """Return -x * log(x), the entropy that a probability contributes."""
    return F.special_entr(input)


def ndtr(input: Tensor) -> Tensor:
    """Return the share of normal numbers below x."""
    return F.mul__Scalar(F.add__Scalar(F.erf(F.mul__Scalar(input, math.sqrt(0.5))), 1), 0.5)


def xlog1py(input: Any, other: Any) -> Tensor:
    """Return input * log(1 + other), 0 where input is 0."""
    pair = [v if isinstance(v, Tensor) else make(v) for v in (input, other)]
    return F.special_xlog1py(*pair)
