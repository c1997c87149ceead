"""Backpropagation: which node runs next, and what has reached it. A generator of facts.

Knows neither what an operation means nor who watches. Source: PyTorch's engine.cpp
(compute_dependencies, init_to_execute, thread_main, evaluate_function, validate_outputs).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np

from engine import anomaly, errors, events, hooks, modes, sums
from engine.accumulate import accumulate
from engine.bare import on_arrays
from engine.node import AccumulateGrad, Edge, Node
from engine.places import arrived
from engine.ready_queue import ReadyQueue
from engine.tensor import Tensor, beside, info_of, make
from engine.workers import Workers


class GraphRoot(Node):
    """The pseudo-node in front of several roots: its outputs are the gradients that were given."""

    __slots__ = ("grads",)

    def __init__(self, roots: tuple[Edge, ...], grads: tuple) -> None:
        super().__init__(None, roots, tuple([info_of(g) for g in grads if g is not None]))
        self.grads = grads

    @property
    def type_name(self) -> str:
        return "GraphRoot"

    def run(self, grads: tuple, needed: tuple[bool, ...], create_graph: bool) -> list[Any]:
        return list(self.grads)


@dataclass(slots=True, weakref_slot=True, eq=False)
class Call:
    """One call of the engine. `captures` maps (node, input_nr) to the gradient that was taken there."""

    roots: tuple[Edge, ...]
    grads: tuple
    keep_graph: bool = False
    create_graph: bool = False
    targets: tuple[Edge, ...] | None = None
    accumulate: bool = True
    watched: bool = True
    tensors: tuple = ()
    inputs: tuple = ()
    implicit: bool = False
    api: str = "backward"
    spread: bool = False  # over several devices
    nodes: Any = ()  # what the pass can reach, once it has begun
    needed: Wanted | None = None  # what of that matters, if the call is restricted
    captures: dict[Edge, Any] = field(default_factory=dict)
    held: dict[int, int] = field(default_factory=dict)


running: ContextVar[Call | None] = ContextVar("running", default=None)


def run(call: Call) -> Iterator[Any]:
    """Run the backward pass and yield what happens, step by step. Grad mode is the caller's matter.

    Raises whatever a node or a hook raises; everything that ran before has taken effect.
    """
    # Note: order
    watched = call.watched
    start, buffers = started(call)
    missing = call.nodes = dependencies(start)
    needed = call.needed = None if call.targets is None else wanted(start, call)
    queue = Workers() if call.spread else ReadyQueue()
    queue.push(start)
    if watched:
        yield began(call, missing, needed)
        if start is call.roots[0][0]:
            yield events.NodeReady(start, tuple(queue.heap), queue.device, queue.handed_by)
    while queue:
        node = queue.pop()
        grads = tuple(buffers.pop(node, ()))
        if call.held:
            let_go(call, grads)
        if watched and not isinstance(node, GraphRoot) and (needed is None or node in needed):
            yield events.NodeEntered(node, grads, tuple(queue.heap), queue.device)
        if needed is not None:
            grads = yield from _capture(node, grads, call, needed)
            if node not in needed:
                continue
            try:
                outs = yield from _evaluate(node, grads, call, needed)
            except Exception:
                anomaly.explain(node)
                raise
        else:
            outs = yield from visit(node, grads, call)
        if len(outs) > 1:
            note_shared(call, node, outs)
        for slot, edge in enumerate(node.next_edges):
            if edge is None:
                continue
            target, input_nr = edge
            missing[target] -= 1
            if needed is not None and not needed.reaches(target):
                continue
            if (buffer := buffers.get(target)) is None:
                buffer = buffers[target] = [None] * len(target.outputs_info)
            if watched:
                yield events.EdgeFlowed(node, slot, target, input_nr, outs[slot], missing[target])
            summed = add(buffer, input_nr, outs[slot], call)
            if watched and summed is not None:
                yield events.GradSummed(target, input_nr, *summed)
            if not missing[target]:
                queue.push(target)
                if watched:
                    yield events.NodeReady(target, tuple(queue.heap), queue.device, queue.handed_by)
    if watched:
        yield events.BackwardEnded(call.api, queue.woken_by)


def started(call: Call) -> tuple[Node, dict[Node, list[Any]]]:
    """Return the node a pass starts from, and the buffers with the first gradient in place."""
    if len(call.roots) > 1:
        return (root := GraphRoot(call.roots, call.grads)), {root: []}
    ((start, input_nr),) = call.roots
    buffer = [None] * len(start.outputs_info)
    buffer[input_nr] = call.grads[0]
    return start, {start: buffer}


def began(call: Call, missing: dict[Node, int], needed: dict | None) -> events.BackwardBegan:
    """Return the first fact of a pass."""
    return events.BackwardBegan(
        call.api, call.tensors, call.grads, call.implicit, call.keep_graph, call.create_graph,
        call.inputs, dict(missing), None if needed is None else frozenset(needed),
    )  # fmt: skip


def dependencies(start: Node) -> dict[Node, int]:
    """Count, for every node reachable from `start`, the edges that point at it."""
    missing: dict[Node, int] = {start: 0}
    stack = [start]
    while stack:
        for edge in stack.pop().next_edges:
            if edge is not None:
                target = edge[0]
                if target in missing:
                    missing[target] += 1
                else:
                    missing[target] = 1
                    stack.append(target)
    return missing


class Wanted(dict):
    """Nodes that matter to a restricted call: True = executes, False = only its gradient is taken."""

    __slots__ = ()

    def __contains__(self, node: object) -> bool:
        return bool(self.get(node))

    def reaches(self, node: Node) -> bool:
        """Return whether a gradient sent to `node` is of any use."""
        return self.get(node) is not None


def wanted(start: Node, call: Call) -> Wanted:
    """Return which nodes lead to one of `call.targets` (engine.cpp: init_to_execute)."""
    found = Wanted()
    for node, _ in call.targets or ():
        found[node] = call.accumulate
    done: set[Node] = set()
    stack: list[tuple[Node, bool]] = [(start, False)]
    while stack:
        node, after = stack.pop()
        children = [e[0] for e in node.next_edges if e is not None]
        if after:
            if any(found.reaches(c) for c in children):
                found[node] = True
        elif node not in done:
            done.add(node)
            stack.append((node, True))
            stack.extend((c, False) for c in reversed(children) if c not in done)
    return found


def _capture(node: Node, grads: tuple, call: Call, needed: Wanted) -> Iterator[Any]:
    """In a restricted call: take the gradients that were asked for at this node."""
    taken = [] if call.accumulate else [e for e in call.targets if e[0] is node]
    executes = node in needed
    if taken and executes:
        for edge in taken:
            call.captures[edge] = grads[edge[1]]
    grads = yield from _tensor_hooks(node, grads, call)
    for edge in dict.fromkeys(taken):
        if not executes:
            call.captures[edge] = grads[edge[1]]
        if call.watched:
            yield events.GradCaptured(node, edge[1], call.captures[edge])
    return grads


def _tensor_hooks(node: Node, grads: tuple, call: Call) -> Iterator[Any]:
    """Run the hooks of the tensors a node made, then write what `retain_grad` asked for."""
    given = list(grads)
    for input_nr in range(len(given)):
        for hook in hooks.hooks_of(node, input_nr):
            before = given[input_nr]
            given[input_nr] = hooks.checked(hook, before, hook(before))
            if call.watched:
                yield events.HookRan(node, "tensor", hook, before, given[input_nr])
    for input_nr, reference in list((node.retains or {}).items()):
        tensor, grad = reference(), given[input_nr]
        if tensor is None or grad is None:
            continue
        with events.observed_by(None):
            before = tensor.grad_tensor
            tensor.grad_tensor = grad.clone() if before is None else before + grad
        if call.watched:
            yield events.GradRetained(node, tensor, before, grad, tensor.grad_tensor)
    return tuple(given)


def visit(node: Node, grads: tuple, call: Call) -> Iterator[Any]:
    """Run everything about one node of an unrestricted call; return what flows on."""
    if node.tensor_hooks or node.retains or type(node) is AccumulateGrad:
        grads = yield from _tensor_hooks(node, grads, call)
    try:
        return (yield from _evaluate(node, grads, call, None))
    except Exception:
        anomaly.explain(node)
        raise


def _evaluate(node: Node, grads: tuple, call: Call, needed: Wanted | None) -> Iterator[Any]:
    """Run one node: pre-hooks, rules, validation, post-hooks, freeing. Returns what flows on."""
    for hook in list((node.pre_hooks or {}).values()):
        before, grads = grads, hooks.checked_tuple(hook, grads, hook(grads))
        if call.watched:
            yield events.HookRan(node, "before", hook, before[:1], grads[:1])
    if type(node) is AccumulateGrad:
        asked: tuple = ()
        outs: list[Any] = yield from accumulate(node, grads[0], call)
    else:
        asked = tuple(e is not None and (needed is None or needed.reaches(e[0])) for e in node.next_edges)
        outs = compute(node, grads, asked, call.create_graph)
    if call.watched and not isinstance(node, GraphRoot):
        yield events.NodeRan(node, tuple(outs), asked)
    for slot, edge in enumerate(node.next_edges):
        if edge is not None and outs[slot] is not None:
            reduced = validated(node, slot, edge, outs[slot])
            if call.watched and reduced.array.shape != outs[slot].array.shape:
                yield events.ReducedToShape(node, slot, outs[slot], reduced)
            outs[slot] = reduced
            if call.spread:
                outs[slot] = yield from arrived(node, slot, edge, reduced, call.watched)
    for hook in list((node.post_hooks or {}).values()):
        before, outs = outs, list(hooks.checked_tuple(hook, tuple(outs), hook(tuple(outs), grads)))
        if call.watched:
            yield events.HookRan(node, "after", hook, tuple(before)[:1], tuple(outs)[:1])
    anomaly.refuse_nan(node, outs)
    if not call.keep_graph:
        dropped = node.release()
        if dropped and call.watched:
            yield events.SavedFreed(node, dropped)
    return outs


def compute(node: Node, grads: tuple, asked: tuple[bool, ...], create_graph: bool) -> list[Any]:
    """Evaluate a node's rules unseen, plain numbers taken as C++ scalars."""
    if not node.silent:
        return node.run(grads, asked, create_graph)
    if not create_graph and all([ask or e is None for ask, e in zip(asked, node.next_edges, strict=True)]):
        outs, _ = on_arrays(node, grads)  # what is saved for an edge not asked for may have changed, too
        if outs is not None:
            return outs
    rule, watch = modes.begin_rule(), events.look_away()
    try:
        return node.run(grads, asked, create_graph)
    finally:
        events.look_back(watch)
        modes.end_rule(rule)


def validated(node: Node, slot: int, edge: Edge, grad: Any) -> Tensor:
    """Return a gradient in the shape and dtype of the input it goes to, or refuse it.

    Broadcasting is undone here, once for all operations (engine.cpp: validate_outputs).
    """
    shape, dtype = edge[0].outputs_info[edge[1]]
    if grad.array.shape == shape and grad.array.dtype == dtype.numpy:
        return grad
    found = grad.array.shape
    if found != shape and stretched(found, shape) is None:
        raise RuntimeError(errors.invalid_gradient(node, slot, found, shape))
    if type(grad) is Tensor and grad.array.dtype == dtype.numpy and grad.exotic is grad.place is None:
        if not modes.is_grad_enabled():
            return make(summed_to(grad.array, shape))
    with events.observed_by(None):
        if found != shape:
            grad = grad.sum_to_size(shape)
        if grad.dtype is not dtype:
            if grad.dtype.is_complex != dtype.is_complex and not dtype.is_floating_point:
                raise RuntimeError(errors.invalid_gradient(node, slot, found, shape))
            grad = grad.to(dtype)
    return grad


def summed_to(array: np.ndarray, shape: tuple) -> np.ndarray:
    """Sum an array over what broadcasting had stretched: `sum_to_size` on bare arrays."""
    if not shape:
        return sums.sum_all(array)
    return sums.sum_dims(array, stretched(array.shape, shape), True).reshape(shape)


@lru_cache(maxsize=4096)
def stretched(found: tuple, shape: tuple) -> tuple[int, ...] | None:
    """Return which dimensions summing must remove to bring shape `found` to `shape`; None if it cannot."""
    lead = len(found) - len(shape)
    if lead < 0 or any(want not in (1, have) for have, want in zip(found[lead:], shape, strict=True)):
        return None
    return (*range(lead), *[i for i in range(lead, len(found)) if shape[i - lead] == 1 != found[i]])


def add(buffer: list[Any], input_nr: int, grad: Any, call: Call) -> tuple | None:
    """Put a gradient into its slot; the second and later ones are added, in order of arrival."""
    before = buffer[input_nr]
    if grad is None:
        return None
    if before is None:
        buffer[input_nr] = grad
        if call.held and id(grad) in call.held:
            call.held[id(grad)] += 1
        return None
    after = buffer[input_nr] = summed(before, grad, call.create_graph)
    if not call.create_graph and _alone(call, before):
        counter = before.counter  # PyTorch adds into `before` itself, and it shows
        after.counter = [1 if counter is None else counter[0] + 1]
    if call.held:
        let_go(call, (before,))
    return before, grad, after


def summed(before: Any, grad: Any, create_graph: bool) -> Any:
    """Return the sum of two gradients of one shape; nobody hears of it but through GradSummed."""
    if type(before) is type(grad) is Tensor and not create_graph and before.exotic is None:
        a, b = before.array, grad.array
        if a.dtype is b.dtype:
            return make(a + b) if before.place is None else beside(before, a + b)
    watch = events.look_away()
    try:
        return before + grad
    finally:
        events.look_back(watch)


def _alone(call: Call, grad: Any) -> bool:
    """Return whether only one buffer can hold this gradient (input_buffer.cpp: can_accumulate_inplace)."""
    if type(grad) is not Tensor or grad.array.base is not None:
        return False
    if call.held and call.held.get(id(grad), 0) > 1:
        return False
    for given in call.grads:
        if grad is given:
            return False
    return True


def note_shared(call: Call, node: Node, outs: list[Any]) -> None:
    """From now on count the buffers that hold a gradient which this node sends along several edges."""
    if len(outs) == 2:
        if outs[0] is outs[1] is not None and None not in node.next_edges:
            call.held.setdefault(id(outs[0]), 0)
        return
    pairs = zip(outs, node.next_edges, strict=True)
    sent = [id(out) for out, edge in pairs if edge is not None and out is not None]
    if len(set(sent)) < len(sent):
        for key in sent:
            if sent.count(key) > 1:
                call.held.setdefault(key, 0)


def let_go(call: Call, grads: tuple) -> None:
    """Count down how many buffers hold these gradients."""
    held = call.held
    for grad in grads:
        key = id(grad)
        if key in held:
            if held[key] > 1:
                held[key] -= 1
            else:
                del held[key]
