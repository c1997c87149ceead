"""The two commonest calls written out: an operation on one, or on two, float tensors of one dtype.

They do what `apply` does, step for step, without asking what cannot be; whatever is not as simple as that
(views, promotion, odd dtypes, other devices, inference mode, inside a rule) goes to `apply`. Tests hold the
two together.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from engine import anomaly
from engine.apply import apply, explained
from engine.dtype import float32, float64
from engine.events import OpApplied
from engine.local import ThreadLocalState, state
from engine.node import Node, accumulator, node_type, saver
from engine.ops.table import Op
from engine.tensor import Tensor

ndarray = np.ndarray
FLOATS = (float32.numpy, float64.numpy)
PLAIN = frozenset((int, float, bool))
_new = object.__new__


def two(op: Op, a: Any, b: Any) -> Tensor:
    """Run an operation on a tensor and a tensor or number; whatever else it takes is left at its default."""
    if not isinstance(a, Tensor):
        return apply(op, a, b)
    array = a.array
    dtype = array.dtype
    if dtype not in FLOATS or a.exotic is not None or a.base is not None or a.place is not None:
        return apply(op, a, b)
    mask = 1 if a.requires else 0
    if isinstance(b, Tensor):
        other = b.array
        if other.dtype is not dtype or b.exotic is not None or b.base is not None or b.place is not None:
            return apply(op, a, b)
        if b.requires:
            mask |= 2
    elif type(b) in PLAIN:
        other = b
    else:
        return apply(op, a, b)
    here = state()
    if here.in_rule or here.inference or here.placed:
        return apply(op, a, b)
    try:
        out = op.forward(array, other)
    except (ValueError, IndexError, TypeError) as error:
        raise explained(op, [array, other], error) from None
    output = _new(Tensor)
    output.array = out if type(out) is ndarray else np.asarray(out)
    args = (a, b) if op.arity == 2 else (a, b, *op.left_out(2))
    node = None
    if mask and here.grad:
        edges = (edge(a) if mask & 1 else None, edge(b) if mask & 2 else None)
        node = made(op, edges if len(op.inputs) == 2 else edges[:1], mask, output, a.node, args, here)
    if here.watch is not None:
        here.watch(OpApplied((op, node, op.parameters, args, (output,), False)))
    return output


def one(op: Op, a: Tensor) -> Tensor:
    """Run an operation on one tensor; whatever else it takes is left at its default."""
    array = a.array
    if array.dtype not in FLOATS or a.exotic is not None or a.base is not None or a.place is not None:
        return apply(op, a)
    here = state()
    if here.in_rule or here.inference or here.placed:
        return apply(op, a)
    try:
        out = op.forward(array)
    except (ValueError, IndexError, TypeError) as error:
        raise explained(op, [array], error) from None
    output = _new(Tensor)
    output.array = out if type(out) is ndarray else np.asarray(out)
    args = (a,) if op.arity == 1 else (a, *op.left_out(1))
    node = None
    if a.requires and here.grad:
        node = made(op, (edge(a),), 1, output, a.node, args, here)
    if here.watch is not None:
        here.watch(OpApplied((op, node, op.parameters, args, (output,), False)))
    return output


def edge(tensor: Tensor) -> tuple[Node, int]:
    """Return where the gradient of a tensor that requires grad, and is no view, goes."""
    node = tensor.node
    return (accumulator(tensor), 0) if node is None else (node, tensor.output_nr)


def made(
    op: Op, edges: tuple, mask: int, output: Tensor, before: Node | None, args: tuple, here: ThreadLocalState
) -> Node:
    """Return the node of an operation, hung on its output. A shape that stays is not written down again."""
    node = _new(op.node_type or node_type(op))
    node.op = op
    node.next_edges = edges
    shape = output.array.shape
    if before is not None and before.outputs_info[0][0] == shape and len(before.outputs_info) == 1:
        node.outputs_info = before.outputs_info
    else:
        node.outputs_info = ((shape, float32 if output.array.dtype is FLOATS[0] else float64),)
    node.seq = here.seq
    here.seq += 1
    if here.anomaly:
        node.stack = anomaly.stack_now()
    output.node = node
    output.requires = True
    node.saved = (op.savers.get(mask) or saver(op, mask))(args, (output,))
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
