"""A backward pass told in stretches: per node one tuple of what was computed there; the facts follow from it.

Which node runs next, what still waits and where two gradients meet is decided by the graph alone, so nobody
has to state it while the pass runs: `unfolded` goes along the nodes once more, without the arithmetic.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from engine import events
from engine.node import AccumulateGrad, Node
from engine.ready_queue import ReadyQueue
from engine.work import is_kept

# One node: what flows on, one per edge; the sums made of it on arrival, in order; what it had saved and has
# dropped; what its rules gave if that is not what flows on. AccumulateGrad: no more than, in the last place,
# `.grad` before, what arrived, `.grad` after, and how.
Step = tuple[Node, Any, Any, Any, Any]
TOLD: Any = object()  # in place of what was saved: all but what flows on was told as it happened


class Pass:
    """How far a pass has been told: what each node still waits for, what has reached it, the ready queue."""

    def __init__(self, start: Node, missing: dict[Node, int], buffers: dict[Node, list]) -> None:
        self.missing = missing
        self.buffers = {start: list(buffers[start])}
        self.queue = ReadyQueue()
        self.queue.push(start)

    def unfolded(self, steps: list[Step]) -> Iterator[Any]:
        """Yield the facts of the next nodes, in order."""
        queue, buffers = self.queue, self.buffers
        for node, outs, sums, saved, raw in steps:
            queue.pop()
            grads = tuple(buffers.pop(node))
            if saved is not TOLD:
                yield events.NodeEntered(node, grads, tuple(queue.heap))
                yield from (
                    written(node, *raw) if type(node) is AccumulateGrad else ran(node, outs, saved, raw)
                )
            if node.next_edges:
                yield from self.flows(node, outs, iter(sums or ()))

    def flows(self, node: Node, outs: list, sums: Iterator[Any]) -> Iterator[Any]:
        """Yield what happens on the edges of a node."""
        missing, buffers, queue = self.missing, self.buffers, self.queue
        for slot, edge in enumerate(node.next_edges):
            if edge is None:
                continue
            target, input_nr = edge
            grad = outs[slot]
            left = missing[target] = missing[target] - 1
            buffer = buffers.get(target)
            if buffer is None:
                buffer = buffers[target] = [None] * len(target.outputs_info)
            yield events.EdgeFlowed(node, slot, target, input_nr, grad, left)
            before = buffer[input_nr]
            if before is None:
                buffer[input_nr] = grad
            elif grad is not None:
                after = buffer[input_nr] = next(sums)
                yield events.GradSummed(target, input_nr, before, grad, after)
            if not left:
                queue.push(target)
                yield events.NodeReady(target, tuple(queue.heap))


@dataclass(slots=True, eq=False)
class Stretch:
    """Some nodes that ran one after another: no fact, but what their facts can be told from."""

    of: Pass
    steps: list[Step]

    def unfolded(self) -> Iterator[Any]:
        """Yield the facts. Once, and after those of what was before."""
        return self.of.unfolded(self.steps)

    def written(self) -> list[Any]:
        """Return the leaves whose `.grad` was written."""
        return [step[0].variable for step in self.steps if type(step[0]) is AccumulateGrad]


def by_name(node: Node, saved: dict | tuple) -> dict:
    """Return what a node had saved, as a step has it, by name."""
    return node.work.named(saved) if type(saved) is tuple else saved


def ran(node: Node, outs: list, saved: dict | tuple | None, raw: list | None) -> Iterator[Any]:
    """Yield what happened at a node with rules, from what they gave to what was freed."""
    given = outs if raw is None else raw
    yield events.NodeRan(node, tuple(given), tuple([edge is not None for edge in node.next_edges]))
    if raw is not None:
        for slot, (before, after) in enumerate(zip(raw, outs)):
            if before is not after and before.array.shape != after.array.shape:
                yield events.ReducedToShape(node, slot, before, after)
    if saved is not None:
        if names := [name for name, value in by_name(node, saved).items() if is_kept(value)]:
            yield events.SavedFreed(node, tuple(names))


def written(node: AccumulateGrad, before: Any, arriving: Any, after: Any, how: str) -> Iterator[Any]:
    """Yield what happened at the end of a path."""
    yield events.GradAccumulated(node, node.variable, before, arriving, after, how)
    yield events.NodeRan(node, (), ())


class Teller:
    """Tells a watcher one pass. `steps` are not told yet; `most` is how many there may be.

    A watcher that can unfold stretches says so by an attribute `folds`: how many nodes one may hold. Anybody
    else is told every fact for itself.
    """

    def __init__(self, watch: Any, began: Any, start: Node, buffers: dict[Node, list]) -> None:
        self.watch = watch
        watch(began)
        self.steps: list[Step] = []
        self.folds = getattr(watch, "folds", None)
        self.most = self.folds or 1
        self.of = Pass(start, dict(began.missing), buffers)

    def note(self, step: Step) -> None:
        """Note what ran."""
        self.steps.append(step)
        if len(self.steps) >= self.most:
            self.tell()

    def tell(self) -> None:
        """Tell what was noted."""
        steps, self.steps = self.steps, []
        if not steps:
            return
        if self.folds is not None:
            self.watch(Stretch(self.of, steps))
            self.most = self.watch.folds
        else:
            for fact in self.of.unfolded(steps):
                self.watch(fact)

    def entered(self, node: Node, grads: list, queue: ReadyQueue) -> None:
        """Begin to tell a node as it runs: something of the program's may run inside it."""
        self.tell()
        self.watch(events.NodeEntered(node, tuple(grads), tuple(queue.heap)))
