"""Operations that return a copy with a part replaced, or with several numbers brought together in a place."""

from __future__ import annotations

from functools import partial

import numpy as np

from engine import errors as words
from engine.ops import errors
from engine.ops.dims import at, axis
from engine.ops.scatter import check_places, rows_at
from engine.ops.shape import diagonal_of
from engine.ops.table import F, op

# fmt: off

REDUCTIONS = ("sum", "prod", "mean", "amax", "amin")
both = partial(op, spelled="method function inplace")


# ----- a part of a copy -----------------------------------------------------------------------------
def replaced(self, src, part):
    """Return a copy of an array whose `part` (a function that gives a view of it) holds `src`."""
    out = self.copy()
    place = part(out)
    if place.shape != src.shape:
        raise RuntimeError(
            "expected src to have a size equal to the slice of self. "
            f"src size = {list(src.shape)}, slice size = {list(place.shape)}"
        )
    place[...] = src
    return out


def one_slice(array, dim, index):
    """Return a view of one slice along a dimension, without that dimension."""
    over = axis(dim, array.ndim)
    if not -array.shape[over] <= index < array.shape[over]:
        raise words.index_error(errors.select_range(index, array.shape, over))
    start = index % array.shape[over]
    return np.squeeze(array[at(over, slice(start, start + 1))], over)


def sliced(array, dim, start, end, step):
    """Return a view of every step-th element from start to end along a dimension."""
    return array[at(axis(dim, array.ndim), slice(start, end, step))]


op("select_scatter", lambda self, src, dim, index:
   replaced(self, src, lambda a: one_slice(a, dim, index)), node="SelectScatterBackward0",
   spelled="",
   formulas={"self": "grad, 0 at [index] of dimension dim", "src": "grad.select(dim, index)"},
   hides=("src_sym_sizes",),
   self=lambda grad, dim, index, src_sym_sizes:
   F.select_scatter(grad, F.new_zeros(grad, src_sym_sizes), dim, index),
   src=lambda grad, dim, index: F.select(grad, dim, index))
op("slice_scatter", lambda self, src, dim=0, start=None, end=None, step=1:
   replaced(self, src, lambda a: sliced(a, dim, start, end, step)), node="SliceScatterBackward0",
   formulas={"self": "grad, 0 at [start:end:step] of dimension dim",
             "src": "grad at [start:end:step] of dimension dim"},
   hides=("self_sym_sizes", "src_sym_sizes"),
   self=lambda grad, src_sym_sizes, dim, start, end, step:
   F.slice_scatter(grad, F.new_zeros(grad, src_sym_sizes), dim, start, end, step),
   src=lambda grad, dim, start, end, step, self_sym_sizes:
   F.slice(grad, dim, *slice(start, end, step).indices(self_sym_sizes[dim])[:2], step))
op("diagonal_scatter", lambda self, src, offset=0, dim1=0, dim2=1:
   replaced(self, src, lambda a: diagonal_of(a, offset, dim1, dim2)), node="DiagonalScatterBackward0",
   formulas={"self": "grad, 0 on the diagonal", "src": "grad.diagonal(offset, dim1, dim2)"},
   self=lambda grad, src, offset, dim1, dim2: F.diagonal_scatter(grad, F.zeros_like(src), offset, dim1, dim2),
   src=lambda grad, offset, dim1, dim2: grad.diagonal(offset, dim1, dim2))


# ----- several numbers in one place -----------------------------------------------------------------
def brought_together(out, places, values, reduce, include_self):
    """Return an array with values added, multiplied, ... where places say; the first value may replace."""
    if reduce not in REDUCTIONS:
        raise RuntimeError(f"reduce argument must be either sum, prod, mean, amax or amin, got {reduce}")
    extreme = {"amax": lowest(out.dtype), "amin": highest(out.dtype)}
    start = {"sum": 0, "prod": 1, "mean": 0, **extreme}[reduce]
    if not include_self:
        out[places] = start
    ways = {"sum": np.add, "mean": np.add, "prod": np.multiply, "amax": np.maximum, "amin": np.minimum}
    ways[reduce].at(out, places, values)
    if reduce == "mean":
        counts = np.full(out.shape, int(include_self))
        np.add.at(counts, places, 1)
        counts = np.maximum(counts, 1)
        out = (out / counts).astype(out.dtype) if out.dtype.kind in "fc" else out // counts.astype(out.dtype)
    return out


def lowest(kind):
    """Return what no number of a kind is below."""
    return -np.inf if kind.kind == "f" else np.iinfo(kind).min if kind.kind in "iu" else False


def highest(kind):
    """Return what no number of a kind is above."""
    return np.inf if kind.kind == "f" else np.iinfo(kind).max if kind.kind in "iu" else True


def _scatter_reduce(self, dim, index, src, reduce, include_self=True):
    places, values = check_places(self, dim, index, src)
    return brought_together(self.copy(), places, values, reduce, include_self)


def _index_reduce(self, dim, index, source, reduce, include_self=True):
    return brought_together(self.copy(), rows_at(self, dim, index), source, reduce, include_self)


class Scattered:
    """What the rules of scatter_reduce ask of an index per element."""

    take = staticmethod(lambda x, dim, index: x.gather(dim, index))
    add = staticmethod(lambda x, dim, index, src: F.scatter_add(x, dim, index, src))
    again = staticmethod(lambda *args: F.scatter_reduce(*args))
    empty = staticmethod(lambda x, dim, index: F.scatter__value(x, dim, index, 0))


class Indexed:
    """What the rules of index_reduce ask of an index per row."""

    take = staticmethod(lambda x, dim, index: F.index_select(x, dim, index))
    add = staticmethod(lambda x, dim, index, src: F.index_add(x, dim, index, src))
    again = staticmethod(lambda *args: F.index_reduce(*args))
    empty = staticmethod(lambda x, dim, index: F.index_fill(x, dim, index, 0))


def counts(way, like, dim, index, src, include_self):
    """Return how many numbers came together in each place, 1 where none did."""
    start = F.zeros_like(like) + 1 if include_self else F.zeros_like(like)
    found = way.add(start, dim, index, F.zeros_like(src) + 1)
    return found.masked_fill(found == 0, 1)


def winners(way, grad, self, dim, index, src, result):
    """Return where self and src are the extreme, and the gradient shared among all that are."""
    own, theirs = (self == result).to(grad.dtype), (src == way.take(result, dim, index)).to(grad.dtype)
    return own, theirs, grad / way.add(own, dim, index, theirs)


def kept_slope(way, grad, self, dim, index, src, reduce, include_self, result):
    """Return the rule of what was there before."""
    if reduce == "sum":
        flow = grad
    elif reduce == "mean":
        flow = grad / counts(way, grad, dim, index, src, include_self)
    elif reduce == "prod":
        ones = self.masked_fill(self == 0, 1)
        flow = grad * way.again(ones, dim, index, src, reduce, include_self) / ones
    else:
        own, _, shared = winners(way, grad, self, dim, index, src, result)
        flow = own * shared
    return flow if include_self else way.empty(flow, dim, index)


def come_slope(way, grad, self, dim, index, src, reduce, include_self, result):
    """Return the rule of what was brought there."""
    if reduce == "sum":
        return way.take(grad, dim, index)
    if reduce == "mean":
        number = counts(way, grad, dim, index, src, include_self)
        return way.take(grad, dim, index) / way.take(number, dim, index)
    if reduce != "prod":
        _, theirs, shared = winners(way, grad, self, dim, index, src, result)
        return theirs * way.take(shared, dim, index)
    zero = src == 0
    zeros = way.take(way.add(F.zeros_like(self), dim, index, zero.to(self.dtype)), dim, index)
    alone = F.logical_and(zero, zeros == 1)
    others = way.again(self, dim, index, src.masked_fill(alone, 1), reduce, include_self)
    usual = way.take(grad * result, dim, index) / src.masked_fill(zero, 1)
    return F.where(alone, way.take(grad * others, dim, index), usual)


BY_REDUCTION = {
    "self": "emptied(grad, index) if not include_self else grad if reduce == 'sum' else "
    "grad / counted(index) if reduce == 'mean' else product_there(grad, self, src, index, result) "
    "if reduce == 'prod' else shared(grad, self == result)",
    "src": "grad.gather(dim, index) if reduce == 'sum' else counted(grad, index) if reduce == 'mean' else "
    "product_there(grad, src, self, index, result) if reduce == 'prod' else shared(grad, src, result, index)",
}
both("scatter_reduce", _scatter_reduce, node="ScatterReduceBackward0", formulas=BY_REDUCTION,
   self=lambda grad, self, dim, index, src, reduce, include_self, result:
   kept_slope(Scattered, grad, self, dim, index, src, reduce, include_self, result),
   src=lambda grad, self, dim, index, src, reduce, include_self, result:
   come_slope(Scattered, grad, self, dim, index, src, reduce, include_self, result))
both("index_reduce", _index_reduce, node="IndexReduceBackward0",
   formulas={"self": BY_REDUCTION["self"].replace("src", "source"),
             "source": BY_REDUCTION["src"].replace("src", "source")},
   self=lambda grad, self, dim, index, source, reduce, include_self, result:
   kept_slope(Indexed, grad, self, dim, index, source, reduce, include_self, result),
   source=lambda grad, self, dim, index, source, reduce, include_self, result:
   come_slope(Indexed, grad, self, dim, index, source, reduce, include_self, result))
