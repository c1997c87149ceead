"""The backward pass when nobody watches and nothing is recorded: backward.py without stating its steps.

Same nodes, same order, same numbers; tests compare the two on every recorded case. Rules run on bare
arrays where they can (ops/twins.py), and what runs for every node is written out in place.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from engine import backward as watched
from engine import errors
from engine.accumulate import accumulated
from engine.local import ThreadLocalState, state
from engine.node import FREED, AccumulateGrad, Node, SavedTensor
from engine.ops.twins import twins
from engine.ready_queue import ReadyQueue
from engine.tensor import Tensor

ndarray = np.ndarray
FLOATS = (np.dtype(np.float32), np.dtype(np.float64))
NUMBERS = frozenset((int, float, bool))
_new = object.__new__


def run(call: watched.Call) -> None:
    """Run the whole pass. For calls without `create_graph` and `targets`, outside anomaly mode."""
    start, buffers = watched.started(call)
    missing = watched.dependencies(start)
    queue = ReadyQueue()
    queue.push(start)
    here, held, pop, push = state(), call.held, queue.pop, queue.push
    while queue.heap:
        node = pop()
        grads = buffers.pop(node)
        if held:
            watched.let_go(call, grads)
        if type(node) is AccumulateGrad:
            leaf = node.variable
            if not (node.hooked or leaf.hooks or leaf.post_hooks):
                write_grad(leaf, grads[0], call)
                continue
            outs = drained(watched.visit(node, tuple(grads), call))
        elif node.hooked:
            outs = drained(watched.visit(node, tuple(grads), call))
        else:
            outs = on_arrays(node, grads)
            if outs is None:
                outs = on_tensors(node, tuple(grads), here)
            if not call.keep_graph:
                free(node)
        if len(outs) > 1:
            watched.note_shared(call, node, outs)
        for edge, grad in zip(node.next_edges, outs, strict=True):
            if edge is None:
                continue
            target, input_nr = edge
            left = missing[target] = missing[target] - 1
            buffer = buffers.get(target)
            if buffer is None:
                buffer = buffers[target] = [None] * len(target.outputs_info)
            if buffer[input_nr] is None:
                buffer[input_nr] = grad
                if held and id(grad) in held:
                    held[id(grad)] += 1
            elif grad is not None:
                watched.add(buffer, input_nr, grad, call)
            if not left:
                push(target)


def drained(steps: Iterator[Any]) -> list[Any]:
    """Run a generator of facts that nobody wants, and return what it returns."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return end.value


def write_grad(leaf: Tensor, grad: Any, call: watched.Call) -> None:
    """Add what arrived at a leaf to its `.grad`."""
    if grad is None or not leaf.requires:
        return
    if leaf.node is not None:
        raise RuntimeError(errors.leaf_in_graph())
    alone = id(grad) not in call.held and all([grad is not given for given in call.grads])
    leaf.grad_tensor, _ = accumulated(leaf, leaf.grad_tensor, grad, False, alone)


def free(node: Node) -> None:
    """Drop what a node had saved."""
    if not node.by_rules:
        node.release()
        return
    for value in node.saved.values():
        if type(value) is SavedTensor:
            value.tensor = FREED
            node.freed = True
        elif type(value) is tuple:
            node.release()


def on_tensors(node: Node, grads: tuple, here: ThreadLocalState) -> list[Any]:
    """Evaluate a node's rules; return one gradient per edge, in the shape and dtype of its input."""
    edges = node.next_edges
    here.in_rule = node.silent
    try:
        outs = node.run(grads, tuple([e is not None for e in edges]), False)
    finally:
        here.in_rule = False
    for slot, edge in enumerate(edges):
        if edge is not None and outs[slot] is not None:
            outs[slot] = watched.validated(node, slot, edge, outs[slot])
    return outs


def on_arrays(node: Node, grads: list[Any]) -> list[Any] | None:
    """Do what `on_tensors` does on bare arrays of one float dtype; None where that will not do."""
    op = node.op
    grad = grads[0] if grads else None
    if (
        op is None
        or type(grad) is not Tensor
        or not node.by_rules
        or grad.exotic is not None
        or grad.place is not None
    ):
        return None
    array = grad.array
    kind = array.dtype
    if kind not in FLOATS:
        return None
    edges, saved = node.next_edges, node.saved
    outs: list[Any] = [None] * len(edges)
    for slot, rule, reads in op.twins or twins(op):
        edge = edges[slot]
        if edge is None:
            continue
        if rule is None:
            return None
        read = [array]
        for name in reads:
            value = saved[name]
            if type(value) is SavedTensor:
                version, packed, value = value.version, value.unpack_hook, value.tensor
                if isinstance(value, Tensor):
                    counter = value.counter
                    if packed is not None or value.exotic is not None or value.array.dtype is not kind:
                        return None
                    if counter is not None and counter[0] != version:
                        return None  # the error is on_tensors' matter
                    value = value.array
                elif type(value) not in NUMBERS:
                    return None
            elif type(value) not in NUMBERS and not attribute(value):
                return None
            read.append(value)
        out = rule(*read)
        if out is array:
            flows = grad
        else:
            flows = _new(Tensor)
            flows.array = out if type(out) is ndarray else np.asarray(out)
        shape, dtype = edge[0].outputs_info[edge[1]]
        if flows.array.shape != shape or flows.array.dtype is not dtype.numpy:
            flows = watched.validated(node, slot, edge, flows)
        outs[slot] = flows
    return outs


def attribute(value: Any) -> bool:
    """Return whether a saved value means the same to a rule on arrays: sizes, words, nothing."""
    return (
        value is None or type(value) is str or type(value) is tuple and all([type(v) is int for v in value])
    )
