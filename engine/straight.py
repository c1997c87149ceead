"""The backward pass in one loop: the steps of backward.py for the common call, whether watched or not.

For calls that restrict nothing, record nothing and stay on one device. Same nodes, same order, same numbers,
same facts (stretch.py); tests hold the two together. Rules run on bare arrays where they can (bare.py), and
what runs for every node is written out in place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from engine import backward as steps
from engine import events
from engine.accumulate import accumulated
from engine.bare import on_arrays
from engine.local import ThreadLocalState, state
from engine.node import AccumulateGrad, Node
from engine.ready_queue import ReadyQueue
from engine.saved import FREED, GONE, SavedTensor
from engine.sparse import SparseTensor
from engine.stretch import TOLD, Teller
from engine.work import emptied, is_kept

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
    if watch is None:
        go(call, start, buffers, missing, None)
        return
    teller = Teller(watch, steps.began(call, missing, None), start, buffers)
    if start is call.roots[0][0]:
        watch(events.NodeReady(start, (start,)))
    try:
        go(call, start, buffers, missing, teller)
    finally:
        teller.tell()
    watch(events.BackwardEnded(call.api))


def go(call: steps.Call, start: Node, buffers: dict, missing: dict[Node, int], teller: Teller | None) -> None:
    """Run node after node, from the start to the leaves."""
    queue = ReadyQueue()
    queue.push(start)
    here, held, pop, push = state(), call.held, queue.pop, queue.push
    saved = raw = sums = None
    heap = queue.heap
    while heap:
        node = heap.pop() if len(heap) == 1 else pop()
        grads = buffers.pop(node)
        if held:
            steps.let_go(call, grads)
        if node.hooked or type(node) is AccumulateGrad:
            if writes_only(node, grads[0]):
                write_grad(node, grads[0], call, teller)
                continue
            if teller is not None:
                teller.entered(node, grads, queue)
                saved, raw = TOLD, None
            outs = told(steps.visit(node, tuple(grads), call), None if teller is None else teller.watch)
        else:
            outs, saved, raw = evaluated(node, grads, call, here, teller, queue)
        if len(outs) > 1 and (outs[0] is outs[1] or len(outs) > 2):
            steps.note_shared(call, node, outs)
        for edge, grad in zip(node.next_edges, outs):
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
                steps.add(buffer, input_nr, grad, call)
                if teller is not None:
                    sums = [*(sums or ()), buffer[input_nr]]
            if not left:
                push(target) if heap else heap.append(target)
        if teller is not None:
            teller.note((node, outs, sums, saved, raw))
            sums = None


def told(facts: Iterator[Any], watch: Watch) -> list[Any]:
    """Run a generator of facts, tell them, and return what it returns."""
    while True:
        try:
            fact = next(facts)
        except StopIteration as end:
            return end.value
        if watch is not None:
            watch(fact)


def writes_only(node: Node, grad: Any) -> bool:
    """Return whether a node does nothing but add to the `.grad` of a leaf, and that of a dense one."""
    if type(node) is not AccumulateGrad or node.hooked:
        return False
    leaf = node.variable
    return not (leaf.hooks or leaf.post_hooks) and leaf.node is None and type(grad) is not SparseTensor


def write_grad(node: AccumulateGrad, grad: Any, call: steps.Call, teller: Teller | None) -> None:
    """Add what arrived at a leaf to its `.grad`."""
    leaf = node.variable
    before, how = leaf.grad_tensor, "nothing"
    kept = None
    if teller is not None and before is not None:
        teller.tell()  # what was noted may mean the memory that is written now
        kept = before.array.copy()
    if grad is not None and leaf.requires:
        alone = id(grad) not in call.held and all([grad is not given for given in call.grads])
        leaf.grad_tensor, how = accumulated(leaf, before, grad, False, alone)
    if teller is not None:
        arrays = [None if each is None else each.array for each in (grad, leaf.grad_tensor)]
        teller.note((node, (), None, None, (kept, *arrays, how)))


def freed(node: Node) -> dict[str, Any] | tuple | None:
    """Drop what a node had saved and return what it was, for who watches; None if there was nothing."""
    saved, left = node.held, None
    if type(saved) is tuple:
        if node.freed:
            return None
        node.held, node.freed = node.work.emptied(saved), True
        return saved
    for name, value in saved.items():
        kind = type(value)
        if kind is SavedTensor or (kind is tuple and is_kept(value)):
            left = left or saved.copy()
            left[name] = GONE if kind is SavedTensor else emptied(value)
    if left is None:
        return None
    node.saved, node.freed = left, True
    return saved


def free(node: Node) -> None:
    """Drop what a node had saved. Nobody watches, so nothing has to stay as it was."""
    if node.work is None:
        node.release()
        return
    if type(node.held) is tuple:
        node.held, node.freed = node.work.emptied(node.held), True
        return
    for name in node.work.kept:
        value = node.held[name]
        if type(value) is SavedTensor:
            value.tensor = FREED
            node.freed = True
        elif type(value) is tuple:
            node.release()
            return


def evaluated(
    node: Node, grads: list[Any], call: steps.Call, here: ThreadLocalState, teller: Teller | None, queue: Any
) -> tuple[list[Any], Any, Any]:
    """Evaluate a node's rules; return one gradient per edge, in the shape and dtype of its input.

    Also what it had saved, and what its rules gave if that is something else, as a step wants them.
    """
    raw = None
    try:
        outs, fit = on_arrays(node, grads)
    except Exception:
        if teller is not None:
            teller.entered(node, grads, queue)
        raise
    if outs is None:
        return ruled(node, grads, call, here, teller, queue)
    if not fit:
        raw = list(outs)
        for slot, edge in enumerate(node.next_edges):
            if edge is not None and outs[slot] is not None:
                outs[slot] = steps.validated(node, slot, edge, outs[slot])
    if call.keep_graph:
        return outs, None, raw
    if teller is None:
        return outs, free(node), None
    return outs, freed(node), raw


def ruled(
    node: Node, grads: list[Any], call: steps.Call, here: ThreadLocalState, teller: Teller | None, queue: Any
) -> tuple[list[Any], Any, Any]:
    """Do the same on tensors, and tell it as it happens: a learner's own backward may run inside."""
    tells = teller is not None and type(node) is not steps.GraphRoot
    edges, watch = node.next_edges, here.watch
    if tells:
        teller.entered(node, grads, queue)
    here.in_rule = node.silent
    here.watch = None if node.silent else watch
    try:
        outs = node.run(tuple(grads), tuple([e is not None for e in edges]), False)
    finally:
        here.in_rule = False
        here.watch = watch
    if tells:
        watch(events.NodeRan(node, tuple(outs), tuple([e is not None for e in edges])))
    for slot, edge in enumerate(edges):
        if edge is not None and (out := outs[slot]) is not None:
            shape, dtype = edge[0].outputs_info[edge[1]]
            if out.array.shape != shape or out.array.dtype is not dtype.numpy:
                outs[slot] = steps.validated(node, slot, edge, out)
                if tells and out.array.shape != shape:
                    watch(events.ReducedToShape(node, slot, out, outs[slot]))
    if not call.keep_graph:
        if teller is None and node.by_rules:
            free(node)
        elif (dropped := node.release()) and tells:
            watch(events.SavedFreed(node, dropped))
    return outs, TOLD, None
