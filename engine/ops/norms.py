"""Lengths of vectors: norms of any order, and the distance between two tensors."""

from __future__ import annotations

import math

import numpy as np

from engine import dtype as dtypes
from engine.ops import errors
from engine.ops.arithmetic import NONE, no_formula
from engine.ops.dims import axes, unreduced
from engine.ops.table import F, op

# fmt: off


def norm(array: np.ndarray, order: float, dim=None, keepdim: bool = False) -> np.ndarray:
    """Return (sum |x|^order)^(1/order) over dimensions; order 0 counts, infinity takes the extreme."""
    if array.dtype.kind not in "fc":
        raise RuntimeError(errors.norm_dtype(dtypes.from_numpy(array.dtype)))
    over, x = axes(dim, array.ndim), np.abs(array).astype(np.float64)
    options = {"axis": over, "keepdims": keepdim}
    if order == math.inf:
        found = x.max(**options)
    elif order == -math.inf:
        found = x.min(**options)
    elif order == 0:
        found = (x != 0).sum(**options)
    elif order == 2:
        found = np.sqrt((x * x).sum(**options))
    else:
        found = (x**order).sum(**options) ** (1 / order)
    return np.asarray(found).astype(array.real.dtype)


def norm_slope(grad, self, order, result, dim=None, keepdim=False):
    """Return the rule of a norm, as PyTorch splits it by order; 0 where the norm is 0."""
    grad = unreduced(grad, dim, keepdim, len(self.shape)) if dim is not None else grad
    result = unreduced(result, dim, keepdim, len(self.shape)) if dim is not None else result
    if order == 0:
        return None
    if order == 1:
        return self.sgn() * grad
    if order == 2:
        return grad * (self / result).masked_fill(result == 0, 0.0)
    if math.isinf(order):
        largest = F.logical_or(self.abs() == result, self.isnan())
        return self.sgn() * (grad / largest.sum(axes(dim, len(self.shape)), True) * largest)
    if order < 1:
        steep = self.sgn() * (self.abs() ** (order - 1)).masked_fill(self == 0, 0.0)
        return steep * grad * result ** (1 - order)
    scaled = self.sgn() * self.abs() ** (order - 1) if order < 2 else self * self.abs() ** (order - 2)
    return scaled * (grad / result ** (order - 1)).masked_fill(result == 0, 0.0)


def formula(
    order: str, vector: str = "self", grad: str = "grad", result: str = "result", over: str = ""
) -> str:
    """Return the text of the rule, with the branch that an order takes."""
    steep, largest = f"sgn({vector})", f"(abs({vector}) == {result})"
    branches = {
        "1": f"{steep} * {grad}",
        "2": f"where({result} == 0, 0, {grad} * {vector} / {result})",
        "inf": f"{steep} * {grad} / {largest}.sum({over}) * {largest}",
        "-inf": f"{steep} * {grad} / {largest}.sum({over}) * {largest}",
    }
    power = f"{steep} * abs({vector}) ** ({order} - 1)"
    below = f"where({vector} == 0, 0, {power}) * {grad} * {result} ** (1 - {order})"
    above = f"where({result} == 0, 0, {power} * {grad} / {result} ** ({order} - 1))"
    text = " else ".join(f"{text} if {order} == {which}" for which, text in branches.items())
    return f"{text} else {below} if {order} < 1 else {above}"


def formula_over(order: str) -> str:
    """Return the text of the rule over dimensions, which may be gone from the result."""
    kept = formula(order, "self", "grad.unsqueeze(dim)", "result.unsqueeze(dim)", "dim, keepdim=True")
    return f"({formula(order, over='dim, keepdim=True')}) if keepdim or dim is None else ({kept})"


op("linalg_vector_norm", lambda self, ord=2, dim=None, keepdim=False: norm(self, ord, dim, keepdim),
   node="LinalgVectorNormBackward0", spelled="",
   formulas={"self": formula_over("ord")},
   self=lambda grad, self, ord, result, dim, keepdim: norm_slope(grad, self, ord, result, dim, keepdim))
op("norm.dim", lambda self, p=2, dim=None, keepdim=False: norm(self, p, dim, keepdim), node="NormBackward1",
   formulas={"self": formula_over("p")},
   self=lambda grad, self, p, result, dim, keepdim: norm_slope(grad, self, p, result, dim, keepdim))
op("norm.all", lambda self, p=2: norm(self, p), node="NormBackward0", formulas={"self": formula("p")},
   self=lambda grad, self, p, result: norm_slope(grad, self, p, result))


def _dist(self, other, p=2):
    away = np.subtract(self, other)
    if away.dtype.kind not in "fc":
        raise RuntimeError(errors.norm_of_difference(dtypes.from_numpy(away.dtype)))
    return norm(away, p)


op("dist", _dist, node="DistBackward0", promote="arith",
   formulas={"self": formula("p", "(self - other)"), "other": "-(" + formula("p", "(self - other)") + ")"},
   self=lambda grad, self, other, p, result: norm_slope(grad, self - other, p, result),
   other=lambda grad, self, other, p, result: negative(norm_slope(grad, self - other, p, result)))


def negative(grad):
    """Return the gradient turned around, if there is one."""
    return None if grad is None else -grad


# ----- all pairs --------------------------------------------------------------------------------------
def pair_slope(grad, away, p, distance):
    """Return what every difference of a pair gets from the pair's distance of order p; 0 where it is 0."""
    grad, distance = grad[..., None], distance[..., None]
    sign, size = np.sign(away), np.abs(away)
    if p == 0:
        return np.zeros_like(away)
    if p == 1:
        return sign * grad
    if math.isinf(p):
        return sign * (size == distance) * grad
    with np.errstate(all="ignore"):
        if p == 2:
            found = away * grad / distance
        else:
            found = sign * size ** (p - 1) * grad / distance ** (p - 1)
    return np.where(np.logical_or(distance == 0, size == 0) if p < 2 else distance == 0, 0, found)


def _cdist(x1, x2, p=2.0):
    return norm(x1[..., :, None, :] - x2[..., None, :, :], p, (-1,))


def _cdist_backward(grad, x1, x2, p, cdist):
    away = x1[..., :, None, :] - x2[..., None, :, :]
    found = pair_slope(grad, away, p, cdist).sum(-2)
    return found.astype(x1.dtype)


def pairs_of(count: int) -> tuple:
    """Return the row numbers of all pairs i < j."""
    return np.triu_indices(count, 1)


def _pdist(self, p=2.0):
    if self.ndim != 2:
        raise RuntimeError(f"pdist only supports 2D tensors, got: {self.ndim}D")
    if self.dtype.kind != "f":
        raise RuntimeError("pdist only supports floating-point dtypes")
    first, second = pairs_of(len(self))
    return norm(self[first] - self[second], p, (-1,))


def _pdist_backward(grad, self, p, pdist):
    first, second = pairs_of(len(self))
    flow, out = pair_slope(grad, self[first] - self[second], p, pdist), np.zeros_like(self)
    np.add.at(out, first, flow)
    np.subtract.at(out, second, flow)
    return out


ALL_PAIRS = "sum over the other points of grad * d(distance) / d({})"
CDIST = "_cdist_backward"
op("cdist", _cdist, node="CdistBackward0", spelled="",
   formulas={"x1": ALL_PAIRS.format("x1"), "x2": ALL_PAIRS.format("x2")},
   x1=lambda grad, x1, x2, p, result: F.cdist_backward(grad, x1, x2, p, result),
   x2=lambda grad, x1, x2, p, result:
   F.cdist_backward(F.transpose(grad, -2, -1), x2, x1, p, F.transpose(result, -2, -1)))
op("cdist_backward", _cdist_backward, node="CdistBackwardBackward0", formulas=dict.fromkeys(
   ("grad", "x1", "x2", "cdist"), NONE),
   grad=no_formula(CDIST), x1=no_formula(CDIST), x2=no_formula(CDIST), cdist=no_formula(CDIST))
op("pdist", _pdist, node="PdistBackward0", spelled="function",
   formulas={"self": ALL_PAIRS.format("self")},
   self=lambda grad, self, p, result: F.pdist_backward(grad, self, p, result))
op("pdist_backward", _pdist_backward, node="PdistBackwardBackward0", formulas=dict.fromkeys(
   ("grad", "self", "pdist"), NONE),
   grad=no_formula("_pdist_backward"), self=no_formula("_pdist_backward"),
   pdist=no_formula("_pdist_backward"))


# ----- rows cut to a length ---------------------------------------------------------------------------
def _lengths(self, p, dim):
    others = tuple(d for d in range(self.ndim) if d != dim % self.ndim)
    return norm(self, p, others, True)


def _renorm(self, p, dim, maxnorm):
    lengths = _lengths(self, p, dim)
    return np.where(lengths > maxnorm, self * (maxnorm / (lengths + 1e-7)), self).astype(self.dtype)


def renorm_slope(grad, self, p, dim, maxnorm):
    """Return the rule of renorm: rows that were shortened lose what lies along them."""
    others = tuple(d for d in range(len(self.shape)) if d != dim % len(self.shape))
    length = F.linalg_vector_norm(self, p, others, True)
    along = (self * grad).sum(others, True)
    slope = along * norm_slope(F.zeros_like(length) + 1, self, p, length, others, True)
    inverse = F.reciprocal(length + 1e-7)
    shortened = inverse * maxnorm * (grad - inverse * slope)
    return F.where(length > maxnorm, shortened, grad)


op("renorm", _renorm, node="RenormBackward0", spelled="method function inplace",
   formulas={"self": "where a row was shortened, what is across it, times maxnorm / length; else grad"},
   self=lambda grad, self, p, dim, maxnorm: renorm_slope(grad, self, p, dim, maxnorm))


# ----- a length and a direction: weight normalisation ---------------------------------------------------
def per_slice(x, dim):
    """Sum over all dimensions but the first or the last, as PyTorch's rule folds them."""
    shape = tuple(x.shape)
    if dim == 0:
        return x.view(shape[0], -1).sum(1).view(shape[0], *(1 for _ in shape[1:]))
    return x.view(-1, shape[-1]).sum(0).view(*(1 for _ in shape[1:]), shape[-1])


def _weight_norm(v, g, dim=0):
    others = tuple(d for d in range(v.ndim) if d != dim % v.ndim)
    lengths = norm(v, 2, others, True)
    return v * (g / lengths), lengths


op("_weight_norm_interface", _weight_norm, node="WeightNormInterfaceBackward0", outputs=2, flows=1,
   formulas={"v": "g / result1 * (grad - v * ((grad * v).sum(all but dim) / result1 ** 2))",
             "g": "(grad * v).sum(all but dim) / result1"},
   v=lambda grad, v, g, dim, result1:
   g / result1 * (grad - v * (per_slice(grad * v, dim) / (result1 * result1))),
   g=lambda grad, v, g, dim, result1: per_slice(grad * v, dim) / result1)
