"""The forward door: every operation comes through here. Checks, computes, wires edges, saves, states."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from engine import dtype as dtypes
from engine import errors, events, modes, places
from engine.dtype import DType, of_array
from engine.halves import has_half, rounded_once
from engine.local import ThreadLocalState, state
from engine.node import Node, VariadicNode, accumulator, gradient_edge, node_type
from engine.numeric.kinds import TITLE, generic, plain
from engine.ops.table import TABLE, Op
from engine.overlap import in_turn, overlaps
from engine.saved import SavedTensor
from engine.tensor import Tensor, info_of, make, writable
from engine.views import attach, check_inplace, check_overlap, moved, rebase, standing
from engine.work import work_of

np.seterr(all="ignore")  # 1/0 is inf and 0/0 is nan, silently, as in PyTorch
NUMBERS = frozenset((bool, int, float, complex))


def apply(op: Op, *args: Any) -> Any:
    """Run `op` on tensors (and plain values): compute, and record a node if a gradient may be asked.

    `args` follow `op.parameters`; missing ones take their defaults. Returns a Tensor, or a tuple of
    Tensors if the op has several outputs.
    """
    if len(args) != op.arity:
        args += op.left_out(len(args))
    if op.variadic:
        return _apply_list(op, *args)
    arrays = alike(op, args) if op.promote == "arith" else None
    exotic, forward = None, op.forward
    if arrays is None:
        try:
            arrays, exotic = operands(op, args)
        except ScalarMet:
            return apply(op, *map(without_scalars, args))
        if has_half(arrays):
            forward = rounded_once(op)
    try:
        out = forward(*arrays)
    except (ValueError, IndexError, TypeError) as error:
        raise explained(op, arrays, error) from None
    here = state()
    node = None
    if op.outputs == 1:
        output = _new(Tensor)
        output.array = out if type(out) is ndarray else np.asarray(out)
        outputs = (output,)
        if exotic is not None and output.array.dtype.kind == "f":
            output.exotic = exotic  # a view holds what fits already, and must stay a view
            output.array = output.array if op.view else exotic.hold(output.array)
        if op.view:
            attach(op, args[0], outputs)
        if here.placed:
            places.settle(op, args, outputs)
        if here.grad and op.rules:
            node = record(op, args, output, here)
    else:
        outputs = tuple([make(o) for o in out] if exotic is None else held(out, exotic, op.view))
        if op.view:
            attach(op, args[0], outputs)
        if here.placed:
            places.settle(op, args, outputs)
        if here.grad and op.rules:
            node = record_several(op, args, outputs)
    if here.placed and node is not None:
        places.note(node, outputs[0].place)
    if here.inference:
        for output in outputs:
            output.inference = True
    if here.watch is not None:
        here.watch(events.OpApplied((op, node, op.parameters, args, outputs, False)))
    return outputs[0] if op.outputs == 1 else outputs


def alike(op: Op, args: tuple) -> list[Any] | None:
    """Return the arrays of arithmetic that needs no promotion, the common case; None for any other."""
    first, second = args[0], args[1]
    if not isinstance(first, Tensor) or first.exotic is not None:
        return None
    array = first.array
    if isinstance(second, Tensor):
        other = second.array
        if other.dtype is not array.dtype or second.exotic is not None:
            return None
    elif type(second) in PLAIN and array.dtype in FLOATS:
        other = second
    else:
        return None
    if len(args) == 2:
        return [array, other]
    return [array, other, *args[2:]] if type(args[2]) in PLAIN and len(args) == 3 else None


FLOATS = frozenset((np.dtype(np.float32), np.dtype(np.float64)))


def held(parts: tuple, exotic: DType, view: bool) -> list[Tensor]:
    """Return several results in an odd dtype: those that hold numbers with fractions."""
    return [make(p if view else exotic.hold(p), exotic) if p.dtype.kind == "f" else make(p) for p in parts]


def operands(op: Op, args: tuple) -> tuple[list[Any], Any]:
    """Return the arrays that `forward` gets, promoted as the row asks, and the result's odd dtype."""
    arrays = [
        a.array if isinstance(a, Tensor) else a if type(a) in PLAIN_ARGUMENTS else checked(op, a, args)
        for a in args
    ]
    how = op.promote
    if how is None:
        first = args[0] if args else None
        return arrays, first.exotic if isinstance(first, Tensor) and op.name != "to" else None
    if how in ONE:
        if arrays[0].dtype.kind in "iub" and (how == "float" or type(args[1]) is float):
            arrays[0] = arrays[0].astype(dtypes.default_dtype().numpy)
        return arrays, args[0].exotic
    if how not in PROMOTED:
        first, second = arrays[0], arrays[1]
        if type(first) is ndarray and first.dtype.kind == "f":
            if type(second) in PLAIN:
                if args[0].exotic is None:
                    return arrays, None
            elif type(second) is ndarray and second.dtype is first.dtype:
                if args[0].exotic is args[1].exotic:
                    return arrays, args[0].exotic
    return arrays, _promote(how, args, arrays)


ndarray = np.ndarray
_new = object.__new__
PLAIN = frozenset((int, float, bool))
ONE = frozenset(("float", "pow"))
PLAIN_ARGUMENTS = frozenset((int, float, bool, complex, str, type(None), DType, np.ndarray))


class ScalarMet(Exception):
    """An argument is one of NumPy's scalars: begin again with the number that it is."""


def without_scalars(value: Any) -> Any:
    """Return an argument with Python's numbers in place of NumPy's."""
    if isinstance(value, generic):
        return plain(value)
    return type(value)(map(without_scalars, value)) if type(value) in (list, tuple) else value


def checked(op: Op, value: Any, args: tuple) -> Any:
    """Return a list of plain arguments; an object of a learner's own must never meet an array."""
    if isinstance(value, (tuple, list)):
        for part in value:
            if type(part) not in PLAIN_ARGUMENTS and not isinstance(part, Tensor):
                checked(op, part, args)
        return value
    if isinstance(value, generic):
        raise ScalarMet
    if isinstance(value, np.generic):
        return value
    place = next((i for i, each in enumerate(args) if each is value), None)
    which = "an argument" if place is None else f"argument '{op.parameters[place]}' (position {place + 1})"
    raise TypeError(f"{op.name}(): {which} must be Tensor, not {TITLE(type(value))}")


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
            arrays[i] = fitted(arrays[i], target.numpy)
    return target if target.is_odd else None


def fitted(number: Any, kind: np.dtype) -> Any:
    """Return a number as C stores it: what does not fit a small integer kind wraps around."""
    try:
        return kind.type(number)
    except OverflowError:
        return np.int64(number).astype(kind)


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


def record(op: Op, args: tuple, output: Tensor, here: ThreadLocalState) -> Node | None:
    """Make the node of an operation with one output if an input needs grad, and hang the output on it."""
    edges, mask = edges_of(op, args)
    if not mask:
        return None
    dtype = output.exotic or of_array(output.array)
    if dtype.category < dtypes.FLOAT:
        return None
    if op.scalar is not None and here.in_rule and type(args[1]) in NUMBERS:
        op, edges, mask = TABLE[op.scalar], edges[:1], mask & 1
    node = (op.node_type or node_type(op))(op, edges, ((output.array.shape, dtype),))
    output.node, output.requires = node, True
    work = node.work = op.works.get(mask) or work_of(op, mask)
    node.saved = work.save(args, (output,))
    return node


def record_several(op: Op, args: tuple, outputs: tuple[Tensor, ...]) -> Node | None:
    """Do the same for an operation with several outputs, of which some may be whole numbers."""
    edges, mask = edges_of(op, args)
    flowing = [o for o in outputs[: op.flows] if o.array.dtype.kind in "fc"]
    if not mask or not flowing:
        return None
    node = (op.node_type or node_type(op))(op, edges, tuple([(o.array.shape, o.dtype) for o in flowing]))
    for index, output in enumerate(flowing):
        output.node, output.output_nr, output.requires = node, index, True
    work = node.work = op.works.get(mask) or work_of(op, mask)
    node.saved = work.save(args, outputs)
    return node


def edges_of(op: Op, args: tuple) -> tuple[tuple, int]:
    """Return the edge of every differentiable input, and a bit mask of those that need grad."""
    edges: list[Any] = []
    mask, bit = 0, 1
    for position in op.positions:
        value = args[position]
        if not isinstance(value, Tensor):
            edges.append(None)
        elif value.base is None:
            if value.requires:
                mask |= bit
                node = value.node
                edges.append((accumulator(value), 0) if node is None else (node, value.output_nr))
            else:
                edges.append(None)
        elif value.requires or value.requires_grad:
            mask |= bit
            edges.append(gradient_edge(value))
        else:
            edges.append(None)
        bit <<= 1
    return tuple(edges), mask


def _apply_list(op: Op, tensors: tuple, *rest: Any) -> Any:
    """Run an op whose first argument is a list of tensors: one edge each."""
    tensors = tuple(tensors)
    for i, tensor in enumerate(tensors):
        if not isinstance(tensor, Tensor):
            raise TypeError(f"expected Tensor as element {i} in argument 0, but got {TITLE(type(tensor))}")
    target = dtypes.promote(rank(t) for t in tensors)
    try:
        joined = op.forward([target.hold(t.array) for t in tensors], *rest)
        out = make(joined, target if target.is_odd else None)
    except (ValueError, IndexError, TypeError) as error:
        raise explained(op, [t.array for t in tensors], error) from None
    if state().placed:
        places.settle(op, (tensors, *rest), (out,))
    node = None
    mask = tuple(needs_grad(t) for t in tensors)
    if any(mask) and modes.is_grad_enabled() and out.array.dtype.kind in "fc":
        edges = tuple(gradient_edge(t) if m else None for t, m in zip(tensors, mask, strict=True))
        node = (op.node_type or node_type(op, VariadicNode))(op, edges, (info_of(out),))
        node.save(op.plan(1), (tensors, *rest), (out,))
        out.node, out.requires = node, True
    watch = events.observer()
    if watch is not None:
        watch(events.OpApplied((op, node, op.parameters, (tensors, *rest), (out,), False)))
    return out


def apply_inplace(op: Op, tensor: Tensor, *args: Any) -> Tensor:
    """Run `op` and write its result into `tensor`, moving the tensor's history to the new node."""
    args = (tensor, *args)
    if len(args) < len(op.parameters):
        args += op.left_out(len(args))
    edges, mask = edges_of(op, args) if modes.is_grad_enabled() else ((), 0)
    recorded = bool(mask)
    check_inplace(tensor, recorded)
    were = standing(tensor)
    if op.promote is not None:
        check_overlap(tensor, args[1:])
    try:
        arrays, _ = operands(op, args)
    except ScalarMet:
        return apply_inplace(op, tensor, *map(without_scalars, args[1:]))
    try:
        whole = op.promote is None and op.name != "copy" or not overlaps(tensor, args[1:])
        forward = rounded_once(op) if has_half(arrays) else op.forward
        out = np.asarray(forward(*arrays)) if whole else in_turn(forward, arrays)
    except (ValueError, IndexError, TypeError) as error:
        raise explained(op, arrays, error) from None
    if out.shape != tensor.array.shape:
        raise RuntimeError(errors.output_shape(tensor.array.shape, out.shape))
    if state().placed:
        places.target(op, args, inplace=True)
    found = dtypes.from_numpy(out.dtype)
    if not dtypes.can_cast(found, tensor.dtype):
        raise RuntimeError(errors.result_type(found, tensor.dtype))
    node = None
    if recorded:
        node = (op.node_type or node_type(op))(op, edges, (info_of(tensor),))
        plan = op.plan(mask)
        saved = args
        if ("self", "argument", 0) in plan:
            saved = (_as_it_was(tensor), *args[1:])
        node.work = op.works.get(mask) or work_of(op, mask)
        early = tuple(step for step in plan if step[1] != "result")
        node.save(early, saved, ())
    tensor.write(tensor.dtype.hold(out), one_value(op, args))
    if node is not None:
        rebase(tensor, node)
        for name, _, index in (step for step in plan if step[1] == "result"):
            node.saved[name] = SavedTensor(tensor, index)
    watch = events.observer()
    if watch is not None:
        shown = node if tensor.node is node else tensor.grad_fn if node is not None else None
        watch(events.OpApplied((op, shown, op.parameters, args, (tensor,), True)))
        moved(were)
    return tensor


def one_value(op: Op, args: tuple) -> bool:
    """Return whether elements that share memory are written, and may be: all get one value."""
    if writable(args[0].array) or op.name not in FILLING:
        return False
    if op.name in ("fill", "zero"):
        return not isinstance(args[-1], Tensor) or op.name == "zero"
    warnings.warn(errors.filling_shared(op.name), UserWarning, stacklevel=3)
    return True


FILLING = frozenset(("fill", "zero", "masked_fill", "index_fill", "index_put"))


def reshape_inplace(op: Op, tensor: Tensor, *args: Any) -> Tensor:
    """Run a view op on the tensor itself (`squeeze_`, `t_`): same memory, new shape, one more version."""
    recorded = needs_grad(tensor) and modes.is_grad_enabled()
    check_inplace(tensor, recorded)
    were = standing(tensor)
    edge, before = gradient_edge(tensor) if recorded else None, tensor.aliased()
    events.changing()
    tensor.array = op.forward(tensor.array, *args)
    tensor.bump()
    node = None
    if recorded:
        node = (op.node_type or node_type(op))(op, (edge,), (info_of(tensor),))
        node.save(op.plan(1), (before, *args), ())
        rebase(tensor, node)
    watch = events.observer()
    if watch is not None:
        watch(events.OpApplied((op, node, op.parameters, (before, *args), (tensor,), True)))
        moved(were)
    return tensor


def _as_it_was(tensor: Tensor) -> Tensor:
    """Return the copy PyTorch saves of what is overwritten: a recorded `clone()`."""
    watch = events.look_away()
    copy = apply(TABLE["clone"], tensor)
    events.look_back(watch)
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
