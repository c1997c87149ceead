"""Comparing and choosing: comparisons and logic have no derivative, what they choose by masks has one."""

from __future__ import annotations

from functools import partial

import numpy as np

from engine.ops import errors
from engine.ops.arithmetic import pointwise
from engine.ops.kinds import WHOLE, only
from engine.ops.table import F, op

# fmt: off

compared = partial(op, promote="arith")


# ----- comparisons, logic -----------------------------------------------------------------------
def asking(function: np.ufunc):
    """Return a forward that asks a question of two operands."""
    return lambda self, other: function(self, other)


def comparison(name: str, function: np.ufunc) -> None:
    """Add a comparison; in place it writes 1 and 0, has a node, and passes zeros on."""
    compared(name, asking(function))
    node = f"{name.capitalize()}Backward"
    op(f"{name}.inplace", asking(function), node=f"{node}0", promote="arith", formulas={"self": "0"},
       self=lambda grad: F.zeros_like(grad))
    op(f"{name}.inplace.Tensor", asking(function), node=f"{node}1", promote="arith",
       formulas={"self": "0", "other": "0"},
       self=lambda grad: F.zeros_like(grad), other=lambda grad: F.zeros_like(grad))


comparison("eq", np.equal)
comparison("ne", np.not_equal)
comparison("lt", np.less)
comparison("le", np.less_equal)
comparison("gt", np.greater)
comparison("ge", np.greater_equal)
pointwise("logical_and", asking(np.logical_and))
pointwise("logical_or", asking(np.logical_or))
pointwise("logical_xor", asking(np.logical_xor))
pointwise("logical_not", lambda self: np.logical_not(self))
pointwise("bitwise_not", only(WHOLE, "bitwise_not_cpu", lambda self: np.invert(self)))
pointwise("bitwise_and", only(WHOLE, "bitwise_and_cpu", asking(np.bitwise_and)), promote="arith")
pointwise("bitwise_or", only(WHOLE, "bitwise_or_cpu", asking(np.bitwise_or)), promote="arith")
pointwise("bitwise_xor", only(WHOLE, "bitwise_xor_cpu", asking(np.bitwise_xor)), promote="arith")
op("isnan", lambda self: np.isnan(self))
op("isinf", lambda self: np.isinf(self))
op("isfinite", lambda self: np.isfinite(self))
op("isposinf", lambda self: np.isposinf(self))
op("isneginf", lambda self: np.isneginf(self))
op("signbit", lambda self: np.signbit(self))
op("isclose", lambda self, other, rtol=1e-05, atol=1e-08, equal_nan=False:
   np.isclose(self, other, rtol, atol, equal_nan), spelled="")


# ----- choosing ---------------------------------------------------------------------------------
op("where", lambda condition, self, other: np.where(condition, self, other), node="WhereBackward0",
   promote="where", spelled="",
   formulas={"self": "where(condition, grad, 0)", "other": "where(condition, 0, grad)"},
   self=lambda grad, condition: F.where(condition, grad, 0.0),
   other=lambda grad, condition: F.where(condition, 0.0, grad))
op("maximum", asking(np.maximum), node="MaximumBackward0", promote="arith",
   formulas={"self": "where(self == other, grad / 2, where(self > other, grad, 0))",
             "other": "where(self == other, grad / 2, where(self < other, grad, 0))"},
   self=lambda grad, self, other: winner(grad, self, other),
   other=lambda grad, self, other: winner(grad, other, self))
op("minimum", asking(np.minimum), node="MinimumBackward0", promote="arith",
   formulas={"self": "where(self == other, grad / 2, where(self < other, grad, 0))",
             "other": "where(self == other, grad / 2, where(self > other, grad, 0))"},
   self=lambda grad, self, other: F.where(self == other, grad / 2, grad).masked_fill(self > other, 0.0),
   other=lambda grad, self, other: F.where(self == other, grad / 2, grad).masked_fill(self < other, 0.0))
op("fmax", asking(np.fmax), node="FmaxBackward0", promote="arith",
   formulas={"self": "where((self >= other) | isnan(other), grad, 0)",
             "other": "where((self >= other) | isnan(other), 0, grad)"},
   self=lambda grad, self, other: grad.masked_fill(F.logical_not(first_wins(self >= other, other)), 0.0),
   other=lambda grad, self, other: grad.masked_fill(first_wins(self >= other, other), 0.0))
op("fmin", asking(np.fmin), node="FminBackward0", promote="arith",
   formulas={"self": "where((self <= other) | isnan(other), grad, 0)",
             "other": "where((self <= other) | isnan(other), 0, grad)"},
   self=lambda grad, self, other: grad.masked_fill(F.logical_not(first_wins(self <= other, other)), 0.0),
   other=lambda grad, self, other: grad.masked_fill(first_wins(self <= other, other), 0.0))


def winner(grad, self, other):
    """Give the gradient to the larger operand, half of it where both are equal."""
    return F.where(self == other, grad / 2, grad).masked_fill(self < other, 0.0)


def first_wins(before, other):
    """Return where fmax and fmin take their first operand: it comes first, or the second is nan."""
    return F.logical_or(before, other.isnan())


# ----- clamping ---------------------------------------------------------------------------------
def _clamp(self, min=None, max=None):
    if min is None and max is None:
        raise RuntimeError(errors.clamp_without_bounds())
    found = self if min is None else np.maximum(self, min)
    return found.copy() if max is None else np.minimum(found, max)


def within(self, min, max):
    """Return where nothing was cut off: min <= self <= max, for the bounds that were given."""
    if max is None:
        return self >= min
    return self <= max if min is None else F.logical_and(self >= min, self <= max)


BETWEEN = (
    "where((min <= self) & (self <= max), grad, 0) if max is not None and min is not None "
    "else where(self <= max, grad, 0) if max is not None else where(self >= min, grad, 0)"
)
op("clamp", _clamp, node="ClampBackward1", promote="three", formulas={"self": BETWEEN},
   self=lambda grad, self, min, max: F.where(within(self, min, max), grad, 0.0))
op("clamp.Tensor", _clamp, node="ClampBackward0", promote="three",
   formulas={"self": BETWEEN, "min": "where(self < min, grad, 0) if max is None "
             "else where((self < min) & (min < max), grad, 0)",
             "max": "where(self > max, grad, 0) if min is None "
             "else where((self > max) | (max < min), grad, 0)"},
   self=lambda grad, self, min, max: F.where(within(self, min, max), grad, 0.0),
   min=lambda grad, self, min, max:
   F.where(self < min if max is None else F.logical_and(min < max, self < min), grad, 0.0),
   max=lambda grad, self, min, max:
   F.where(self > max if min is None else F.logical_or(self > max, max < min), grad, 0.0))
op("clamp_min", lambda self, min: np.maximum(self, min), node="ClampMinBackward0", promote="arith",
   spelled="",
   formulas={"self": "where(self >= min, grad, 0)"},
   self=lambda grad, self, min: F.where(self >= min, grad, 0.0))
op("clamp_min.Tensor", lambda self, min: np.maximum(self, min), node="ClampMinBackward1", promote="arith",
   formulas={"self": "where(self >= min, grad, 0)", "min": "where(self < min, grad, 0)"},
   self=lambda grad, self, min: F.where(self >= min, grad, 0.0),
   min=lambda grad, self, min: F.where(self < min, grad, 0.0))
op("clamp_max", lambda self, max: np.minimum(self, max), node="ClampMaxBackward0", promote="arith",
   spelled="",
   formulas={"self": "where(self <= max, grad, 0)"},
   self=lambda grad, self, max: F.where(self <= max, grad, 0.0))
op("clamp_max.Tensor", lambda self, max: np.minimum(self, max), node="ClampMaxBackward1", promote="arith",
   formulas={"self": "where(self <= max, grad, 0)", "max": "where(self > max, grad, 0)"},
   self=lambda grad, self, max: F.where(self <= max, grad, 0.0),
   max=lambda grad, self, max: F.where(self > max, grad, 0.0))
