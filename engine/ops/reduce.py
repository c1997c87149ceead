"""Operations that make many elements one: sums, means, products, spreads, norms."""

from __future__ import annotations

import math
import re

import numpy as np

from engine import dtype as dtypes
from engine import errors as words
from engine import modes, sums
from engine.ops import errors
from engine.ops.dims import axes, axis, reduced_count, unreduced
from engine.ops.table import F, op

# fmt: off


def whole(array: np.ndarray) -> np.ndarray:
    """Return whole numbers and bools as int64, which is what they are summed in."""
    return array.astype(np.int64) if array.dtype.kind in "iub" else array


# ----- sums, means ------------------------------------------------------------------------------
def _sum_dims(array, dim, keepdim):
    over = axes(dim, array.ndim)
    return sums.sum_dims(whole(array), over, keepdim) if array.ndim else whole(array).copy()


def _mean(array, dim=None, keepdim=False):
    if array.dtype.kind not in "fc":
        raise RuntimeError(words.mean_dtype(dtypes.from_numpy(array.dtype)))
    over = None if dim is None else axes(dim, array.ndim)
    return sums.mean(array, over, keepdim) if array.ndim else array.copy()


def expanded(grad, sizes, dim, keepdim):
    """Spread the gradient of a sum over what was summed."""
    return unreduced(grad, dim, keepdim, len(sizes)).expand(sizes)


KEPT = "grad.expand(self_sym_sizes) if keepdim else grad.unsqueeze(dim).expand(self_sym_sizes)"
op("sum", lambda self: sums.sum_all(whole(self)), node="SumBackward0", spelled="",
   self=lambda grad, self_sym_sizes: grad.expand(self_sym_sizes))
op("sum.dim", lambda self, dim, keepdim=False: _sum_dims(self, dim, keepdim), node="SumBackward1",
   formulas={"self": KEPT},
   self=lambda grad, self_sym_sizes, dim, keepdim: expanded(grad, self_sym_sizes, dim, keepdim))
op("mean", lambda self: _mean(self), node="MeanBackward0", spelled="",
   self=lambda grad, self_sym_sizes, self_sym_numel: grad.expand(self_sym_sizes) / self_sym_numel)
op("mean.dim", lambda self, dim, keepdim=False: _mean(self, dim, keepdim), node="MeanBackward1",
   shows=("self_sym_numel",),
   formulas={"self": KEPT.replace("self_sym_sizes)", "self_sym_sizes) / count(self_sym_sizes, dim)")},
   self=lambda grad, self_sym_sizes, dim, keepdim:
   expanded(grad, self_sym_sizes, dim, keepdim) / reduced_count(self_sym_sizes, dim))
op("nansum", lambda self, dim=None, keepdim=False:
   _sum_dims(np.where(np.isnan(self), 0, self).astype(self.dtype), dim, keepdim),
   node="NansumBackward0", spelled="",
   formulas={"self": "grad.expand(self.shape) * ~isnan(self) if keepdim or dim is None "
             "else grad.unsqueeze(dim).expand(self.shape) * ~isnan(self)"},
   self=lambda grad, self, dim, keepdim:
   expanded(grad, self.shape, dim, keepdim) * self.isnan().logical_not())


# ----- products ---------------------------------------------------------------------------------
def _prod(array, dim=None, keepdim=False):
    over = None if dim is None else axis(dim, array.ndim)
    if not array.ndim:
        return whole(array).copy()
    return np.asarray(np.multiply.reduce(whole(array), axis=over, keepdims=keepdim, dtype=whole(array).dtype))


def prod_slope(grad, self, result):
    """Return the rule of a product of all: result / self, or the product of the others where one is 0."""
    if not self.shape:
        return grad
    zeros = int((self.array == 0).sum())
    if not zeros:
        return grad * (result / self)
    if zeros > 1 and not modes.is_grad_enabled():
        return F.zeros_like(self)
    return product_of_others(grad, self.reshape((-1,)), 0).reshape(self.shape)


def prod_dim_slope(grad, self, dim, keepdim, result):
    """Return the rule of products along a dimension."""
    if not self.shape:
        return grad
    if not keepdim and len(self.shape) > 1:
        grad, result = grad.unsqueeze(dim), result.unsqueeze(dim)
    if (self.array == 0).any():
        return product_of_others(grad, self, axis(dim, len(self.shape)))
    return grad * (result / self)


def product_of_others(grad, self, dim):
    """Return grad * (what stands before an element) * (what stands behind it), exact with zeros."""
    size = self.shape[dim]
    if size == 1:
        return grad
    ones = F.new_ones(self, (*self.shape[:dim], 1, *self.shape[dim + 1 :]))
    before = F.cat((ones, F.slice(self, dim, 0, size - 1, 1)), dim).cumprod(dim)
    behind = F.cat((ones, F.flip(F.slice(self, dim, 1, size, 1), (dim,))), dim).cumprod(dim)
    return grad * (before * F.flip(behind, (dim,)))


op("prod", lambda self: _prod(self), node="ProdBackward0", spelled="",
   formulas={"self": "grad * product_of_others(self)"},
   self=lambda grad, self, result: prod_slope(grad, self, result))
op("prod.dim", lambda self, dim, keepdim=False: _prod(self, dim, keepdim), node="ProdBackward1",
   formulas={"self": "grad * product_of_others(self, dim) if keepdim "
             "else grad.unsqueeze(dim) * product_of_others(self, dim)"},
   self=lambda grad, self, dim, keepdim, result: prod_dim_slope(grad, self, dim, keepdim, result))


# ----- spreads ----------------------------------------------------------------------------------
def _spread(function, array, dim, correction, keepdim, name="std and var"):
    if array.dtype.kind not in "fc":
        raise RuntimeError(errors.spread_floats_only(name))
    over = axes(dim, array.ndim)
    lined = array if array.ndim else array.reshape(1)
    kept = function(lined, over or (0,), 1 if correction is None else correction)
    shape = tuple(1 if d in over else n for d, n in enumerate(array.shape))
    return kept.reshape(shape if keepdim else tuple(n for d, n in enumerate(array.shape) if d not in over))


def _var(self, dim=None, correction=None, keepdim=False):
    return _spread(sums.var, self, dim, correction, keepdim)


def _std(self, dim=None, correction=None, keepdim=False):
    return _spread(sums.std, self, dim, correction, keepdim)


def _with_mean(function, name):
    def forward(self, dim=None, correction=None, keepdim=False):
        return _spread(function, self, dim, correction, keepdim, name), _means(self, dim, keepdim)

    return forward


def _means(self, dim, keepdim):
    return _mean(self) if dim is None and not keepdim else _mean(self, axes(dim, self.ndim), keepdim)


def var_slope(grad, self, dim, correction, keepdim):
    """Return the rule of the variance: 2 / (n - correction) * (self - mean)."""
    count = reduced_count(self.shape, dim) - (1 if correction is None else correction)
    if dim is None or not self.shape:
        mean = self.mean()
        if count <= 0:
            return grad * F.where(self == mean, math.nan, F.new_ones(self, ()) * math.inf)
        return 2.0 / count * grad * (self - mean)
    grad = unreduced(grad, dim, keepdim, len(self.shape))
    return (2.0 / count if count else math.inf) * grad * (self - self.mean(dim, True))


def std_slope(grad, self, dim, correction, keepdim, result):
    """Return the rule of the deviation: that of the variance through the root, 0 where it is 0."""
    return var_slope((grad / (result * 2)).masked_fill(result == 0, 0.0), self, dim, correction, keepdim)


def mean_slope(grad, self, dim, keepdim):
    """Return the rule of the mean that comes with a variance."""
    return expanded(grad, self.shape, dim, keepdim) / reduced_count(self.shape, dim)


def both(first, second):
    """Return the sum of what came through two results, of which either may be missing."""
    return second if first is None else first if second is None else first + second


def spread_text(steep: str, mean: str = "") -> str:
    """Return the text of a spread's rule, and of the mean that may come with it, by dim and keepdim."""
    count = "count(self.shape, dim)"
    text = f"2 / ({count} - (1 if correction is None else correction)) * {steep} " \
           f"* (self - self.mean(dim, keepdim=True)){mean and f' + {mean} / {count}'}"
    kept = re.sub(r"grads\[\d\]|grad|result\d?", r"\g<0>.unsqueeze(dim)", text)
    return f"{text} if keepdim or dim is None else {kept}"


VAR, STD = "grad", "where(result == 0, 0, grad / (2 * result))"
FIRST, SECOND = "grads[0]", "grads[1]"
op("var", _var, node="VarBackward0", spelled="", formulas={"self": spread_text(VAR)},
   self=lambda grad, self, dim, correction, keepdim: var_slope(grad, self, dim, correction, keepdim))
op("std", _std, node="StdBackward0", spelled="", formulas={"self": spread_text(STD)},
   self=lambda grad, self, dim, correction, keepdim, result:
   std_slope(grad, self, dim, correction, keepdim, result))
op("var_mean", _with_mean(sums.var, "var_mean"),
   node="VarMeanBackward0", outputs=2, spelled="",
   formulas={"self": spread_text(VAR.replace("grad", FIRST), SECOND)},
   self=lambda grads, self, dim, correction, keepdim: both(
       None if grads[0] is None else var_slope(grads[0], self, dim, correction, keepdim),
       None if grads[1] is None else mean_slope(grads[1], self, dim, keepdim)))
op("std_mean", _with_mean(sums.std, "std_mean"),
   node="StdMeanBackward0", outputs=2, spelled="",
   formulas={"self": spread_text(STD.replace("grad", FIRST).replace("result", "result0"), SECOND)},
   self=lambda grads, self, dim, correction, keepdim, result0: both(
       None if grads[0] is None else std_slope(grads[0], self, dim, correction, keepdim, result0),
       None if grads[1] is None else mean_slope(grads[1], self, dim, keepdim)))


# ----- logarithmic sums -------------------------------------------------------------------------
def _logsumexp(self, dim, keepdim=False):
    over, x = axes(dim, self.ndim), self.astype(np.float64)
    if not self.ndim or not self.size:
        return self.copy()
    top = x.max(axis=over, keepdims=True)
    top = np.where(np.isfinite(top), top, 0)
    found = np.log(np.exp(x - top).sum(axis=over, keepdims=True)) + top
    kind = self.dtype if self.dtype.kind == "f" else dtypes.default_dtype().numpy
    return (found if keepdim else found.squeeze(over)).astype(kind)


op("logsumexp", _logsumexp, node="LogsumexpBackward0", spelled="",
   formulas={"self": "grad * exp(self - result) if keepdim "
             "else grad.unsqueeze(dim) * exp(self - result.unsqueeze(dim))"},
   self=lambda grad, self, dim, keepdim, result: unreduced(grad, dim, keepdim, len(self.shape))
   * (self - unreduced(result, dim, keepdim, len(self.shape))).exp())
