"""Gradients that never arrive because the graph was cut: by detach, no_grad, copies, integers, too late."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from app.sandbox.child.doctor import edits
from app.sandbox.child.doctor.case import Case, Finding
from app.sandbox.child.doctor.paths import Cut, ancestors, tensor_of
from app.sandbox.child.doctor.program import Program, attribute, called, keyword, method

NO_GRAPH = re.compile(r"element \d+ of tensors does not require grad")
FACTORIES = {"tensor", "ones", "zeros", "randn", "rand", "full", "linspace", "arange", "empty", "eye"}
MOST = 3
MEANT = ("detach", "no_grad")  # ways to cut that may be there to show what they do


def no_graph(case: Case) -> Iterator[Finding]:
    """Backward from a tensor without a graph: what it was made from, and where the graph ended."""
    error = case.error
    if not error or not NO_GRAPH.match(error["message"]):
        return
    last = len(case.rows) - 1
    root = root_of(case, error["at"], last)
    if root is None:
        return
    found = list(ancestors(case, (root,), last))
    cut = next((cut for tensor, cut in found if cut is not None and case.wants(tensor)), None)
    name = case.name(root, last)
    if cut is not None:
        finding = about(case, cut, last, name, "error")
        leaves = [each for each, here in found if here == cut and case.tensors[each]["kind"] == "leaf"]
        if leaves:
            finding.terms["leaf"] = case.name(leaves[0])
        yield finding
        return
    frozen = [tensor for tensor, _ in found if case.tensors[tensor]["parameter"]]
    if frozen:
        places = freezing(case.program)
        yield Finding(
            "frozen", last, case.program.span(places[0]) if places else error["at"], tensor=frozen[0],
            terms={"root": name, "count": str(len(frozen)), "first": case.name(frozen[0])},
        )  # fmt: skip
        return
    tensor = wanted(case, [tensor for tensor, _ in found], last)
    if tensor is not None:
        fact = case.tensors[tensor]
        call = case.program.find(fact["at"], ast.Call)
        fix = edits.with_argument(case.program, call, "requires_grad=True") if call else None
        yield Finding(
            "never_asked", last, fact["at"], tensor=tensor, terms={"name": case.name(tensor), "root": name},
            fix=fix if asked_by_a_call(call) else None,
        )  # fmt: skip


def asked_by_a_call(call: ast.Call | None) -> bool:
    """Return whether a call makes a leaf and could be asked for a gradient."""
    return called(call) in FACTORIES and keyword(call, "requires_grad") is None if call else False


def root_of(case: Case, at: list[int] | None, k: int) -> str | None:
    """Return the tensor that a failing backward() was called on."""
    call = case.program.find(at, ast.Call)
    found = method(call, "backward")
    value = found.value if found is not None and called(found.value) != "autograd" else None
    if value is None or case.program.text(value) in ("torch.autograd", "autograd"):
        value = call.args[0] if call is not None and call.args else None
    return tensor_of(case, value, k) if value is not None else None


def freezing(program: Program) -> list[ast.stmt]:
    """Return the statements that say that parameters need no gradient."""
    found: list[ast.stmt] = []
    for node in program.nodes:
        match node:
            case ast.Assign(targets=[ast.Attribute(attr="requires_grad")], value=ast.Constant(value=False)):
                found.append(node)
            case ast.Expr(
                value=ast.Call(func=ast.Attribute(attr="requires_grad_"), args=[ast.Constant(value=False)])
            ):
                found.append(node)
    return sorted(found, key=lambda each: each.lineno)


def wanted(case: Case, tensors: list[str], k: int) -> str | None:
    """Return the one tensor among some whose `.grad` the program reads."""
    names = case.names_at(k)
    reads = {
        names.get(case.program.text(node.value))
        for node in case.program.nodes if attribute(node, "grad")
    } - {None}  # fmt: skip
    made = [each for each in tensors if case.tensors[each]["kind"] == "data" and case.is_float(each)]
    found = [each for each in made if each in reads]
    if not reads:
        calls = {each: case.program.find(case.tensors[each]["at"], ast.Call) for each in made}
        found = [each for each in made if asked_by_a_call(calls[each]) and case.tensors[each]["names"]]
    return found[0] if len(found) == 1 else None


# ----- silently -----
def cut_off(case: Case) -> Iterator[Finding]:
    """A leaf whose `.grad` the run shows to be None, though the loss was made from it: where it was cut."""
    passes = [each for each in case.passes if case.rows[each.first]["api"] != "torch.autograd.grad"]
    if not passes or any(case.rows[each.first]["inputs"] for each in passes):
        return
    lost = {leaf: shown for leaf, shown in empty_leaves(case).items() if shown[0] > passes[0].last}
    if not lost:
        return
    cuts: dict[str, tuple[Cut, str]] = {}
    reached: set[str] = set()
    for each in passes:
        for tensor, cut in ancestors(case, each.roots, each.first):
            if cut is None:
                reached.add(tensor)
            elif tensor in lost and tensor not in cuts:
                cuts[tensor] = (cut, case.name(each.roots[0], each.first))
    by_row: dict[int, list[str]] = {}
    for tensor, (cut, _) in cuts.items():
        if tensor not in reached:
            by_row.setdefault(cut.row, []).append(tensor)
    for leaves in by_row.values():
        cut, name = cuts[leaves[0]]
        row, how = lost[leaves[0]]
        found = about(case, cut, row, name, how)
        names = [case.name(leaf) for leaf in leaves]
        found.terms["leaf"] = ", ".join(names[:MOST]) + (", …" if len(names) > MOST else "")
        found.note = how == "step" or (how == "printed" and cut.how in MEANT)
        yield found


def empty_leaves(case: Case) -> dict[str, tuple[int, str]]:
    """Return the leaves that never got a gradient, with the row that shows it and how."""
    found: dict[str, tuple[int, str]] = {}
    if not any(fact["kind"] == "leaf" for fact in case.tensors.values()):
        return found
    error = case.error
    for k in case.of("printed", "echo"):
        if "None" in case.rows[k]["text"]:
            read(case, k, found, "printed")
    if error and "NoneType" in error["message"]:
        read(case, len(case.rows) - 1, found, "failed")
    steps = case.of("optimizer_step")
    for which, tensors in case.held.items():
        mine = [k for k in steps if case.rows[k]["which"] == which]
        for tensor in tensors if mine else ():
            if case.tensors[tensor]["kind"] == "leaf" and tensor not in case.accumulated:
                found.setdefault(tensor, (mine[-1], "step"))
    return found


def read(case: Case, k: int, found: dict[str, tuple[int, str]], how: str) -> None:
    """Note the leaves without a gradient whose `.grad` the statement at a row reads."""
    statement = case.program.statement(case.rows[k]["at"])
    names = case.names_at(k)
    for node in ast.walk(statement) if statement is not None else ():
        tensor = names.get(case.program.text(node.value)) if attribute(node, "grad") else None
        if tensor is not None and case.tensors[tensor]["kind"] == "leaf" and tensor not in case.accumulated:
            found.setdefault(tensor, (k, how))


# ----- one cut -----
def about(case: Case, cut: Cut, row: int, root: str, how: str) -> Finding:
    """Say where the graph was cut, and how it may be joined."""
    fact = case.rows[cut.row]
    found = Finding(
        "cut" if cut.how != "late" else "late", row, fact["at"], variant="" if cut.how == "late" else cut.how,
        node=case.tensors[cut.source]["node"] or case.accumulators.get(cut.source), tensor=cut.source,
        terms={
            "name": case.name(cut.source, cut.row), "root": root,
            "leaf": case.name(cut.source, cut.row), "line": str(fact["at"][0]) if fact["at"] else "",
            "text": short(case.program, fact["at"]), "op": fact.get("op") or fact.get("how") or fact["kind"],
        },
        links=[case.link(cut.row)] if fact["at"] else [], fix=JOINS[cut.how](case, cut),
    )  # fmt: skip
    return found


def short(program: Program, at: list[int] | None) -> str:
    """Return the expression at a place, on one line."""
    node = program.find(at)
    return " ".join(program.text(node).split())[:80] if node is not None else ""


def join_detached(case: Case, cut: Cut) -> edits.Edits | None:
    """Leave `.detach()` or `.data` away."""
    node = case.program.find(case.rows[cut.row]["at"])
    node = node.value if isinstance(node, (ast.Expr, ast.Assign)) else node
    found = method(node, "detach") or attribute(node, "data")
    if found is None or isinstance(case.program.parent.get(node), ast.Expr):
        return None
    value = found.value
    text = case.program.operand(value) if isinstance(case.program.parent[node], ast.Attribute) else None
    return edits.replaced(case.program, node, text or case.program.text(value))


def join_copy(case: Case, cut: Cut) -> edits.Edits | None:
    """`torch.tensor(t)` becomes `t`."""
    call = case.program.find(case.rows[cut.row]["at"], ast.Call)
    rest = {each.arg for each in call.keywords} - {"requires_grad"}
    return (
        None
        if rest or len(call.args) > 1
        else edits.replaced(case.program, call, case.program.text(call.args[0]))
    )


def join_number(case: Case, cut: Cut) -> edits.Edits | None:
    """`torch.tensor(t.item())` becomes `t`."""
    call = case.program.find(case.rows[cut.row]["at"], ast.Call)
    found = method(call.args[0], "item") if call is not None and call.args else None
    if found is None or len(call.args) > 1 or {each.arg for each in call.keywords} - {"requires_grad"}:
        return None
    return edits.replaced(case.program, call, case.program.operand(found.value))


def join_no_grad(case: Case, cut: Cut) -> edits.Edits | None:
    """Take the block's lines out of `with torch.no_grad():`, if none of them updates anything."""
    program = case.program
    statement = program.statement(case.rows[cut.row]["at"])
    for each in program.above(statement) if statement is not None else ():
        if (
            isinstance(each, ast.With)
            and len(each.items) == 1
            and called(each.items[0].context_expr) == "no_grad"
        ):
            return None if any(writes(node) for node in ast.walk(each)) else edits.unwrapped(program, each)
    return None


def writes(node: ast.AST) -> bool:
    """Return whether a node changes something in place, as updates do."""
    name = called(node)
    return (
        isinstance(node, ast.AugAssign) or name == "step" or (name.endswith("_") and not name.startswith("_"))
    )


def join_late(case: Case, cut: Cut) -> edits.Edits | None:
    """Ask for the gradient right where the tensor is made."""
    program, name = case.program, case.name(cut.source)
    asking = [node for node in program.nodes if asks_later(node, name)]
    bound = [row for row, tensor in case.bindings(name)]
    statement = program.statement(case.rows[bound[0]]["at"]) if len(bound) == 1 else None
    if len(asking) != 1 or statement is None or not program.same_block(asking[0], statement):
        return None
    return edits.moved(program, asking[0], statement, edits.behind)


def asks_later(node: ast.AST, name: str) -> bool:
    """Return whether a statement is `x.requires_grad_()` or `x.requires_grad = True`."""
    match node:
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=found), attr="requires_grad_"))):
            return found == name
        case ast.Assign(
            targets=[ast.Attribute(value=ast.Name(id=found), attr="requires_grad")],
            value=ast.Constant(value=True),
        ):
            return found == name
    return False


def nothing(case: Case, cut: Cut) -> None:
    """There is no mechanical change for this."""


JOINS = {
    "detach": join_detached, "data": join_detached, "copy": join_copy, "number": join_number,
    "no_grad": join_no_grad, "late": join_late, "integer": nothing,
}  # fmt: skip
