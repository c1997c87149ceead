"""Running sums, products and extremes; sorting and what chooses along a dimension."""

from __future__ import annotations

import numpy as np

from engine.verify.laws.table import kept, law


def onward(function):
    """Return a running operation along one dimension; a single number is its own."""
    return lambda self, dim: function(self, axis=dim) if np.ndim(self) else self


def reversed_sum(g, dim):
    """Return, for each place, the sum of what lies at and behind it."""
    return np.flip(np.cumsum(np.flip(g, dim), dim), dim) if np.ndim(g) else g


def product_slope(g, self, dim):
    """Return the derivative of running products, also where a factor is 0."""
    if not self.ndim:
        return g
    lines, flows = np.moveaxis(self, dim, -1), np.moveaxis(g, dim, -1)
    back = np.empty(lines.shape)
    for k in range(lines.shape[-1]):
        others = np.array(lines)
        others[..., k] = 1
        back[..., k] = np.sum((flows * np.cumprod(others, -1))[..., k:], -1)
    return np.moveaxis(back, -1, dim)


def log_slope(g, self, y, dim):
    """Return the derivative of running logarithms of sums of exponentials."""
    if not self.ndim:
        return g
    lines, flows, sums = (np.moveaxis(x, dim, -1) for x in (self, g, y))
    n = lines.shape[-1]
    weights = np.where(np.tri(n).T > 0, np.exp(lines[..., :, None] - sums[..., None, :]), 0.0)
    return np.moveaxis(np.sum(weights * flows[..., None, :], -1), -1, dim)


law("cumsum", onward(np.cumsum), "CumsumBackward0", self=reversed_sum)
law("cumprod", onward(np.cumprod), "CumprodBackward0", self=product_slope)
law(
    "logcumsumexp",
    onward(lambda x, axis: np.logaddexp.accumulate(x, axis)),
    "LogcumsumexpBackward0",
    self=log_slope,
)


# ----- chosen along a dimension -------------------------------------------------------------------
def scattered(g, shape, dim, indices, keepdim=True):
    """Return zeros with each gradient added at the index it was chosen from."""
    back = np.zeros(shape)
    if not shape:
        return back + g
    g, indices = (kept(x, dim, keepdim, len(shape)) for x in (g, indices))
    where = list(np.indices(indices.shape, sparse=True))
    where[dim % len(shape)] = indices
    np.add.at(back, tuple(where), g)
    return back


def running_extreme(function):
    """Return running extremes, with the places where they stand."""

    def forward(self, dim):
        best = function.accumulate(self, axis=dim) if self.ndim else self
        return best, best

    return forward


def in_order(self, dim=-1, descending=False):
    """Return the elements in order along a dimension."""
    if not self.ndim:
        return self, self
    ordered = np.sort(self, axis=dim)
    ordered = np.flip(ordered, dim) if descending else ordered
    return ordered, ordered


def best_of(self, k, dim=-1, largest=True, sorted=True):
    """Return the k largest or smallest along a dimension, in order."""
    found = np.take(in_order(self, dim, largest)[0], range(k), axis=dim) if self.ndim else self
    return found, found


def middle(self, dim=None, keepdim=False, skipping=False):
    """Return the lower median of all, or along a dimension: nan of what holds a nan, unless it is skipped."""
    if dim is None:
        return median_of(self.ravel(), skipping)
    found = np.apply_along_axis(median_of, dim, self, skipping) if self.ndim else self
    found = np.expand_dims(found, dim) if keepdim and self.ndim else found
    return found, found


def median_of(line, skipping):
    """Return the lower median of a line."""
    good = np.sort(line[~np.isnan(line)])
    if good.size == 0 or (good.size < line.size and not skipping):
        return np.asarray(np.nan)
    return good[(good.size - 1) // 2]


def kth(self, k, dim=-1, keepdim=False):
    """Return the k-th smallest along a dimension."""
    if not self.ndim:
        return self, self
    found = np.take(np.sort(self, axis=dim), k - 1, axis=dim)
    found = np.expand_dims(found, dim) if keepdim else found
    return found, found


def most_common(self, dim=-1, keepdim=False):
    """Return the most frequent value along a dimension, the smallest of several."""

    def mode(line):
        values, counts = np.unique(line, return_counts=True)
        return values[np.argmax(counts)]

    found = np.apply_along_axis(mode, dim, self) if self.ndim else self
    found = np.expand_dims(found, dim) if keepdim and self.ndim else found
    return found, found


law("cummax", running_extreme(np.maximum), exact=True, picks=1)
law("cummin", running_extreme(np.minimum), exact=True, picks=1)
law("sort", in_order, exact=True, picks=1)
law("topk", best_of, exact=True, picks=1)
law("kthvalue", kth, exact=True, picks=1)
law("mode", most_common, exact=True, picks=1)
law(
    "median",
    lambda self, dim=None, keepdim=False: middle(self, dim, keepdim),
    "MedianBackward0 NanmedianBackward0",
    exact=True,
    picks=1,
    self=lambda g, self, y: np.where(self == y, g / max(int(np.sum(self == y)), 1), 0.0),
)
law(
    "nanmedian",
    lambda self, dim=None, keepdim=False: middle(self, dim, keepdim, True),
    exact=True,
    picks=1,
)
law(
    "",
    None,
    "MaxBackward0 MinBackward0 MedianBackward1 NanmedianBackward1 KthvalueBackward0 ModeBackward0",
    self=lambda g, self_sym_sizes, dim, indices, keepdim=False: scattered(
        g, self_sym_sizes, dim, indices, keepdim
    ),
)
law(
    "",
    None,
    "SortBackward0 TopkBackward0 CummaxBackward0 CumminBackward0",
    self=lambda g, self_sym_sizes, dim, indices: scattered(g, self_sym_sizes, dim, indices),
)
law("argsort", lambda self, dim=-1, descending=False: in_order(self, dim, descending)[0], exact=True, picks=0)
