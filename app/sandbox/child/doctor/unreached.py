"""Parameters that an optimiser does not have, or has in vain: layers in a plain list, a model made anew."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from app.sandbox.child.doctor import edits
from app.sandbox.child.doctor.case import Case, Finding
from app.sandbox.child.doctor.program import Program, attribute, called, within

EMPTY = "optimizer got an empty parameter list"
DISPLAYS = (ast.List, ast.ListComp, ast.Tuple, ast.Dict)
SHARED = {"append", "insert", "extend", "keys", "values", "items", "update", "pop"}  # of list and ModuleList
MOST = 3


def in_a_list(case: Case) -> Iterator[Finding]:
    """Layers in a plain list: `parameters()` does not know of them, so nobody trains them."""
    error = case.error
    empty = bool(error and error["message"].startswith(EMPTY))
    if not empty and not case.of("optimizer_step"):
        return
    held = {tensor for tensors in case.held.values() for tensor in tensors}
    left = [
        tensor for tensor, fact in case.tensors.items()
        if fact["parameter"] and fact["at"] and tensor not in held and (empty or tensor in case.accumulated)
    ]  # fmt: skip
    if not left:
        return
    for display, name in plain_lists(case.program):
        inside = [tensor for tensor in left if made_in(case, tensor, display, name)]
        if inside:
            row = len(case.rows) - 1 if empty else case.of("optimizer_step")[0]
            yield Finding(
                "plain_list", row, case.program.span(display), tensor=inside[0],
                node=case.accumulators.get(inside[0]),
                terms={
                    "name": name, "count": str(len(inside)), "line": str(display.lineno),
                    "kind": kind_of(display, case.program),
                },
                links=[case.link(case.makers[inside[0]])], fix=registered(case.program, display),
            )  # fmt: skip


def plain_lists(program: Program) -> Iterator[tuple[ast.expr, str]]:
    """Yield (list, attribute) of every `self.x = [...]` in a class of modules."""
    for node in program.nodes:
        match node:
            case ast.Assign(targets=[ast.Attribute(value=ast.Name(id="self"), attr=name)], value=value):
                if isinstance(value, DISPLAYS) and base_of(program, node) is not None:
                    yield value, name


def base_of(program: Program, node: ast.AST) -> str | None:
    """Return how the text calls the base class of the module that a statement is in."""
    for each in program.above(node):
        if isinstance(each, ast.ClassDef):
            texts = [program.text(base) for base in each.bases]
            return next((text for text in texts if text.split(".")[-1] == "Module"), None)
    return None


def made_in(case: Case, tensor: str, display: ast.expr, name: str) -> bool:
    """Return whether a parameter was made inside a list, or in `self.name.append(...)`."""
    program, at = case.program, case.tensors[tensor]["at"]
    if within(at, program.span(display)):
        return True
    for each in program.inside(at, ast.Call):
        for above in program.above(each):
            if called(above) in ("append", "extend", "insert"):
                return program.text(above.func.value) == f"self.{name}"
    return False


def kind_of(display: ast.expr, program: Program) -> str:
    """Return the class of nn that registers what a list or dict holds."""
    if isinstance(display, ast.Dict):
        return "ModuleDict"
    parts = [display.elt] if isinstance(display, ast.ListComp) else display.elts
    plain = parts and all(called(part) == "Parameter" for part in parts)
    return "ParameterList" if plain else "ModuleList"


def registered(program: Program, display: ast.expr) -> edits.Edits | None:
    """Put the list into an `nn.ModuleList`."""
    if not holds_only_layers(program, display):
        return None
    base = base_of(program, program.parent[display]) or ""
    prefix = base.removesuffix("Module")
    if not prefix:
        return None
    texts = isinstance(display, ast.Dict) and all(
        isinstance(key, ast.Constant) and type(key.value) is str for key in display.keys
    )
    if isinstance(display, ast.Dict) and not texts:
        return None
    if isinstance(display, ast.Tuple) and not program.text(display).startswith("("):
        return None
    line, column, _, _ = program.span(display)
    opening = [{"at": [line, column, line, column], "text": f"{prefix}{kind_of(display, program)}("}]
    return opening + edits.after_text(program, display, ")")


def holds_only_layers(program: Program, display: ast.expr) -> bool:
    """Return whether all that is put into a list is made by classes, and the list is used as both can be."""
    name = program.text(program.parent[display].targets[0])
    parts = getattr(display, "elts", None) or getattr(display, "values", None) or []
    parts = [display.elt] if isinstance(display, ast.ListComp) else list(parts)
    for node in program.nodes:
        found = attribute(node)
        if found is not None and program.text(found.value) == name:
            if found.attr not in SHARED:
                return False
            call = program.parent[found]
            parts += (
                call.args[-1:] if isinstance(call, ast.Call) and found.attr in ("append", "insert") else []
            )
    return all(called(part)[:1].isupper() for part in parts)


def strangers(case: Case) -> Iterator[Finding]:
    """The optimiser steps, but the gradients arrive in tensors that it does not have."""
    steps = case.of("optimizer_step")
    everybody = {tensor for tensors in case.held.values() for tensor in tensors}
    outside = [
        tensor for tensor in case.accumulated
        if tensor not in everybody and (case.tensors[tensor]["parameter"] or case.tensors[tensor]["names"])
    ]  # fmt: skip
    for which, tensors in case.held.items():
        mine = [k for k in steps if case.rows[k]["which"] == which]
        if not mine or not tensors or any(tensor in case.accumulated for tensor in tensors):
            continue
        shapes = {str(case.tensors[tensor]["shape"]) for tensor in tensors}
        twins = [tensor for tensor in outside if str(case.tensors[tensor]["shape"]) in shapes]
        ran = any(each.last < mine[-1] for each in case.passes)
        if not twins or not ran:
            continue
        name = case.rows[mine[0]]["optimizer"]
        fix, line = rebound(case, name)
        yield Finding(
            "strangers", mine[0], case.rows[mine[0]]["at"], variant="" if line else "other", tensor=twins[0],
            node=case.accumulators.get(twins[0]),
            terms={
                "optimizer": name, "count": str(len(tensors)), "line": str(line or ""),
                "names": ", ".join(case.name(tensor) for tensor in twins[:MOST]),
            },
            fix=fix,
        )  # fmt: skip


def rebound(case: Case, optimizer: str) -> tuple[edits.Edits | None, int | None]:
    """Make the optimiser after the last statement that gives its model a new value; return that line too."""
    program = case.program
    made = [
        node for node in program.nodes
        if isinstance(node, ast.Assign) and len(node.targets) == 1
        and isinstance(node.targets[0], ast.Name) and node.targets[0].id == optimizer
    ]  # fmt: skip
    if len(made) != 1 or not isinstance(made[0].value, ast.Call) or not made[0].value.args:
        return None, None
    names = {node.id for node in ast.walk(made[0].value.args[0]) if isinstance(node, ast.Name)}
    block = program.block(made[0])
    later = [
        each for each in block[block.index(made[0]) + 1 :]
        if isinstance(each, ast.Assign)
        and any(isinstance(target, ast.Name) and target.id in names for target in each.targets)
    ]  # fmt: skip
    if not later:
        return None, None
    used = [
        node for node in program.names(optimizer) if made[0].end_lineno < node.lineno <= later[-1].end_lineno
    ]
    fix = None if used else edits.moved(program, made[0], later[-1], edits.behind)
    return fix, later[-1].lineno


def unused(case: Case) -> Iterator[Finding]:
    """A layer that the optimiser has and no operation uses: perhaps forgotten in forward()."""
    steps = case.of("optimizer_step")
    read = case.uses
    for which, tensors in case.held.items():
        mine = [k for k in steps if case.rows[k]["which"] == which]
        idle = [tensor for tensor in tensors if tensor not in read and tensor not in case.accumulated]
        if not mine or not idle or len(idle) == len(tensors) or len(mine) < 2:
            continue
        idle = [tensor for tensor in idle if case.tensors[tensor]["kind"] == "leaf"]
        names = [case.name(tensor) for tensor in idle]
        if idle:
            yield Finding(
                "unused", mine[-1], case.tensors[idle[0]]["at"], tensor=idle[0],
                terms={
                    "names": ", ".join(names[:MOST]) + (", …" if len(names) > MOST else ""),
                    "count": str(len(mine)), "optimizer": case.rows[mine[-1]]["optimizer"],
                },
                note=True,
            )  # fmt: skip
