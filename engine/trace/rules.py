"""A node's local rules as a reader sees them: which formula, what its names stand for, what was saved."""

from __future__ import annotations

import ast
import math
import operator
import re
from collections.abc import Callable
from functools import cache, lru_cache
from typing import Any

import numpy as np

from engine.node import Node, VariadicNode
from engine.ops.table import Op
from engine.saved import FREED, SavedTensor
from engine.tensor import Tensor
from engine.titles import is_ours

Write = Callable[[Any], str | None]  # returns the id of a value
PLAIN = (bool, int, float, complex, str, type(None))
LISTED, LONGEST = 16, 120  # elements and characters of an argument that are written out
WORD = re.compile(r"[A-Za-z_]\w*")


def inputs_of(node: Node) -> list[str]:
    """Return the name of each edge's argument; a list's tensors are called `tensors[0]` and so on."""
    if node.op is None:
        return [f"input[{i}]" for i in range(len(node.next_edges))]
    if isinstance(node, VariadicNode):
        return [f"{node.op.inputs[0]}[{i}]" for i in range(len(node.next_edges))]
    return list(node.op.inputs)


def formulas_of(node: Node, saved: dict[str, Any]) -> dict[str, str]:
    """Return the rule of each edge as text, by the names of `inputs_of`; decided branches are left out.

    `saved` is what the node had saved at the moment that is told.
    """
    if node.op is None:
        return {}
    shown = inputs_of(node)
    names = node.op.inputs * len(shown) if isinstance(node, VariadicNode) else node.op.inputs
    if not branches(node.op):
        return {s: node.op.formulas[n] for s, n in zip(shown, names, strict=True)}
    plain = {name: number_of(value) for name, value in saved.items()}
    plain = {name: value if isinstance(value, PLAIN) else ... for name, value in plain.items()}
    return {s: decided(node.op.formulas[n], tuple(plain.items())) for s, n in zip(shown, names, strict=True)}


@cache
def branches(op: Op) -> bool:
    """Return whether a rule of an operation says `a if test else b`."""
    return any(" if " in formula for formula in op.formulas.values())


@lru_cache(maxsize=4096)
def words(formula: str) -> frozenset[str]:
    """Return the names that a formula mentions."""
    return frozenset(WORD.findall(formula))


def number_of(saved: Any) -> Any:
    """Return what was saved as a rule reads it; a number is kept wrapped where a tensor could stand."""
    return saved.tensor if isinstance(saved, SavedTensor) else saved


@lru_cache(maxsize=1024)
def decided(formula: str, plain: tuple[tuple[str, Any], ...]) -> str:
    """Return a formula without the branches that plain values decide: alpha == 1 needs no alpha.

    A name that a formula gives itself (`with t = ...`) goes with the branch that used it.
    `...` stands for a value that is not plain: it is not None, and decides nothing else.
    """
    if " if " not in formula:
        return formula
    head, *rest = NAMED.split(formula)
    try:
        body = ast.parse(head, mode="eval").body
        named = [each for part in rest for each in ast.parse(f"f({part})", mode="eval").body.keywords]
    except SyntaxError:  # a formula given in words
        return formula
    visitor = _Decided(dict(plain))
    text = ast.unparse(visitor.visit(body))
    parts = {str(each.arg): ast.unparse(visitor.visit(each.value)) for each in named}
    asked = _mentioned(text, parts)
    kept = [f"{name} = {part}" for name, part in parts.items() if name in asked]
    return f"{text} with {', '.join(kept)}" if kept else text


def _mentioned(text: str, parts: dict[str, str]) -> set[str]:
    """Return which of the names a formula gives itself its text mentions, directly or through another."""
    found: set[str] = set()
    open_texts = [text]
    while open_texts:
        new = (words(open_texts.pop()) & parts.keys()) - found
        found |= new
        open_texts += [parts[name] for name in new]
    return found


NAMED = re.compile(r" with (?=\w+ = )")
INFINITE = {"inf": math.inf, "-inf": -math.inf}
COMPARED = {
    ast.Eq: operator.eq, ast.Is: operator.is_, ast.NotEq: operator.ne, ast.IsNot: operator.is_not,
    ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge,
}  # fmt: skip


class _Decided(ast.NodeTransformer):
    def __init__(self, plain: dict[str, Any]) -> None:
        self.plain = plain

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:  # noqa: N802 - ast's name
        truth = self._truth(node.test)
        if truth is not None:
            return self.visit(node.body if truth else node.orelse)
        return self.generic_visit(node)

    def _truth(self, test: ast.expr) -> bool | None:
        match test:
            case ast.Name(id=name) if self.plain.get(name, ...) is not ...:
                return bool(self.plain[name])
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                truth = self._truth(operand)
                return None if truth is None else not truth
            case ast.BoolOp(op=op, values=values):
                truths, decisive = [self._truth(value) for value in values], isinstance(op, ast.Or)
                return decisive if decisive in truths else None if None in truths else not decisive
            case ast.Compare(left=ast.Name(id=name), ops=[sign], comparators=[other]) if name in self.plain:
                return self._compared(self.plain[name], sign, other)
        return None

    def _compared(self, value: Any, sign: ast.cmpop, other: ast.expr) -> bool | None:
        text = ast.unparse(other)
        other = other.value if isinstance(other, ast.Constant) else INFINITE.get(text, ...)
        if other is ... or (value is ... and other is not None):
            return None
        try:
            return COMPARED[type(sign)](value, other) if type(sign) in COMPARED else None
        except TypeError:
            return None


def saved_of(
    node: Node, saved_by: Callable[[Node], dict], packed: bool = False
) -> list[tuple[str, SavedTensor]]:
    """Return the tensors that a node keeps for backward, by name; not the numbers, not what was freed.

    `packed`: also those in whose place a hook keeps something that is no tensor.
    """
    found = []
    for name, value in saved_by(node.inner or node).items():
        several = isinstance(value, tuple)
        parts = [(f"{name}[{i}]", v) for i, v in enumerate(value)] if several else [(name, value)]
        saved = [(n, v) for n, v in parts if isinstance(v, SavedTensor) and v.tensor is not FREED]
        found += [
            (n, v) for n, v in saved if isinstance(v.tensor, Tensor) or (packed and v.unpack_hook is not None)
        ]
    return found


def skipped_of(fact: Any, grads: list, args: dict[str, dict]) -> list[list[str]]:
    """Return the inputs for which a node has computed no gradient, each with the reason."""
    found, asked = [], fact.asked
    if None not in grads:
        return found
    for slot, (name, edge) in enumerate(zip(inputs_of(fact.node), fact.node.next_edges)):
        if grads[slot] is not None:
            continue
        if edge is None:
            if "tensor" in args.get(name, ()):
                found.append([name, "not required"])
        else:
            found.append([name, "undefined" if not asked or asked[slot] else "not asked for"])
    return found


def text_of(value: Any) -> str:
    """Return a plain argument as a reader would write it; no learner's `__repr__` is asked."""
    kind = type(value)
    if kind is slice:
        parts = ["" if part is None else text_of(part) for part in (value.start, value.stop)]
        return ":".join(parts if value.step is None else [*parts, text_of(value.step)])
    if kind is list:
        return f"[{', '.join(map(text_of, value[:LISTED]))}{', ...' * (len(value) > LISTED)}]"
    if isinstance(value, tuple):
        inside = ", ".join(map(text_of, value[:LISTED])) + ", ..." * (len(value) > LISTED)
        return f"({inside},)" if len(value) == 1 else f"({inside})"
    if isinstance(value, Tensor):
        return f"tensor of shape {list(value.array.shape)}"
    if value is Ellipsis:
        return "..."
    if kind in PLAIN or (is_ours(kind) and kind.__repr__ is not object.__repr__):
        text = "a large int" if kind is int and value.bit_length() > 1024 else repr(value)[:LONGEST]
        return text if kind is str or " at 0x" not in text else kind.__name__
    return kind.__name__


def local_rules(node: Node, saved: dict[str, Any], grads: list, arrived: tuple, write: Write) -> list[dict]:
    """Return the rule of every slot that has a gradient; `arrived` is what the node was given."""
    formulas, rules = formulas_of(node, saved), []
    for slot, (shown, result) in enumerate(zip(inputs_of(node), grads)):
        formula = formulas.get(shown)
        if result is None or formula is None:
            continue
        reads = node.op.reads[node.op.inputs[0] if isinstance(node, VariadicNode) else shown]
        terms: dict[str, str] = {}
        for name in reads:
            if name in words(formula):
                terms.update(_terms(name, saved, arrived, write))
        rules.append({"slot": slot, "input": shown, "formula": formula, "terms": terms, "result": result})
    return rules


def _terms(name: str, saved: dict[str, Any], arrived: tuple, write: Write) -> dict[str, str]:
    if name == "needs":
        return {}
    if name == "grad":
        return {name: _term(arrived[0] if arrived else None, write)}
    if name == "grads":
        return {f"grads[{i}]": _term(grad, write) for i, grad in enumerate(arrived)}
    value = saved.get(name)
    if isinstance(value, tuple) and any(isinstance(part, SavedTensor) for part in value):
        return {f"{name}[{i}]": _term(part, write) for i, part in enumerate(value)}
    return {name: _term(value, write)}


def _term(value: Any, write: Write) -> str:
    packed = isinstance(value, SavedTensor) and value.unpack_hook is not None
    value = number_of(value)
    if value is FREED:
        return "freed"
    if packed:
        return "packed"  # only its unpack hook knows what it stands for
    known = write(value) if isinstance(value, (Tensor, np.ndarray)) else None
    return text_of(value) if known is None else known
