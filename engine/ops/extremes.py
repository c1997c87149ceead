"""Operations that pick from many elements: the largest, the smallest, the middle, the most frequent."""

from __future__ import annotations

import numpy as np

from engine.errors import index_error
from engine.ops import errors
from engine.ops.dims import axes, axis, reshaped
from engine.ops.kinds import NUMBERS, refuse_unless
from engine.ops.table import F, op

# fmt: off

VALUES = ("values", "indices")


# ----- of all elements, or along one dimension ----------------------------------------------------
def whole(choose, name: str):
    """Return a forward over all elements; of none there is no extreme."""

    def forward(array):
        if not array.size:
            raise RuntimeError(errors.empty_reduction(name))
        return choose(array)

    return lambda self: forward(self)


def along(choose, name: str):
    """Return a forward along one dimension: values, and where they were. `choose` finds the indices."""

    def forward(array, dim, keepdim, *rest):
        if not array.ndim:
            return array.copy(), np.zeros((), np.int64)
        over = axis(dim, array.ndim)
        if not array.shape[over]:
            raise index_error(errors.empty_dim(name, over))
        indices = np.expand_dims(choose(array, over, *rest), over).astype(np.int64)
        values = np.take_along_axis(array, indices, over)
        return (values, indices) if keepdim else (values.squeeze(over), indices.squeeze(over))

    return forward


def shared_evenly(grad, self, result):
    """Give each element that equals the result the same share of the gradient."""
    mask = self.isnan() if result.array.dtype.kind == "f" and np.isnan(result.array) else self == result
    return F.masked_fill__Tensor(F.new_zeros(grad, self.shape), mask, grad / mask.sum())


def to_index(grad, dim, indices, sizes, keepdim):
    """Put a gradient where the reduction took its value from; everywhere else is 0."""
    if sizes and not keepdim:
        grad, indices = grad.unsqueeze(dim), indices.unsqueeze(dim)
    return F.scatter(F.new_zeros(grad, sizes), dim, indices, grad)


ALL = "where(self == result, grad / (self == result).sum(), 0)"
ONE = "zeros(self_sym_sizes) with grad at [indices] of dimension dim"


def selecting(name: str, node: str, choose):
    """Add a row that takes one element along a dimension."""
    forward = along(choose, name.partition(".")[0])
    op(name, lambda self, dim, keepdim=False: forward(self, dim, keepdim), node=node, outputs=VALUES,
    spelled="",
       formulas={"self": ONE},
       self=lambda grad, dim, indices, self_sym_sizes, keepdim:
   to_index(grad, dim, indices, self_sym_sizes, keepdim))


op("max", whole(np.max, "max"), node="MaxBackward1", spelled="", formulas={"self": ALL},
   self=lambda grad, self, result: shared_evenly(grad, self, result))
op("min", whole(np.min, "min"), node="MinBackward1", spelled="", formulas={"self": ALL},
   self=lambda grad, self, result: shared_evenly(grad, self, result))
selecting("max.dim", "MaxBackward0", np.argmax)
selecting("min.dim", "MinBackward0", np.argmin)


def _arg(choose, name: str):
    def forward(self, dim, keepdim):
        if self.dtype == np.bool_:
            raise RuntimeError(f"{name}(): does not support bool input")
        if not self.size and (dim is None or not self.shape[axis(dim, self.ndim)]):
            raise index_error(errors.empty_reduction(name) if dim is None else errors.empty_dim(name, dim))
        if not self.ndim:
            return np.zeros((), np.int64)
        over = None if dim is None else axis(dim, self.ndim)
        return np.asarray(choose(self, axis=over, keepdims=keepdim), np.int64)

    return lambda self, dim=None, keepdim=False: forward(self, dim, keepdim)


op("argmax", _arg(np.argmax, "argmax"))
op("argmin", _arg(np.argmin, "argmin"))
def asking(question):
    """Return a forward whose answers are bools; those about uint8 are uint8."""

    def forward(self, dim, keepdim):
        found = question(self, axis=axes(dim, self.ndim), keepdims=keepdim)
        return found.astype(np.uint8) if self.dtype == np.uint8 else found

    return lambda self, dim=None, keepdim=False: forward(self, dim, keepdim)


op("all", asking(np.all))
op("any", asking(np.any))
op("count_nonzero", lambda self, dim=None:
   np.asarray(np.count_nonzero(self, axis=axes(dim, self.ndim)), np.int64))


# ----- extremes over several dimensions: ties share -------------------------------------------------
def _over(choose, array, dim, keepdim):
    if not array.size and dim in ((), None):
        raise RuntimeError(errors.empty_reduction("a" + choose.__name__))
    return choose(array, axis=axes(dim, array.ndim), keepdims=keepdim)


def ties(grad, self, result, dim, keepdim):
    """Share the gradient among all elements that equal the extreme."""
    mask = reshaped(result, self.shape, dim, keepdim) == self
    return reshaped(grad, self.shape, dim, keepdim) / mask.sum(axes(dim, len(self.shape)), True) * mask


def ties_text(*parts: tuple[str, str]) -> str:
    """Return the text for extremes, each with its gradient, by dim and keepdim."""
    texts = (f"{g} / (self == {r}).sum(dim, keepdim=True) * (self == {r})" for g, r in parts)
    kept = (f"{g}.unsqueeze(dim) / (self == {r}.unsqueeze(dim)).sum(dim, keepdim=True) "
            f"* (self == {r}.unsqueeze(dim))" for g, r in parts)
    return f"{' + '.join(texts)} if keepdim or dim is None else {' + '.join(kept)}"


TIES = ties_text(("grad", "result"))
op("amax", lambda self, dim=(), keepdim=False: _over(np.max, self, dim, keepdim), node="AmaxBackward0",
   spelled="",
   formulas={"self": TIES},
   self=lambda grad, self, result, dim, keepdim: ties(grad, self, result, dim, keepdim))
op("amin", lambda self, dim=(), keepdim=False: _over(np.min, self, dim, keepdim), node="AminBackward0",
   spelled="",
   formulas={"self": TIES},
   self=lambda grad, self, result, dim, keepdim: ties(grad, self, result, dim, keepdim))
op("aminmax", lambda self, dim=None, keepdim=False:
   (_over(np.min, self, dim, keepdim), _over(np.max, self, dim, keepdim)),
   node="AminmaxBackward0", outputs=("min", "max"), spelled="",
   formulas={"self": ties_text(("grads[0]", "min"), ("grads[1]", "max"))},
   self=lambda grads, self, min, max, dim, keepdim: both_ties(grads, self, (min, max), dim, keepdim))


def both_ties(grads, self, results, dim, keepdim):
    """Share the gradients of both extremes, of which either may be missing."""
    shared = [ties(g, self, r, dim, keepdim) for g, r in zip(grads, results, strict=True) if g is not None]
    return shared[0] if len(shared) == 1 else shared[0] + shared[1]


# ----- the middle, the k-th, the most frequent ------------------------------------------------------
def middle(array: np.ndarray, over: int, skip_nan: bool = False) -> np.ndarray:
    """Return the index of the lower median along a dimension: nan wins unless it is skipped."""
    order = np.argsort(array, over, kind="stable")
    size = array.shape[over]
    if array.dtype.kind != "f":
        return order.take((size - 1) // 2, over)
    nans = np.isnan(array)
    good = size - nans.sum(over, keepdims=True)
    at = (np.maximum(good, 1) - 1) // 2
    found = np.take_along_axis(order, at, over)
    if not skip_nan:
        found = np.where(nans.any(over, keepdims=True), nans.argmax(over, keepdims=True), found)
    return found.squeeze(over)


def median(array: np.ndarray, skip_nan: bool = False) -> np.ndarray:
    """Return the lower median of all elements, nan of none."""
    refuse_unless(NUMBERS, "median_cpu", array)
    flat = array.reshape(-1)
    return flat[middle(flat, 0, skip_nan)] if array.size else np.asarray(np.nan, array.dtype)


op("median", lambda self: median(self), node="MedianBackward0", spelled="", formulas={"self": ALL},
   self=lambda grad, self, result: shared_evenly(grad, self, result))
op("nanmedian", lambda self: median(self, True), node="NanmedianBackward0", spelled="",
   formulas={"self": ALL},
   self=lambda grad, self, result: shared_evenly(grad, self, result))
selecting("median.dim", "MedianBackward1", middle)
selecting("nanmedian.dim", "NanmedianBackward1", lambda array, over: middle(array, over, True))


def kth(array: np.ndarray, over: int, k: int) -> np.ndarray:
    """Return the index of the k-th smallest element along a dimension, counted from 1."""
    if not 0 < k <= array.shape[over]:
        raise RuntimeError("kthvalue(): selected number k out of range for dimension " + str(over))
    refuse_unless(NUMBERS, "kthvalue_cpu", array)
    return np.argsort(array, over, kind="stable").take(k - 1, over)


def most_frequent(array: np.ndarray, over: int) -> np.ndarray:
    """Return where the most frequent value stands last; of equally frequent ones, the smallest."""
    lines = np.moveaxis(array, over, -1)
    found = np.zeros(lines.shape[:-1], np.int64)
    for at in np.ndindex(found.shape):
        values, counts = np.unique(lines[at], return_counts=True)
        found[at] = np.flatnonzero(lines[at] == values[counts.argmax()])[-1]
    return found


_kth, _mode = along(kth, "kthvalue"), along(most_frequent, "mode")
op("kthvalue", lambda self, k, dim=-1, keepdim=False: _kth(self, dim, keepdim, k), node="KthvalueBackward0",
   outputs=VALUES, formulas={"self": ONE},
   self=lambda grad, dim, indices, self_sym_sizes, keepdim:
   to_index(grad, dim, indices, self_sym_sizes, keepdim))
op("mode", lambda self, dim=-1, keepdim=False: _mode(self, dim, keepdim), node="ModeBackward0",
   outputs=VALUES, formulas={"self": ONE},
   self=lambda grad, dim, indices, self_sym_sizes, keepdim:
   to_index(grad, dim, indices, self_sym_sizes, keepdim))
