"""Arrays as JSON: interned, and summarised when large. Knows no rows, no other ids."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from hashlib import blake2b

import numpy as np

from engine.trace.digits import nested
from engine.trace.summary import summary

WHOLE = 256  # up to this many elements a value is written whole


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
        return {**head, "data": nested(array, kind)}
    return {**head, "summary": summary(array, kind)}
