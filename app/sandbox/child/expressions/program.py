"""The PyTorch program that a formula stands for: its leaves, its lines in PyTorch's spelling, backward()."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from app.sandbox.child.expressions.functions import BOTH, CLAMPS, CONSTANTS, FUNCTIONS
from app.sandbox.child.expressions.reading import Formula

NAMES_OF_RESULTS = ("result", "out", "total", "last_value")


@dataclass(slots=True)
class Program:
    """A program's text, where in it each leaf gets its value, and what `backward()` is called on."""

    text: str = ""
    places: dict[str, list[int]] = field(default_factory=dict)
    result: str = ""


def program(formula: Formula, values: Mapping[str, Any], is_scalar: bool) -> Program:
    """Return the program of a formula with these values."""
    made, lines = Program(), ["import torch", ""]
    for name in formula.free:
        head, value = f"{name} = torch.tensor(", written(values[name])
        made.places[name] = [len(lines) + 1, len(head), len(lines) + 1, len(head) + len(value)]
        lines.append(f"{head}{value}, requires_grad=True)")
    lines.append("")
    taken = {*formula.free, *(line.target for line in formula.lines)}
    made.result = next(name for name in (*NAMES_OF_RESULTS, "last_value_") if name not in taken)
    spelling = _Spelling(set(formula.free))
    for k, line in enumerate(formula.lines):
        is_last = k == len(formula.lines) - 1
        target = line.target or (made.result if is_last else None)
        if is_last:
            made.result = target
        value = spelling.line(line.text, line.tree)
        if line.target and spelling.depends(line.tree):
            spelling.tensors.add(line.target)
        lines.append(f"{target} = {value}" if target else value)
    seed = "" if is_scalar else f"gradient=torch.ones_like({made.result})"
    made.text = "\n".join([*lines, f"{made.result}.backward({seed})"])
    return made


def written(value: Any) -> str:
    """Return a number, list or matrix as a program says it: with a point, so that it is no integer."""
    if isinstance(value, list):
        return "[" + ", ".join(written(each) for each in value) + "]"
    return repr(float(value))


class _Spelling:
    """Spells lines; `tensors` are the names that hold tensors so far."""

    def __init__(self, tensors: set[str]) -> None:
        self.tensors = tensors

    def depends(self, tree: ast.expr) -> bool:
        """Return whether a value is a tensor: it holds a name that is one, or a function of PyTorch."""
        return any(
            isinstance(node, ast.Call) or (isinstance(node, ast.Name) and node.id in self.tensors)
            for node in ast.walk(tree)
        )

    def line(self, text: str, tree: ast.expr) -> str:
        """Return a line with PyTorch's names; what is not renamed stays as it was typed."""
        return self._spelled(text, tree)

    def _spelled(self, text: str, node: ast.expr) -> str:
        """Return the text of a node with everything in it spelled PyTorch's way."""
        if isinstance(node, ast.Call):
            return self._call(text, node)
        if isinstance(node, ast.Name):
            return CONSTANTS[node.id][0] if node.id in CONSTANTS and node.id not in self.tensors else node.id
        children = [child for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr)]
        parts, at = [], node.col_offset
        for child in sorted(children, key=lambda child: child.col_offset):
            parts += [text[at : child.col_offset], self._spelled(text, child)]
            at = child.end_col_offset
        return "".join([*parts, text[at : node.end_col_offset]])

    def _call(self, text: str, node: ast.Call) -> str:
        name = node.func.id
        function = FUNCTIONS[name]
        args = [self._spelled(text, arg) for arg in node.args]
        tensor = [self.depends(arg) for arg in node.args]
        spelled = function.spelled
        if function.kind == "extreme" and len(args) == 2:
            if sum(tensor) == 1:
                numbers = [arg for arg, is_tensor in zip(args, tensor, strict=True) if not is_tensor]
                return CLAMPS[name].format(args[tensor.index(True)], numbers[0])
            spelled = BOTH[name]
        if not any(tensor) or (name == "atan2" and not all(tensor)):
            args = [
                a if is_t else f"torch.tensor({_pointed(a)})" for a, is_t in zip(args, tensor, strict=True)
            ]
        return spelled.format(", ".join(args))


def _pointed(text: str) -> str:
    """Return a number with a point, as a tensor of integers has no mean and no norm."""
    return text + ".0" if text.isdigit() else text
