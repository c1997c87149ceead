"""A `.grad` that stays None because the tensor that is asked is the result of an operation."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from app.sandbox.child.doctor import edits
from app.sandbox.child.doctor.case import Case, Finding
from app.sandbox.child.doctor.program import Program, attribute, called, keyword, method

WARNING = "The .grad attribute of a Tensor that is not a leaf"
MOVES = {"to", "cuda", "cpu", "float", "double", "half", "bfloat16"}
ARITHMETIC = {ast.Add: "+", ast.Sub: "-"}


def not_a_leaf(case: Case) -> Iterator[Finding]:
    """`.grad` of a tensor that is no leaf is read: PyTorch fills those of leaves only."""
    met = set()
    for k in case.of("warning"):
        if not case.rows[k]["message"].startswith(WARNING):
            continue
        names = case.names_at(k)
        for node in case.program.inside(case.rows[k]["at"], ast.Attribute):
            name = node.value.id if attribute(node, "grad") and isinstance(node.value, ast.Name) else None
            tensor = names.get(name)
            if tensor is None or name in met or case.tensors[tensor]["kind"] != "result":
                continue
            met.add(name)
            yield about(case, k, name, tensor)


def optimised(case: Case) -> Iterator[Finding]:
    """An optimiser is given the result of an operation: it takes leaves only."""
    error = case.error
    if not error or not error["message"].startswith("can't optimize a non-leaf Tensor"):
        return
    last = len(case.rows) - 1
    names = case.names_at(last)
    for node in case.program.inside(error["at"], ast.Name):
        tensor = names.get(node.id)
        if tensor is not None and case.tensors[tensor]["kind"] == "result":
            found = about(case, last, node.id, tensor)
            found.code, found.fix = (
                "non_leaf_optimised",
                found.fix if found.variant in ("made", "moved") else None,
            )
            found.variant = ""
            found.terms.setdefault("expression", node.id)
            yield found
            return


def about(case: Case, k: int, name: str, tensor: str) -> Finding:
    """Say how a variable came to hold a result, and how to have its gradient."""
    bound = [row for row, held in case.bindings(name) if held == tensor]
    statement = case.program.statement(case.rows[bound[0]]["at"]) if bound else None
    before = [held for row, held in case.bindings(name) if bound and row < bound[0]]
    leaf = next((held for held in reversed(before) if case.tensors[held]["kind"] == "leaf"), None)
    error = case.error
    last = len(case.rows) - 1
    line = case.rows[k]["at"][0]
    row = last if error and error["at"] and error["at"][0] == line else k
    found = Finding(
        "not_a_leaf", row, case.rows[k]["at"], node=case.tensors[tensor]["node"], tensor=tensor,
        terms={"name": name, "node": case.nodes[case.tensors[tensor]["node"]]["name"]},
        links=[case.link(bound[0])] if bound and case.rows[bound[0]]["at"] else [],
    )  # fmt: skip
    if found.links:
        found.terms["line"] = str(found.links[0]["at"][0])
    if not isinstance(statement, ast.Assign) or not single(statement, name):
        found.variant = "rebound" if leaf else ""
        if leaf is None and statement is not None:
            found.fix = kept(case, k, name, tensor, statement)
        return found
    found.terms["expression"] = case.program.text(statement.value)
    if leaf and updates(case.program, statement, name):
        found.variant, found.fix = "update", in_place(case.program, statement, name)
    elif leaf and leaf != before[-1]:
        found.variant = "rebound"
    elif leaf and called(statement.value) in MOVES and is_on(statement.value, name):
        found.variant, found.fix = "moved", leaf_again(case.program, statement)
    elif leaf:
        found.variant, found.fix = "rebound", renamed(case, statement, name)
    elif asks(statement.value) is not None:
        found.variant = "made"
        if not any(case.wants(each) for each in mentioned(case, statement.value, bound[0])):
            found.fix = asked_last(case.program, statement)
    else:
        found.fix = kept(case, k, name, tensor, statement)
    return found


def single(statement: ast.Assign, name: str) -> bool:
    """Return whether a statement binds one name and nothing else."""
    return [target.id for target in statement.targets if isinstance(target, ast.Name)] == [name] and len(
        statement.targets
    ) == 1


def is_on(call: ast.AST, name: str) -> bool:
    """Return whether a call is `name.something(...)`."""
    return (
        isinstance(call.func, ast.Attribute)
        and isinstance(call.func.value, ast.Name)
        and call.func.value.id == name
    )


def updates(program: Program, statement: ast.Assign, name: str) -> bool:
    """Return whether a statement computes a new value of `name` from its `.grad`."""
    grads = (node for node in ast.walk(statement.value) if attribute(node, "grad"))
    return any(program.text(node.value) in (name, f"{name}.data") for node in grads)


def in_place(program: Program, statement: ast.Assign, name: str) -> edits.Edits | None:
    """`w = w - lr * w.grad` becomes `w -= lr * w.grad` under no_grad, with the gradient emptied."""
    value = statement.value
    if not isinstance(value, ast.BinOp) or type(value.op) not in ARITHMETIC:
        return None
    if not isinstance(value.left, ast.Name) or value.left.id != name:
        return None
    if any(isinstance(each, ast.With) for each in program.above(statement)):
        return None
    change = edits.wrapped(program, statement, "with torch.no_grad():")
    if change is None or not program.is_taken("torch"):
        return None
    new = f"{name} {ARITHMETIC[type(value.op)]}= {program.text(value.right)}"
    change += edits.replaced(program, statement, new)
    if not empties(program, name):
        change += edits.behind(program, statement, f"{name}.grad = None") or []
    return change


def empties(program: Program, name: str) -> bool:
    """Return whether the text empties `name.grad` somewhere."""
    for node in program.nodes:
        if isinstance(node, ast.Assign):
            if any(program.text(target) == f"{name}.grad" for target in node.targets):
                return True
        elif (found := method(node, "zero_", "fill_")) is not None:
            if program.text(found.value) in (f"{name}.grad", f"{name}.grad.data"):
                return True
    return False


def leaf_again(program: Program, statement: ast.Assign) -> edits.Edits | None:
    """`x = x.to(d)` becomes a leaf of its own: the copy is cut off and asks for a gradient itself."""
    value = statement.value
    return edits.after_text(program, value.func.value, ".detach()") + edits.after_text(
        program, value, ".requires_grad_()"
    )


def asks(value: ast.AST) -> ast.Call | None:
    """Return the call inside an expression that has `requires_grad=True`, if it is not all of it."""
    for node in ast.walk(value):
        found = keyword(node, "requires_grad") if isinstance(node, ast.Call) else None
        if (
            found
            and isinstance(found.value, ast.Constant)
            and found.value.value is True
            and node is not value
        ):
            return node
    return None


def mentioned(case: Case, value: ast.expr, k: int) -> list[str]:
    """Return the tensors that an expression names."""
    names = case.names_at(k - 1)
    found = [names.get(node.id) for node in ast.walk(value) if isinstance(node, ast.Name)]
    return [tensor for tensor in found if tensor is not None]


def asked_last(program: Program, statement: ast.Assign) -> edits.Edits | None:
    """`randn(3, requires_grad=True) * 0.1` asks for the gradient of the result instead."""
    value = statement.value
    if not isinstance(value, (ast.BinOp, ast.Call)):
        return None
    change = edits.without_argument(program, asks(value), "requires_grad")
    line, column, end_line, end_column = program.span(value)
    if isinstance(value, ast.BinOp):
        change.append({"at": [line, column, line, column], "text": "("})
    text = ").requires_grad_()" if isinstance(value, ast.BinOp) else ".requires_grad_()"
    return [*change, {"at": [end_line, end_column, end_line, end_column], "text": text}]


def renamed(case: Case, statement: ast.Assign, name: str) -> edits.Edits | None:
    """`x = x * 2` gets a name of its own, so that x stays the leaf; later mentions follow, but `x.grad`."""
    program = case.program
    later = [node for node in program.names(name) if node.lineno > statement.end_lineno]
    if program.loop(statement) or any(program.scope(node) is not program.scope(statement) for node in later):
        return None
    if any(not isinstance(node.ctx, ast.Load) for node in later):
        return None
    new = next(each for each in (f"{name}2", f"{name}_2", f"{name}_new") if not program.is_taken(each))
    change = edits.replaced(program, statement.targets[0], new)
    for node in later:
        if attribute(program.parent[node], "grad") is None:
            change += edits.replaced(program, node, new)
    return change


def kept(case: Case, k: int, name: str, tensor: str, statement: ast.stmt) -> edits.Edits | None:
    """Ask PyTorch to keep the gradient of a result, if one goes through it."""
    node, program = case.tensors[tensor]["node"], case.program
    made = case.makers.get(tensor, k)
    ran = any(made < i < k and case.rows[i]["node"] == node for i in case.of("node_entered"))
    if not ran or not isinstance(statement, ast.Assign):
        return None
    return edits.behind(program, statement, f"{name}.retain_grad()")
