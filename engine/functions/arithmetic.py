"""Arithmetic, powers, clamping and choosing: one name for a tensor or a number on either side."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine import create
from engine import dtype as dtypes
from engine.errors.warned import UINT8_CONDITION
from engine.functions.conversions import to
from engine.ops.table import F
from engine.tensor import Tensor, beside
from engine.warned import warn_once

__all__ = [
    "allclose", "clamp", "clamp_max", "clamp_min", "div", "equal", "float_power", "floor_divide", "fmod",
    "isclose", "lerp", "polygamma", "positive", "pow", "remainder", "round", "rsub", "square", "sub",
    "true_divide", "where", "xlogy",
]  # fmt: skip


def refuse_bools(*operands: Any) -> None:
    """Refuse to subtract if exactly one operand is a bool tensor; two are refused by the operation."""
    bools = [isinstance(v, Tensor) and v.array.dtype == np.bool_ for v in operands]
    if True in bools and not all(bools):
        raise RuntimeError(
            "Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying to "
            "invert a mask, use the `~` or `logical_not()` operator instead."
        )


def sub(input: Tensor, other: Any, *, alpha: Any = 1) -> Tensor:
    """Return input - alpha * other."""
    refuse_bools(input, other)
    return F.sub(input, other, alpha)


def rsub(input: Tensor, other: Any, *, alpha: Any = 1) -> Tensor:
    """Return other - alpha * input."""
    refuse_bools(input, other)
    return F.rsub(input, other, alpha) if isinstance(other, Tensor) else F.rsub__Scalar(input, other, alpha)


def div(input: Tensor, other: Any, *, rounding_mode: str | None = None) -> Tensor:
    """Return input / other, rounded down or toward zero if asked."""
    if rounding_mode is None:
        return F.div(input, other)
    return F.div__rounded(input, other, rounding_mode)


def true_divide(input: Tensor, other: Any) -> Tensor:
    """Return input / other."""
    return F.div(input, other)


def floor_divide(input: Any, other: Any) -> Tensor:
    """Return input / other, rounded down; it has no derivative."""
    return F.floor_divide(input, other) if isinstance(other, Tensor) else F.floor_divide__Scalar(input, other)


def remainder(input: Any, other: Any) -> Tensor:
    """Return the remainder with the sign of the divisor."""
    if not isinstance(input, Tensor):
        return F.remainder__Base(input, other)
    return F.remainder(input, other) if isinstance(other, Tensor) else F.remainder__Scalar(input, other)


def fmod(input: Tensor, other: Any) -> Tensor:
    """Return the remainder with the sign of the dividend."""
    return F.fmod(input, other) if isinstance(other, Tensor) else F.fmod__Scalar(input, other)


def pow(input: Any, exponent: Any) -> Tensor:
    """Return input ** exponent: tensor or number on either side."""
    if not isinstance(input, Tensor):
        return F.pow__Base(input, exponent)
    if isinstance(exponent, Tensor):
        return F.pow__Tensor(input, exponent)
    return F.pow(input, exponent)


def float_power(input: Any, exponent: Any) -> Tensor:
    """Return input ** exponent in double precision."""
    parts = [to(v, dtypes.float64) if isinstance(v, Tensor) else float(v) for v in (input, exponent)]
    return pow(*parts)


def square(input: Tensor) -> Tensor:
    """Return input ** 2; the node is PowBackward0."""
    return F.pow(input, 2)


def positive(input: Tensor) -> Tensor:
    """Return the tensor itself: +input."""
    if input.array.dtype == np.bool_:
        raise RuntimeError("The `+` operator, on a bool tensor is not supported.")
    return input


def round(input: Tensor, *, decimals: int = 0) -> Tensor:
    """Return the nearest whole numbers, halves to even; or to some decimals."""
    return F.round__decimals(input, decimals) if decimals else F.round(input)


def lerp(input: Tensor, end: Tensor, weight: Any) -> Tensor:
    """Return input + weight * (end - input)."""
    return F.lerp(input, end, weight) if isinstance(weight, Tensor) else F.lerp__Scalar(input, end, weight)


def xlogy(input: Any, other: Any) -> Tensor:
    """Return input * log(other), 0 where input is 0."""
    if not isinstance(input, Tensor):
        return F.xlogy__Base(input, other)
    return F.xlogy(input, other) if isinstance(other, Tensor) else F.xlogy__Scalar(input, other)


def polygamma(n: Any, input: Any) -> Tensor:
    """Return the n-th derivative of digamma; as a method, `input.polygamma(n)`."""
    n, input = (input, n) if isinstance(n, Tensor) else (n, input)
    if input.array.dtype.kind in "iub":
        input = to(input, dtypes.default_dtype())
    return F.digamma(input) if n == 0 else F.polygamma(n, input)


# ----- choosing -----
def clamp(input: Tensor, min: Any = None, max: Any = None) -> Tensor:
    """Return the elements kept within bounds, which are numbers or tensors."""
    tensors = isinstance(min, Tensor) or isinstance(max, Tensor)
    return F.clamp__Tensor(input, min, max) if tensors else F.clamp(input, min, max)


def clamp_min(input: Tensor, min: Any) -> Tensor:
    """Return the elements, but not below a bound."""
    return F.clamp_min__Tensor(input, min) if isinstance(min, Tensor) else F.clamp_min(input, min)


def clamp_max(input: Tensor, max: Any) -> Tensor:
    """Return the elements, but not above a bound."""
    return F.clamp_max__Tensor(input, max) if isinstance(max, Tensor) else F.clamp_max(input, max)


def where(condition: Tensor, input: Any = None, other: Any = None) -> Any:
    """Choose element by element; with a condition alone, return the indices where it holds."""
    if input is None:
        return tuple(create.finished(i, place=condition.place) for i in np.nonzero(condition.array))
    if other is None:
        raise TypeError("where() received an invalid combination of arguments - got (Tensor, Tensor)")
    if condition.array.dtype == np.uint8:
        warn_once("where", UINT8_CONDITION)
        condition = beside(condition, condition.array != 0)
    if condition.array.dtype.kind != "b":
        raise RuntimeError(
            "where expected condition to be a boolean tensor, but got a tensor with dtype "
            f"{condition.dtype.short}"
        )
    return F.where(condition, input, other)


# ----- comparing as a whole -----
def allclose(
    input: Tensor, other: Tensor, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False
) -> bool:
    """Return whether all elements are close: |input - other| <= atol + rtol * |other|."""
    if input.dtype is not other.dtype:
        raise RuntimeError(f"{input.dtype.short} did not match {other.dtype.short}")
    return bool(np.allclose(input.array, other.array, rtol, atol, equal_nan))


def isclose(
    input: Tensor, other: Tensor, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False
) -> Tensor:
    """Return where elements are close: |input - other| <= atol + rtol * |other|."""
    if input.dtype is not other.dtype:
        raise RuntimeError(f"{input.dtype.short} did not match {other.dtype.short}")
    return F.isclose(input, other, rtol, atol, equal_nan)


def equal(input: Tensor, other: Tensor) -> bool:
    """Return whether shapes and all elements are the same."""
    return input.array.shape == other.array.shape and bool(np.array_equal(input.array, other.array))
