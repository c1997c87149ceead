"""Arrays as JSON: interned, and summarised when large. Knows no rows, no other ids."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from hashlib import blake2b

import numpy as np

from engine.trace.digits import Unspelled, nested
from engine.trace.summary import summary

WHOLE = 256  # up to this many elements a value is written whole


class Values:
    """The table of values of one trace: equal dtype, shape and bytes get the same id.

    An array is copied by being written, so what is done to it later changes no row.
    """

    def __init__(self) -> None:
        self._table: dict[str, dict] = {}
        self._unspelled = Unspelled()
        self._ids: dict[tuple, str] = {}
        self.known: dict[int, str] = {}  # by the array's place, until `forget()`

    @property
    def table(self) -> dict[str, dict]:
        """The values by their ids, as far as any have been met."""
        self._unspelled.spell()
        return self._table

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
        raw, kind = array.tobytes(), kind or dtype_name(array.dtype)
        small = array.size <= WHOLE
        key = (kind, array.shape, raw if small else blake2b(raw, digest_size=16).digest())
        known = self._ids.get(key)
        if known is None:
            known = self._ids[key] = f"v{len(self._ids) + 1}"
            entry = self._table[known] = {"dtype": kind, "shape": list(array.shape)}
            if not small:
                entry["summary"] = summary(array, kind, self._unspelled)
            elif kind == "float32":
                self._unspelled.add(entry, raw, array.shape)
            else:
                entry["data"] = nested(array)
        return known


@cache
def dtype_name(dtype: np.dtype) -> str:
    """Return the name of a dtype; NumPy works it out anew each time."""
    return dtype.name


def describe(array: np.ndarray, kind: str) -> dict:
    """Return the JSON form of one array: its numbers, or a summary of them."""
    values = Values()
    known = values.intern(array, kind)
    return values.table[known]
