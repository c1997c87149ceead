"""Sums, products, quotients, powers, comparisons, choices by a mask."""

from __future__ import annotations

from functools import partial

import numpy as np

from engine.verify.laws.table import conj, law, nothing

pointwise = partial(law, pointwise=True)


def quotient(self, other, rounding_mode=None):
    """Return self / other, perhaps rounded down or towards zero."""
    if rounding_mode == "floor":
        return np.floor_divide(self, other)
    whole = np.trunc(np.true_divide(self, other)) if rounding_mode == "trunc" else None
    return np.true_divide(self, other) if whole is None else whole


pointwise(
    "add",
    lambda self, other, alpha=1: self + alpha * other if alpha != 1 else self + other,
    "AddBackward0 AddBackward1",
    self=lambda g: g,
    other=lambda g, alpha=1: g * alpha,
)
pointwise(
    "sub",
    lambda self, other, alpha=1: self - alpha * other,
    "SubBackward0 SubBackward1",
    self=lambda g: g,
    other=lambda g, alpha=1: -alpha * g,
)
pointwise(
    "rsub",
    lambda self, other, alpha=1: other - alpha * self,
    "RsubBackward0 RsubBackward1",
    self=lambda g, alpha=1: -alpha * g,
    other=lambda g: g,
)
pointwise(
    "mul",
    lambda self, other: self * other,
    "MulBackward0 MulBackward1",
    self=lambda g, other: g * conj(other),
    other=lambda g, self: g * conj(self),
)
pointwise(
    "div",
    quotient,
    "DivBackward0 DivBackward1",
    self=lambda g, other: g / conj(other),
    other=lambda g, self, other: -g * conj(self / other / other),
)
pointwise("", None, "DivBackward2", flat="self other")
pointwise("true_divide", quotient)
pointwise("floor_divide", lambda self, other: np.floor_divide(self, other))
pointwise(
    "remainder",
    lambda self, other: np.mod(self, other),
    "RemainderBackward0 RemainderBackward1",
    self=lambda g: g,
    other=lambda g, self, other: -g * np.floor(self / other),
)
pointwise(
    "fmod",
    lambda self, other: np.fmod(self, other),
    "FmodBackward0 FmodBackward1",
    self=lambda g: g,
    other=lambda g, self, other: -g * np.trunc(self / other),
)
pointwise("neg", lambda self: -self, "NegBackward0", exact=True, self=lambda g: -g)
pointwise(
    "addcmul",
    lambda self, tensor1, tensor2, value=1: self + value * tensor1 * tensor2,
    "AddcmulBackward0",
    self=lambda g: g,
    tensor1=lambda g, tensor2, value=1: g * value * tensor2,
    tensor2=lambda g, tensor1, value=1: g * value * tensor1,
)
pointwise(
    "addcdiv",
    lambda self, tensor1, tensor2, value=1: self + value * tensor1 / tensor2,
    "AddcdivBackward0",
    self=lambda g: g,
    tensor1=lambda g, tensor2, value=1: g * value / tensor2,
    tensor2=lambda g, tensor1, tensor2, value=1: -g * value * tensor1 / tensor2**2,
)
pointwise(
    "lerp",
    lambda self, end, weight: self + weight * (end - self),
    "LerpBackward0 LerpBackward1",
    self=lambda g, weight: g - g * weight,
    end=lambda g, weight: g * weight,
    weight=lambda g, self, end: g * end - g * self,
)


# ----- powers -----------------------------------------------------------------------------------
def power(self, exponent):
    """Return self ** exponent; a whole number to a whole power stays whole."""
    whole = all(np.asarray(x).dtype.kind in "iub" for x in (self, exponent))
    if whole:
        return np.power(self, exponent)
    return np.power(np.asarray(self, np.result_type(self, np.float64)), exponent)


def base_slope(g, self, exponent):
    """Return d(self ** exponent) / d(self); 0 where the exponent is 0, even at 0."""
    slope = exponent * power(np.asarray(self, np.result_type(self, np.float64)), exponent - 1)
    return g * np.where(np.equal(exponent, 0), 0.0, conj(slope))


def exponent_slope(g, self, exponent):
    """Return d(self ** exponent) / d(exponent); 0 where the base is 0 and the exponent is not negative."""
    base = np.asarray(self, np.float64)
    return g * np.where(
        (base == 0) & np.greater_equal(exponent, 0), 0.0, power(base, exponent) * np.log(base)
    )


pointwise(
    "pow float_power",
    power,
    "PowBackward0 PowBackward1 PowBackward2",
    self=base_slope,
    exponent=exponent_slope,
)

# ----- signs, absolute values -------------------------------------------------------------------
pointwise("abs", lambda self: np.abs(self), "AbsBackward0", self=lambda g, self: g * direction(self))
pointwise("sign sgn", lambda self: direction(self), "SignBackward0 SgnBackward0", exact=True, flat="self")
pointwise(
    "copysign",
    lambda self, other: np.copysign(self, other),
    "CopysignBackward0",
    self=lambda g, self, other: g * np.where(self == 0, 0.0, np.copysign(self, other) / self),
    other=nothing,
)
pointwise("heaviside", lambda self, values: np.heaviside(self, values), exact=True)


def direction(x):
    """Return x / |x|, 0 at 0 and for nan."""
    x = np.asarray(x)
    if x.dtype.kind == "b":
        return x
    if x.dtype.kind == "c":
        return np.where(x == 0, 0, x / np.where(x == 0, 1, np.abs(x)))
    return np.where(np.isnan(x), 0, np.sign(x)) if x.dtype.kind == "f" else np.sign(x)


# ----- comparisons, logic -----------------------------------------------------------------------
def truth(x):
    """Return which elements count as true."""
    return np.not_equal(x, 0)


for _name, _function in {
    "eq": np.equal, "ne": np.not_equal, "lt": np.less, "le": np.less_equal, "gt": np.greater,
    "ge": np.greater_equal, "bitwise_and": np.bitwise_and, "bitwise_or": np.bitwise_or,
    "bitwise_xor": np.bitwise_xor,
}.items():  # fmt: skip
    pointwise(_name, lambda self, other, _function=_function: _function(self, other), exact=True)
pointwise("logical_and", lambda self, other: truth(self) & truth(other), exact=True)
pointwise("logical_or", lambda self, other: truth(self) | truth(other), exact=True)
pointwise("logical_xor", lambda self, other: truth(self) ^ truth(other), exact=True)
pointwise("logical_not", lambda self: ~truth(self), exact=True)
pointwise("bitwise_not", lambda self: ~self, exact=True)
pointwise("isnan", lambda self: np.isnan(self), exact=True)
pointwise("isinf", lambda self: np.isinf(self), exact=True)
pointwise("isfinite", lambda self: np.isfinite(self), exact=True)
pointwise("isposinf", lambda self: np.isposinf(self), exact=True)
pointwise("isneginf", lambda self: np.isneginf(self), exact=True)
pointwise("signbit", lambda self: np.signbit(self), exact=True)
pointwise(
    "isclose",
    lambda self, other, rtol=1e-5, atol=1e-8, equal_nan=False: np.isclose(self, other, rtol, atol, equal_nan),
    exact=True,
)

# ----- one of two -------------------------------------------------------------------------------
pointwise(
    "where",
    lambda condition, self, other: np.where(condition, self, other),
    "WhereBackward0",
    exact=True,
    self=lambda g, condition: np.where(condition, g, 0.0),
    other=lambda g, condition: np.where(condition, 0.0, g),
)


def halves(g, here, tie):
    """Return the gradient where an argument was chosen, half of it where both were."""
    return g * (here + 0.5 * tie)


pointwise(
    "maximum",
    lambda self, other: np.maximum(self, other),
    "MaximumBackward0",
    exact=True,
    self=lambda g, self, other: halves(g, np.greater(self, other), np.equal(self, other)),
    other=lambda g, self, other: halves(g, np.less(self, other), np.equal(self, other)),
)
pointwise(
    "minimum",
    lambda self, other: np.minimum(self, other),
    "MinimumBackward0",
    exact=True,
    self=lambda g, self, other: halves(g, np.less(self, other), np.equal(self, other)),
    other=lambda g, self, other: halves(g, np.greater(self, other), np.equal(self, other)),
)
pointwise(
    "fmax",
    lambda self, other: np.fmax(self, other),
    "FmaxBackward0",
    exact=True,
    self=lambda g, self, other: np.where(np.greater_equal(self, other) | np.isnan(other), g, 0.0),
    other=lambda g, self, other: np.where(np.greater_equal(self, other) | np.isnan(other), 0.0, g),
)
pointwise(
    "fmin",
    lambda self, other: np.fmin(self, other),
    "FminBackward0",
    exact=True,
    self=lambda g, self, other: np.where(np.less_equal(self, other) | np.isnan(other), g, 0.0),
    other=lambda g, self, other: np.where(np.less_equal(self, other) | np.isnan(other), 0.0, g),
)


# ----- kept within bounds -----------------------------------------------------------------------
def clamped(self, min=None, max=None):
    """Return self within [min, max]; the upper bound wins."""
    self = self if min is None else np.maximum(self, min)
    return self if max is None else np.minimum(self, max)


def inside(self, min=None, max=None):
    """Return where self is within its bounds."""
    low = True if min is None else np.greater_equal(self, min)
    return low & (True if max is None else np.less_equal(self, max))


pointwise(
    "clamp clamp_min clamp_max clip",
    clamped,
    "ClampBackward0 ClampBackward1 ClampMinBackward0 ClampMinBackward1 ClampMaxBackward0 ClampMaxBackward1",
    exact=True,
    self=lambda g, self, min=None, max=None: np.where(inside(self, min, max), g, 0.0),
    min=lambda g, self, min, max=None: np.where(
        np.less(self, min) & (True if max is None else np.less(min, max)), g, 0.0
    ),
    max=lambda g, self, max, min=None: np.where(
        np.greater(self, max) | (False if min is None else np.less(max, min)), g, 0.0
    ),
)

# ----- what the engine itself does --------------------------------------------------------------
pointwise("gradients_summed", lambda before, added: before + added)
