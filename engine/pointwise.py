"""The two commonest calls written out: an operation on one, or on two, float tensors of one dtype.

They do what `apply` does, step for step, without asking what cannot be; whatever is not as simple as that
(views, promotion, odd dtypes, other devices, inference mode, inside a rule) goes to `apply`. Tests hold the
two together.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from engine.apply import apply, explained
from engine.dtype import float32, float64, operand
from engine.events import OpApplied
from engine.local import ThreadLocalState, state
from engine.node import Node, accumulator, node_type
from engine.ops.kinds import ON_SCALARS, OPERATORS
from engine.ops.table import Op
from engine.tensor import Tensor, plain
from engine.work import work_of

ndarray = np.ndarray
SINGLE, DOUBLE = float32.numpy, float64.numpy
PLAIN = frozenset((int, float, bool))


def two(op: Op) -> Callable[[Any, Any], Tensor]:
    """Return what runs an operation on a tensor and a tensor or number; the rest is left at its default."""
    forward, rest, several = op.forward, op.left_out(2), len(op.inputs) == 2
    on_scalars, by_operator = op.name in ON_SCALARS, op.name in OPERATORS

    def call(a: Any, b: Any) -> Tensor:
        if not isinstance(a, Tensor):
            return apply(op, a, b)
        array = a.array
        kind = array.dtype
        if kind is not SINGLE and kind is not DOUBLE:
            return apply(op, a, b)
        if a.exotic is not None or a.base is not None or a.place is not None:
            return apply(op, a, b)
        mask = 1 if a.requires else 0
        if isinstance(b, Tensor):
            other = b.array
            if other.dtype is not kind or b.exotic is not None or b.base is not None or b.place is not None:
                return apply(op, a, b)
            if b.requires:
                mask |= 2
            if on_scalars and not array.ndim and not other.ndim:
                array, other = array[()], other[()]
        elif type(b) in PLAIN:
            other = b
            if on_scalars and not array.ndim:
                array = array[()]
            elif by_operator and b:
                other = operand(b, kind)
        else:
            return apply(op, a, b)
        here = state()
        if here.in_rule or here.inference or here.placed:
            return apply(op, a, b)
        try:
            out = forward(array, other)
        except (ValueError, IndexError, TypeError) as error:
            raise explained(op, [array, other], error) from None
        output = plain(out if type(out) is ndarray else np.asarray(out))
        node = None
        if mask and here.grad:
            edges = (edge(a) if mask & 1 else None, edge(b) if mask & 2 else None)
            edges = edges if several else edges[:1]
            node = made(op, edges, mask, output, a.node, (a, b, *rest), here)
        if here.watch is not None:
            here.watch(OpApplied((op, node, op.parameters, (a, b, *rest), (output,), False)))
        return output

    return call


# Note: speed
def one(op: Op) -> Callable[[Tensor], Tensor]:
    """Return what runs an operation on one tensor; whatever else it takes is left at its default."""
    forward, rest, on_scalars = op.forward, op.left_out(1), op.name in ON_SCALARS

    def call(a: Tensor) -> Tensor:
        array = a.array
        kind = array.dtype
        if kind is not SINGLE and kind is not DOUBLE:
            return apply(op, a)
        if a.exotic is not None or a.base is not None or a.place is not None:
            return apply(op, a)
        here = state()
        if here.in_rule or here.inference or here.placed:
            return apply(op, a)
        if on_scalars and not array.ndim:
            array = array[()]
        try:
            out = forward(array)
        except (ValueError, IndexError, TypeError) as error:
            raise explained(op, [array], error) from None
        output = plain(out if type(out) is ndarray else np.asarray(out))
        node = None
        if a.requires and here.grad:
            node = made(op, (edge(a),), 1, output, a.node, (a, *rest), here)
        if here.watch is not None:
            here.watch(OpApplied((op, node, op.parameters, (a, *rest), (output,), False)))
        return output

    return call


def edge(tensor: Tensor) -> tuple[Node, int]:
    """Return where the gradient of a tensor that requires grad, and is no view, goes."""
    node = tensor.node
    return (accumulator(tensor), 0) if node is None else (node, tensor.output_nr)


def made(
    op: Op, edges: tuple, mask: int, output: Tensor, before: Node | None, args: tuple, here: ThreadLocalState
) -> Node:
    """Return the node of an operation, hung on its output. A shape that stays is not written down again."""
    shape = output.array.shape
    if before is not None and before.outputs_info[0][0] == shape and len(before.outputs_info) == 1:
        info = before.outputs_info
    else:
        info = ((shape, float32 if output.array.dtype is SINGLE else float64),)
    node = (op.node_type or node_type(op))(op, edges, info, here)
    output.node = node
    output.requires = True
    work = node.work = op.works.get(mask) or work_of(op, mask)
    if work.fixed is not None:
        node.held = work.fixed
    elif work.pack is not None and here.saved_hooks is None:
        node.held = work.pack(args, (output,))
    else:
        node.held = work.save(args, (output,))
    return node


def takes_two(op: Op) -> bool:
    """Return whether `two` may stand for `apply`: both operands are inputs, one output of their dtype."""
    return (
        op.promote in ("arith", "divide")
        and op.positions == (0, 1)
        and op.outputs == 1
        and not op.view
        and len(op.defaults) == op.arity - 2
        and ".inplace" not in op.overload
    )


def takes_number(op: Op) -> bool:
    """Return whether `two` may stand for `apply` where the second operand is a number."""
    return op.promote == "pow" and op.positions == (0,) and op.outputs == 1 and op.arity == 2


def takes_one(op: Op) -> bool:
    """Return whether `one` may stand for `apply`: one tensor in, one out, of the same float dtype."""
    return (
        op.promote in (None, "float")
        and op.positions == (0,)
        and op.outputs == 1
        and not (op.view or op.variadic)
        and len(op.defaults) == op.arity - 1
    )
