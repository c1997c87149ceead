"""A node's rules on bare arrays: what `Node.run` does, where nothing asks for tensors (ops/twins.py)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from engine.dtype import operand
from engine.node import Node
from engine.ops.kinds import OPERATORS
from engine.ops.twins import twins
from engine.saved import SavedTensor
from engine.tensor import Tensor

ndarray = np.ndarray
SINGLE, DOUBLE = np.dtype(np.float32), np.dtype(np.float64)
NUMBERS = frozenset((int, float, bool))
UNFIT: Any = (None, False)
_new = object.__new__


def on_arrays(node: Node, grads: Sequence[Any]) -> tuple[list[Any] | None, bool]:
    """Return what a node's rules give, one gradient per edge, or None where they need tensors.

    Also whether each has the shape and dtype of the input that it flows to.
    For arrays of one float dtype, on the CPU, unpacked and unchanged since they were saved.
    """
    work = node.work
    if work is None or type(grads[0]) is not Tensor:
        return UNFIT
    saved = node.held
    steps = work.places if type(saved) is tuple else work.steps
    if steps is None:
        steps = first_steps(node, saved)
    grad = grads[0]
    array = grad.array
    kind = array.dtype
    if not steps or kind is not SINGLE and kind is not DOUBLE or not (grad.exotic is grad.place is None):
        return UNFIT
    edges, fit = node.next_edges, True
    outs: list[Any] = [None] * len(edges)
    single = None if array.ndim else array[()]
    for slot, rule, reads, on_scalars in steps:
        flat = on_scalars and single is not None
        given = single if flat else array
        read = [given]
        for where, known, factor in reads:
            value = saved[where]
            if not known:
                version = 0
                if type(value) is SavedTensor:
                    if value.unpack_hook is not None:
                        return UNFIT
                    version, value = value.version, value.tensor
                if isinstance(value, Tensor):
                    counter = value.counter
                    if counter is not None and counter[0] != version or value.exotic is not None:
                        return UNFIT  # the error is node.run's matter
                    value = value.array
                    if value.dtype is not kind:
                        return UNFIT
                    if flat:
                        value = value[()]
                elif type(value) in NUMBERS:
                    if factor and value and not flat:
                        value = operand(value, kind)
                elif not attribute(value):
                    return UNFIT
            read.append(value)
        out = rule(*read)
        if out is given:
            outs[slot], out = grad, array
        else:
            flows = outs[slot] = _new(Tensor)
            flows.array = out = out if type(out) is ndarray else np.asarray(out)
            flows.exotic = flows.place = None
        target, input_nr = edges[slot]
        shape, dtype = target.outputs_info[input_nr]
        if out.shape != shape or out.dtype is not dtype.numpy:
            fit = False
    return outs, fit


def first_steps(node: Node, saved: Any) -> tuple[tuple, ...]:
    """Find the steps of a node's work, and keep them for all nodes that share it."""
    work = node.work
    if type(saved) is tuple:
        work.places = placed(asked(node), work.names)
        return work.places
    work.steps = asked(node)
    return work.steps


def asked(node: Node) -> tuple[tuple, ...]:
    """Return the rules on arrays of the edges that a node has; nothing if one of them has none.

    They are as `twins` returns them, but for what is read: with each name stands whether it is known to be
    a size, a stride or a number, which means the same to a rule on arrays, and whether it is an operand of
    one of Python's operators.
    """
    found = []
    factors = node.op.inputs if node.op.name in OPERATORS else ()
    for slot, rule, reads, on_scalars in twins(node.op):
        if node.next_edges[slot] is not None:
            if rule is None:
                return ()
            marked = [(name, name.endswith(SIZES), name in factors) for name in reads]
            found.append((slot, rule, tuple(marked), on_scalars))
    return tuple(found)


def placed(steps: tuple[tuple, ...], names: tuple[str, ...]) -> tuple[tuple, ...]:
    """Return the same rules with places in a tuple (work.py) in place of the names of what they read."""
    return tuple(
        [
            (slot, rule, tuple([(names.index(name), *rest) for name, *rest in reads]), on_scalars)
            for slot, rule, reads, on_scalars in steps
        ]
    )


SIZES = ("_sym_sizes", "_sym_strides", "_sym_numel")


def attribute(value: Any) -> bool:
    """Return whether a saved value means the same to a rule on arrays: sizes, words, nothing."""
    return (
        value is None or type(value) is str or type(value) is tuple and INTEGER.issuperset(map(type, value))
    )


INTEGER = frozenset((int,))
