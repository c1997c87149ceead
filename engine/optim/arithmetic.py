"""The arithmetic of updates, to the last bit: numbers in the parameter's precision, fused where PyTorch "
"fuses."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine import dtype as dtypes
from engine import events
from engine.random import fused
from engine.tensor import Tensor, make, make_at

NUMBERS = (int, float, np.floating)


def exact(x: np.ndarray, y: Any, z: np.ndarray) -> np.ndarray:
    """Return x * y + z in double precision, to be rounded once by whoever stores it."""
    kind = z.dtype
    y = kind.type(y) if isinstance(y, NUMBERS) else y
    if kind == np.float64:
        found = fused(x, y, z)
        return found if np.isfinite(found).all() else np.where(np.isfinite(found), found, x * y + z)
    if kind != np.float32:
        return x * y + z
    wide = np.multiply(x, y, dtype=np.float64)
    return np.add(wide, z, out=wide if np.ndim(wide) else None)  # a number is no array


def fma(x: np.ndarray, y: Any, z: np.ndarray) -> np.ndarray:
    """Return x * y + z with one rounding; a number y counts in the precision of z."""
    return exact(x, y, z).astype(z.dtype, copy=False)


def scaled(x: np.ndarray, number: float) -> np.ndarray:
    """Return x times a number in the precision of x."""
    return x * x.dtype.type(number)


def toward(start: np.ndarray, end: np.ndarray, weight: float) -> np.ndarray:
    """Return the point a fraction `weight` of the way from start to end, as `lerp` computes it."""
    way = end - start
    return fma(way, weight, start) if weight < 0.5 else fma(-way, 1 - weight, end)


def minus_quotient(p: np.ndarray, step: float, over: np.ndarray, under: np.ndarray) -> np.ndarray:
    """Return p - step * over / under, rounded after each operation as `addcdiv` does."""
    return p + scaled(over, -step) / under


def zeros(parameter: Tensor, fill: float = 0) -> Tensor:
    """Return a state tensor of a parameter's shape and dtype."""
    return make_at(np.full_like(parameter.array, fill), parameter.exotic, parameter.place)


def counter() -> Tensor:
    """Return a count of steps, which PyTorch keeps as a 0-d tensor."""
    double = dtypes.default_dtype() is dtypes.float64
    return make(np.zeros((), np.float64 if double else np.float32))


def renewed(tensor: Tensor, array: np.ndarray, writes: int = 1) -> np.ndarray:
    """Give a state tensor a new array, as `writes` operations in place would; return the array.

    The old array stays as it was, so whoever watches may keep it.
    """
    array = tensor.dtype.hold(np.asarray(array))
    events.replacing(tensor)
    tensor.array = array
    for _ in range(writes):
        tensor.bump()
    return array


def counted(tensor: Tensor) -> int:
    """Count one more step and return how many there were."""
    return int(renewed(tensor, tensor.array + 1))
