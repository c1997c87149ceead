"""Lengths of vectors: norms of any order, and the distance between two tensors."""

from __future__ import annotations

import math

import numpy as np

from engine import dtype as dtypes
from engine.ops import errors
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
