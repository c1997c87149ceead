"""Elementary functions of one argument, each with its slope; `y` is the function's own value."""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from engine.verify.laws.table import law

pointwise = partial(law, pointwise=True)

LOG_2, LOG_10 = math.log(2), math.log(10)


def stepped(function):
    """Return a function that leaves whole numbers as they are."""
    return lambda self: function(self) if np.asarray(self).dtype.kind == "f" else self


# ----- exponentials, logarithms, roots ----------------------------------------------------------
pointwise("exp", lambda self: np.exp(self), "ExpBackward0", self=lambda g, y: g * y)
pointwise("exp2", lambda self: np.exp2(self), "Exp2Backward0", self=lambda g, y: g * y * LOG_2)
pointwise("expm1", lambda self: np.expm1(self), "Expm1Backward0", self=lambda g, y: g * y + g)
pointwise("log", lambda self: np.log(self), "LogBackward0", self=lambda g, self: g / self)
pointwise("log2", lambda self: np.log2(self), "Log2Backward0", self=lambda g, self: g / self / LOG_2)
pointwise("log10", lambda self: np.log10(self), "Log10Backward0", self=lambda g, self: g / self / LOG_10)
pointwise("log1p", lambda self: np.log1p(self), "Log1PBackward0", self=lambda g, self: g / (1 + self))
pointwise("sqrt", lambda self: np.sqrt(self), "SqrtBackward0", self=lambda g, y: g / 2 / y)
pointwise("rsqrt", lambda self: 1 / np.sqrt(self), "RsqrtBackward0", self=lambda g, y: g * y * y * y / -2)
pointwise("reciprocal", lambda self: 1 / self, "ReciprocalBackward0", self=lambda g, y: -g * y * y)
pointwise("square", lambda self: self * self)

# ----- angles -----------------------------------------------------------------------------------
pointwise("sin", lambda self: np.sin(self), "SinBackward0", self=lambda g, self: g * np.cos(self))
pointwise("cos", lambda self: np.cos(self), "CosBackward0", self=lambda g, self: -g * np.sin(self))
pointwise("tan", lambda self: np.tan(self), "TanBackward0", self=lambda g, y: g + g * y * y)
pointwise(
    "asin",
    lambda self: np.arcsin(self),
    "AsinBackward0",
    self=lambda g, self: g / np.sqrt((1 - self) * (1 + self)),
)
pointwise(
    "acos",
    lambda self: np.arccos(self),
    "AcosBackward0",
    self=lambda g, self: -g / np.sqrt((1 - self) * (1 + self)),
)
pointwise("atan", lambda self: np.arctan(self), "AtanBackward0", self=lambda g, self: g / (1 + self * self))
pointwise("sinh", lambda self: np.sinh(self), "SinhBackward0", self=lambda g, self: g * np.cosh(self))
pointwise("cosh", lambda self: np.cosh(self), "CoshBackward0", self=lambda g, self: g * np.sinh(self))
pointwise("tanh", lambda self: np.tanh(self), "TanhBackward0", self=lambda g, y: g * (1 - y) * (1 + y))
pointwise(
    "asinh",
    lambda self: np.arcsinh(self),
    "AsinhBackward0",
    self=lambda g, self: g / np.sqrt(self * self + 1),
)
pointwise(
    "acosh",
    lambda self: np.arccosh(self),
    "AcoshBackward0",
    self=lambda g, self: g / np.sqrt(self * self - 1),
)
pointwise(
    "atanh",
    lambda self: np.arctanh(self),
    "AtanhBackward0",
    self=lambda g, self: g / ((1 - self) * (1 + self)),
)
pointwise(
    "deg2rad", lambda self: self * (math.pi / 180), "Deg2RadBackward0", self=lambda g: g * (math.pi / 180)
)
pointwise(
    "rad2deg", lambda self: self * (180 / math.pi), "Rad2DegBackward0", self=lambda g: g * (180 / math.pi)
)
pointwise(
    "sigmoid", lambda self: 1 / (1 + np.exp(-self)), "SigmoidBackward0", self=lambda g, y: g * (y - y * y)
)

# ----- steps ------------------------------------------------------------------------------------
for _name, _function in {"floor": np.floor, "ceil": np.ceil, "trunc": np.trunc}.items():
    pointwise(_name, stepped(_function), f"{_name.capitalize()}Backward0", exact=True, flat="self")
pointwise(
    "round", lambda self, decimals=0: np.round(self, decimals), "RoundBackward0 RoundBackward1", flat="self"
)
pointwise("frac", lambda self: self - np.trunc(self), "FracBackward0", self=lambda g: g)
pointwise(
    "nan_to_num",
    lambda self, nan=0.0, posinf=None, neginf=None: np.nan_to_num(
        np.asarray(self, np.float32), nan=nan or 0.0, posinf=posinf, neginf=neginf
    ),
    "NanToNumBackward0",
    self=lambda g, self: g * np.isfinite(self),
)
