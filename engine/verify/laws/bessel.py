"""Bessel functions, logarithms of products, and other smooth functions that few programs use."""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from engine.verify.laws.special import lgamma, polygamma
from engine.verify.laws.table import law

pointwise = partial(law, pointwise=True)
TURNS = (np.arange(400) + 0.5) * math.pi / 400  # midpoints: exact for what repeats, to the last digit


def first_kind(order: int, x: np.ndarray) -> np.ndarray:
    """Return exp(-|x|) I_order(x): the mean over a half turn of exp(x cos t - |x|) cos(order t)."""
    x = np.asarray(x, float)[..., None]
    return np.mean(np.exp(x * np.cos(TURNS) - np.abs(x)) * np.cos(order * TURNS), axis=-1)


def grown(order: int, x: np.ndarray) -> np.ndarray:
    """Return I_order."""
    return first_kind(order, x) * np.exp(np.abs(x))


def over(top, x):
    """Return top / x, and what it tends to where x is 0."""
    return np.where(x == 0, 0.5, top / np.where(x == 0, 1.0, x))


pointwise("i0", lambda self: grown(0, self), "I0Backward0", self=lambda g, self: g * grown(1, self))
pointwise(
    "special_i1",
    lambda self: grown(1, self),
    "SpecialI1Backward0",
    self=lambda g, self: g * (grown(0, self) - over(grown(1, self), self)),
)
pointwise(
    "special_i0e",
    lambda self: first_kind(0, self),
    "SpecialI0EBackward0",
    self=lambda g, self: g * (first_kind(1, self) - np.sign(self) * first_kind(0, self)),
)
pointwise(
    "special_i1e",
    lambda self: first_kind(1, self),
    "SpecialI1EBackward0",
    self=lambda g, self: (
        g * (first_kind(0, self) - over(first_kind(1, self), self) - np.sign(self) * first_kind(1, self))
    ),
)


def none_of_nothing(self, other, by):
    """Return self * by, and 0 where self is 0."""
    return np.where(np.isnan(other), np.nan, np.where(self == 0, 0.0, self * by))


pointwise(
    "special_xlog1py",
    lambda self, other: none_of_nothing(self, other, np.log1p(other)),
    "SpecialXlog1PyBackward0",
    self=lambda g, self, other: np.where(
        (self == 0) & (other <= -1), 0.0, none_of_nothing(g, other, np.log1p(other))
    ),
    other=lambda g, self, other: g * self / (1 + other),
)
pointwise(
    "special_entr",
    lambda self: np.where(self > 0, -self * np.log(self), np.where(self == 0, 0.0, -math.inf)),
    "SpecialEntrBackward0",
    self=lambda g, self: -g * (1 + np.log(self)),
)
pointwise(
    "mvlgamma",
    lambda self, p: sum(lgamma(self - i / 2) for i in range(p)) + p * (p - 1) / 4 * math.log(math.pi),
    "MvlgammaBackward0",
    self=lambda g, self, p: g * sum(polygamma(0, self - i / 2) for i in range(p)),
)
pointwise(
    "ldexp",
    lambda self, other: self * 2.0**other,
    "LdexpBackward0",
    self=lambda g, other: g * 2.0**other,
    other=lambda g, y: g * y * math.log(2),
)
law(
    "frexp",
    lambda self: list(np.frexp(self)),
    "FrexpBackward0",
    exact=True,
    self=lambda gs, exponent: gs[0] / 2.0**exponent,
)
pointwise(
    "angle",
    lambda self: np.where(np.isnan(self), self, np.where(self < 0, math.pi, 0.0)),
    "AngleBackward0",
    flat="self",
)
