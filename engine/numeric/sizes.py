"""How large a result would be, asked before NumPy allocates it. Rules by kind of function; knows no memory.

A rule gets the arguments as NumPy will and returns a number of elements. What it cannot work out is wrong in
a way that NumPy itself will say.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

MOST = 2**24  # elements: more is as good as no memory
UNITS = ("bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB")

Rule = Callable[..., int]


def check(count: int, shape: tuple | None = None, dtype: str = "float64") -> None:
    """Refuse an array of too many elements, in NumPy's words."""
    if count > MOST:
        size = text_of_size(count * np.dtype(dtype).itemsize)
        raise MemoryError(
            f"Unable to allocate {size} for an array with shape {shape or (count,)} and data type {dtype}"
        )


def text_of_size(size: int) -> str:
    """Write a number of bytes with three digits and a unit."""
    step = min(max(size.bit_length() - 1, 0) // 10, len(UNITS) - 1)
    value = size / 1024**step
    return f"{value:#.3g} {UNITS[step]}" if value < 1000 else f"{value:.0f}. {UNITS[step]}"


def check_call(rule: Rule, args: list, named: dict[str, Any]) -> None:
    """Refuse a call whose result would be too large."""
    try:
        count = int(rule(*args, **named))
    except MemoryError as error:
        raise MemoryError(str(error)) from None
    except (TypeError, ValueError, IndexError, AttributeError, OverflowError):
        return
    check(count)


def total(shape: Any) -> int:
    """Return the number of elements of a shape, which may be one number."""
    return math.prod(int(n) for n in np.atleast_1d(shape).tolist()) if np.size(shape) else 1


# ----- rules ---------------------------------------------------------------------------------------
def broadcast(*args: Any, **_: Any) -> int:
    """What is computed element by element from all the arrays."""
    shapes = [a.shape for a in args if isinstance(a, np.ndarray)]
    return total(np.broadcast_shapes(*shapes)) if len(shapes) > 1 else 0


def shaped(shape: Any, *_: Any, **__: Any) -> int:
    """What is made in a given shape."""
    return total(shape)


def like(prototype: Any, *args: Any, shape: Any = None, **_: Any) -> int:
    """What is made like another."""
    return np.size(prototype) if shape is None else total(shape)


def reshaped(a: Any, shape: Any, *_: Any, **__: Any) -> int:
    """What is repeated until it fills a shape."""
    return total(shape)


def stepped(start: Any, stop: Any = None, step: Any = 1, *_: Any, **__: Any) -> int:
    """What goes from start to stop."""
    low, high = (0, start) if stop is None else (start, stop)
    return math.ceil((high - low) / (1 if step is None else step))


def spaced(start: Any, stop: Any, num: Any = 50, *_: Any, **__: Any) -> int:
    """So many values between others."""
    return int(num) * total(np.broadcast_shapes(np.shape(start), np.shape(stop)))


def square(n: Any, m: Any = None, *_: Any, **__: Any) -> int:
    """A matrix of so many rows and columns."""
    return int(n) * int(n if not isinstance(m, int) else m)


def squared(v: Any, k: Any = 0, *_: Any, **__: Any) -> int:
    """A matrix around a vector."""
    return (np.size(v) + abs(int(k))) ** 2 if np.ndim(v) < 2 else 0


def tiled(a: Any, reps: Any, *_: Any, **__: Any) -> int:
    """Copies along each dimension."""
    return np.size(a) * total(reps)


def repeated(a: Any, repeats: Any, *_: Any, **__: Any) -> int:
    """Each element so many times."""
    return np.size(a) * int(np.max(repeats))


def pairs(a: Any, b: Any, *_: Any, **__: Any) -> int:
    """Every element of one with every element of the other."""
    return np.size(a) * np.size(b)


def grid(*axes: Any, **_: Any) -> int:
    """A coordinate for every crossing, once for each axis."""
    return math.prod(np.size(axis) for axis in axes) * len(axes)


def indexed(dimensions: Any, *_: Any, **__: Any) -> int:
    """The coordinates of every place in a shape."""
    return total(dimensions) * np.size(dimensions)


def vector_products(a: Any, b: Any, *_: Any, **__: Any) -> int:
    """`dot`: the last dimension of one meets the last but one of the other."""
    a, b = np.shape(a), np.shape(b)
    if not a or not b:
        return math.prod(a + b)
    return math.prod(a[:-1]) * math.prod(b[:-2] + b[-1:] if len(b) > 1 else ())


def last_products(a: Any, b: Any, *_: Any, **__: Any) -> int:
    """`inner`: the last dimensions meet."""
    return math.prod(np.shape(a)[:-1]) * math.prod(np.shape(b)[:-1])


def matrix_products(a: Any, b: Any, *_: Any, **__: Any) -> int:
    """`matmul`: a matrix product for every place in the leading dimensions."""
    a, b = np.shape(a), np.shape(b)
    lead = np.broadcast_shapes(a[:-2], b[:-2])
    return math.prod(lead) * math.prod(a[-2:-1]) * math.prod(b[-1:] if len(b) > 1 else ())


def tensor_products(a: Any, b: Any, axes: Any = 2, *_: Any, **__: Any) -> int:
    """`tensordot`: the named dimensions meet, all others remain."""
    a, b = np.shape(a), np.shape(b)
    if isinstance(axes, int):
        return math.prod(a[: len(a) - axes]) * math.prod(b[axes:])
    ours, theirs = (np.atleast_1d(each).tolist() for each in axes)
    left = math.prod(n for i, n in enumerate(a) if i not in [k % len(a) for k in ours])
    return left * math.prod(n for i, n in enumerate(b) if i not in [k % len(b) for k in theirs])


def einstein(subscripts: str, *operands: Any, **_: Any) -> int:
    """`einsum`: a dimension for every letter of the result."""
    inputs, arrow, output = subscripts.replace(" ", "").partition("->")
    lengths: dict[str, int] = {}
    rest = 1
    for letters, operand in zip(inputs.split(","), operands, strict=True):
        shape, (front, dots, back) = np.shape(operand), letters.partition("...")
        named = [*zip(front, shape, strict=False), *zip(back[::-1], shape[::-1], strict=False)]
        lengths.update((letter, n) for letter, n in named if n > lengths.get(letter, 0))
        if dots:
            rest *= math.prod(shape[len(front) : len(shape) - len(back)])
    if not arrow:
        output = "".join(letter for letter in lengths if inputs.count(letter) == 1)
    return rest * math.prod(lengths.get(letter, 1) for letter in output if letter != ".")


def padded(array: Any, pad_width: Any, *_: Any, **__: Any) -> int:
    """An array with a margin."""
    margins = np.broadcast_to(pad_width, (np.ndim(array), 2)).sum(1).tolist()
    return math.prod(n + margin for n, margin in zip(np.shape(array), margins, strict=True))


def counted(x: Any, weights: Any = None, minlength: Any = 0, **_: Any) -> int:
    """A place for every number up to the largest."""
    return max(int(np.max(x, initial=0)) + 1, int(minlength))


def binned(a: Any, bins: Any = 10, *_: Any, **__: Any) -> int:
    """So many bins."""
    return int(bins)


def rows_squared(m: Any, *_: Any, **__: Any) -> int:
    """A number for every two rows."""
    return np.shape(m)[0] ** 2 if np.ndim(m) > 1 else 0


def powers(x: Any, n: Any = None, *args: Any, **_: Any) -> int:
    """A column for every power of a vector."""
    return np.size(x) * (np.size(x) if n is None else int(n) + 1)


def fitted(x: Any, y: Any, deg: Any, *_: Any, **__: Any) -> int:
    """What a polynomial of that degree is fitted with."""
    return np.size(x) * (int(np.max(deg)) + 1)


def taken(a: Any, indices: Any, axis: Any = None, *_: Any, **__: Any) -> int:
    """For every index what is there."""
    return np.size(indices) * (1 if axis is None else np.size(a) // max(np.shape(a)[axis], 1))


def shares(a: Any, q: Any, axis: Any = None, *_: Any, **__: Any) -> int:
    """For every share a value along an axis."""
    return taken(a, q, axis)


def picked(array: np.ndarray, key: Any) -> int:
    """What an index with arrays in it picks; others only look at the memory there is."""
    parts = key if isinstance(key, tuple) else (key,)
    arrays = [np.asarray(p) for p in parts if isinstance(p, (np.ndarray, list, tuple))]
    if not arrays:
        return 0
    places = [(int(np.count_nonzero(p)),) if p.dtype == np.bool_ else p.shape for p in arrays]
    kept, dim = 1, 0
    after = sum(_dims(p) for p in parts)
    for part in parts:
        if part is Ellipsis:
            skipped = array.ndim - after
            kept *= math.prod(array.shape[dim : dim + skipped])
            dim += skipped
            continue
        if isinstance(part, slice):
            kept *= array.shape[dim]
        dim += _dims(part)
    return kept * math.prod(array.shape[dim:]) * math.prod(np.broadcast_shapes(*places))


def _dims(part: Any) -> int:
    """Return how many dimensions one part of an index uses up."""
    if part is None or part is Ellipsis or isinstance(part, bool):
        return 0
    array = np.asarray(part) if isinstance(part, (np.ndarray, list)) else None
    return array.ndim if array is not None and array.dtype == np.bool_ else 1
