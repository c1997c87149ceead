"""What if: numbers that are other than the program says, put in place once their tensor is made.

A tensor is named by its place among all that a program makes: the rows tensor_made, detached and op_applied
(those in place left out), counted from 0, and the number of its output. So the name holds although ids and
rows after the change may be others.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import FrameType
from typing import Any

import numpy as np

from engine import events
from engine.tensor import Tensor, make_at
from engine.trace.limits import Limits
from engine.trace.recorder import NOTHING, Recorder


@dataclass(frozen=True, slots=True)
class Change:
    """One number that is to be another: `element` is its index in output `output` of the `made`-th making."""

    made: int
    output: int
    element: tuple[int, ...]
    value: float
    shift: bool = False  # `value` is added to the number instead of taking its place


class Changing(Recorder):
    """Watches a run, and changes numbers as they are made. `applied` are the changes that fitted."""

    def __init__(self, source: str, limits: Limits | None = None, changes: tuple[Change, ...] = ()) -> None:
        super().__init__(source, limits)
        self.makings = 0
        self.applied: list[Change] = []
        self._changes: dict[int, list[Change]] = {}
        for change in changes:
            self._changes.setdefault(change.made, []).append(change)
        self._due: list[tuple[Tensor, list[Change]]] = []

    def _note(self, fact: Any, kind: type, frame: FrameType | None) -> None:
        super()._note(fact, kind, frame)
        while self._due:
            tensor, changes = self._due.pop()
            self.replace(tensor, changes)

    def _find_TensorMade(self, fact: events.TensorMade, *rest: Any) -> None:
        super()._find_TensorMade(fact, *rest)
        self._later(fact.tensor)

    def _find_Detached(self, fact: Any, *_: Any) -> None:
        if fact.how != "detach_":
            self._later(fact.tensor)

    def _find_OpApplied(self, fact: Any, frame: FrameType | None, instruction: int) -> Any:
        found = super()._find_OpApplied(fact, frame, instruction)
        if found is not NOTHING and not fact.inplace:
            self._later(*fact.outputs)
        return found

    def _making(self, tensors: tuple[Tensor, ...]) -> list[list[Change]]:
        """Count a making; return the changes that fit each of its tensors."""
        number = self.makings
        self.makings += 1
        self.made(number, tensors)
        wanted = self._changes.get(number)
        if not wanted:
            return [[] for _ in tensors]
        found = [[c for c in wanted if c.output == i and fits(c, t)] for i, t in enumerate(tensors)]
        for changes in found:
            self.applied += changes
        return found

    def _later(self, *tensors: Tensor) -> None:
        """Change what was made once its row is noted: that row says what the program has made."""
        found = self._making(tensors)
        self._due += [(t, changes) for t, changes in zip(tensors, found, strict=True) if changes]

    def made(self, number: int, tensors: tuple[Tensor, ...]) -> None:
        """Hear which tensors the making of a number has made. Here: nothing is done."""

    def replace(self, tensor: Tensor, changes: list[Change]) -> None:
        """Give a tensor its changed numbers, and state it: it shows other memory from now on."""
        before, array = tensor.array, tensor.array.copy()
        for change in changes:
            array[change.element] = changed(array, change)
        source = make_at(array, tensor.exotic, tensor.place)
        events.changing()
        tensor.array = array
        self(events.DataReplaced(tensor, source, before, tensor))


def fits(change: Change, tensor: Tensor) -> bool:
    """Return whether a tensor has the element that is to be changed, and holds numbers that can be."""
    shape = tensor.array.shape
    inside = len(shape) == len(change.element) and all(i < n for i, n in zip(change.element, shape))
    return inside and type(tensor.array) is np.ndarray and tensor.array.dtype.kind in "fiu"


def changed(array: np.ndarray, change: Change) -> Any:
    """Return the number that takes the place of another, as its array can hold it."""
    value = float(array[change.element]) + change.value if change.shift else change.value
    if array.dtype.kind == "f":
        return value
    info = np.iinfo(array.dtype)
    return min(max(round(value), info.min), info.max)
