"""Arrays and scalars from data: `np.array` and its kin, and calling a class such as `np.float32(...)`."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from engine.numeric import sizes
from engine.numeric.border import COPY_WARNING, compute, inside, nested, outside
from engine.numeric.kinds import REAL, generic, ndarray, real_dtype, wrapped
from engine.tensor import Tensor


def array(
    object: Any, dtype: Any = None, *, copy: Any = True, order: str = "K", subok: bool = False, ndmin: int = 0
) -> ndarray:
    """Return a new array of numbers, nested lists of them, an array or a tensor."""
    if isinstance(object, Tensor):
        warnings.warn(COPY_WARNING, DeprecationWarning, stacklevel=2)
    kind = None if dtype is None else real_dtype(dtype)
    options = {"copy": copy, "order": inside(order), "ndmin": inside(ndmin)}
    return outside(compute(np.array, (inside(object), kind), options), (object,))


def asarray(a: Any, dtype: Any = None, order: Any = None, *, copy: Any = None, **_: Any) -> ndarray:
    """Return the array itself, the memory of a tensor, or a new array of numbers."""
    kind = None if dtype is None else real_dtype(dtype)
    return outside(compute(np.asarray, (inside(a), kind, inside(order)), {"copy": copy}), (a,))


def ascontiguousarray(a: Any, dtype: Any = None) -> ndarray:
    """Return the array with its memory in order."""
    kind = None if dtype is None else real_dtype(dtype)
    return outside(compute(np.ascontiguousarray, (inside(a), kind)), (a,))


def copy(a: Any, order: str = "K", subok: bool = False) -> ndarray:
    """Return an array with memory of its own."""
    return array(a, order=order)


def fromiter(iter: Any, dtype: Any, count: int = -1) -> ndarray:
    """Return an array of what an iterator gives."""
    found = []
    for value in iter:
        if count >= 0 and len(found) == count:
            break
        found.append(value)
        sizes.check(len(found))
    return outside(compute(np.array, (nested(found, [0]), real_dtype(dtype))))


# ----- calling a class -------------------------------------------------------------------------------------
def _scalar(cls: type, value: Any = 0, *_: Any) -> Any:
    """Return a scalar, or an array if a list comes in."""
    if cls not in REAL:
        raise TypeError(f"cannot create 'numpy.{cls.__name__}' instances")
    if (
        isinstance(value, Tensor)
        and issubclass(cls, float)
        and not value.array.ndim
        and REAL[cls] is np.float64
    ):
        value = float(value)
    return outside(compute(REAL[cls], (inside(value),)))


def _array(cls: type, shape: Any, dtype: Any = float) -> ndarray:
    """Return an array of zeros: NumPy's shows what lay in memory before."""
    given = inside(shape)
    sizes.check_call(sizes.shaped, [given], {})
    return wrapped(compute(np.zeros, (given, real_dtype(dtype))))


generic.__new__ = _scalar
ndarray.__new__ = _array
