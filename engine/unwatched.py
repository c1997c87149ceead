"""The backward pass when nobody watches and nothing is recorded: backward.py without stating its steps.

Same nodes, same order, same numbers; tests compare the two on every recorded case. Rules run on bare
arrays where they can (ops/twins.py), and what runs for every node is written out in place.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from engine import backward as watched
from engine import errors
from engine.accumulate import accumulated
from engine.bare import on_arrays
from engine.local import ThreadLocalState, state
from engine.node import FREED, AccumulateGrad, Node, SavedTensor
from engine.ready_queue import ReadyQueue
from engine.tensor import Tensor


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
            outs = evaluated(node, grads, here)
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
        elif type(value) is tuple and [part for part in value if type(part) is SavedTensor]:
            node.release()
            return


def evaluated(node: Node, grads: list[Any], here: ThreadLocalState) -> list[Any]:
    """Evaluate a node's rules; return one gradient per edge, in the shape and dtype of its input."""
    edges = node.next_edges
    outs = on_arrays(node, grads, edges)
    if outs is None:
        here.in_rule = node.silent
        try:
            outs = node.run(tuple(grads), tuple([e is not None for e in edges]), False)
        finally:
            here.in_rule = False
    for slot, edge in enumerate(edges):
        if edge is not None:
            out = outs[slot]
            if out is not None:
                shape, dtype = edge[0].outputs_info[edge[1]]
                if out.array.shape != shape or out.array.dtype is not dtype.numpy:
                    outs[slot] = watched.validated(node, slot, edge, out)
    return outs
