"""Functions with names of their own, and smooth ones of two arguments."""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from engine.verify.laws.table import law

pointwise = partial(law, pointwise=True)

ROOT_PI = math.sqrt(math.pi)
erf, erfc = (np.vectorize(function, otypes=[float]) for function in (math.erf, math.erfc))


def gamma_log(x: float) -> float:
    """Return log|gamma(x)|, infinite at the poles."""
    if math.isnan(x) or math.isinf(x):
        return abs(x)
    return math.inf if x <= 0 and x == int(x) else math.lgamma(x)


def erf_inverse(y: float) -> float:
    """Return the x with erf(x) = y, found by halving an interval."""
    if not abs(y) < 1:
        return math.copysign(math.inf, y) if abs(y) == 1 else math.nan
    low, high = (0.0, 6.0) if y >= 0 else (-6.0, 0.0)
    while (middle := (low + high) / 2) not in (low, high):
        low, high = (middle, high) if math.erf(middle) < y else (low, middle)
    return low


def psi(order: int, x: float) -> float:
    """Return the derivative of that order of log gamma's derivative: by recurrence up, then its series."""
    if x <= 0 and x == int(x):
        return math.nan if order == 0 and x else math.copysign(math.inf, -x if order == 0 else 1.0)
    if x < 0 and order == 0:
        return psi(0, 1 - x) - math.pi / math.tan(math.pi * x)
    sign, moved = (-1) ** (order + 1), 0.0
    while x < 25:
        moved += x ** -(order + 1.0)
        x += 1
    moved *= math.factorial(order)
    if order == 0:
        tail = math.log(x) - 1 / (2 * x) - sum(b / (2 * k * x ** (2 * k)) for k, b in enumerate(BERNOULLI, 1))
        return tail - moved
    tail = math.factorial(order - 1) / x**order + math.factorial(order) / (2 * x ** (order + 1))
    for k, b in enumerate(BERNOULLI, 1):
        tail += b * math.factorial(2 * k + order - 1) / math.factorial(2 * k) / x ** (2 * k + order)
    return sign * (tail + moved)


BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66)
lgamma = np.vectorize(gamma_log, otypes=[float])
erfinv = np.vectorize(erf_inverse, otypes=[float])
polygamma = np.vectorize(psi, otypes=[float])

pointwise(
    "erf",
    lambda self: erf(self),
    "ErfBackward0",
    self=lambda g, self: g * 2 / ROOT_PI * np.exp(-(self * self)),
)
pointwise(
    "erfc",
    lambda self: erfc(self),
    "ErfcBackward0",
    self=lambda g, self: -g * 2 / ROOT_PI * np.exp(-(self * self)),
)
pointwise(
    "erfinv",
    lambda self: erfinv(self),
    "ErfinvBackward0",
    self=lambda g, self: g * ROOT_PI / 2 * np.exp(erfinv(self) ** 2),
)
pointwise("lgamma", lambda self: lgamma(self), "LgammaBackward0", self=lambda g, self: g * polygamma(0, self))
pointwise(
    "digamma",
    lambda self: polygamma(0, self),
    "DigammaBackward0",
    self=lambda g, self: g * polygamma(1, self),
)
pointwise(
    "polygamma",
    lambda n, self: polygamma(n, self),
    "PolygammaBackward0",
    self=lambda g, n, self: g * polygamma(n + 1, self),
)


# ----- quotients with a hole --------------------------------------------------------------------
def sinc_slope(g, self):
    """Return the slope of sin(pi x) / (pi x), 0 at 0."""
    angle = math.pi * self
    with np.errstate(all="ignore"):
        return g * np.where(self == 0, 0.0, (np.cos(angle) - np.sin(angle) / angle) / self)


def odds(self, eps=None):
    """Return log(x / (1 - x)), x kept within [eps, 1 - eps]."""
    x = self if eps is None else np.clip(self, eps, 1 - eps)
    return np.log(x) - np.log1p(-x)


def odds_slope(g, self, eps=None):
    """Return the slope of `odds`: 0 where eps cuts off, nan outside [0, 1] without it."""
    low, high, outside = (0.0, 1.0, math.nan) if eps is None else (eps, 1.0 - eps, 0.0)
    return np.where((self >= low) & (self <= high), g / self / (1 - self), outside)


pointwise("sinc", lambda self: np.sinc(self), "SincBackward0", self=sinc_slope)
pointwise("logit", odds, "LogitBackward0", self=odds_slope)


# ----- two arguments ----------------------------------------------------------------------------
def times_log(self, other):
    """Return self * log(other), 0 where self is 0 and other is a number."""
    other = np.asarray(other, np.float64)
    return np.where(np.isnan(other), np.nan, np.where(np.equal(self, 0), 0.0, self * np.log(other)))


def around(self, other):
    """Return 1 / (self ** 2 + other ** 2), 0 at the origin."""
    square = np.square(self) + np.square(other)
    return np.where(square == 0, 0.0, 1 / np.where(square == 0, 1, square))


def share(g, mine, others, base):
    """Return how much of a logarithmic sum comes from one argument."""
    return g / (1 + np.power(base, others - mine))


pointwise(
    "atan2",
    lambda self, other: np.arctan2(self, other),
    "Atan2Backward0",
    self=lambda g, self, other: g * other * around(self, other),
    other=lambda g, self, other: -g * self * around(self, other),
)
pointwise(
    "hypot",
    lambda self, other: np.hypot(self, other),
    "HypotBackward0",
    self=lambda g, self, y: g * self / y,
    other=lambda g, other, y: g * other / y,
)
pointwise(
    "logaddexp",
    lambda self, other: np.logaddexp(self, other),
    "LogaddexpBackward0",
    self=lambda g, self, other: share(g, self, other, math.e),
    other=lambda g, self, other: share(g, other, self, math.e),
)
pointwise(
    "logaddexp2",
    lambda self, other: np.logaddexp2(self, other),
    "Logaddexp2Backward0",
    self=lambda g, self, other: share(g, self, other, 2.0),
    other=lambda g, self, other: share(g, other, self, 2.0),
)
pointwise(
    "xlogy",
    times_log,
    "XlogyBackward0 XlogyBackward1 XlogyBackward2",
    self=lambda g, self, other: np.where(
        np.equal(self, 0) & np.less_equal(other, 0), 0.0, g * np.log(np.asarray(other, np.float64))
    ),
    other=lambda g, self, other: g * self / other,
)
