"""The forward door: every operation comes through here. Checks, computes, wires edges, saves, states."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine import dtype as dtypes
from engine import errors, events, modes
from engine.node import Node, SavedTensor, VariadicNode, gradient_edge, node_class
from engine.ops.table import TABLE, Op
from engine.tensor import Tensor, make

np.seterr(all="ignore")  # 1/0 is inf and 0/0 is nan, silently, as in PyTorch
NUMBERS = (bool, int, float, complex)


def apply(op: Op, *args: Any) -> Any:
    """Run `op` on tensors (and plain values): compute, and record a node if a gradient may be asked.

    `args` follow `op.parameters`; missing ones take their defaults. Returns a Tensor, or a tuple of
    Tensors if the op has several outputs.
    """
    if len(args) < len(op.parameters):
        args += tuple(op.defaults[name] for name in op.parameters[len(args) :])
    if op.variadic:
        return _apply_list(op, *args)
    arrays, exotic = operands(op, args)
    try:
        out = op.forward(*arrays)
    except (ValueError, IndexError, TypeError) as error:
        raise explained(op, arrays, error) from None
    if op.outputs == 1:
        outputs = (make(out, exotic),)
    else:
        outputs = tuple(make(o) for o in out)
    if op.view:
        from engine.views import attach

        attach(op, args[0], outputs)
    node = record(op, args, outputs) if op.rules and modes.is_grad_enabled() else None
    if modes.is_inference_mode_enabled():
        for output in outputs:
            output.inference = True
    watch = events.observer()
    if watch is not None:
        watch(events.OpApplied(op, node, tuple(zip(op.parameters, args, strict=True)), outputs, False))
    return outputs[0] if op.outputs == 1 else outputs


def operands(op: Op, args: tuple) -> tuple[list[Any], Any]:
    """Return the arrays that `forward` gets, promoted as the row asks, and the result's odd dtype."""
    arrays = [a.array if isinstance(a, Tensor) else a for a in args]
    how = op.promote
    if how is None:
        first = args[0] if args else None
        return arrays, first.exotic if isinstance(first, Tensor) and op.view else None
    if how in ("float", "pow"):
        if arrays[0].dtype.kind in "iub" and (how == "float" or type(args[1]) is float):
            arrays[0] = arrays[0].astype(dtypes.default_dtype().numpy)
        return arrays, args[0].exotic
    first, second = arrays[0], arrays[1]
    if how not in PROMOTED and isinstance(first, np.ndarray) and first.dtype.kind == "f":
        plain = isinstance(second, np.ndarray) and second.dtype is first.dtype
        if (plain and args[0].exotic is args[1].exotic) or (type(second) in PLAIN and not args[0].exotic):
            return arrays, args[0].exotic
    return arrays, _promote(how, args, arrays)


PLAIN = (int, float, bool)
PROMOTED = {"where": (1, 2), "three": (0, 1, 2)}


def _promote(how: str, args: tuple, arrays: list[Any]) -> Any:
    """Cast the operands in place to the dtype PyTorch would compute in."""
    positions = PROMOTED.get(how, (0, 1))
    target = dtypes.promote([rank(args[i]) for i in positions if args[i] is not None])
    if how == "divide" and target.category < dtypes.FLOAT:
        target = dtypes.default_dtype()
    for i in positions:
        if isinstance(arrays[i], np.ndarray):
            arrays[i] = target.hold(arrays[i])
        elif arrays[i] is not None:
            arrays[i] = target.numpy.type(arrays[i])
    return target if target is dtypes.bfloat16 else None


def rank(value: Any) -> tuple[Any, int]:
    """Return an operand's dtype and how much it counts in promotion."""
    if not isinstance(value, Tensor):
        return dtypes.result_dtype_of_number(value), dtypes.NUMBER
    if value.wrapped:
        return dtypes.result_dtype_of_number(value.array.item()), dtypes.NUMBER
    return value.dtype, dtypes.VECTOR if value.array.ndim else dtypes.SCALAR


def needs_grad(value: Any) -> bool:
    """Return whether a gradient may be asked of an argument."""
    return isinstance(value, Tensor) and (value.requires or (value.base is not None and value.requires_grad))


def record(op: Op, args: tuple, outputs: tuple[Tensor, ...]) -> Node | None:
    """Make the node of an operation whose inputs need grad, and hang the outputs on it."""
    mask = tuple([needs_grad(args[i]) for i in op.positions])
    if True not in mask:
        return None
    if op.scalar is not None and modes.in_rule() and type(args[1]) in NUMBERS:
        op, mask = TABLE[op.scalar], mask[:1]
    flowing = [o for o in outputs[: op.flows] if o.array.dtype.kind in "fc"]
    if not flowing:
        return None
    edges = tuple([gradient_edge(args[i]) if m else None for i, m in zip(op.positions, mask, strict=True)])
    node = node_class(op.node)(op, edges, tuple([(o.array.shape, o.dtype) for o in flowing]))
    for index, output in enumerate(flowing):
        output.node, output.output_nr, output.requires = node, index, True
    node.save(op.plan(mask), args, outputs)
    return node


def _apply_list(op: Op, tensors: tuple, *rest: Any) -> Any:
    """Run an op whose first argument is a list of tensors: one edge each."""
    tensors = tuple(tensors)
    target = dtypes.promote(rank(t) for t in tensors)
    try:
        out = make(op.forward([target.hold(t.array) for t in tensors], *rest))
    except (ValueError, IndexError, TypeError) as error:
        raise explained(op, [t.array for t in tensors], error) from None
    node = None
    mask = tuple(needs_grad(t) for t in tensors)
    if any(mask) and modes.is_grad_enabled() and out.array.dtype.kind in "fc":
        edges = tuple(gradient_edge(t) if m else None for t, m in zip(tensors, mask, strict=True))
        node = node_class(op.node, VariadicNode)(op, edges, ((out.array.shape, out.dtype),))
        node.save(op.plan((True,)), (tensors, *rest), (out,))
        out.node, out.requires = node, True
    watch = events.observer()
    if watch is not None:
        args = tuple(zip(op.parameters, (tensors, *rest), strict=True))
        watch(events.OpApplied(op, node, args, (out,), False))
    return out


def apply_inplace(op: Op, tensor: Tensor, *args: Any) -> Tensor:
    """Run `op` and write its result into `tensor`, moving the tensor's history to the new node."""
    from engine.views import check_inplace, check_overlap, rebase

    args = (tensor, *args)
    if len(args) < len(op.parameters):
        args += tuple(op.defaults[name] for name in op.parameters[len(args) :])
    mask = tuple(needs_grad(args[i]) for i in op.positions)
    recorded = bool(op.rules) and any(mask) and modes.is_grad_enabled()
    check_inplace(tensor, recorded)
    if op.promote is not None:
        check_overlap(tensor, args[1:])
    arrays, _ = operands(op, args)
    try:
        out = np.asarray(op.forward(*arrays))
    except (ValueError, IndexError, TypeError) as error:
        raise explained(op, arrays, error) from None
    if out.shape != tensor.array.shape:
        raise RuntimeError(errors.output_shape(tensor.array.shape, out.shape))
    found = dtypes.from_numpy(out.dtype)
    if not dtypes.can_cast(found, tensor.dtype):
        raise RuntimeError(errors.result_type(found, tensor.dtype))
    node = None
    if recorded:
        edges = tuple(gradient_edge(args[i]) if m else None for i, m in zip(op.positions, mask, strict=True))
        node = node_class(op.node)(op, edges, ((tensor.array.shape, tensor.dtype),))
        plan = op.plan(mask)
        saved = args
        if ("self", "argument", 0) in plan:
            saved = (_as_it_was(tensor), *args[1:])
        early = tuple(step for step in plan if step[1] != "result")
        node.save(early, saved, ())
    tensor.write(tensor.dtype.hold(out))
    if node is not None:
        rebase(tensor, node)
        for name, _, index in (step for step in plan if step[1] == "result"):
            node.saved[name] = SavedTensor(tensor, index)
    watch = events.observer()
    if watch is not None:
        shown = node if tensor.node is node else tensor.grad_fn if node is not None else None
        watch(events.OpApplied(op, shown, tuple(zip(op.parameters, args, strict=True)), (tensor,), True))
    return tensor


def reshape_inplace(op: Op, tensor: Tensor, *args: Any) -> Tensor:
    """Run a view op that changes the tensor itself (`squeeze_`, `t_`): same memory, new shape, one more version."""
    from engine.views import check_inplace, rebase

    recorded = needs_grad(tensor) and modes.is_grad_enabled()
    check_inplace(tensor, recorded)
    edge, before = gradient_edge(tensor) if recorded else None, tensor.aliased()
    tensor.array = op.forward(tensor.array, *args)
    tensor.bump()
    node = None
    if recorded:
        node = node_class(op.node)(op, (edge,), ((tensor.array.shape, tensor.dtype),))
        node.save(op.plan((True,)), (before, *args), ())
        rebase(tensor, node)
    watch = events.observer()
    if watch is not None:
        watch(
            events.OpApplied(
                op, node, tuple(zip(op.parameters, (before, *args), strict=True)), (tensor,), True
            )
        )
    return tensor


def _as_it_was(tensor: Tensor) -> Tensor:
    """Return a copy that keeps the history a tensor had before it is overwritten."""
    copy = make(tensor.array.copy(), tensor.exotic)
    copy.node, copy.output_nr, copy.requires = tensor.grad_fn, tensor.output_nr, tensor.requires
    return copy


def explained(op: Op, arrays: list[Any], error: Exception) -> Exception:
    """Return the error PyTorch raises where NumPy raised another."""
    if getattr(error, "worded", False):
        return error
    shapes = [a.shape for a in arrays if isinstance(a, np.ndarray)]
    if op.promote is not None and len(shapes) > 1:
        for other in shapes[1:]:
            text = errors.broadcast(shapes[0], other)
            if text.startswith("The size"):
                return RuntimeError(text)
    return error
