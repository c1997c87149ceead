"""The backward pass in one loop: the steps of backward.py for the common call, whether watched or not.

For calls that restrict nothing, record nothing and stay on one device. Same nodes, same order, same numbers,
same facts; tests hold the two together. Rules run on bare arrays where they can (bare.py), and what runs
for every node is written out in place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from engine import backward as steps
from engine import errors, events
from engine.accumulate import accumulated
from engine.bare import on_arrays
from engine.local import ThreadLocalState, state
from engine.node import AccumulateGrad, Node
from engine.ready_queue import ReadyQueue
from engine.saved import FREED, SavedTensor
from engine.tensor import Tensor

Watch = Callable[[Any], None] | None


def fits(call: steps.Call) -> bool:
    """Return whether a call may run here."""
    here = state()
    odd = call.create_graph or call.spread or here.anomaly or (here.watch is None and here.keeper is not None)
    return call.targets is None and not odd


def run(call: steps.Call, watch: Watch) -> None:
    """Run the whole pass and tell `watch`, if there is one, every step."""
    start, buffers = steps.started(call)
    missing = call.nodes = steps.dependencies(start)
    queue = ReadyQueue()
    queue.push(start)
    here, held, pop, push = state(), call.held, queue.pop, queue.push
    if watch is not None:
        watch(steps.began(call, missing, None))
        if start is call.roots[0][0]:
            watch(events.NodeReady(start, tuple(queue.heap)))
    while queue.heap:
        node = pop()
        grads = buffers.pop(node)
        if held:
            steps.let_go(call, grads)
        if watch is not None and type(node) is not steps.GraphRoot:
            watch(events.NodeEntered(node, tuple(grads), tuple(queue.heap)))
        if node.hooked or type(node) is AccumulateGrad:
            if watch is None and writes_only(node):
                write_grad(node.variable, grads[0], call)
                continue
            outs = told(steps.visit(node, tuple(grads), call), watch)
        else:
            outs = evaluated(node, grads, here, watch)
            if not call.keep_graph:
                free(node, watch)
        if len(outs) > 1 and (outs[0] is outs[1] or len(outs) > 2):
            steps.note_shared(call, node, outs)
        for slot, edge in enumerate(node.next_edges):
            if edge is None:
                continue
            target, input_nr = edge
            grad = outs[slot]
            left = missing[target] = missing[target] - 1
            buffer = buffers.get(target)
            if buffer is None:
                buffer = buffers[target] = [None] * len(target.outputs_info)
            if watch is not None:
                watch(events.EdgeFlowed(node, slot, target, input_nr, grad, left))
            if buffer[input_nr] is None:
                buffer[input_nr] = grad
                if held and id(grad) in held:
                    held[id(grad)] += 1
            elif grad is not None:
                summed = steps.add(buffer, input_nr, grad, call)
                if watch is not None:
                    watch(events.GradSummed(target, input_nr, *summed))
            if not left:
                push(target)
                if watch is not None:
                    watch(events.NodeReady(target, tuple(queue.heap)))
    if watch is not None:
        watch(events.BackwardEnded(call.api))


def told(facts: Iterator[Any], watch: Watch) -> list[Any]:
    """Run a generator of facts, tell them, and return what it returns."""
    while True:
        try:
            fact = next(facts)
        except StopIteration as end:
            return end.value
        if watch is not None:
            watch(fact)


def writes_only(node: Node) -> bool:
    """Return whether a node does nothing but add to the `.grad` of a leaf."""
    if type(node) is not AccumulateGrad or node.hooked:
        return False
    return not (node.variable.hooks or node.variable.post_hooks)


def write_grad(leaf: Tensor, grad: Any, call: steps.Call) -> None:
    """Add what arrived at a leaf to its `.grad`."""
    if grad is None or not leaf.requires:
        return
    if leaf.node is not None:
        raise RuntimeError(errors.leaf_in_graph())
    alone = id(grad) not in call.held and all([grad is not given for given in call.grads])
    leaf.grad_tensor, _ = accumulated(leaf, leaf.grad_tensor, grad, False, alone)


def free(node: Node, watch: Watch) -> None:
    """Drop what a node had saved. If somebody watches, what it was stays as it was, elsewhere."""
    if watch is not None or not node.by_rules:
        dropped = node.release()
        if dropped and watch is not None:
            watch(events.SavedFreed(node, dropped))
        return
    for value in node.saved.values():
        if type(value) is SavedTensor:
            value.tensor = FREED
            node.freed = True
        elif type(value) is tuple and [part for part in value if type(part) is SavedTensor]:
            node.release()
            return


def evaluated(node: Node, grads: list[Any], here: ThreadLocalState, watch: Watch) -> list[Any]:
    """Evaluate a node's rules; return one gradient per edge, in the shape and dtype of its input."""
    edges = node.next_edges
    outs = on_arrays(node, grads, edges)
    if outs is None:
        here.in_rule = node.silent
        here.watch = None if node.silent else watch
        try:
            outs = node.run(tuple(grads), tuple([e is not None for e in edges]), False)
        finally:
            here.in_rule = False
            here.watch = watch
    if watch is not None and type(node) is not steps.GraphRoot:
        watch(events.NodeRan(node, tuple(outs), tuple([e is not None for e in edges])))
    for slot, edge in enumerate(edges):
        if edge is not None:
            out = outs[slot]
            if out is not None:
                shape, dtype = edge[0].outputs_info[edge[1]]
                if out.array.shape != shape or out.array.dtype is not dtype.numpy:
                    outs[slot] = steps.validated(node, slot, edge, out)
                    if watch is not None and out.array.shape != shape:
                        watch(events.ReducedToShape(node, slot, out, outs[slot]))
    return outs
