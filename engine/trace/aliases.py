"""Named tensors that look into memory which was written through another: what they show now. Writes no rows.

A write is known by the memory it was announced for (`events.overwriting`), so that every way to write is
covered by the same few lines: operations in place, optimisers, `.grad`, buffers of modules, NumPy.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from engine import events
from engine.sparse import SparseTensor
from engine.tensor import Tensor
from engine.trace.ids import Ids
from engine.trace.log import Log, owner
from engine.trace.names import Names

CLIPPED = (events.GradNormClipped, events.GradValueClipped)
OF_GRAD = (events.GradAccumulated, events.GradRetained, events.GradSet)
# What stands between the beginning of a node that writes a `.grad` and the fact that it has.
ON_THE_WAY = (
    events.NodeReady, events.NodeEntered, events.NodeRan, events.ReducedToShape, events.SavedFreed,
    events.EdgeFlowed, events.GradSummed, events.GradCaptured,
)  # fmt: skip
# By what memory was written, and the tensor it was written through, if it was one.
Hand = tuple[str, Tensor | None]


class Aliases:
    """The last value that rows have told of every tensor, and who shares memory with what was written."""

    def __init__(self, log: Log, names: Names, ids: Ids, value: Callable[[Any], str | None]) -> None:
        self.told: dict[str, str | None] = {}
        self._log, self._names, self._ids, self._value = log, names, ids, value
        self._named: dict[str, str] | None = None  # the bindings that `_sharing` was made of
        self._sharing: dict[int, list[tuple[str, Tensor]]] = {}  # by the array that owns the memory

    def changed(self, roots: list[Any], hand: Hand) -> list[list[str]]:
        """Return [tensor, value] of all that show the memory of `roots` and show something else now."""
        if self._named is not self._names.shown or self._log.gave_up_arrays:
            self._named, self._sharing = self._names.shown, {}
            for name, tensor in self._shown():
                self._sharing.setdefault(id(owner(self._log.array_of(tensor))), []).append((name, tensor))
        found: dict[str, str | None] = {}
        for root in roots:
            for name, tensor in (*self._sharing.get(id(root), ()), *self._root_of(hand[1], root)):
                if name not in found:
                    found[name] = self._value(tensor)
        changed = [[name, v] for name, v in found.items() if v != self.told.get(name)]
        self.told.update(changed)
        return changed

    def forget(self) -> None:
        """All rows are written: tensors may go, and get other memory."""
        self._named, self._sharing = None, {}

    def _shown(self) -> Iterator[tuple[str, Tensor]]:
        for name in dict.fromkeys(self._names.shown.values()):
            tensor = self._names.held.get(name)
            if tensor is None:
                tensor = self._ids.alive(name)
            if tensor is not None and type(tensor) is not SparseTensor:
                yield name, tensor

    def _root_of(self, written: Tensor | None, root: Any) -> Iterator[tuple[str, Tensor]]:
        """Yield what a view that was written looks into: the view keeps it alive, named or not."""
        base = None if written is None else written.base
        known = None if base is None else self._ids.find(base)
        if known is not None and owner(self._log.array_of(base)) is root:
            yield known, base


def hand_of(fact: Any) -> Hand | None:
    """Return by what memory was written just before a fact was stated; None if the fact is not of that."""
    if fact is None or isinstance(fact, ON_THE_WAY):
        return None
    if isinstance(fact, events.OpApplied):
        return ("tensor", fact.outputs[0]) if fact.inplace else ("buffer", None)
    if isinstance(fact, events.ParameterUpdated):
        return "tensor", fact.parameter
    if isinstance(fact, OF_GRAD):
        return "grad", fact.tensor
    if isinstance(fact, CLIPPED):
        return "gradients", None
    return (fact.by if isinstance(fact, events.MemoryWritten) else "buffer"), None
