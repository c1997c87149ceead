"""What goes through an array one by one in Python, or is spelled with brackets: nditer, vectorize, r_.

NumPy's own versions would hand its objects to a learner's function; these hand out ours.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from engine.numeric import sizes
from engine.numeric.border import compute, inside, nested, outside
from engine.numeric.hidden import hide
from engine.numeric.kinds import ndarray, real_dtype, wrapped


def ndindex(*shape: Any) -> Iterator[tuple[int, ...]]:
    """Go through the places of a shape."""
    sides = shape[0] if len(shape) == 1 and isinstance(shape[0], (tuple, list)) else shape
    return itertools.product(*(range(int(n)) for n in sides))


def ndenumerate(arr: Any) -> Iterator[tuple[tuple[int, ...], Any]]:
    """Go through the places of an array and what is there."""
    array = wrapped(np.asarray(inside(arr)))
    return map(lambda place: (place, array[place]), ndindex(array.shape))


@dataclass(slots=True)
class Walk:
    """How far a walk through an array has come."""

    array: np.ndarray
    places: list[tuple[int, ...]]
    at: int = 0

    def element(self, place: tuple[int, ...]) -> ndarray:
        """Return what is at a place, to read and to write."""
        return wrapped(self.array[(*place, ...)])


class nditer:  # noqa: N801 - NumPy's name
    """Go through an array, place by place; `multi_index` is where it stands."""

    __slots__ = ("held",)

    def __init__(self, op: Any, flags: Any = (), op_flags: Any = (), **_: Any) -> None:
        if isinstance(op, (list, tuple)) and any(isinstance(each, ndarray) for each in op):
            raise TypeError("numpy.nditer goes through one array here")
        array = np.asarray(inside(op))
        _hold_walk(self, Walk(array, list(ndindex(array.shape))))

    finished = property(lambda self: _walk(self).at >= len(_walk(self).places))
    multi_index = property(lambda self: _walk(self).places[_walk(self).at])
    index = property(lambda self: _walk(self).at)
    itersize = property(lambda self: len(_walk(self).places))
    value = property(lambda self: _walk(self).element(self.multi_index))

    def iternext(self) -> bool:
        """Go on to the next place."""
        _walk(self).at += 1
        return not self.finished

    def reset(self) -> None:
        """Go back to the first place."""
        _walk(self).at = 0

    def __getitem__(self, k: int) -> Any:
        return self.value

    def __enter__(self) -> nditer:
        return self

    def __exit__(self, *_: object) -> None:
        return None

    def __iter__(self) -> Iterator[ndarray]:
        return map(_walk(self).element, _walk(self).places)


_walk, _hold_walk = hide(nditer)


# ----- a learner's function for every element -----------------------------------------------------------
class vectorize:  # noqa: N801
    """A function of numbers as a function of arrays. The first result decides the kind of all."""

    __slots__ = ("held",)

    def __init__(self, pyfunc: Callable, otypes: Any = None, **_: Any) -> None:
        _hold_call(self, (pyfunc, otypes))

    def __call__(self, *args: Any) -> Any:
        function, kinds = _call(self)
        arrays = [np.asarray(inside(a)) for a in args]
        sizes.check_call(sizes.broadcast, arrays, {})
        arrays = compute(np.broadcast_arrays, arrays)
        if not arrays[0].size and kinds is None:
            raise ValueError("cannot call `vectorize` on size 0 inputs unless `otypes` is set")
        first = None if kinds else function(*(outside(a.flat[0]) for a in arrays))
        found = [function(*values) for values in zip(*(a.ravel().tolist() for a in arrays), strict=True)]
        if isinstance(first, tuple):
            joined = zip(*found, strict=True)
            return tuple(_joined(part, arrays[0].shape, kinds) for part in joined)
        return _joined(found, arrays[0].shape, kinds)


_call, _hold_call = hide(vectorize)


def _joined(found: Any, shape: tuple, kinds: Any) -> Any:
    """Return results as an array of the given kind, or of that of the first."""
    if kinds:
        kind = real_dtype(kinds if isinstance(kinds, str) else kinds[0])
    else:
        kind = np.asarray(inside(found[0])).dtype
    made = compute(np.array, (nested(list(found), [0]),)).astype(kind).reshape(shape)
    return outside(made if shape else made[()])


def apply_along_axis(func1d: Callable, axis: int, arr: Any, *args: Any, **named: Any) -> Any:
    """Call a function with every line along an axis."""
    lines = compute(np.moveaxis, (np.asarray(inside(arr)), inside(axis), -1))
    found = [
        np.asarray(inside(func1d(wrapped(lines[place]), *args, **named)))
        for place in ndindex(lines.shape[:-1])
    ]
    made = compute(np.array, (found,)).reshape(lines.shape[:-1] + found[0].shape)
    where = [int(axis) % lines.ndim + k for k in range(found[0].ndim)]
    return outside(np.moveaxis(made, list(range(made.ndim - found[0].ndim, made.ndim)), where))


def fromfunction(function: Callable, shape: Any, *, dtype: Any = float, **named: Any) -> Any:
    """Call a function with the coordinates of every place."""
    given = inside(shape)
    sizes.check_call(sizes.indexed, [given], {})
    return function(*map(wrapped, compute(np.indices, (given, real_dtype(dtype)))), **named)


# ----- brackets -------------------------------------------------------------------------------------------
class Bracketed:
    """`np.r_[...]`, `np.mgrid[...]` and their kin. Knows NumPy's by name only."""

    __slots__ = ("held",)

    def __init__(self, title: str) -> None:
        if title not in BRACKETED:
            raise TypeError("there are no others of these")
        _hold_title(self, title)

    def __getitem__(self, index: Any) -> Any:
        parts = index if isinstance(index, tuple) else (index,)
        given = tuple(inside(part) for part in parts)
        sizes.check_call(_spans, list(given), {"grid": _title(self) == "mgrid"})
        real = getattr(np, _title(self))
        return outside(compute(lambda: real[given if isinstance(index, tuple) else given[0]], ()))


_title, _hold_title = hide(Bracketed)
BRACKETED = ("r_", "c_", "mgrid", "ogrid")


def _spans(*parts: Any, grid: bool = False) -> int:
    """Return how many numbers slices such as 0:10:0.5 or 0:1:5j stand for."""
    counts = [_span(part) if isinstance(part, slice) else np.size(part) for part in parts]
    whole = 1
    for count in counts:
        whole *= count
    return whole * len(counts) if grid else sum(counts)


def _span(part: slice) -> int:
    step = 1 if part.step is None else part.step
    return int(abs(step)) if isinstance(step, complex) else sizes.stepped(part.start or 0, part.stop, step)


class IndexExpression:
    """`np.s_[...]`: the index itself."""

    __slots__ = ()

    def __getitem__(self, index: Any) -> Any:
        return index
