"""What every `.grad` was last seen to hold, so that a write in place can be told as before and after."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

import numpy as np

from engine import events
from engine.stretch import Stretch
from engine.tensor import Tensor

TELL = (
    events.GradSet,
    events.GradAccumulated,
    events.GradRetained,
)  # what `.grad` of `fact.tensor` holds now


class Grads:
    """The last value of every `.grad`, by the id of its tensor. `write` returns the id of a value."""

    def __init__(self, write: Callable[[Any], str | None]) -> None:
        self._write = write
        self._last: dict[str, str | None] = {}
        self._owners: dict[int, weakref.ref] = {}
        self._read = 0  # entries

    # ----- at the moment of a write -----
    def sharing(self, written: np.ndarray, entries: list[Any]) -> list[tuple[Tensor, Tensor]]:
        """Return the tensors whose `.grad` shares memory with an array, each with its `.grad`.

        `entries` have not been told yet, and tell of further tensors that have one.
        """
        for entry in entries[self._read :]:
            fact = entry[0] if type(entry) is tuple else entry
            if type(fact) in TELL:
                self._meet(fact.tensor)
            elif type(fact) is Stretch:
                for leaf in fact.written():
                    self._meet(leaf)
        self._read = len(entries)
        owners = [owner for reference in self._owners.values() if (owner := reference()) is not None]
        pairs = [(owner, owner.grad_tensor) for owner in owners]
        return [(o, g) for o, g in pairs if g is not None and np.may_share_memory(g.array, written)]

    def _meet(self, tensor: Tensor) -> None:
        known = self._owners.get(id(tensor))
        if known is None or known() is not tensor:
            self._owners.pop(id(tensor), None)
            self._owners[id(tensor)] = weakref.ref(tensor)

    # ----- when the rows are written -----
    def note(self, name: str, tensor: Tensor, grad: Any) -> None:
        """A row has told what `.grad` of this tensor holds."""
        self._meet(tensor)
        self._last[name] = self._write(grad)

    def written(self, name: str, grad: Tensor) -> tuple[str | None, str | None]:
        """Return what `.grad` of a tensor held before it was written in place, and after."""
        before, self._last[name] = self._last.get(name), self._write(grad)
        return before, self._last[name]

    def rewind(self) -> None:
        """All entries have been told."""
        self._read = 0
