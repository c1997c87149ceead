"""Functions with names of their own: erf, gamma's relatives, sinc, logit; smooth ones of two arguments."""

from __future__ import annotations

import math

import numpy as np

from engine.ops.arithmetic import NONE, no_derivative, pointwise
from engine.ops.elementary import exactly, smooth
from engine.ops.kinds import FLOATS, only
from engine.ops.powers import power
from engine.ops.table import F, op
from engine.tensor import make

# fmt: off


def each(function):
    """Return a Python function of one float as one of float64 arrays."""
    return np.vectorize(function, otypes=[np.float64])


erf, erfc = each(math.erf), each(math.erfc)


@each
def lgamma(x: float) -> float:
    """Return log|gamma(x)|: infinite at 0, -1, -2, ..."""
    if x != x:
        return math.nan
    return math.lgamma(x) if math.isfinite(x) and (x > 0 or x != math.floor(x)) else math.inf


@each
def erfinv(y: float) -> float:
    """Return the x with erf(x) == y: a first guess (Winitzki), then Newton's method."""
    if not -1 < y < 1:
        return math.copysign(math.inf, y) if abs(y) == 1 else math.nan
    low = math.log1p(-y * y)
    half = 2 / (math.pi * 0.147) + low / 2
    x = math.copysign(math.sqrt(math.sqrt(half * half - low / 0.147) - half), y)
    for _ in range(4):
        away = math.erf(x) - y if abs(y) < 0.5 else math.copysign(1, y) * (1 - abs(y) - math.erfc(abs(x)))
        x -= away * math.sqrt(math.pi) / 2 * math.exp(x * x)
    return x


def digamma(x: np.ndarray) -> np.ndarray:
    """Return the logarithmic derivative of gamma: shifted upwards, then its asymptotic series."""
    x = np.asarray(x, np.float64)
    mirrored = np.where(x < 0, 1 - x, x)
    shift = sum((1 / (mirrored + i) for i in range(12)), np.zeros_like(x))
    z = mirrored + 12
    series = sum(b / (2 * n * z ** (2 * n)) for n, b in enumerate(_BERNOULLI, 1))
    found = np.log(z) - 1 / (2 * z) - series - shift
    found = np.where(x < 0, found - math.pi / np.tan(math.pi * x), found)
    return np.where(x == 0, np.copysign(np.inf, -x), np.where((x < 0) & (x == np.floor(x)), np.nan, found))


_BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6)


def polygamma(n: int, x: np.ndarray) -> np.ndarray:
    """Return the n-th derivative of digamma: a sum of 1 / (x + k)^(n+1) with its tail (Euler, Maclaurin)."""
    if n == 0:
        return digamma(x)
    x, s = np.asarray(x, np.float64), n + 1
    z = x + 20
    total = sum((x + k) ** -s for k in range(20)) + z ** (1 - s) / n + z**-s / 2
    rising = float(s)
    for i, b in enumerate(_BERNOULLI, 1):
        total = total + b / math.factorial(2 * i) * rising * z ** (1.0 - s - 2 * i)
        rising *= (s + 2 * i - 1) * (s + 2 * i)
    return (-1) ** (n + 1) * math.factorial(n) * total


smooth("erf", lambda self: exactly(erf, self), node="ErfBackward0",
   formulas={"self": "2 / sqrt(pi) * exp(-self ** 2) * grad"},
   self=lambda grad, self: 2 / math.sqrt(math.pi) * (-self ** 2).exp() * grad)
smooth("erfc", lambda self: exactly(erfc, self), node="ErfcBackward0",
   formulas={"self": "-2 / sqrt(pi) * exp(-self ** 2) * grad"},
   self=lambda grad, self: -2 / math.sqrt(math.pi) * (-self ** 2).exp() * grad)
smooth("erfinv", lambda self: exactly(erfinv, self), node="ErfinvBackward0",
   formulas={"self": "sqrt(pi) / 2 * exp(self.erfinv() ** 2) * grad"},
   self=lambda grad, self: 0.5 * math.sqrt(math.pi) * (self.erfinv() ** 2).exp() * grad)
smooth("lgamma", lambda self: exactly(lgamma, self), node="LgammaBackward0",
   self=lambda grad, self: grad * self.digamma())
smooth("digamma", lambda self: exactly(digamma, self), node="DigammaBackward0",
   self=lambda grad, self: grad * F.polygamma(1, self))
op("polygamma", lambda n, self: exactly(lambda x: polygamma(n, x), self), node="PolygammaBackward0",
   spelled="",
   self=lambda grad, n, self: grad * F.polygamma(n + 1, self))
smooth("sinc", lambda self: exactly(np.sinc, self), node="SincBackward0",
   formulas={"self": "where(self == 0, 0, grad * (x * cos(x) - sin(x)) / (x * self)) with x = pi * self"},
   self=lambda grad, self: sinc_slope(grad, self))
smooth("logit", lambda self, eps=None: logit(self, eps), node="LogitBackward0",
   formulas={"self": "where((0 <= self) & (self <= 1), grad / (self * (1 - self)), nan) if eps is None "
             "else where((eps <= self) & (self <= 1 - eps), grad / (self * (1 - self)), 0)"},
   self=lambda grad, self, eps: logit_slope(grad, self, eps))
pointwise("nan_to_num", lambda self, nan=0.0, posinf=None, neginf=None: finite(self, nan, posinf, neginf),
   node="NanToNumBackward0",
   self=lambda grad, self: grad * self.isfinite())


def sinc_slope(grad, self):
    """Return the rule of sinc: the quotient rule away from 0, and 0 there."""
    angle = self * math.pi
    slope = grad * ((angle * angle.cos() - angle.sin()) / (self * self * math.pi))
    return F.where(self == 0, 0.0, slope)


def logit(x: np.ndarray, eps: float | None) -> np.ndarray:
    """Return log(x / (1 - x)), with x kept within [eps, 1 - eps]."""
    x = x if eps is None else np.clip(x, x.dtype.type(eps), x.dtype.type(1 - eps))
    return exactly(np.log, x / (1 - x))


def logit_slope(grad, self, eps):
    """Return the rule of logit: zero where eps cut off, nan outside [0, 1] if nothing did."""
    low, high = (0.0, 1.0) if eps is None else (eps, 1.0 - eps)
    inside = F.logical_and(self >= low, self <= high)
    return F.where(inside, grad / (self * (1.0 - self)), math.nan if eps is None else 0.0)


def finite(x: np.ndarray, nan, posinf, neginf) -> np.ndarray:
    """Return numbers only: nan becomes `nan` (0), the infinities the largest numbers."""
    if x.dtype.kind != "f":
        return x.copy()
    return np.nan_to_num(x, nan=nan or 0.0, posinf=posinf, neginf=neginf)


# ----- two arguments ----------------------------------------------------------------------------
def _xlogy(self, other):
    kind = np.result_type(self, other)
    product = np.asarray(self, np.float64) * np.log(np.asarray(other, np.float64))
    found = np.where(np.equal(self, 0), 0.0, product)
    return np.where(np.isnan(other), np.nan, found).astype(kind)


def _logadd(function):
    def forward(self, other):
        return exactly(lambda x: function(x, np.asarray(other, x.dtype)), self)

    return lambda self, other: forward(self, other)


pointwise("atan2", lambda self, other: exactly(lambda x: np.arctan2(x, other), self), node="Atan2Backward0",
   promote="divide", formulas={"self": "grad * other / (self ** 2 + other ** 2)",
                               "other": "grad * -self / (self ** 2 + other ** 2)"},
   self=lambda grad, self, other: grad * other * inverse_square(self, other),
   other=lambda grad, self, other: grad * -self * inverse_square(self, other))
pointwise("hypot", only(FLOATS, "hypot_cpu", lambda self, other:
   exactly(lambda x: np.hypot(x, other), self)), node="HypotBackward0",
   promote="arith",
   self=lambda grad, self, result: grad * self / result,
   other=lambda grad, other, result: grad * other / result)
op("logaddexp", only(FLOATS, "logaddexp_cpu", _logadd(np.logaddexp)), node="LogaddexpBackward0",
   promote="arith",
   self=lambda grad, self, other: grad / (1 + (other - self).exp()),
   other=lambda grad, self, other: grad / (1 + (self - other).exp()))
op("logaddexp2", only(FLOATS, "logaddexp2_cpu", _logadd(np.logaddexp2)), node="Logaddexp2Backward0",
   promote="arith",
   self=lambda grad, self, other: grad / (1 + 2 ** (other - self)),
   other=lambda grad, self, other: grad / (1 + 2 ** (self - other)))
pointwise("xlogy", _xlogy, node="XlogyBackward0", promote="divide", spelled="",
   formulas={"self": "where((self == 0) & (other <= 0), 0, xlogy(grad, other))"},
   self=lambda grad, self, other:
   F.xlogy(grad, other).masked_fill(F.logical_and(self == 0, other <= 0), 0.0),
   other=lambda grad, self, other: grad * self / other)
op("xlogy.Base", _xlogy, node="XlogyBackward1", promote="divide",
   other=lambda grad, self, other: grad * self / other)
op("xlogy.Scalar", _xlogy, node="XlogyBackward2", promote="divide",
   formulas={"self": "grad * log(other) if other > 0 else where(self == 0, 0, grad * log(other))"},
   self=lambda grad, self, other: F.xlogy__Scalar(grad, other) if other > 0
   else F.xlogy__Scalar(grad, other).masked_fill(self == 0, 0.0))
pointwise("copysign", lambda self, other: np.copysign(self, other), node="CopysignBackward0",
   promote="divide", shows=("result",),
   formulas={"self": "where(self == 0, 0, grad * result / self)"},
   self=lambda grad, self, result: grad * (result / self).masked_fill(self == 0, 0.0),
   other=lambda grad: F.zeros_like(grad))


def inverse_square(self, other):
    """Return 1 / (self ** 2 + other ** 2), 0 at the origin."""
    square = self * self + other * other
    return square.reciprocal().masked_fill(square == 0, 0.0)


def _xlog1py(self, other):
    kind = np.result_type(self, other)
    product = np.asarray(self, np.float64) * np.log1p(np.asarray(other, np.float64))
    return np.where(np.isnan(other), np.nan, np.where(np.equal(self, 0), 0.0, product)).astype(kind)


def _entr(self):
    x = np.asarray(self, np.float64)
    found = np.where(x > 0, -x * np.log(x), np.where(x == 0, 0.0, -np.inf))
    return np.where(np.isnan(x), x, found).astype(self.dtype)


op("special_xlog1py", _xlog1py, node="SpecialXlog1PyBackward0", promote="divide", spelled="",
   formulas={"self": "where((self == 0) & (other <= -1), 0, special_xlog1py(grad, other))"},
   self=lambda grad, self, other:
   F.special_xlog1py(grad, other).masked_fill(F.logical_and(self == 0, other <= -1), 0.0),
   other=lambda grad, self, other: grad * self / (other + 1))
op("special_entr", _entr, node="SpecialEntrBackward0", promote="float", spelled="",
   self=lambda grad, self: grad * -(self.log() + 1))
op("mvlgamma", lambda self, p: exactly(lambda x: mvlgamma(x, p), self), node="MvlgammaBackward0",
   promote="float", formulas={"self": "grad * sum(digamma(self - i / 2) for i in range(p))"},
   self=lambda grad, self, p: grad * halves(self, p).digamma().sum(-1))


def mvlgamma(x: np.ndarray, p: int) -> np.ndarray:
    """Return the logarithm of the multivariate gamma function."""
    return sum(lgamma(x - i / 2) for i in range(p)) + p * (p - 1) / 4 * math.log(math.pi)


def halves(self, p):
    """Return every element less 0, 1/2, 1, ... as a new last dimension."""
    steps = make(np.arange(1 - p, 1) / 2).to(self.dtype)
    return steps + self.unsqueeze(-1)


op("nextafter", only("f", "nextafter_cpu", lambda self, other: np.nextafter(self, other)), 
   node="NextafterBackward0", promote="arith",
   formulas={"self": "where(self != other, grad, 0)", "other": "0"},
   self=lambda grad, self, other: F.where(self != other, grad, 0.0),
   other=lambda grad: F.zeros_like(grad))
op("ldexp", lambda self, other: self * power(2.0, np.asarray(other, np.result_type(self))),
   node="LdexpBackward0", promote="divide", shows=("other", "result"),
   formulas={"self": "grad * 2 ** other", "other": "grad * result * log(2)"},
   self=lambda grad, other: grad * 2 ** other,
   other=lambda grad, result: grad * result * 0.6931471805599453)
def _frexp(self):
    if self.dtype.kind != "f":
        raise RuntimeError("torch.frexp() only supports floating-point dtypes")
    return np.frexp(self)


op("frexp", _frexp, node="FrexpBackward0",
   outputs=("mantissa", "exponent"), flows=1, formulas={"self": "grad / 2 ** exponent"},
   self=lambda grad, exponent: grad / exponent.exp2())
op("angle", lambda self: np.where(np.isnan(self), self, np.where(np.less(self, 0), math.pi, 0)).astype(
   self.dtype), node="AngleBackward0", promote="float", formulas={"self": "where(self == 0, 0, 0)"},
   self=lambda grad, self: F.where(self == 0, F.zeros_like(grad), F.zeros_like(grad)))
op("heaviside", lambda self, values: np.heaviside(self, values).astype(np.result_type(self, values)),
   node="NotImplemented", promote="arith",
   formulas={"self": NONE, "values": NONE},
   self=no_derivative("heaviside"), values=no_derivative("heaviside"))
