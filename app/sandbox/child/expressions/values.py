"""The numbers that free names start with: distinct, neither 0 nor 1, away from kinks, poles and plateaus.

Candidates are tried by computing the formula with them; a formula is never run to find its numbers.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from app.sandbox.child.expressions.functions import CONSTANTS, FUNCTIONS
from app.sandbox.child.expressions.reading import Formula

PLAIN = (2.0, 3.0, 0.5, 1.5, -2.0, 2.5, -0.5, 4.0, -1.5, 3.5, 0.8, -2.5)
CALM = (0.5, -0.8, 1.2, 0.3, -0.4, 0.7, -1.5, 0.9, -0.6, 1.1, 0.2, -1.3)
POSITIVE = (2.0, 3.0, 0.5, 1.5, 4.0, 2.5, 0.8, 5.0, 3.5, 0.7, 4.5, 1.2)
SMALL = (0.5, 0.8, 0.3, 0.7, 0.2, 0.6, 0.4, 0.9, 0.15, 0.45, 0.65, 0.35)
FALLING = (5.0, 0.5, 3.5, 0.8, 2.5, 0.3, 1.5, 0.7, 4.5, 0.4, 2.0, 0.6)
LADDER = (2.5, 3.5, 1.5, 4.5, 5.5, 0.7, 6.5, 7.5, 3.0, 0.8, 4.0, 2.0)
CLOSE = 1e-3  # to a kink: a finite difference must not step over it
FLAT, STEEP = 1e-6, 1e6
COLUMN = 0.03  # how much the second round of candidates differs from the first


@dataclass(slots=True)
class Computed:
    """A formula's value with some numbers: what kept it from one, and how near it came to a kink."""

    value: Any = None
    fault: ast.expr | None = None  # whose shapes cannot be
    shapes: list[tuple[int, ...]] = field(default_factory=list)
    kink: bool = False

    @property
    def is_good(self) -> bool:
        """Return whether the value is a number to start from."""
        if self.value is None or self.kink or not np.all(np.isfinite(self.value)):
            return False
        return bool(np.all(np.abs(self.value) < STEEP) and np.any(np.abs(self.value) > FLAT))


class _Misfit(Exception):
    """Two shapes that cannot be put together."""


def compute(formula: Formula, leaves: Mapping[str, Any]) -> Computed:
    """Return a formula's value in double precision. Never raises."""
    found = Computed()
    names = {name: np.asarray(value, float) for name, value in leaves.items()}
    names |= {name: np.float64(value) for name, (_, value) in CONSTANTS.items() if name not in names}
    with np.errstate(all="ignore"):
        try:
            for line in formula.lines:
                found.value = _value(line.tree, names, found)
                if line.target:
                    names[line.target] = found.value
        except _Misfit:
            found.value = None
    return found


def _value(node: ast.expr, names: Mapping[str, Any], found: Computed) -> Any:
    match node:
        case ast.Constant(value=value):
            return np.float64(value)
        case ast.Name(id=name):
            return names[name]
        case ast.UnaryOp(op=op, operand=operand):
            value = _value(operand, names, found)
            return -value if isinstance(op, ast.USub) else value
        case ast.BinOp(left=left, op=op, right=right):
            both = [_value(left, names, found), _value(right, names, found)]
            return _tried(BINARY[type(op)], both, node, found)
        case ast.Attribute(value=inner):
            return np.transpose(_value(inner, names, found))
        case ast.Subscript(value=inner, slice=index):
            at = ast.literal_eval(index)
            return _tried(lambda value: np.asarray(value)[at], [_value(inner, names, found)], node, found)
        case ast.Call(func=ast.Name(id=name), args=args):
            values = [_value(arg, names, found) for arg in args]
            found.kink |= _is_at_kink(name, values)
            function = FUNCTIONS[name].compute
            if name in ("max", "min") and len(values) == 1:
                function = getattr(np, name)
            return _tried(function, values, node, found)
    raise _Misfit


BINARY = {
    ast.Add: np.add,
    ast.Sub: np.subtract,
    ast.Mult: np.multiply,
    ast.Div: np.divide,
    ast.Pow: np.power,
    ast.MatMult: np.matmul,
}


def _tried(function: Any, values: list[Any], node: ast.expr, found: Computed) -> Any:
    try:
        return function(*values)
    except (ValueError, IndexError, TypeError, np.linalg.LinAlgError):
        found.fault, found.shapes = node, [np.shape(value) for value in values]
        raise _Misfit from None


def _is_at_kink(name: str, values: list[Any]) -> bool:
    if name in ("max", "min"):
        try:
            together = values[0] - values[1] if len(values) == 2 else np.diff(np.sort(np.ravel(values[0])))
        except ValueError:
            return False
        return bool(np.any(np.abs(together) < CLOSE))
    return FUNCTIONS[name].kink and bool(np.any(np.abs(values[0]) < CLOSE))


# ----- choosing -----
def chosen(
    formula: Formula, shapes: Mapping[str, tuple[int, ...]], fixed: Mapping[str, Any]
) -> dict[str, Any]:
    """Return a value for every free name: the fixed ones, and for the others the first that are good."""
    best = None
    for numbers in _candidates(formula):
        tried = _filled(formula, shapes, fixed, numbers)
        computed = compute(formula, tried)
        if computed.is_good and not _is_dead(formula, tried):
            return tried
        best = best or tried
    return best or {}


def _candidates(formula: Formula) -> list[tuple[float, ...]]:
    calls = [
        FUNCTIONS[node.func.id]
        for line in formula.lines
        for node in ast.walk(line.tree)
        if isinstance(node, ast.Call)
    ]
    calm, positive = any(f.calm for f in calls), any(f.positive for f in calls)
    first = {(False, False): PLAIN, (True, False): CALM, (False, True): POSITIVE, (True, True): SMALL}
    return [first[calm, positive], PLAIN, CALM, POSITIVE, SMALL, FALLING, LADDER]


def _filled(
    formula: Formula,
    shapes: Mapping[str, tuple[int, ...]],
    fixed: Mapping[str, Any],
    numbers: tuple[float, ...],
) -> dict[str, Any]:
    """Deal numbers out to the names in their order."""
    dealt, at = {}, 0
    for name in formula.free:
        if name in fixed:
            dealt[name] = fixed[name]
            continue
        count = int(np.prod(shapes[name], dtype=int))
        flat = [_number(numbers, at + i) for i in range(count)]
        dealt[name] = np.reshape(flat, shapes[name]).tolist() if shapes[name] else flat[0]
        at += count
    return dealt


def _number(numbers: tuple[float, ...], i: int) -> float:
    rounds, place = divmod(i, len(numbers))
    value = numbers[place] + (COLUMN if numbers[place] > 0 else -COLUMN) * rounds
    return round(value, 4)


def _is_dead(formula: Formula, leaves: Mapping[str, Any]) -> bool:
    """Return whether the result does not move with a number: a plateau, a relu that lets nothing through."""
    here = compute(formula, leaves).value
    for name, value in leaves.items():
        moved = compute(formula, {**leaves, name: np.asarray(value, float) * 1.001 + 1e-4}).value
        if np.shape(moved) != np.shape(here) or np.max(np.abs(moved - here)) < 1e-9:
            return True
    return False
