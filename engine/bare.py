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
_new = object.__new__


def on_arrays(node: Node, grads: Sequence[Any]) -> list[Any] | None:
    """Return what a node's rules give, one gradient per edge; None where they need tensors.

    For arrays of one float dtype, on the CPU, unpacked and unchanged since they were saved.
    """
    work = node.work
    if work is None or type(grads[0]) is not Tensor:
        return None
    steps = work.steps
    if steps is None:
        steps = work.steps = asked(node)
    grad = grads[0]
    array = grad.array
    kind = array.dtype
    if not steps or kind is not SINGLE and kind is not DOUBLE:
        return None
    if grad.exotic is not None or grad.place is not None:
        return None
    saved = node.saved
    outs: list[Any] = [None] * len(node.next_edges)
    single = None if array.ndim else array[()]
    for slot, rule, reads, on_scalars in steps:
        flat = on_scalars and single is not None
        given = single if flat else array
        read = [given]
        for name, known in reads:
            value = saved[name]
            if known:
                pass
            elif type(value) is SavedTensor:
                version, packed, value = value.version, value.unpack_hook, value.tensor
                if packed is not None:
                    return None
                if isinstance(value, Tensor):
                    counter = value.counter
                    if counter is not None and counter[0] != version or value.exotic is not None:
                        return None  # the error is node.run's matter
                    value = value.array
                    if value.dtype is not kind:
                        return None
                    if flat:
                        value = value[()]
                elif type(value) not in NUMBERS:
                    return None
                elif value and not flat and node.op.name in OPERATORS:
                    value = operand(value, kind)
            elif type(value) not in NUMBERS and not attribute(value):
                return None
            read.append(value)
        out = rule(*read)
        if out is given:
            outs[slot] = grad
        else:
            flows = outs[slot] = _new(Tensor)
            flows.array = out if type(out) is ndarray else np.asarray(out)
            flows.exotic = flows.place = None
    return outs


def asked(node: Node) -> tuple[tuple, ...]:
    """Return the rules on arrays of the edges that a node has; nothing if one of them has none.

    They are as `twins` returns them, but for what is read: with each name stands whether it is known to be
    a size, a stride or a number, which means the same to a rule on arrays.
    """
    found = []
    for slot, rule, reads, on_scalars in twins(node.op):
        if node.next_edges[slot] is not None:
            if rule is None:
                return ()
            found.append((slot, rule, tuple([(name, name.endswith(SIZES)) for name in reads]), on_scalars))
    return tuple(found)


SIZES = ("_sym_sizes", "_sym_strides", "_sym_numel")


def attribute(value: Any) -> bool:
    """Return whether a saved value means the same to a rule on arrays: sizes, words, nothing."""
    return (
        value is None or type(value) is str or type(value) is tuple and INTEGER.issuperset(map(type, value))
    )


INTEGER = frozenset((int,))
