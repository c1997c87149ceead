"""Sums to the last bit: adds in the order in which PyTorch's CPU kernels add. Arrays in, arrays out.

Floating-point addition is not associative, so a sum is defined by its order. PyTorch walks memory, not
indices: it sorts the summed dimensions by stride, merges what lies in one piece, and adds with vectors of
32 bytes (`lanes`), four of them side by side, in groups of 16 rows. Arrays of 32768 elements or more it
splits among threads; we add as one thread would.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, lru_cache

import numpy as np

Axes = tuple[int, ...]

_VECTOR_BYTES = 32
_LEVELS = 4


# ----- what to call -----------------------------------------------------------------------------
def sum_all(array: np.ndarray) -> np.ndarray:
    """Return the sum of all elements, as a 0-d array."""
    n, itemsize = array.size, array.itemsize
    if n == 0 or itemsize == 2 or array.dtype.kind not in "fc" or not array.flags.c_contiguous:
        return sum_dims(array, range(array.ndim))
    lanes = _VECTOR_BYTES // itemsize
    if n < 2 * lanes:
        return np.asarray(np.add.accumulate(array.reshape(n)[_short_order(n, lanes)])[-1] + 0)
    return (_sum_rows(array.reshape(1, n), lanes) + 0).reshape(())


def sum_dims(array: np.ndarray, dims: Iterable[int], keepdim: bool = False) -> np.ndarray:
    """Return the sums over some dimensions, given as numbers >= 0."""
    dims = tuple(dims)
    if array.size == 0 or array.itemsize == 2 or array.dtype.kind not in "fc":
        return _plain_sum(array, dims, keepdim)
    plan = _plan(array.shape, array.strides, dims, array.itemsize)
    walked = array.transpose(plan.axes).reshape(plan.shape)
    sums = _KERNELS[plan.kernel](walked, _VECTOR_BYTES // array.itemsize)
    if plan.pieces != 1:
        sums = np.add.accumulate(sums.reshape(-1, plan.pieces), axis=1)[:, -1]
    return (sums + 0).reshape(plan.kept if keepdim else plan.dropped)  # a sum of -0. is 0.


def mean(array: np.ndarray, dims: Iterable[int] | None = None, keepdim: bool = False) -> np.ndarray:
    """Return the mean over some dimensions (None: all): the sum, divided once."""
    if array.itemsize == 2:
        return mean(array.astype(np.float32), dims, keepdim).astype(array.dtype)
    if dims is None:
        total, count = sum_all(array), array.size
    else:
        total = sum_dims(array, dims := tuple(dims), keepdim)
        count = math.prod(array.shape[i] for i in dims)
    return np.asarray(total / array.dtype.type(count or math.nan))


def var(array: np.ndarray, dims: Iterable[int] | None = None, correction: float = 1) -> np.ndarray:
    """Return the variances over some dimensions (None: all), kept as dimensions of 1."""
    return _variance(array, dims, correction).astype(array.real.dtype)


def std(array: np.ndarray, dims: Iterable[int] | None = None, correction: float = 1) -> np.ndarray:
    """Return the roots of the variances; rounded once, after the root."""
    return np.sqrt(_variance(array, dims, correction)).astype(array.real.dtype)


def _variance(array: np.ndarray, dims: Iterable[int] | None, correction: float) -> np.ndarray:
    dims = tuple(range(array.ndim) if dims is None else dims)
    if array.dtype.kind == "c":
        return _variance(array.real, dims, correction) + _variance(array.imag, dims, correction)
    plan = _plan(array.shape, array.strides, dims, array.itemsize)
    count = math.prod(array.shape[i] for i in dims)
    rows = array.transpose(plan.axes).reshape(math.prod(plan.kept), count).astype(np.float64)
    if len(rows) == 1:
        squares = _squares_away_from(np.float64(mean(array)), rows)
    elif count <= 256 or array.dtype == np.float64:
        squares = _squares_while_walking(rows)
    else:  # a long walk is slow, and rounding to single precision hides its order
        squares = ((rows - rows.mean(axis=1, keepdims=True)) ** 2).sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        return (squares / max(0.0, count - correction)).reshape(plan.kept)


def _squares_away_from(center: np.float64, rows: np.ndarray) -> np.ndarray:
    return np.add.accumulate((rows - center) ** 2, axis=1)[:, -1:].sum(axis=1)


def _squares_while_walking(rows: np.ndarray) -> np.ndarray:
    """Sum the squared distances from the mean in one walk, the mean moving along (Welford)."""
    center = squares = np.zeros(len(rows))
    for seen, x in enumerate(rows.T, 1):
        away = x - center
        center = center + away / seen
        squares = squares + away * (x - center)
    return squares


def cumsum(array: np.ndarray, dim: int) -> np.ndarray:
    """Return the running sums: added in double precision, rounded one by one."""
    return _running(np.add, array, dim) + 0


def cumprod(array: np.ndarray, dim: int) -> np.ndarray:
    """Return the running products: multiplied in double precision, rounded one by one."""
    return _running(np.multiply, array, dim)


def _running(ufunc: np.ufunc, array: np.ndarray, dim: int) -> np.ndarray:
    kind = array.dtype.kind
    wide, result = {"f": (np.float64, array.dtype), "c": (np.complex128, array.dtype)}.get(
        kind, (np.int64, np.int64)
    )
    return ufunc.accumulate(np.atleast_1d(array), axis=dim, dtype=wide).astype(result).reshape(array.shape)


def _plain_sum(array: np.ndarray, dims: Axes, keepdim: bool) -> np.ndarray:
    if array.dtype.kind in "bui":
        return np.asarray(np.add.reduce(array, axis=dims, dtype=np.int64, keepdims=keepdim))
    total = np.add.reduce(array, axis=dims, dtype=np.result_type(array, np.float32), keepdims=keepdim)
    return np.asarray(total).astype(array.dtype)


# ----- where to walk ----------------------------------------------------------------------------
@dataclass(frozen=True, slots=True)
class _Plan:
    """How to look at an array before a kernel adds along its last axis."""

    axes: Axes  # transpose by these,
    shape: Axes  # reshape to (others, columns, summed),
    kernel: str
    pieces: int  # and then this many neighbouring sums belong together.
    kept: Axes  # The shape of the result with keepdim,
    dropped: Axes  # and without.


@lru_cache(maxsize=4096)
def _plan(shape: Axes, strides: Axes, dims: Axes, itemsize: int) -> _Plan:
    kept = [i for i in range(len(shape)) if i not in dims]
    summed = _by_stride([i for i in dims if shape[i] != 1], shape, strides)
    kept_runs = _merge([i for i in kept if shape[i] != 1], shape, strides)
    runs = _merge(summed, shape, strides) or [(1, 0)]
    ones = [i for i in dims if shape[i] == 1]
    size, stride = runs[-1]
    columns, column_stride = (kept_runs + runs[:-1] or [(1, 0)])[-1]
    lanes = _VECTOR_BYTES // itemsize
    if stride == itemsize and size >= lanes:
        kernel = "vector rows"
    elif column_stride == itemsize and columns >= lanes:
        kernel = "vector columns"
    else:
        kernel = "rows" if stride < column_stride else "columns"
    pieces = math.prod(n for n, _ in runs[:-1])
    others = math.prod(shape) // (columns * size or 1)
    return _Plan(
        axes=(*kept, *ones, *summed),
        shape=(others, columns, size),
        kernel=kernel,
        pieces=pieces,
        kept=tuple(1 if i in dims else n for i, n in enumerate(shape)),
        dropped=tuple(shape[i] for i in kept),
    )


def _by_stride(dims: list[int], shape: Axes, strides: Axes) -> list[int]:
    """Sort dimensions by falling stride; one of stride 0 (an expanded one) is equal to every other."""
    order = sorted(dims, reverse=True)  # fastest first, while sorting
    for i in range(1, len(order)):
        here = i
        for other in range(i - 1, -1, -1):
            a, b = order[other], order[here]
            if 0 in (strides[a], strides[b]):
                continue
            if strides[a] < strides[b]:
                break
            if strides[a] > strides[b] or shape[a] > shape[b]:
                order[other], order[here] = b, a
                here = other
    return order[::-1]


def _merge(dims: list[int], shape: Axes, strides: Axes) -> list[tuple[int, int]]:
    """Join dimensions that lie in memory as one; return (size, stride) of each, slowest first."""
    runs: list[tuple[int, int]] = []
    for i in reversed(dims):
        if runs and runs[-1][0] * runs[-1][1] == strides[i]:
            runs[-1] = (runs[-1][0] * shape[i], runs[-1][1])
        else:
            runs.append((shape[i], strides[i]))
    return runs[::-1]


@cache
def _short_order(n: int, lanes: int) -> np.ndarray:
    """Return in which order fewer than two vectors of elements are added."""
    if n >= lanes:
        return np.array([*range(lanes, n), *range(lanes)])
    return np.array([0, *range(4, n), 1, 2, 3] if n > 4 else range(n))


# ----- how to add -------------------------------------------------------------------------------
# A kernel takes an array of shape (others, columns, n) and returns the sums, (others, columns).
def _vector_rows(x: np.ndarray, lanes: int) -> np.ndarray:
    others, columns, n = x.shape
    return _sum_rows(np.ascontiguousarray(x).reshape(-1, n), lanes).reshape(others, columns)


def _rows(x: np.ndarray, lanes: int) -> np.ndarray:
    others, columns, n = x.shape
    return _side_by_side(np.ascontiguousarray(x).reshape(-1, n, 1)).reshape(others, columns)


def _columns(x: np.ndarray, lanes: int) -> np.ndarray:
    return _sum_columns(x, 4)


def _vector_columns(x: np.ndarray, lanes: int) -> np.ndarray:
    return _sum_columns(x, 4 * lanes)


_KERNELS = {
    "vector rows": _vector_rows,
    "vector columns": _vector_columns,
    "rows": _rows,
    "columns": _columns,
}


def _sum_rows(x: np.ndarray, lanes: int) -> np.ndarray:
    """Sum rows (others, n) with vectors; what is left over comes first, then lane by lane."""
    others, n = x.shape
    whole = n - n % lanes
    last = _side_by_side(x[:, :whole].reshape(others, -1, lanes))
    if whole != n:
        last = np.concatenate([x[:, whole:], last], axis=1)
    return np.add.accumulate(last, axis=1)[:, -1]


def _sum_columns(x: np.ndarray, width: int) -> np.ndarray:
    """Sum columns: whole groups of `width` of them straight down, the rest as four sums each."""
    down = np.ascontiguousarray(x.swapaxes(1, 2))
    columns = down.shape[2]
    whole = columns - columns % width
    if whole == columns:
        return _cascade(down)
    rest = _side_by_side(down[:, :, whole:])
    return np.concatenate([_cascade(down[:, :, :whole]), rest], axis=1) if whole else rest


def _side_by_side(x: np.ndarray) -> np.ndarray:
    """Sum (others, n, lanes) over n as four sums, of every fourth row; what is left over joins the first."""
    others, n, lanes = x.shape
    whole = n - n % 4
    first = x[:, 0]
    if whole:
        sums = _cascade(x[:, :whole].reshape(others, whole // 4, 4 * lanes)).reshape(others, 4, lanes)
        if whole == n:
            return _add(sums, 1)
        first = sums[:, 0]
    for i in range(whole or 1, n):
        first = first + x[:, i]
    return first + sums[:, 1] + sums[:, 2] + sums[:, 3] if whole else first


def _cascade(x: np.ndarray) -> np.ndarray:
    """Sum (others, n, lanes) over n: groups of 16 rows, then 16 such sums, and so on for four levels.

    With lanes side by side in memory NumPy adds row after row, as wanted; it has its own order otherwise.
    """
    others, n, lanes = x.shape
    if n < 16:
        return _add(x, 1)
    group = 1 << max(4, (n - 1).bit_length() // _LEVELS)
    total = None
    for _ in range(_LEVELS - 1):
        if n == 1:
            break
        left = n % group
        whole = n - left
        if left:
            rest = _add(x[:, whole:], 1)
            total = rest if total is None else total + rest
        if not whole:
            return total
        n = whole // group
        groups = x[:, :whole].reshape(others, n, group, lanes)
        if lanes > 32 or n == 1:
            x = _add(groups, 2)
        else:  # a copy in which the rows of all groups lie side by side takes half as long
            side_by_side = np.ascontiguousarray(groups.transpose(2, 0, 1, 3)).reshape(group, -1)
            x = _add(side_by_side, 0).reshape(others, n, lanes)
    last = x[:, 0] if n == 1 else _add(x, 1)
    return last if total is None else total + last


_add = np.add.reduce
