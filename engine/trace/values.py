"""Arrays as JSON: interned, summarised when large, safe for nan and inf. Knows no rows, no other ids."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from hashlib import blake2b

import numpy as np

WHOLE = 256  # up to this many elements a value is written whole
CELLS = 24  # a summary shows at most this many rows and columns


class Values:
    """The table of values of one trace: equal dtype, shape and bytes get the same id.

    An array is copied by being written, so what is done to it later changes no row.
    """

    def __init__(self) -> None:
        self.table: dict[str, dict] = {}
        self._ids: dict[tuple, str] = {}
        self.known: dict[int, str] = {}  # by the array's place, until `forget()`

    def met(self, array: np.ndarray, as_it_was: Callable[[np.ndarray], np.ndarray]) -> str:
        """Return the id of the value an array had, to be found in `known` from now on.

        Until `forget()` the caller keeps the array alive and says the same of it.
        """
        known = self.known[id(array)] = self.intern(as_it_was(array))
        return known

    def forget(self) -> None:
        """Arrays may be gone or mean something else from now on."""
        self.known.clear()

    def intern(self, array: np.ndarray, kind: str | None = None) -> str:
        """Return the id of this array's value, written down at its first appearance.

        `kind` names the dtype where NumPy has none of its own and holds it as another.
        """
        key = (kind or array.dtype.char, array.shape, _fingerprint(array))
        known = self._ids.get(key)
        if known is None:
            known = self._ids[key] = f"v{len(self._ids) + 1}"
            self.table[known] = describe(array, kind or dtype_name(array.dtype))
        return known


def _fingerprint(array: np.ndarray) -> bytes:
    """Return the bytes themselves, or a digest where keeping them would cost memory."""
    raw = array.tobytes()
    return raw if array.size <= WHOLE else blake2b(raw, digest_size=16).digest()


@cache
def dtype_name(dtype: np.dtype) -> str:
    """Return the name of a dtype; NumPy works it out anew each time."""
    return dtype.name


def describe(array: np.ndarray, kind: str) -> dict:
    """Return the JSON form of an array: its numbers, or a summary of them."""
    head = {"dtype": kind, "shape": list(array.shape)}
    if array.size <= WHOLE:
        return {**head, "data": nested(array)}
    return {**head, "summary": summary(array)}


def nested(array: np.ndarray) -> list | float | int | bool | str:
    """Return nested lists of numbers; a float32 becomes the double that equals it exactly."""
    listed = array.tolist()
    if array.dtype.kind in "biu" or (array.dtype.kind == "f" and np.isfinite(array).all()):
        return listed
    return _spelled(listed)


def _spelled(listed: list | float) -> list | float | str:
    return [_spelled(each) for each in listed] if isinstance(listed, list) else number(listed)


def number(value: complex) -> float | int | str | dict:
    """Return a JSON number, or what stands for it where JSON has none."""
    if isinstance(value, complex):
        return {"re": number(value.real), "im": number(value.imag)}
    if math.isfinite(value):
        return value
    return "nan" if math.isnan(value) else ("inf" if value > 0 else "-inf")


def summary(array: np.ndarray) -> dict:
    """Return statistics of the finite elements, counts of the others, and some cells."""
    real = np.abs(array) if array.dtype.kind == "c" else array
    finite = real[np.isfinite(real)]
    wide = finite.astype(np.float64)
    some = finite.size > 0
    return {
        "min": number(finite.min().item()) if some else "nan",
        "max": number(finite.max().item()) if some else "nan",
        "mean": number(float(wide.mean())) if some else "nan",
        "norm": number(math.sqrt(float(np.square(wide).sum()))),
        "nan": int(np.isnan(real).sum()),
        "inf": int(np.isinf(real).sum()),
        "cells": cells(array),
    }


def cells(array: np.ndarray) -> dict:
    """Return at most CELLS x CELLS elements, evenly spaced; rows run along the last axis."""
    matrix = array.reshape(-1, array.shape[-1])
    rows, columns = (_spaced(extent) for extent in matrix.shape)
    data = matrix[np.ix_(rows, columns)]
    return {"rows": len(rows), "columns": len(columns), "data": nested(data)}


def _spaced(extent: int) -> np.ndarray:
    return np.linspace(0, extent - 1, min(extent, CELLS)).round().astype(np.int64)
