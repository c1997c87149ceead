"""A node's rules on bare arrays: what `Node.run` does, where nothing asks for tensors (ops/twins.py)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from engine.node import Node
from engine.ops.twins import twins
from engine.saved import SavedTensor
from engine.tensor import Tensor

ndarray = np.ndarray
FLOATS = (np.dtype(np.float32), np.dtype(np.float64))
NUMBERS = frozenset((int, float, bool))
_new = object.__new__


def on_arrays(node: Node, grads: Sequence[Any], asked: Sequence[Any]) -> list[Any] | None:
    """Return what a node's rules give, one gradient per edge; None where they need tensors.

    For arrays of one float dtype, on the CPU, unpacked and unchanged since they were saved.
    """
    op = node.op
    grad = grads[0] if grads else None
    if (
        op is None
        or type(grad) is not Tensor
        or not node.by_rules
        or grad.exotic is not None
        or grad.place is not None
    ):
        return None
    array = grad.array
    kind = array.dtype
    if kind not in FLOATS:
        return None
    saved = node.saved
    outs: list[Any] = [None] * len(asked)
    for slot, rule, reads in op.twins or twins(op):
        if not asked[slot]:
            if node.next_edges[slot] is not None:
                return None  # what is saved for it is looked at all the same: it may have changed
            continue
        if rule is None:
            return None
        read = [array]
        for name in reads:
            value = saved[name]
            if type(value) is SavedTensor:
                version, packed, value = value.version, value.unpack_hook, value.tensor
                if packed is not None:
                    return None
                if isinstance(value, Tensor):
                    counter = value.counter
                    if value.exotic is not None or value.array.dtype is not kind:
                        return None
                    if counter is not None and counter[0] != version:
                        return None  # the error is node.run's matter
                    value = value.array
                elif type(value) not in NUMBERS:
                    return None
            elif type(value) not in NUMBERS and not attribute(value):
                return None
            read.append(value)
        out = rule(*read)
        if out is array:
            outs[slot] = grad
        else:
            flows = outs[slot] = _new(Tensor)
            flows.array = out if type(out) is ndarray else np.asarray(out)
    return outs


def attribute(value: Any) -> bool:
    """Return whether a saved value means the same to a rule on arrays: sizes, words, nothing."""
    return (
        value is None or type(value) is str or type(value) is tuple and all([type(v) is int for v in value])
    )
