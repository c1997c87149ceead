"""Tensors that come into view without a row that made them: what they hold is told where they are first seen.

`torch.autograd.grad` and its kin, `.grad` read into a name, what a hook is given, what an optimiser keeps, a
buffer: whatever a name is bound to, or an operation is given, and no row has told as it is now.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from engine.sparse import SparseTensor
from engine.tensor import Tensor
from engine.trace.ids import Ids
from engine.trace.log import Log, owner
from engine.trace.names import Names
from engine.trace.values import Values


class Sightings:
    """What rows have `told` of every tensor, held against what a tensor in view shows."""

    def __init__(
        self,
        log: Log,
        names: Names,
        ids: Ids,
        values: Values,
        value: Callable[[Tensor], str | None],
        told: dict[str, str | None],
    ) -> None:
        self._log, self._names, self._ids, self._values = log, names, ids, values
        self._value, self._told = value, told
        self._unmade: set[str] = (
            set()
        )  # tensors that no row has made: they may change unnoticed while unnamed

    def bound(self, tensors: Iterable[str]) -> dict[str, dict[str, str]]:
        """Return the field `seen` of a row that binds tensors, if some show what no row has told."""
        return self._field({t: v for t in tensors if (v := self._before(t)) not in (None, self._told.get(t))})

    def given(self, args: list[list]) -> dict[str, dict[str, str]]:
        """The same of the arguments of an operation, as they were before it."""
        told, unmade = self._told, self._unmade
        new = [t for _, what in args if (t := what.get("tensor")) and (t not in told or t in unmade)]
        return self.bound(new) if new else {}

    def _field(self, seen: dict[str, str]) -> dict[str, dict[str, str]]:
        if not seen:
            return {}
        self._unmade.update(t for t in seen if t not in self._told)
        self._told.update(seen)
        return {"seen": seen}

    def _before(self, name: str) -> str | None:
        """Return what a tensor held before the entry that is being read; None if that is not known."""
        tensor, log = self._names.held.get(name), self._log
        if tensor is None:
            tensor = self._ids.alive(name)
        if tensor is None:
            return None
        copied, written = log.now in log.written, log.roots.get(log.now, ())
        if not copied and not log.gave_up_arrays:
            return None if any(owner(tensor.array) is root for root in written) else self._value(tensor)
        if type(tensor) is SparseTensor or tensor.exotic is not None:
            return self._value(tensor)
        log.now -= 1
        try:
            array = log.array_of(tensor)
            there = log.as_it_was(array)
        finally:
            log.now += 1
        if there is array and any(owner(array) is root for root in written):
            return None  # it was written, and is too large to have been kept
        return self._values.intern(there)
