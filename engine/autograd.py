"""`backward()` and `grad()`: what PyTorch checks in Python before its engine starts, and what it returns."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from engine import backward as engine
from engine import batched, errors, events, local, places, straight, warned, workers
from engine.node import Edge, Node, gradient_edge
from engine.ops.table import F
from engine.tensor import Tensor, make_at


def begin_program(program: tuple[str, str] | None = None) -> None:
    """Forget what an earlier program left: modes, sequence numbers, warnings given.

    `program` is the file name and the text of the one that begins, so that its frames can be told from ours.
    """
    local.begin(program)
    warned.begin()


class GradientEdge(tuple):
    """A place in the graph where a gradient flows: `node` and `output_nr`."""

    __slots__ = ()

    def __new__(cls, node: Node, output_nr: int) -> GradientEdge:
        return super().__new__(cls, (node, output_nr))

    node = property(lambda self: self[0])
    output_nr = property(lambda self: self[1])

    def __repr__(self) -> str:
        return f"GradientEdge(node={self.node}, output_nr={self.output_nr}, ownership_token=None)"


def backward(
    tensors: Any,
    grad_tensors: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    grad_variables: Any = None,
    inputs: Any = None,
    api: str = "autograd.backward",
) -> None:
    """Run backward from `tensors` and add the gradients into the `.grad` of the leaves.

    `grad_tensors`: one gradient (same shape) per root, or None for roots of one element. Raises
    RuntimeError in PyTorch's words for roots without grad, shapes that do not fit, freed graphs.
    """
    if inputs is not None and not isinstance(inputs, (Tensor, GradientEdge)) and len(inputs) == 0:
        raise RuntimeError(errors.empty_inputs("backward"))
    roots = (tensors,) if isinstance(tensors, (Tensor, GradientEdge)) else tuple(tensors)
    targets = None if inputs is None else as_tuple(inputs)
    given = grad_list(grad_tensors, len(roots))
    grads = make_grads(roots, given)
    if retain_graph is None:
        retain_graph = create_graph
    if create_graph:
        warned.warn_once("create_graph", errors.CREATE_GRAPH, level=1)
    call = prepared(roots, grads, retain_graph, create_graph, api)
    call.implicit = all([g is None for g in given])
    if targets is not None:
        for target in targets:
            if isinstance(target, Tensor) and target.grad_fn is not None:
                target.retain_grad()
        call.targets = tuple(e for e in map(edge_of, targets) if e is not None)
        call.inputs = tuple(t for t in targets if isinstance(t, Tensor))
    execute(call)


def grad(
    outputs: Any,
    inputs: Any,
    grad_outputs: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    only_inputs: bool = True,
    allow_unused: bool | None = None,
    is_grads_batched: bool = False,
    materialize_grads: bool = False,
) -> Any:
    """Return the gradients of `outputs` with respect to `inputs`; `.grad` is not touched.

    A tuple aligned with `inputs` (a dict for a dict); None where an input was not reached, if
    `allow_unused`. Raises RuntimeError for inputs without grad or not in the graph.
    """
    if materialize_grads and allow_unused is False:
        raise ValueError(
            "Expected allow_unused to be True or not passed when materialize_grads=True, but got: "
            "allow_unused=False."
        )
    allow_unused = materialize_grads if allow_unused is None else allow_unused
    roots = (outputs,) if isinstance(outputs, (Tensor, GradientEdge)) else tuple(outputs)
    keys = list(inputs) if isinstance(inputs, dict) else None
    targets = tuple(inputs.values()) if keys is not None else as_tuple(inputs)
    if not targets:
        raise RuntimeError(errors.empty_inputs("grad"))
    given = grad_list(grad_outputs, len(roots))
    if is_grads_batched:
        return _batched(roots, targets, given, retain_graph, create_graph, allow_unused)
    grads = make_grads(roots, given)
    if retain_graph is None:
        retain_graph = create_graph
    call = prepared(roots, grads, retain_graph, create_graph, "autograd.grad")
    for target in targets:
        if isinstance(target, Tensor) and not target.requires_grad:
            raise refused(
                "autograd.grad", roots, grads, retain_graph, create_graph, errors.input_without_grad()
            )
    edges = [edge_of(t) for t in targets]
    call.implicit = all(g is None for g in given)
    call.accumulate, call.targets = False, tuple(edges)
    call.inputs = tuple(t for t in targets if isinstance(t, Tensor))
    execute(call)
    results = [call.captures.get(e) for e in edges]
    for i, found in enumerate(results):
        if found is None and not allow_unused:
            raise RuntimeError(errors.unused_input(i))
        if found is None and materialize_grads:
            zeros = make_at(np.zeros_like(targets[i].array, order="C"), None, targets[i].place)
            results[i] = zeros.requires_grad_(create_graph)
    return tuple(results) if keys is None else dict(zip(keys, results, strict=True))


def _batched(roots, targets, given, retain_graph, create_graph, allow_unused) -> tuple:
    """Run once per row of the batched gradients and stack the results (`is_grads_batched=True`)."""
    for i, (root, batch) in enumerate(zip(roots, given, strict=True)):
        if batch is not None and batch.array.shape[1:] != root.array.shape:
            raise RuntimeError(errors.batched_shape(i, batch.shape[2:], root.shape))
    rows = next(g.array.shape[0] for g in given if g is not None)
    edges = tuple(edge_of(t) for t in targets)
    calls = []
    for row in range(rows):
        grads = tuple(None if g is None else make_at(g.array[row], None, g.place) for g in given)
        call = prepared(roots, grads, retain_graph, create_graph, "autograd.grad")
        call.accumulate, call.targets, call.inputs = False, edges, targets
        calls.append(call)
    batched.execute(calls, create_graph if retain_graph is None else retain_graph)
    results = []
    for i, edge in enumerate(edges):
        found = [call.captures.get(edge) for call in calls]
        if found[0] is None and not allow_unused:
            raise RuntimeError(errors.unused_input(i))
        results.append(None if found[0] is None else F.stack(found, 0))
    return tuple(results)


def as_tuple(inputs: Any) -> tuple:
    """Return inputs as a tuple: a tensor, an edge, the values of a dict, or a sequence."""
    if isinstance(inputs, (Tensor, GradientEdge)):
        return (inputs,)
    return tuple(inputs.values()) if isinstance(inputs, dict) else tuple(inputs)


def grad_list(grads: Any, count: int) -> list[Any]:
    """Return one gradient (or None) per root."""
    if grads is None:
        return [None] * count
    return [grads] if isinstance(grads, Tensor) else list(grads)


def make_grads(roots: Sequence[Any], given: list[Any]) -> tuple:
    """Return the gradient each root starts from: what was given, checked, or ones for one element."""
    found = []
    for i, (root, value) in enumerate(zip(roots, given, strict=False)):
        if value is not None and not isinstance(value, Tensor):
            raise TypeError(errors.gradient_type(value))
        if isinstance(root, GradientEdge):
            info = root.node.outputs_info[root.output_nr]
            (shape, dtype), place = info, getattr(info, "place", None)
        else:
            shape, dtype, place = root.array.shape, root.dtype, root.place
        if value is None:
            found.append(_implicit(root, shape, dtype, place))
        elif value.array.shape != tuple(shape):
            raise RuntimeError(errors.gradient_shape(i, value.shape, root.shape))
        elif value.dtype.is_complex != dtype.is_complex:
            raise RuntimeError(errors.gradient_complex(i, value.dtype, dtype))
        else:
            found.append(value)
    return tuple(found)


def _implicit(root: Any, shape: tuple, dtype: Any, place: Any) -> Tensor | None:
    if isinstance(root, Tensor) and not root.requires_grad:
        return None
    if math.prod(shape) != 1:
        raise RuntimeError(errors.not_scalar())
    if not dtype.is_floating_point:
        raise RuntimeError(errors.not_float_root(dtype))
    ones = np.ones(shape, dtype.numpy) if shape else np.array(1, dtype.numpy)
    return make_at(ones, dtype if dtype.is_odd else None, place)


def edge_of(target: Any) -> Edge | None:
    """Return the edge of a tensor or GradientEdge."""
    if not isinstance(target, (Tensor, GradientEdge)):
        kind = type(target).__name__
        raise RuntimeError(f"all inputs have to be Tensors or GradientEdges, but got {kind}")
    return tuple(target) if isinstance(target, GradientEdge) else gradient_edge(target)


def prepared(roots, grads, retain_graph: bool, create_graph: bool, api: str) -> engine.Call:
    """Return the engine call for these roots, their gradients cast and reduced to the roots' own shape."""
    if len(grads) != len(roots):
        problem = errors.gradient_count(len(roots), len(grads))
        raise refused(api, roots, grads, retain_graph, create_graph, problem)
    edges = []
    for i, root in enumerate(roots):
        edge = edge_of(root)
        if edge is None:
            raise refused(api, roots, grads, retain_graph, create_graph, errors.no_grad_fn(i))
        edges.append(edge)
    start = edges[0][0]
    pairs = enumerate(zip(edges, grads, strict=True))
    fitted = tuple([None if g is None else engine.validated(start, i, e, g) for i, (e, g) in pairs])
    if local.state().placed:
        for i, edge in enumerate(edges):
            places.check_root(i, edge, fitted[i])
    tensors = tuple([r for r in roots if isinstance(r, Tensor)])
    return engine.Call(tuple(edges), fitted, bool(retain_graph), bool(create_graph), tensors=tensors, api=api)


def refused(api: str, roots, grads, retain_graph: bool, create_graph: bool, problem: str) -> RuntimeError:
    """State that the engine refused a call, and return the error to raise."""
    events.emit(
        events.BackwardRefused(api, tuple(roots), grads, bool(retain_graph), bool(create_graph), problem)
    )
    return RuntimeError(problem)


def execute(call: engine.Call) -> None:
    """Drive the engine to the end, handing each step to whoever watches."""
    watch = events.observer()
    call.watched = watch is not None
    call.spread = workers.spans(call.roots)
    here = local.state()
    before = here.worker, here.grad, here.in_rule
    token = engine.running.set(call)
    here.grad, here.in_rule = call.create_graph, False
    try:
        if straight.fits(call):
            straight.run(call, watch)
            return
        for step in engine.run(call):
            if watch is not None:
                watch(step)
    except Exception:
        if watch is not None:
            watch(events.BackwardFailed(call.api))
        raise
    finally:
        engine.running.reset(token)
        here.worker, here.grad, here.in_rule = before
