"""Many numbers to few: sums, means, spreads, products, norms, extremes, softmax."""

from __future__ import annotations

import math

import numpy as np

from engine.verify.laws.table import kept, law, over, size_of


def spread_out(g, shape, dim=None, keepdim=False):
    """Return a reduced gradient given to every element it came from."""
    return np.broadcast_to(kept(g, dim, keepdim, len(shape)), shape)


def count(shape, dim=None):
    """Return how many elements were reduced to one."""
    return math.prod(shape[d] for d in over(dim, len(shape))) if shape else 1


def summed(self, dim=None, keepdim=False):
    """Return sums over dimensions."""
    return np.sum(self, axis=over(dim, np.ndim(self)), keepdims=keepdim)


def averaged(self, dim=None, keepdim=False):
    """Return means over dimensions."""
    return summed(self, dim, keepdim) / count(np.shape(self), dim)


law(
    "sum",
    summed,
    "SumBackward0 SumBackward1",
    self=lambda g, self_sym_sizes, dim=None, keepdim=False: spread_out(g, self_sym_sizes, dim, keepdim),
)
law(
    "mean",
    averaged,
    "MeanBackward0 MeanBackward1",
    self=lambda g, self_sym_sizes, dim=None, keepdim=False: (
        spread_out(g, self_sym_sizes, dim, keepdim) * (np.size(g) / math.prod(self_sym_sizes))
    ),
)
law(
    "nansum",
    lambda self, dim=None, keepdim=False: np.nansum(self, axis=over(dim, self.ndim), keepdims=keepdim),
    "NansumBackward0",
    self=lambda g, self, dim=None, keepdim=False: np.where(
        np.isnan(self), 0.0, spread_out(g, self.shape, dim, keepdim)
    ),
)
law(
    "trace",
    lambda self: np.trace(self),
    "TraceBackward0",
    self=lambda g, self_sym_sizes: g * np.eye(*self_sym_sizes),
)
law(
    "all",
    lambda self, dim=None, keepdim=False: np.all(self, axis=over(dim, self.ndim), keepdims=keepdim),
    exact=True,
)
law(
    "any",
    lambda self, dim=None, keepdim=False: np.any(self, axis=over(dim, self.ndim), keepdims=keepdim),
    exact=True,
)
law(
    "count_nonzero",
    lambda self, dim=None: np.sum(np.not_equal(self, 0), axis=over(dim, self.ndim)),
    exact=True,
)


# ----- products -----------------------------------------------------------------------------------
def product(self, dim=None, keepdim=False):
    """Return products over one dimension, or of all."""
    return np.prod(self, axis=over(dim, np.ndim(self)), keepdims=keepdim)


def product_slope(g, self, dim=None, keepdim=False):
    """Return gradient times the product of all others, which is exact where some are zero."""
    axes = over(dim, self.ndim)
    grown = np.broadcast_to(kept(g, dim, keepdim, self.ndim), self.shape)
    back = np.empty(self.shape)
    for where in np.ndindex(self.shape):
        line = tuple(slice(None) if d in axes else i for d, i in enumerate(where))
        others = np.array(self, np.float64)
        others[where] = 1
        back[where] = grown[where] * np.prod(others[line])
    return back


law("prod", product, "ProdBackward0 ProdBackward1", self=product_slope)


# ----- spreads ------------------------------------------------------------------------------------
def variance(self, dim=None, correction=None, keepdim=False):
    """Return the squared distances from the mean, summed, over count - correction."""
    away = self - averaged(self, dim, True)
    free = count(self.shape, dim) - (1 if correction is None else correction)
    return summed(away * away, dim, keepdim) / np.float64(max(free, 0))


def deviation(self, dim=None, correction=None, keepdim=False):
    """Return the root of the variance."""
    return np.sqrt(variance(self, dim, correction, keepdim))


def variance_slope(g, self, dim=None, correction=None, keepdim=False):
    """Return 2 (x - mean) / (count - correction) times the gradient."""
    free = count(self.shape, dim) - (1 if correction is None else correction)
    away = self - averaged(self, dim, True)
    return kept(g, dim, keepdim, self.ndim) * 2 * away / np.float64(free)


def deviation_slope(g, self, dim=None, correction=None, keepdim=False):
    """Return the variance's slope over twice the deviation; 0 where nothing deviates."""
    root = np.asarray(deviation(self, dim, correction, keepdim))
    return variance_slope(np.where(root == 0, 0.0, g / 2 / root), self, dim, correction, keepdim)


def with_mean(slope):
    """Return the derivative of a spread that comes with a mean."""

    def pull(gs, self, dim=None, correction=None, keepdim=False):
        back = np.zeros(self.shape)
        if gs[0] is not None:
            back = back + slope(gs[0], self, dim, correction, keepdim)
        if gs[1] is not None:
            back = back + kept(gs[1], dim, keepdim, self.ndim) / count(self.shape, dim)
        return back

    return pull


law("var", variance, "VarBackward0", self=variance_slope)
law("std", deviation, "StdBackward0", self=deviation_slope)
law(
    "var_mean",
    lambda self, dim=None, correction=None, keepdim=False: (
        variance(self, dim, correction, keepdim),
        averaged(self, dim, keepdim),
    ),
    "VarMeanBackward0",
    self=with_mean(variance_slope),
)
law(
    "std_mean",
    lambda self, dim=None, correction=None, keepdim=False: (
        deviation(self, dim, correction, keepdim),
        averaged(self, dim, keepdim),
    ),
    "StdMeanBackward0",
    self=with_mean(deviation_slope),
)


# ----- norms --------------------------------------------------------------------------------------
def norm(self, ord=2, dim=None, keepdim=False):
    """Return (sum |x| ** ord) ** (1 / ord) and its limits."""
    x, axes = size_of(self) if not np.iscomplexobj(self) else np.abs(self), over(dim, np.ndim(self))
    if math.isinf(ord):
        return (np.max if ord > 0 else np.min)(x, axis=axes, keepdims=keepdim)
    if ord == 0:
        return np.sum(x != 0, axis=axes, keepdims=keepdim)
    return np.sum(x**ord, axis=axes, keepdims=keepdim) ** (1 / ord)


def norm_slope(g, self, ord=2, dim=None, keepdim=False):
    """Return sign(x) (|x| / norm) ** (ord - 1) times the gradient, or its share among the largest."""
    g, whole = kept(g, dim, keepdim, self.ndim), norm(self, ord, dim, True)
    x = np.abs(self)
    if ord == 0:
        return np.zeros_like(self)
    if math.isinf(ord):
        largest = (x == whole) | np.isnan(x)
        return np.sign(self) * g * largest / summed(largest, dim, True)
    if ord == 1:
        return np.sign(self) * g
    share = np.where(whole == 0, 0.0, x / np.where(whole == 0, 1, whole))
    if ord < 1:
        share = np.where(x == 0, 1.0, share)
        return np.where(x == 0, 0.0, np.sign(self) * share ** (ord - 1)) * g
    return np.sign(self) * share ** (ord - 1) * g


law("linalg_vector_norm", norm, "LinalgVectorNormBackward0", self=norm_slope)
law(
    "norm",
    lambda self, p=2, dim=None, keepdim=False: norm(self, p, dim, keepdim),
    "NormBackward0 NormBackward1",
    self=lambda g, self, p=2, dim=None, keepdim=False: norm_slope(g, self, p, dim, keepdim),
)
law(
    "dist",
    lambda self, other, p=2: norm(self - other, p),
    "DistBackward0",
    self=lambda g, self, other, p=2: norm_slope(g, self - other, p),
    other=lambda g, self, other, p=2: -norm_slope(g, self - other, p),
)


# ----- extremes -----------------------------------------------------------------------------------
def ties(g, self, result):
    """Return the gradient shared by all elements that equal the result."""
    equal = (self == result) | (np.isnan(self) & np.isnan(result))
    return np.where(equal, g / max(int(equal.sum()), 1), 0.0)


def ties_along(g, self, result, dim=None, keepdim=False):
    """Return the gradient shared, along dimensions, by the elements that equal the result."""
    g, result = (kept(x, dim, keepdim, self.ndim) for x in (g, result))
    equal = self == result
    return g * equal / summed(equal, dim, True)


def extreme(function):
    """Return an extreme of all, or along a dimension with the place where it stands."""

    def forward(self, dim=None, keepdim=False):
        if dim is None:
            return function(self)
        best = function(self, axis=over(dim, self.ndim) or None, keepdims=keepdim)
        return best, best

    return forward


def both_ends(gs, self, dim=None, keepdim=False):
    """Return what aminmax passes on: the sum of both ends' shares."""
    found = amin(self, dim, keepdim), amax(self, dim, keepdim)
    return sum(ties_along(g, self, y, dim, keepdim) for g, y in zip(gs, found, strict=False) if g is not None)


def amax(self, dim=None, keepdim=False):
    """Return the largest along dimensions."""
    return np.max(self, axis=over(dim, self.ndim), keepdims=keepdim)


def amin(self, dim=None, keepdim=False):
    """Return the smallest along dimensions."""
    return np.min(self, axis=over(dim, self.ndim), keepdims=keepdim)


law("max", extreme(np.max), "MaxBackward1", exact=True, picks=1, self=lambda g, self, y: ties(g, self, y))
law("min", extreme(np.min), "MinBackward1", exact=True, picks=1, self=lambda g, self, y: ties(g, self, y))
law(
    "amax",
    amax,
    "AmaxBackward0",
    exact=True,
    self=lambda g, self, y, dim=None, keepdim=False: ties_along(g, self, y, dim, keepdim),
)
law(
    "amin",
    amin,
    "AminBackward0",
    exact=True,
    self=lambda g, self, y, dim=None, keepdim=False: ties_along(g, self, y, dim, keepdim),
)
law(
    "aminmax",
    lambda self, dim=None, keepdim=False: (amin(self, dim, keepdim), amax(self, dim, keepdim)),
    "AminmaxBackward0",
    exact=True,
    self=both_ends,
)
law("argmax", amax, exact=True, picks=0)
law("argmin", amin, exact=True, picks=0)


# ----- exponentials, summed -----------------------------------------------------------------------
def logsumexp(self, dim=None, keepdim=False):
    """Return log(sum(exp(x))), the largest taken out first."""
    axes = over(dim, self.ndim)
    top = np.max(np.real(self), axis=axes, keepdims=True)
    top = np.where(np.isfinite(top), top, 0)
    total = np.log(np.sum(np.exp(self - top), axis=axes, keepdims=True)) + top
    return total if keepdim or not self.ndim else np.squeeze(total, axes)


def log_softmax(self, dim):
    """Return log(exp(x) / sum(exp(x)))."""
    return self - logsumexp(self, dim, True)


def softmax(self, dim):
    """Return exp(x) / sum(exp(x))."""
    return np.exp(log_softmax(self, dim))


def safe_softmax(self, dim):
    """Return softmax; zeros where everything is masked away."""
    masked = np.all(np.isneginf(self), dim, keepdims=True)
    return np.where(masked, 0.0, softmax(np.where(masked, 0.0, self), dim))


law(
    "logsumexp",
    logsumexp,
    "LogsumexpBackward0",
    self=lambda g, self, dim=None, keepdim=False: kept(g, dim, keepdim, self.ndim) * softmax(self, dim),
)
for _name, _node, _softmax in (
    ("softmax", "SoftmaxBackward0", softmax),
    ("_safe_softmax", "SafeSoftmaxBackward0", safe_softmax),
):
    law(_name, _softmax, _node, self=lambda g, y, dim: y * (g - summed(y * g, dim, True)))
law(
    "log_softmax",
    log_softmax,
    "LogSoftmaxBackward0",
    self=lambda g, y, dim: g - np.exp(y) * summed(g, dim, True),
)
