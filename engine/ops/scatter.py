"""Operations that write into a part: fill, copy, scatter, index_add, index_put, masks."""

from __future__ import annotations

from functools import partial

import numpy as np

from engine import dtype as dtypes
from engine import errors as words
from engine.ops import errors
from engine.ops.dims import at, axis
from engine.ops.index import check_index, put
from engine.ops.table import F, op
from engine.tensor import make

# fmt: off

inner = partial(op, spelled="")
writing = partial(op, spelled="method function inplace")


def converted(value, like):
    """Return a value as another array's kind of number; what does not fit wraps around."""
    return np.asarray(value).astype(like.dtype)


# ----- everything -----------------------------------------------------------------------------------
def _filled(self, value):
    return np.full(self.shape, converted(value, self))


def _copied(self, src, non_blocking=False):
    return np.broadcast_to(src, self.shape).astype(self.dtype)


NOTHING = {"self": "0"}
inner("fill", _filled, node="FillBackward0", formulas=NOTHING,
   self=lambda grad: F.zeros_like(grad))
op("fill.with", _filled, node="FillBackward1", formulas=NOTHING,
   self=lambda grad: F.zeros_like(grad),
   value=lambda grad: grad.sum())
op("fill.Scalar", _filled, node="FillBackward2", formulas=NOTHING,
   self=lambda grad: F.zeros_like(grad))
op("fill.Tensor", _filled, node="FillBackward3", formulas=NOTHING,
   self=lambda grad: F.zeros_like(grad),
   value=lambda grad: grad.sum())
inner("zero", lambda self: np.zeros_like(self), node="ZeroBackward0", formulas=NOTHING,
   self=lambda grad: F.zeros_like(grad))
inner("copy", _copied, node="CopyBackwards", formulas=NOTHING,
   self=lambda grad: F.zeros_like(grad),
   src=lambda grad: grad)


# ----- where a mask says so -------------------------------------------------------------------------
def _masked_fill(self, mask, value):
    if mask.dtype != np.bool_:
        raise RuntimeError(errors.mask_dtype(dtypes.from_numpy(mask.dtype)))
    if getattr(value, "ndim", 0):
        raise RuntimeError(errors.masked_fill_value(value.ndim))
    return np.where(mask, converted(value, self), self)


def _masked_scatter(self, mask, source):
    if mask.dtype != np.bool_:
        raise RuntimeError("masked_scatter_ only supports boolean masks, but got mask with dtype Byte")
    mask = np.broadcast_to(mask, np.broadcast_shapes(self.shape, mask.shape))
    out = np.array(np.broadcast_to(self, mask.shape))
    if source.size < mask.sum():
        raise RuntimeError("Number of elements of source < number of ones in mask")
    out[mask] = source.reshape(-1)[: int(mask.sum())]
    return out


def _masked_scatter_backward(grad_output, mask, sizes):
    taken = grad_output[np.broadcast_to(mask, grad_output.shape)]
    return np.concatenate([taken, np.zeros(int(np.prod(sizes)) - taken.size, taken.dtype)]).reshape(sizes)


KEEP = "where(mask, 0, grad)"
writing("masked_fill", _masked_fill, node="MaskedFillBackward0", spelled="", formulas={"self": KEEP},
   self=lambda grad, mask: grad.masked_fill(mask, 0))
op("masked_fill.Tensor", _masked_fill, node="MaskedFillBackward1",
   formulas={"self": KEEP, "value": "grad[mask].sum()"},
   self=lambda grad, mask: grad.masked_fill(mask, 0),
   value=lambda grad, mask: grad.masked_select(mask).sum())
writing("masked_scatter", _masked_scatter, node="MaskedScatterBackward0",
   formulas={"self": KEEP, "source": "grad[mask], then zeros"},
   self=lambda grad, mask: grad.masked_fill(mask, 0),
   source=lambda grad, mask, source_sym_sizes: F.masked_scatter_backward(grad, mask, source_sym_sizes))
op("masked_scatter_backward", _masked_scatter_backward, node="MaskedScatterBackwardBackward0",
   formulas={"grad_output": "zeros with grad where mask"},
   grad_output=lambda grad, mask, grad_output_sym_sizes:
   F.masked_scatter(F.new_zeros(grad, grad_output_sym_sizes), mask, grad))


# ----- one index per element: scatter ---------------------------------------------------------------
def _places(self, dim, index, src, name):
    over = axis(dim, self.ndim)
    check_index("scatter", index, self.shape, over)
    if not self.ndim:
        return (), np.reshape(src, ())
    grids = list(np.indices(index.shape, sparse=True))
    grids[over] = index
    return tuple(grids), src[tuple(slice(n) for n in index.shape)] if getattr(src, "ndim", 0) else src


def check_places(self, dim, index, src):
    """Return where scattered values go, and the values; refuse a source of another dtype."""
    _same_dtype("scatter", self, src)
    return _places(self, dim, index, src, "scatter")


def rows_at(self, dim, index):
    """Return what selects the rows that an index names; refuse an index outside."""
    return _rows(self, dim, index, "index_reduce", lambda *_: errors.out_of_range_in_self())


def _same_dtype(name, self, src):
    if self.dtype != src.dtype:
        raise RuntimeError(errors.scatter_dtypes(name))


def _scatter(self, dim, index, src):
    if isinstance(src, np.ndarray):
        _same_dtype("scatter", self, src)
    out = self.copy()
    places, values = _places(self, dim, index, src, "scatter")
    out[places] = converted(values, out)
    return out


def _scatter_add(self, dim, index, src):
    _same_dtype("scatter", self, src)
    out = self.copy()
    places, values = _places(self, dim, index, src, "scatter_add")
    np.add.at(out, places, values)
    return out


OVERWRITTEN = {"self": "grad, 0 at [index] of dimension dim", "src": "grad at [index] of dimension dim"}
inner("scatter", _scatter, node="ScatterBackward0", formulas=OVERWRITTEN,
   self=lambda grad, dim, index: F.scatter__value(grad, dim, index, 0),
   src=lambda grad, dim, index: grad.gather(dim, index))
op("scatter.value", lambda self, dim, index, value: _scatter(self, dim, index, value),
   node="ScatterBackward1",
   formulas=OVERWRITTEN,
   self=lambda grad, dim, index: F.scatter__value(grad, dim, index, 0))
writing("scatter_add", _scatter_add, node="ScatterAddBackward0",
   formulas={"src": "grad at [index] of dimension dim"},
   self=lambda grad: grad,
   src=lambda grad, dim, index: grad.gather(dim, index))


# ----- whole rows: index_add, index_copy, index_fill ------------------------------------------------
def _rows(self, dim, index, name, outside=words.index_range):
    over = axis(dim, self.ndim)
    if index.dtype not in (np.int64, np.int32):
        raise RuntimeError(errors.index_kind(name))
    size = self.shape[over] if self.ndim else 1
    if index.size and not (0 <= index.min() and index.max() < size):
        bad = index[(index < 0) | (index >= size)].ravel()[0]
        raise words.index_error(outside(int(bad), over, size))
    return at(over, index.reshape(-1)) if self.ndim else ()


def _index_add(self, dim, index, source, alpha=1):
    if self.dtype != source.dtype:
        raise RuntimeError(errors.index_add_dtypes(*map(dtypes.from_numpy, (self.dtype, source.dtype))))
    out, source = self.copy(), source if alpha == 1 else source * source.dtype.type(alpha)
    np.add.at(out, _rows(self, dim, index, "index_add", lambda *_: errors.out_of_range_in_self()), source)
    return out


def _index_write(self, dim, index, value, name):
    out = self.copy()
    outside = errors.index_copy_range if name == "index_copy_" else words.index_range
    out[_rows(self, dim, index, name, outside)] = converted(value, out)
    return out


def rows_of(grad, dim, index, source):
    """Return the rows of a gradient that a source was written to, in the source's shape."""
    if not source.shape:
        return F.index_select(grad, dim, index.squeeze())
    return F.index_select(grad, dim, index).expand(tuple(source.shape))


TO_ROWS = "grad at [index] of dimension dim"
writing("index_add", _index_add, node="IndexAddBackward0", shows=("alpha", "source_dim"),
   formulas={"source": f"{TO_ROWS}, times alpha"},
   self=lambda grad: grad,
   source=lambda grad, dim, index, source, alpha:
   rows_of(grad, dim, index, source) if alpha == 1 else rows_of(grad, dim, index, source) * alpha)
writing("index_copy", lambda self, dim, index, source: _index_write(self, dim, index, source, "index_copy_"),
   node="IndexCopyBackward0", shows=("source_dim",),
   formulas={"self": f"grad, 0 {TO_ROWS[5:]}", "source": TO_ROWS},
   self=lambda grad, dim, index: F.index_fill(grad, dim, index, 0),
   source=lambda grad, dim, index, source: rows_of(grad, dim, index, source))
inner("index_fill", lambda self, dim, index, value: _index_write(self, dim, index, value, "index_fill_"),
   node="IndexFillBackward0", formulas={"self": f"grad, 0 {TO_ROWS[5:]}"},
   self=lambda grad, dim, index: F.index_fill(grad, dim, index, 0))
op("index_fill.Tensor", lambda self, dim, index, value: _index_write(self, dim, index, value, "index_fill_"),
   node="IndexFillBackward1", formulas={"self": f"grad, 0 {TO_ROWS[5:]}", "value": f"({TO_ROWS}).sum()"},
   self=lambda grad, dim, index: F.index_fill(grad, dim, index, 0),
   value=lambda grad, dim, index: F.index_select(grad, dim, distinct(index)).sum())


def distinct(index):
    """Return every index once."""
    return make(np.unique(index.array))


# ----- index_put, put ---------------------------------------------------------------------------------
inner("index_put", put, node="IndexPutBackward0", shows=("accumulate",), spelled="method function inplace",
   hides=("values_sym_sizes",),
   formulas={"self": "grad if accumulate else index_put(grad, indices, 0)", "values": "grad[indices]"},
   self=lambda grad, indices, accumulate, values_sym_sizes:
   grad if accumulate else F.index_put(grad, indices, F.new_zeros(grad, values_sym_sizes), False),
   values=lambda grad, indices: F.index(grad, indices))


def _put(self, index, source, accumulate=False):
    out = self.copy()
    flat = out.reshape(-1)
    if accumulate:
        np.add.at(flat, index.reshape(-1), source.reshape(-1))
    else:
        flat[index.reshape(-1)] = source.reshape(-1)
    return out


writing("put", _put, node="PutBackward0", shows=("accumulate", "source"),
   formulas={"self": "grad if accumulate else put(grad, index, 0)", "source": "grad.take(index)"},
   self=lambda grad, index, accumulate, source_sym_sizes:
   grad if accumulate else grad.put(index, F.new_zeros(grad, source_sym_sizes)),
   source=lambda grad, index, source_sym_sizes: grad.take(index).reshape(source_sym_sizes))
