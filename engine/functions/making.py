"""New tensors from old ones: of their kind, drawn by their probabilities, found in their values."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np

from engine import create, random
from engine import dtype as dtypes
from engine.device import making_at, wanted, wanted_or_default
from engine.dtype import DType
from engine.errors.warned import SEARCHED_COPY
from engine.functions.joining import stack
from engine.ops import errors
from engine.ops.kinds import refuse_unless
from engine.ops.table import F
from engine.tensor import Size, Tensor
from engine.warned import warn_once

__all__ = [
    "bernoulli", "bincount", "broadcast_shapes", "bucketize", "combinations", "histc", "is_nonzero",
    "is_same_size", "is_signed", "isin", "logspace", "multinomial", "new_empty", "new_full", "new_ones",
    "new_tensor", "new_zeros", "searchsorted", "tril_indices", "triu_indices", "unique", "unique_consecutive",
]  # fmt: skip


# ----- of the kind of a tensor ----------------------------------------------------------------------
def _kind(dtype: Any, tensor: Tensor, function: str) -> DType:
    return tensor.dtype if dtype is None else dtypes.asked(dtype, function)


def _filled(name: str, value: int):
    def make_new(
        self: Tensor, *size: Any, dtype: DType | None = None, requires_grad: bool = False, device: Any = None
    ) -> Tensor:
        sizes = create.size_of(size)
        with making_at(wanted(device, name, self.place)):
            return create.full(sizes, value, dtype=_kind(dtype, self, name), requires_grad=requires_grad)

    make_new.__name__ = make_new.__qualname__ = name
    make_new.__doc__ = "Return a tensor of the given size and the same dtype, filled with one value."
    return make_new


new_zeros, new_ones, new_empty = _filled("new_zeros", 0), _filled("new_ones", 1), _filled("new_empty", 0)


def new_full(
    self: Tensor, size: Any, fill_value: Any, *, dtype: DType | None = None, requires_grad: bool = False,
    device: Any = None,
) -> Tensor:  # fmt: skip
    """Return a tensor of the given size and the same dtype, filled with a value."""
    with making_at(wanted(device, "new_full", self.place)):
        return create.full(
            size, fill_value, dtype=_kind(dtype, self, "new_full"), requires_grad=requires_grad
        )


def new_tensor(
    self: Tensor, data: Any, *, dtype: DType | None = None, requires_grad: bool = False, device: Any = None
) -> Tensor:
    """Return a tensor that holds a copy of data, in the same dtype."""
    with making_at(wanted(device, "new_tensor", self.place)):
        return create.tensor(data, dtype=_kind(dtype, self, "new_tensor"), requires_grad=requires_grad)


# ----- drawn by chance ------------------------------------------------------------------------------
def bernoulli(input: Tensor, p: float | None = None, *, generator: Any = None) -> Tensor:
    """Return zeros and ones: 1 with the probability that each element says, or all with the same."""
    if p is None:
        return F.bernoulli__each(input, generator)
    return F.bernoulli__p(input, p, generator)


def multinomial(
    input: Tensor, num_samples: int, replacement: bool = False, *, generator: Any = None
) -> Tensor:
    """Return index numbers, each as likely as its weight is large."""
    if input.array.dtype.kind != "f":
        raise RuntimeError(errors.multinomial_kind(input.dtype))
    source = generator or random.default_generator()
    drawn = source.multinomial(input.array, num_samples, replacement)
    return create.finished(drawn, place=input.place)


# ----- index numbers --------------------------------------------------------------------------------
def _corner(name: str, find: Any):
    def indices(row: int, col: int, offset: int = 0, *, dtype: DType | None = None, device: Any = None):
        with making_at(wanted_or_default(device, name)):
            return create.finished(np.array(find(row, offset, col)), dtype or dtypes.int64)

    indices.__name__ = indices.__qualname__ = name
    indices.__doc__ = "Return the row and column numbers of the elements on one side of a diagonal."
    return indices


tril_indices, triu_indices = (
    _corner("tril_indices", np.tril_indices),
    _corner("triu_indices", np.triu_indices),
)


def combinations(input: Tensor, r: int = 2, with_replacement: bool = False) -> Tensor:
    """Return all choices of r elements, one per row."""
    if input.array.ndim != 1:
        raise RuntimeError(f"Expect a 1D vector, but got shape {list(input.array.shape)}")
    choose = itertools.combinations_with_replacement if with_replacement else itertools.combinations
    rows = np.array(list(choose(range(input.array.size), r)), np.int64).reshape(-1, r)
    columns = [F.index_select(input, 0, create.finished(np.ascontiguousarray(c))) for c in rows.T]
    return stack(columns, 1)


def broadcast_shapes(*shapes: Any) -> Size:
    """Return the shape that tensors of these shapes have together."""
    found: list[int] = []
    sizes = [(s,) if isinstance(s, int) else tuple(s) for s in shapes]
    for i, shape in enumerate(sizes):
        found = [1] * (len(shape) - len(found)) + found
        for d in range(-1, -len(shape) - 1, -1):
            if 1 not in (shape[d], found[d]) and shape[d] != found[d]:
                raise RuntimeError(errors.broadcast_shapes(d, i, shape, found))
            found[d] = found[d] if shape[d] == 1 else shape[d]
    return Size(found)


def logspace(
    start: Any, end: Any, steps: int, base: float = 10.0, *, dtype: DType | None = None,
    requires_grad: bool = False, device: Any = None,
) -> Tensor:  # fmt: skip
    """Return `steps` powers of a base, their exponents evenly spaced from start to end."""
    dtype = dtype or dtypes.default_dtype()
    low, high = float(create.plain_number(start)), float(create.plain_number(end))
    exponents = [low + (high - low) * i / max(steps - 1, 1) for i in range(steps)]
    powers = np.array([math.pow(base, e) for e in exponents])
    with making_at(wanted_or_default(device, "logspace")):
        return create.finished(powers.astype(dtype.numpy), dtype, requires_grad)


# ----- found in values ------------------------------------------------------------------------------
def _values(data: Any) -> np.ndarray:
    return data.array if isinstance(data, Tensor) else np.asarray(create.plain_number(data))


def isin(elements: Any, test_elements: Any, *, assume_unique: bool = False, invert: bool = False) -> Tensor:
    """Return where an element is one of others."""
    found = np.isin(_values(elements), _values(test_elements), invert=invert)
    return create.finished(found, place=getattr(elements, "place", None))


def searchsorted(
    sorted_sequence: Tensor, input: Any, *, out_int32: bool = False, right: bool = False, side: Any = None
) -> Tensor:
    """Return where each value would have to be put for the sequence to stay in order."""
    ends, values = sorted_sequence.array, _values(input)
    if not values.flags.c_contiguous:
        warn_once("searchsorted", SEARCHED_COPY)
    if ends.ndim != 1 and ends.shape[:-1] != values.shape[:-1]:
        raise RuntimeError(errors.searchsorted_shapes(ends.shape, values.shape))
    side = side or ("right" if right else "left")
    if ends.ndim == 1:
        found = np.searchsorted(ends, values, side)
    else:
        rows = zip(ends.reshape(-1, ends.shape[-1]), values.reshape(-1, values.shape[-1]), strict=True)
        found = np.array([np.searchsorted(e, v, side) for e, v in rows]).reshape(values.shape)
    found = np.asarray(found, np.int32 if out_int32 else np.int64)
    return create.finished(found, place=sorted_sequence.place)


def bucketize(input: Any, boundaries: Tensor, *, out_int32: bool = False, right: bool = False) -> Tensor:
    """Return the number of the interval each value lies in."""
    return searchsorted(boundaries, input, out_int32=out_int32, right=right)


def unique(
    input: Tensor,
    sorted: bool = True,
    return_inverse: bool = False,
    return_counts: bool = False,
    dim: Any = None,
) -> Any:
    """Return every value once, in order; where it stood and how often, if asked."""
    found = np.unique(input.array, return_inverse=True, return_counts=True, axis=dim)
    return _asked(found, return_inverse, return_counts, input.place)


def unique_consecutive(
    input: Tensor, return_inverse: bool = False, return_counts: bool = False, dim: Any = None
) -> Any:
    """Return every value that differs from the one before it; where it stood and how often, if asked."""
    rows = input.array.reshape(-1) if dim is None else np.moveaxis(input.array, dim, 0)
    differs = (rows[1:] != rows[:-1]).reshape(max(len(rows) - 1, 0), -1).any(1)
    starts = np.flatnonzero(np.concatenate([np.ones(min(len(rows), 1), bool), differs]))
    number = np.cumsum(np.isin(np.arange(len(rows)), starts)) - 1
    inverse = number.reshape(input.array.shape) if dim is None else number
    kept = rows[starts] if dim is None else np.moveaxis(rows[starts], 0, dim)
    found = (kept, inverse, np.diff([*starts, len(rows)]))
    return _asked(found, return_inverse, return_counts, input.place)


def _asked(found: Any, inverse: bool, counts: bool, place: Any) -> Any:
    wanted = zip(found, (True, inverse, counts), strict=True)
    kept = (np.ascontiguousarray(a) for a, is_wanted in wanted if is_wanted)
    out = tuple(create.finished(a, place=place) for a in kept)
    return out[0] if len(out) == 1 else out


def bincount(input: Tensor, weights: Tensor | None = None, minlength: int = 0) -> Tensor:
    """Return how often each number 0, 1, 2, ... occurs."""
    refuse_unless("iu", "bincount_cpu", input.array)
    if input.array.ndim != 1 or (input.array < 0).any():
        raise RuntimeError("bincount only supports 1-d non-negative integral inputs.")
    shares = None if weights is None else weights.array
    return create.finished(np.bincount(input.array, shares, minlength), place=input.place)


def histc(input: Tensor, bins: int = 100, min: float = 0, max: float = 0) -> Tensor:
    """Return how many elements fall into each of equally wide intervals."""
    refuse_unless("f", "histogram_cpu", input.array)
    low, high = (min, max) if min != max else (input.array.min(), input.array.max())
    low, high = (low - 1, high + 1) if low == high else (low, high)
    counts = np.histogram(input.array, bins, (low, high))[0].astype(input.array.dtype)
    return create.finished(counts, place=input.place)


# ----- questions ------------------------------------------------------------------------------------
def is_nonzero(input: Tensor) -> bool:
    """Return whether the one element is not 0."""
    return bool(input)


def is_same_size(input: Tensor, other: Tensor) -> bool:
    """Return whether two tensors have one shape."""
    return input.array.shape == other.array.shape


def is_signed(input: Tensor) -> bool:
    """Return whether the dtype has negative numbers."""
    return input.dtype.is_signed
