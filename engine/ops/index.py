"""Operations that pick elements: select, slice, advanced indexing, gather, take, masks."""

from __future__ import annotations

from functools import partial

import numpy as np

from engine import errors as words
from engine.ops import errors
from engine.ops.dims import at, axis
from engine.ops.table import F, op

# fmt: off

inner = partial(op, spelled="")


# ----- select, slice: views -----------------------------------------------------------------------
def _select(self, dim, index):
    if not self.ndim:
        raise words.index_error("select() cannot be applied to a 0-dim tensor.")
    over = axis(dim, self.ndim)
    size = self.shape[over]
    if not -size <= index < size:
        raise words.index_error(words.index_range(index, over, size))
    return self[(*at(over, index), ...)]


def _slice(self, dim, start, end, step):
    return self[at(axis(dim, self.ndim), slice(start, end, step))]


def _select_backward(grad_output, sizes, dim, index):
    out = np.zeros(sizes, grad_output.dtype)
    out[at(axis(dim, len(sizes)), index)] = grad_output
    return out


def _slice_backward(grad_output, sizes, dim, start, end, step):
    out = np.zeros(sizes, grad_output.dtype)
    out[at(axis(dim, len(sizes)), slice(start, end, step))] = grad_output
    return out


inner("select", _select, node="SelectBackward0", view=True,
   formulas={"self": "zeros(self_sym_sizes) with grad at [index] of dimension dim"},
   self=lambda grad, self_sym_sizes, dim, index: F.select_backward(grad, self_sym_sizes, dim, index))
op("select_backward", _select_backward, node="SelectBackwardBackward0",
   grad_output=lambda grad, dim, index: F.select(grad, dim, index))
inner("slice", _slice, node="SliceBackward0", view=True,
   formulas={"self": "zeros(self_sym_sizes) with grad at [start:end:step] of dimension dim"},
   self=lambda grad, self_sym_sizes, dim, start, end, step:
   F.slice_backward(grad, self_sym_sizes, dim, start, end, step))
op("slice_backward", _slice_backward, node="SliceBackwardBackward0",
   grad_output=lambda grad, dim, start, end, step: F.slice(grad, dim, start, end, step))


# ----- with index tensors -------------------------------------------------------------------------
def positions(indices) -> tuple:
    """Return index arrays as NumPy takes them; None stands for a whole dimension."""
    return tuple(slice(None) if i is None else i.array if hasattr(i, "array") else i for i in indices)


def _index(self, indices):
    where = positions(indices)
    try:
        return np.array(self[where], order="C")
    except IndexError:
        raise _out_of_bounds(self.shape, where) from None


def _out_of_bounds(shape, where) -> Exception:
    for dim, index in enumerate(where):
        if isinstance(index, np.ndarray) and index.dtype.kind in "iu" and index.size:
            bad = index[(index < -shape[dim]) | (index >= shape[dim])]
            if bad.size:
                return words.index_error(words.index_range(int(bad.ravel()[0]), dim, shape[dim]))
    return words.index_error(errors.index_shapes([i.shape for i in where if isinstance(i, np.ndarray)]))


def put(self, indices, values, accumulate=False):
    """Return a copy of an array with values written, or added, at indices."""
    out, where = self.copy(), positions(indices)
    try:
        if accumulate:
            np.add.at(out, where, values)
        else:
            out[where] = values
    except IndexError:
        raise _out_of_bounds(self.shape, where) from None
    return out


inner("index", _index, node="IndexBackward0",
   formulas={"self": "zeros(self_sym_sizes) with grad added at [indices]"},
   self=lambda grad, self_sym_sizes, indices:
   F._index_put_impl(F.new_zeros(grad, self_sym_sizes), indices, grad, True))
op("_index_put_impl", put, node="IndexPutImplBackward0",
   self=lambda grad, indices, accumulate: grad,
   values=lambda grad, indices: F.index(grad, indices))


def _index_select(self, dim, index):
    if not self.ndim:
        return self.copy()
    over = axis(dim, self.ndim)
    if index.ndim > 1:
        raise words.index_error("index_select(): Index is supposed to be a vector")
    if index.dtype not in (np.int64, np.int32):
        raise RuntimeError(errors.index_kind("index_select"))
    if index.size and not (0 <= index.min() and index.max() < self.shape[over]):
        raise words.index_error(errors.out_of_range_in_self())
    return self.take(index.reshape(-1), over)


op("index_select", _index_select, node="IndexSelectBackward0",
   formulas={"self": "zeros(self_sym_sizes) with grad added at [index] of dimension dim"},
   self=lambda grad, self_sym_sizes, dim, index:
   F.index_add(F.new_zeros(grad, self_sym_sizes), dim, index, grad))


def check_index(name: str, index: np.ndarray, shape: tuple, over: int) -> None:
    """Refuse an index tensor of the wrong kind, or one that leads outside."""
    if index.dtype not in (np.int64, np.int32):
        raise RuntimeError(errors.index_kind(name))
    size = shape[over] if shape else 1
    bad = index[(index < 0) | (index >= size)]
    if bad.size:
        raise RuntimeError(words.index_range(int(bad.ravel()[0]), over, size))


def _gather(self, dim, index, sparse_grad=False):
    if index.ndim != self.ndim and index.size:
        raise RuntimeError(errors.index_ndim("Index", "input"))
    over = axis(dim, self.ndim)
    check_index("gather", index, self.shape, over)
    if not self.ndim:
        return self.copy()
    cut = tuple(slice(None) if d == over else slice(n) for d, n in enumerate(index.shape))
    return np.take_along_axis(self[cut], index, over)


op("gather", _gather, node="GatherBackward0", shows=("self", "sparse_grad"),
   formulas={"self": "zeros(self.shape) with grad added at [index] of dimension dim"},
   self=lambda grad, self, dim, index: F.scatter_add(F.new_zeros(grad, self.shape), dim, index, grad))


def _take(self, index):
    if not self.size and index.size:
        raise words.index_error("take(): tried to take from an empty tensor")
    if index.size and not (-self.size <= index.min() and index.max() < self.size):
        bad = index[(index < -self.size) | (index >= self.size)]
        raise words.index_error(errors.take_range(int(bad.ravel()[0]), self.size))
    return self.reshape(-1)[index]


op("take", _take, node="TakeBackward0", shows=("self",),
   formulas={"self": "zeros(self.shape) with grad added at [index] of the flat tensor"},
   self=lambda grad, self, index: F.put(F.new_zeros(grad, self.shape), index, grad, True))


def _masked_select(self, mask):
    if mask.dtype != np.bool_:
        raise RuntimeError("masked_select: expected BoolTensor for mask")
    both = np.broadcast_arrays(self, mask)
    return both[0][both[1]]


op("masked_select", _masked_select, node="MaskedSelectBackward0", shows=("self",),
   formulas={"self": "zeros(self.shape) with grad where mask"},
   self=lambda grad, self, mask:
   F.masked_scatter(F.new_zeros(grad, np.broadcast_shapes(self.shape, mask.shape)), mask, grad))
op("nonzero", lambda self:
   np.stack(np.nonzero(self), 1) if self.ndim else np.zeros((int(self != 0), 0), np.int64),
   spelled="")
