"""What one backward call did: which nodes ran on what, and what flowed to which. Gathered from its facts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from engine import events
from engine.backward import GraphRoot
from engine.node import Node
from engine.ready_queue import ReadyQueue
from engine.saved import SavedTensor
from engine.saving_facts import SavedUnpacked
from engine.stretch import TOLD, Pass, Stretch, by_name
from engine.tensor import Tensor

SMALL = 1 << 16  # elements of an array that is copied, as something may be added to it later
# the rows whose gradient can be taken apart, by the fact they are written from
EXPLAINED = {
    events.EdgeFlowed: "edge_flowed",
    events.GradSummed: "grad_summed",
    events.NodeEntered: "node_entered",
    events.GradAccumulated: "grad_accumulated",
    events.GradRetained: "grad_retained",
    events.GradCaptured: "grad_captured",
}


@dataclass(slots=True, eq=False)
class Flow:
    """A gradient that travelled along an edge; `visit` is None for one that the call was given."""

    visit: Visit | None
    slot: int
    array: Any  # None: nothing flowed


@dataclass(slots=True, eq=False)
class Visit:
    """A node that ran: what had arrived (`entered`), what its rules were given, what it kept."""

    node: Node
    entered: tuple
    given: list[Any]
    saved: dict[str, Any] = field(default_factory=dict)
    freed: bool = False
    inner: Any = None
    inner_saved: Any = None
    asked: tuple = ()
    unpacked: list[Tensor] = field(default_factory=list)
    after: bool = False  # a hook after the node changed what it gave

    def keep(self, fact: events.NodeRan, dropped: dict[str, Any] | None) -> None:
        """Remember what the node had saved: it is about to drop it, or has `dropped` it."""
        node = self.node
        self.asked = tuple(fact.asked) or tuple(edge is not None for edge in node.next_edges)
        self.saved, self.freed, self.inner = node.saved, node.freed, node.inner
        if dropped is not None:
            self.saved, self.freed = dropped, False
        if node.inner is not None:
            self.inner_saved = node.inner.saved
        found = iter(self.unpacked)
        if self.unpacked:
            self.saved = {name: as_unpacked(value, found) for name, value in node.saved.items()}


def as_unpacked(value: Any, found: Any) -> Any:
    """Return a saved value with what its unpack hook gave in place of what was packed."""
    if isinstance(value, tuple):
        return tuple(as_unpacked(part, found) for part in value)
    if isinstance(value, SavedTensor) and value.unpack_hook is not None:
        tensor = next(found, None)
        return value if tensor is None else SavedTensor(tensor)
    return value


class BackwardPass:
    """The facts of one call, in order; those of calls inside it are left out."""

    def __init__(self) -> None:
        self.visits: dict[Node, Visit] = {}
        self.flows: dict[tuple[Node, int], list[Flow]] = {}
        self.facts: dict[str, list[tuple[Any, Any]]] = {kind: [] for kind in EXPLAINED.values()}
        self.began: events.BackwardBegan | None = None
        self._inside = 0
        self._told: Pass | None = None
        self._dropped: dict[Node, dict[str, Any]] = {}
        self._takers: dict[type, Callable[[Any], None]] = {
            events.NodeEntered: self._entered, events.NodeRan: self._ran, events.HookRan: self._hooked,
            events.EdgeFlowed: self._flowed, events.GradSummed: self._summed,
            events.GradAccumulated: self._arrived, events.GradRetained: self._arrived,
            events.GradCaptured: self._captured, SavedUnpacked: self._unpacked,
        }  # fmt: skip

    def take(self, fact: Any) -> None:
        """Take one fact."""
        kind = type(fact)
        if kind is events.BackwardBegan:
            if self.began is None:
                self.began = fact
            else:
                self._inside += 1
        elif kind in (events.BackwardEnded, events.BackwardFailed):
            self._inside -= 1
        elif self._inside:
            return
        elif kind is Stretch:
            self._stretch(fact)
        elif kind in self._takers:
            self._takers[kind](fact)

    def _stretch(self, fact: Stretch) -> None:
        """Take the facts of several nodes, along a copy: whoever writes rows unfolds them too."""
        if self._told is None:
            self._told = copied(fact.of)
        for node, _, _, saved, _ in fact.steps:
            if saved is not None and saved is not TOLD:
                self._dropped[node] = by_name(node, saved)
        for each in self._told.unfolded(fact.steps):
            self.take(each)

    # ----- one kind each -----
    def _entered(self, fact: events.NodeEntered) -> None:
        arrays = tuple(kept(grad) for grad in fact.grads)
        self.visits[fact.node] = Visit(fact.node, arrays, list(fact.grads))
        self._list("node_entered", fact, arrays)

    def _ran(self, fact: events.NodeRan) -> None:
        if fact.node in self.visits:
            self.visits[fact.node].keep(fact, self._dropped.get(fact.node))

    def _hooked(self, fact: events.HookRan) -> None:
        visit = self.visits.get(fact.node)
        if visit is None:
            return
        if fact.when == "after":
            visit.after = True
        elif fact.when in ("tensor", "before"):
            pairs = ((fact.before, fact.after),) if fact.when == "tensor" else zip(fact.before, fact.after)
            changed = {id(before): after for before, after in pairs if before is not None}
            visit.given = [changed.get(id(grad), grad) for grad in visit.given]

    def _flowed(self, fact: events.EdgeFlowed) -> None:
        visit = None if isinstance(fact.node, GraphRoot) else self.visits.get(fact.node)
        flow = Flow(visit, fact.slot, kept(fact.grad))
        self.flows.setdefault((fact.target, fact.input_nr), []).append(flow)
        if not isinstance(fact.node, GraphRoot):
            self._list("edge_flowed", fact, flow)

    def _summed(self, fact: events.GradSummed) -> None:
        flows = self.flows.get((fact.node, fact.input_nr), [])
        self._list("grad_summed", fact, list(flows))

    def _arrived(self, fact: Any) -> None:
        self._list(EXPLAINED[type(fact)], fact, kept(fact.arriving))

    def _captured(self, fact: events.GradCaptured) -> None:
        self._list("grad_captured", fact, kept(fact.grad))

    def _unpacked(self, fact: SavedUnpacked) -> None:
        visit = self.visits.get(fact.node)
        if visit is not None:
            visit.unpacked.append(fact.value)

    def _list(self, kind: str, fact: Any, with_: Any) -> None:
        self.facts[kind].append((fact, with_))

    # ----- finding the fact of a row -----
    def of_row(self, rows: list[dict], began: int, row: int) -> tuple[str, Any, Any] | None:
        """Return the kind, the fact and what was kept of it for a row; None if it has no gradient."""
        kind, count, inside = rows[row]["kind"], 0, 0
        if kind not in self.facts:
            return None
        for each in rows[began + 1 : row]:
            if each["kind"] == "backward_began":
                inside += 1
            elif each["kind"] == "backward_ended":
                inside -= 1
            elif each["kind"] == kind and not inside:
                count += 1
        if inside or count >= len(self.facts[kind]):
            return None
        return kind, *self.facts[kind][count]


def copied(told: Pass) -> Pass:
    """Return a pass that stands where another does."""
    copy = object.__new__(Pass)
    copy.missing, copy.queue = dict(told.missing), ReadyQueue()
    copy.buffers = {node: list(buffer) for node, buffer in told.buffers.items()}
    copy.queue.heap = list(told.queue.heap)
    return copy


def kept(grad: Any) -> Any:
    """Return a gradient's numbers as they are now."""
    array = grad.array if isinstance(grad, Tensor) else grad
    return array.copy() if isinstance(array, np.ndarray) and array.size <= SMALL else array
