"""Where the way from a loss back to a tensor ends: what was made from what, and which row cut it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from app.sandbox.child.doctor.case import Case
from app.sandbox.child.doctor.program import called, within

COPY = "To copy construct from a tensor"


@dataclass(frozen=True, slots=True)
class Cut:
    """A row at which the graph ends although numbers go on: how, and the tensor on the far side."""

    row: int
    how: str  # detach, data, no_grad, integer, late, copy, number
    source: str


def ancestors(case: Case, roots: tuple[str, ...], before: int) -> Iterator[tuple[str, Cut | None]]:
    """Yield every tensor that some were made from, nearest first, with the first cut on the way there."""
    todo: list[tuple[str, Cut | None]] = [(root, None) for root in roots]
    met: set[str] = set()
    for tensor, cut in todo:
        if tensor in met:
            continue
        met.add(tensor)
        yield tensor, cut
        for row in case.writers.get(tensor, ()):
            if row < before:
                for source, here in sources(case, row):
                    todo.append((source, cut or here))


def sources(case: Case, row: int) -> Iterator[tuple[str, Cut | None]]:
    """Yield what a row made its tensor from, each with how it was cut off there, if it was."""
    fact = case.rows[row]
    if fact["kind"] == "tensor_made":
        yield from copied(case, row)
        return
    if fact["kind"] == "detached":
        cut = Cut(row, "data" if fact["how"] == "data" else "detach", fact["source"])
        yield fact["source"], cut if case.wants(fact["source"]) else None
        return
    for name, arg in fact["args"]:
        if "tensor" in arg:
            yield arg["tensor"], cut_here(case, row, name, arg["tensor"])


def cut_here(case: Case, row: int, name: str, tensor: str) -> Cut | None:
    """Return how an operation cut off one of its arguments, if it did."""
    fact = case.rows[row]
    if not case.wants(tensor):
        return None
    if fact["node"] is None:
        if not case.records(row):
            return Cut(row, "no_grad", tensor)
        if not any(case.is_float(output) for output in fact["outputs"]):
            return Cut(row, "integer", tensor)
        return Cut(row, "late", tensor) if case.tensors[tensor]["kind"] == "leaf" else None
    node = case.nodes[fact["node"]]
    if name in node["inputs"] and case.tensors[tensor]["kind"] == "leaf":
        edge = node["edges"][node["inputs"].index(name)]
        return Cut(row, "late", tensor) if edge is None else None
    return None


def copied(case: Case, row: int) -> Iterator[tuple[str, Cut]]:
    """Yield the tensors whose numbers a new tensor was given: `torch.tensor(t)`, `torch.tensor(t.item())`."""
    at = case.rows[row]["at"]
    call = case.program.find(at, ast.Call)
    if (
        call is None
        or not call.args
        or called(call) not in ("tensor", "Tensor", "FloatTensor", "as_tensor", "from_numpy")
    ):
        return
    inner = case.program.span(call.args[0])
    for k in case.of("value_read"):
        fact = case.rows[k]
        if k < row and fact["at"] and within(fact["at"], inner):
            yield fact["tensor"], Cut(row, "number", fact["tensor"])
    if isinstance(call.args[0], ast.Name):
        name = call.args[0].id
        tensor = case.names_at(row).get(name)
        if tensor is not None and case.wants(tensor):
            yield tensor, Cut(row, "copy", tensor)
        elif tensor is None:
            yield from through_a_name(case, row, name)


def through_a_name(case: Case, row: int, name: str) -> Iterator[tuple[str, Cut]]:
    """Yield the tensors that a plain number or array under a name was read from."""
    for k in case.of("value_read"):
        fact = case.rows[k]
        statement = case.program.statement(fact["at"]) if k < row else None
        if isinstance(statement, ast.Assign) and any(
            isinstance(target, ast.Name) and target.id == name for target in statement.targets
        ):
            yield fact["tensor"], Cut(k, "number", fact["tensor"])


def tensor_of(case: Case, node: ast.AST, k: int) -> str | None:
    """Return the tensor that an expression has given last."""
    if isinstance(node, ast.Name):
        return case.names_at(k).get(node.id)
    if isinstance(node, ast.Attribute):
        return case.names_at(k).get(case.program.text(node))
    at = case.program.span(node)
    for i in range(k, -1, -1):
        row = case.rows[i]
        if row["at"] == at and row["kind"] in ("op_applied", "tensor_made", "detached"):
            return row["outputs"][0] if row["kind"] == "op_applied" else row["tensor"]
    return None
