"""Operations along one dimension that depend on order: sorting, and running sums, products and extremes."""

from __future__ import annotations

import numpy as np

from engine import sums
from engine.ops import errors
from engine.ops.dims import at, axis
from engine.ops.extremes import ONE, VALUES, to_index
from engine.ops.kinds import FLOATS, only
from engine.ops.table import F, op

# fmt: off


# ----- sorting ------------------------------------------------------------------------------------
def order_of(array: np.ndarray, over: int, descending: bool) -> np.ndarray:
    """Return the indices that sort a dimension, equal elements in their own order; nan counts as largest."""
    if not descending:
        return np.argsort(array, over, kind="stable")
    backwards = np.argsort(np.flip(array, over), over, kind="stable")
    return array.shape[over] - 1 - np.flip(backwards, over)


def _sort(self, dim=-1, descending=False):
    if not self.ndim:
        return self.copy(), np.zeros((), np.int64)
    over = axis(dim, self.ndim)
    indices = order_of(self, over, descending)
    return np.take_along_axis(self, indices, over), indices


def _topk(self, k, dim=-1, largest=True, sorted=True):
    if not self.ndim:
        return self.copy(), np.zeros((), np.int64)
    over = axis(dim, self.ndim)
    if not 0 <= k <= self.shape[over]:
        raise RuntimeError(errors.selected_out_of_range())
    if self.dtype == np.bool_:
        raise RuntimeError("topk does not support bool dtypes on CPU")
    indices = order_of(self, over, largest)[at(over, slice(k))]
    return np.take_along_axis(self, indices, over), indices


op("sort", _sort, node="SortBackward0", outputs=VALUES, spelled="", formulas={"self": ONE},
   self=lambda grad, dim, indices, self_sym_sizes: to_index(grad, dim, indices, self_sym_sizes, True))
op("topk", _topk, node="TopkBackward0", outputs=VALUES, formulas={"self": ONE},
   self=lambda grad, dim, indices, self_sym_sizes: to_index(grad, dim, indices, self_sym_sizes, True))


# ----- running sums, products ---------------------------------------------------------------------
def running(function):
    """Return a forward along one dimension that first checks the dimension."""

    def forward(self, dim):
        over = axis(dim, self.ndim)
        return function(self, over) if self.ndim else function(self.reshape(1), 0).reshape(())

    return lambda self, dim: forward(self, dim)


def turned(function, tensor, dim):
    """Run from the end to the start: turn around, run, turn back."""
    return F.flip(function(F.flip(tensor, (dim,)), dim), (dim,)) if tensor.shape else tensor


op("cumsum", running(sums.cumsum), node="CumsumBackward0", spelled="inplace",
   formulas={"self": "grad.flip(dim).cumsum(dim).flip(dim)"},
   self=lambda grad, dim: turned(F.cumsum, grad, dim))
op("cumprod", running(sums.cumprod), node="CumprodBackward0", spelled="inplace",
   formulas={"self": "(grad * result).flip(dim).cumsum(dim).flip(dim) / self where self != 0"},
   self=lambda grad, self, dim, result: cumprod_slope(grad, self, dim, result))


def cumprod_slope(grad, self, dim, result):
    """Return the rule of running products; element by element where a 0 forbids to divide."""
    if not self.shape:
        return grad
    if not (self.array == 0).any():
        return turned(F.cumsum, result * grad, dim) / self
    size, over = self.shape[dim], axis(dim, len(self.shape))
    return F.cat(tuple(_one_factor(grad, self, over, k, size) for k in range(size)), over)


def _one_factor(grad, self, dim, k, size):
    """Return the slope in factor k: products from k on, without it, each times its gradient."""
    before = F.prod__dim(F.slice(self, dim, 0, k, 1), dim, True)
    behind = F.slice(self, dim, k + 1, size, 1).cumprod(dim)
    others = F.cat((before, before * behind), dim)
    return (F.slice(grad, dim, k, size, 1) * others).sum(dim, True)


# ----- running extremes ---------------------------------------------------------------------------
def _running_extreme(array, over, better):
    indices = np.zeros(array.shape, np.int64)
    values = np.array(array)
    for i in range(1, array.shape[over]):
        now, last = at(over, i), at(over, i - 1)
        wins = better(array[now], values[last]) | np.isnan(array[now])
        wins &= ~np.isnan(values[last]) | np.isnan(array[now])
        values[now] = np.where(wins, array[now], values[last])
        indices[now] = np.where(wins, i, indices[last])
    return values, indices


def _extreme(better):
    def forward(self, dim):
        if not self.ndim:
            return self.copy(), np.zeros((), np.int64)
        return _running_extreme(self, axis(dim, self.ndim), better)

    return lambda self, dim: forward(self, dim)


ADDED = "zeros(self.shape) with grad added at [indices] of dimension dim"
op("cummax", _extreme(np.greater_equal), node="CummaxBackward0", outputs=VALUES, shows=("self",),
   hides=("self_sym_sizes",),
   formulas={"self": ADDED},
   self=lambda grad, dim, indices, self_sym_sizes:
   F.scatter_add(F.new_zeros(grad, self_sym_sizes), dim, indices, grad))
op("cummin", _extreme(np.less_equal), node="CumminBackward0", outputs=VALUES, shows=("self",),
   hides=("self_sym_sizes",),
   formulas={"self": ADDED},
   self=lambda grad, dim, indices, self_sym_sizes:
   F.scatter_add(F.new_zeros(grad, self_sym_sizes), dim, indices, grad))


# ----- running sums of exponentials -----------------------------------------------------------------
def _logcumsumexp(array, over):
    return np.logaddexp.accumulate(array.astype(np.float64), over).astype(array.dtype)


op("logcumsumexp", only(FLOATS, "logcumsumexp_out_cpu", running(_logcumsumexp)), node="LogcumsumexpBackward0",
   formulas={"self": "grad * exp(self - result) of this place and all later ones along dim, added"},
   self=lambda grad, self, dim, result: logcumsumexp_slope(grad, self, dim, result))


def logcumsumexp_slope(grad, self, dim, result):
    """Return the rule of logcumsumexp, in logarithms, positive and negative gradients apart."""
    if not self.shape:
        return grad
    logs, lowest = grad.abs().log(), float(np.finfo(grad.array.dtype).min)
    positive = turned(F.logcumsumexp, F.where(grad > 0, logs, lowest) - result, dim)
    negative = turned(F.logcumsumexp, F.where(grad < 0, logs, lowest) - result, dim)
    return (positive + self).exp() - (negative + self).exp()
