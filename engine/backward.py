"""Backpropagation: which node runs next, and what has reached it. A generator of facts.

Knows neither what an operation means nor who watches. Source: PyTorch's engine.cpp
(compute_dependencies, init_to_execute, thread_main, evaluate_function, validate_outputs).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from engine import anomaly, errors, events, hooks, modes, sparse
from engine import dtype as dtypes
from engine.node import AccumulateGrad, Edge, Node
from engine.ready_queue import ReadyQueue
from engine.sparse import SparseTensor
from engine.tensor import Tensor, make


class GraphRoot(Node):
    """The pseudo-node in front of several roots: its outputs are the gradients that were given."""

    __slots__ = ("grads",)

    def __init__(self, roots: tuple[Edge, ...], grads: tuple) -> None:
        super().__init__(None, roots, ())
        self.grads = grads

    @property
    def type_name(self) -> str:
        return "GraphRoot"

    def run(self, grads: tuple, needed: tuple[bool, ...], create_graph: bool) -> list[Any]:
        return list(self.grads)


@dataclass(slots=True)
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
    captures: dict[Edge, Any] = field(default_factory=dict)
    held: dict[int, int] = field(default_factory=dict)


running: ContextVar[Call | None] = ContextVar("running", default=None)


def run(call: Call) -> Iterator[Any]:
    """Run the backward pass and yield what happens, step by step. Grad mode is the caller's matter.

    Raises whatever a node or a hook raises; everything that ran before has taken effect.
    """
    # Note: order
    watched = call.watched
    start = call.roots[0][0] if len(call.roots) == 1 else GraphRoot(call.roots, call.grads)
    buffers: dict[Node, list[Any]] = {start: [None] * len(start.outputs_info)}
    if len(call.roots) == 1:
        buffers[start][call.roots[0][1]] = call.grads[0]
    missing = dependencies(start)
    needed = None if call.targets is None else wanted(start, call)
    queue = ReadyQueue()
    queue.push(start)
    if watched:
        yield _began(call, missing, needed)
        if start is call.roots[0][0]:
            yield events.NodeReady(start, tuple(queue.heap))
    while queue:
        node = queue.pop()
        grads = tuple(buffers.pop(node, ()))
        _let_go(call, grads)
        if watched and not isinstance(node, GraphRoot) and (needed is None or node in needed):
            yield events.NodeEntered(node, grads, tuple(queue.heap))
        if needed is not None:
            grads = yield from _capture(node, grads, call, needed)
            if node not in needed:
                continue
        elif node.tensor_hooks or node.retains or type(node) is AccumulateGrad:
            grads = yield from _tensor_hooks(node, grads, call)
        try:
            outs = yield from _evaluate(node, grads, call, needed)
        except Exception:
            anomaly.explain(node)
            raise
        for slot, edge in enumerate(node.next_edges):
            if edge is None:
                continue
            target, input_nr = edge
            missing[target] -= 1
            if needed is not None and not needed.reaches(target):
                continue
            buffer = buffers.get(target)
            if buffer is None:
                buffer = buffers[target] = [None] * len(target.outputs_info)
            if watched:
                yield events.EdgeFlowed(node, slot, target, input_nr, outs[slot], missing[target])
            summed = _add(buffer, input_nr, outs[slot], call, watched)
            if summed is not None:
                yield events.GradSummed(target, input_nr, *summed)
            if not missing[target]:
                queue.push(target)
                if watched:
                    yield events.NodeReady(target, tuple(queue.heap))
    if watched:
        yield events.BackwardEnded(call.api)


def _began(call: Call, missing: dict[Node, int], needed: dict | None) -> events.BackwardBegan:
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


def _evaluate(node: Node, grads: tuple, call: Call, needed: Wanted | None) -> Iterator[Any]:
    """Run one node: pre-hooks, rules, validation, post-hooks, freeing. Returns what flows on."""
    for hook in list((node.pre_hooks or {}).values()):
        before, grads = grads, hooks.checked_tuple(hook, grads, hook(grads))
        if call.watched:
            yield events.HookRan(node, "before", hook, before[:1], grads[:1])
    if type(node) is AccumulateGrad:
        outs: list[Any] = yield from _accumulate(node, grads[0], call)
    else:
        asked = tuple(e is not None and (needed is None or needed.reaches(e[0])) for e in node.next_edges)
        outs = compute(node, grads, asked, call.create_graph)
    if call.watched and not isinstance(node, GraphRoot):
        yield events.NodeRan(node, tuple(outs))
    for slot, edge in enumerate(node.next_edges):
        if edge is not None and outs[slot] is not None:
            reduced = validated(node, slot, edge, outs[slot])
            if call.watched and reduced.array.shape != outs[slot].array.shape:
                yield events.ReducedToShape(node, slot, outs[slot], reduced)
            outs[slot] = reduced
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
    if found != shape and not reducible(found, shape):
        raise RuntimeError(errors.invalid_gradient(node, slot, found, shape))
    with events.observed_by(None):
        if found != shape:
            grad = grad.sum_to_size(shape)
        if grad.dtype is not dtype:
            if grad.dtype.is_complex != dtype.is_complex and not dtype.is_floating_point:
                raise RuntimeError(errors.invalid_gradient(node, slot, found, shape))
            grad = grad.to(dtype)
    return grad


def reducible(found: tuple, shape: tuple) -> bool:
    """Return whether summing can bring shape `found` to `shape`: each size is equal or 1."""
    return len(shape) <= len(found) and all(
        want in (1, have) for want, have in zip(reversed(shape), reversed(found), strict=False)
    )


def _add(buffer: list[Any], input_nr: int, grad: Any, call: Call, watched: bool) -> tuple | None:
    """Put a gradient into its slot; the second and later ones are added, in order of arrival."""
    before = buffer[input_nr]
    if grad is None:
        return None
    if before is None:
        buffer[input_nr] = grad
        call.held[id(grad)] = call.held.get(id(grad), 0) + 1
        return None
    watch = events.look_away()
    after = buffer[input_nr] = before + grad
    events.look_back(watch)
    _let_go(call, (before,))
    call.held[id(after)] = 1
    return (before, grad, after) if watched else None


def _let_go(call: Call, grads: tuple) -> None:
    """Count down how many buffers hold these gradients."""
    for grad in grads:
        count = call.held.pop(id(grad), 0)
        if count > 1:
            call.held[id(grad)] = count - 1


def _accumulate(node: AccumulateGrad, grad: Any, call: Call) -> Iterator[Any]:
    """Add what arrived to the leaf's `.grad`, as accumulate_grad.h does for dense gradients."""
    leaf = node.variable
    before = after = leaf.grad_tensor
    kept = None if before is None else before.array.copy() if call.watched else before.array
    how = "nothing"
    if grad is not None and leaf.requires:
        if leaf.node is not None:
            raise RuntimeError(errors.leaf_in_graph())
        with events.observed_by(None):
            free = not leaf.hooks and id(grad) not in call.held and all(grad is not g for g in call.grads)
            after, how = accumulated(leaf, before, grad, call.create_graph, free)
        leaf.grad_tensor = after
    if call.watched:
        yield events.GradAccumulated(
            node, leaf, kept, None if grad is None else grad.array,
            None if after is None else after.array, how,
        )  # fmt: skip
    for hook in list((leaf.post_hooks or {}).values()):
        answer = hook(leaf)
        if answer is not None and answer is not leaf:
            raise RuntimeError("Tensor post accumulate grad hooks should return None.")
        if call.watched:
            yield events.HookRan(node, "after .grad was written", hook, leaf.grad_tensor, leaf.grad_tensor)
    return []


def accumulated(
    leaf: Tensor, before: Any, grad: Tensor, create_graph: bool, free: bool
) -> tuple[Tensor, str]:
    """Return the leaf's new `.grad` and how it came about: stored, added in place, or added anew.

    A first gradient that nobody else holds (`free`) and that is laid out as the leaf becomes `.grad`
    itself, not a copy of it. That is PyTorch's rule; it looks at the tensor, not at its memory, so two
    leaves reached through views of one gradient share it (Note: memory).
    """
    if isinstance(grad, SparseTensor) or isinstance(before, SparseTensor):
        return sparse.accumulated(before, grad)
    if before is not None:
        if create_graph:
            return before + grad, "added"
        before.write(before.array + grad.array)
        return before, "added in place"
    if create_graph:
        return grad.copied_for_grad(), "stored"
    array = grad.array
    if not (free and array.flags.writeable and same_layout(array, leaf.array)):
        array = np.empty_like(leaf.array)
        array[...] = grad.array
    return make(array, leaf.exotic if leaf.exotic is dtypes.bfloat16 else None), "stored"


def same_layout(a: np.ndarray, b: np.ndarray) -> bool:
    """Return whether two arrays of one shape step through memory alike (obeys_layout_contract)."""
    return all([(x == y if n > 1 else x != 0) for x, y, n in zip(a.strides, b.strides, a.shape, strict=True)])
