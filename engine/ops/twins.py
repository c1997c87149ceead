"""Rules on bare arrays: the very code of a rule, run on the arrays instead of on tensors.

A rule that consists of operators and calls of rows (`grad * other`, `F.tanh_backward(grad, result)`) means
the same on arrays of one dtype, and costs a fraction there. Nothing is written twice: the twin is the
rule's own code object with another `F`. Rules that ask more of their arguments have no twin.
"""

from __future__ import annotations

import dis
import functools
from collections.abc import Callable
from types import FunctionType
from typing import Any

import numpy as np

from engine.ops.table import TABLE, Op
from engine.tensor import make

Twin = tuple[int, Callable | None, tuple[str, ...]]
STEPS = frozenset(
    "RESUME PRECALL CALL PUSH_NULL RETURN_VALUE RETURN_CONST BINARY_OP UNARY_NEGATIVE UNARY_INVERT UNARY_NOT "
    "COMPARE_OP TO_BOOL COPY SWAP POP_TOP KW_NAMES NOP BINARY_SUBSCR".split()
)
KINDS = ("LOAD_", "CALL", "POP_JUMP_", "JUMP_")


class Rows:
    """What `F` is for a twin: the rows of the table, from arrays to arrays."""

    def __getattr__(self, name: str) -> Callable:
        row = TABLE[name.replace("__", ".")]
        call = row.forward if plain(row) else through_tensors(row)
        setattr(self, name, call)
        return call


ROWS = Rows()


def plain(row: Op) -> bool:
    """Return whether applying a row is nothing but its forward, whatever arrays it is given."""
    return row.promote is None and row.outputs == 1 and not row.variadic


def through_tensors(row: Op) -> Callable:
    """Return a row as a function of arrays; promotion is left to `apply`."""
    from engine.apply import apply

    def call(*args: Any) -> Any:
        given = [make(a) if isinstance(a, (np.ndarray, np.generic)) else a for a in args]
        out = apply(row, *given)
        return tuple([o.array for o in out]) if isinstance(out, tuple) else out.array

    return call


@functools.cache
def twin(rule: Callable) -> Callable | None:
    """Return the rule on arrays, or None if its code does more than operators and calls of rows.

    What it calls by name must be functions of the operations that have twins themselves.
    """
    if not isinstance(rule, FunctionType) or rule.__closure__:
        return None
    world: dict[str, Any] = {"F": ROWS, "max": max, "min": min, "len": len}
    before = None
    for step in dis.get_instructions(rule):
        if step.opname == "LOAD_GLOBAL" and step.argval not in world:
            value = rule.__globals__.get(step.argval)
            known = value if type(value) in (int, float) else twin(value)
            if known is None:
                return None
            world[step.argval] = known
        if step.opname in ("LOAD_ATTR", "LOAD_METHOD") and before != "F":
            return None
        if step.opname not in STEPS and not step.opname.startswith(KINDS):
            return None
        if step.opname == "BINARY_OP" and step.argrepr.startswith("**"):
            return None
        before = step.argval if step.opname == "LOAD_GLOBAL" else None
    return FunctionType(rule.__code__, world, rule.__name__, rule.__defaults__)


def twins(op: Op) -> tuple[Twin, ...]:
    """Return (slot, rule on arrays, what it reads besides grad) in the order in which they are evaluated.

    The rule is None where it has no twin or asks for `grads` or `needs`.
    """
    if op.twins is None:
        found = []
        for slot, rule, reads in op.calls:
            simple = reads[:1] == ("grad",) and not {"grads", "needs"} & set(reads)
            found.append((slot, twin(rule) if simple else None, reads[1:]))
        op.twins = tuple(found)
    return op.twins
