"""Backward that finds a value changed, or a graph let go of: the two errors with a cause in the trace."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from app.sandbox.child.doctor import edits
from app.sandbox.child.doctor.case import Case, Finding
from app.sandbox.child.doctor.program import PLAIN, Program, called, keyword, method

SIGNS = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Pow: "**", ast.MatMult: "@",
}  # fmt: skip
OUT_OF_PLACE = set(
    "abs add sub mul div pow exp log sqrt rsqrt relu sigmoid tanh clamp clamp_min clamp_max neg square sin "
    "cos tan floor ceil round addcmul addcdiv masked_fill index_fill softplus erf reciprocal lerp unsqueeze "
    "squeeze t transpose".split()
)


def changed(case: Case) -> Iterator[Finding]:
    """A tensor that backward needs was written in place."""
    error = case.error
    cause = error and error["cause"]
    if not cause or cause["what"] != "changed":
        return
    by, tensor = cause["by"], cause["tensor"]
    step = case.rows[by]["kind"] != "op_applied" or case.tensors[tensor]["kind"] == "leaf"
    keeper = error["node"]
    yield Finding(
        "changed", len(case.rows) - 1, cause["at"], variant="step" if step else "", node=keeper,
        tensor=tensor,
        terms={
            "name": subject(case.program.statement(cause["at"])) or case.name(tensor, by),
            "node": case.nodes[keeper]["name"] if keeper else "",
            "line": str(cause["at"][0]) if cause["at"] else "",
            "text": line_text(case.program, cause["at"]),
            "made": str((case.nodes[keeper]["at"] or [0])[0]) if keeper else "",
        },
        links=[case.link(by)], fix=None if step else made_anew(case, by),
    )  # fmt: skip


def line_text(program: Program, at: list[int] | None) -> str:
    """Return the statement at a place, on one line."""
    statement = program.statement(at)
    return " ".join(program.text(statement).split()) if statement is not None else ""


def made_anew(case: Case, by: int) -> edits.Edits | None:
    """Write the statement so that it makes a new tensor."""
    program, row = case.program, case.rows[by]
    flags = [
        flag.value
        for node in program.nodes
        if isinstance(node, ast.Call) and (flag := keyword(node, "inplace"))
    ]
    at = row["at"]
    statement = program.statement(at)
    call = program.find(at, ast.Call)
    if call is not None and not called(call).endswith("_"):
        on = [each for each in flags if isinstance(each, ast.Constant) and each.value is True]
        return [edit for each in on for edit in edits.replaced(program, each, "False")] or None
    if not case.records(by) or is_shared(case, by, subject(statement)):
        return None
    match statement:
        case ast.AugAssign(target=ast.Name() as target, op=op, value=value) if type(op) in SIGNS:
            text = program.text(value) if isinstance(value, PLAIN) else f"({program.text(value)})"
            new = f"{target.id} = {target.id} {SIGNS[type(op)]} {text}"
            return edits.replaced(program, statement, new)
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name() as target, attr=attr))):
            if attr.rstrip("_") not in OUT_OF_PLACE or not attr.endswith("_") or statement.value is not call:
                return None
            out = program.text(statement)
            start = program.text(call.func)
            return edits.replaced(program, statement, f"{target.id} = {start[:-1]}{out[len(start) :]}")
        case ast.AugAssign(target=ast.Subscript(value=ast.Name() as target)):
            return edits.before(program, statement, f"{target.id} = {target.id}.clone()")
        case ast.Assign(targets=[ast.Subscript(value=ast.Name() as target)]):
            return edits.before(program, statement, f"{target.id} = {target.id}.clone()")
    return None


def is_shared(case: Case, by: int, name: str | None) -> bool:
    """Return whether something else that the program may look at would have seen the change."""
    names = case.names_at(by)
    tensor = names.get(name or "")
    held = [each for each, other in names.items() if other == tensor]
    changes = (case.rows[k] for k in case.of("aliases_changed") if by < k < by + 4)
    written = case.rows[by]["outputs"][0]
    others = {each for row in changes if row["written"] == written for each, _ in row["tensors"]}
    return tensor is None or len(held) > 1 or bool((others - {tensor}) & set(names.values()))


def subject(statement: ast.stmt | None) -> str | None:
    """Return the variable that a statement writes into."""
    match statement:
        case ast.AugAssign(target=target) | ast.Assign(targets=[target]):
            found = target.value if isinstance(target, ast.Subscript) else target
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=found))):
            pass
        case _:
            return None
    return found.id if isinstance(found, ast.Name) else None


def freed(case: Case) -> Iterator[Finding]:
    """Backward goes through a graph a second time."""
    error = case.error
    cause = error and error["cause"]
    if not cause or cause["what"] != "freed":
        return
    found = Finding(
        "freed", len(case.rows) - 1, error["at"], node=error["node"],
        terms={
            "node": case.nodes[error["node"]]["name"], "line": str(cause["at"][0]) if cause["at"] else "",
            "made": str((case.nodes[error["node"]]["at"] or [0])[0]),
        },
        links=[case.link(cause["by"])],
    )  # fmt: skip
    first, second = (case.program.find(at, ast.Call) for at in (cause["at"], error["at"]))
    if cause["at"] == error["at"] and second is not None:
        again(case, found, second)
    elif method(first, "backward", "grad") is not None and not updated(case, cause["by"]):
        found.fix = kept_for_all(case.program, first, second)
    yield found


def updated(case: Case, row: int) -> bool:
    """Return whether a leaf was changed after a row: kept numbers would then be wrong ones."""
    steps = [k for k in case.of("parameter_updated", "data_replaced") if k > row]
    written = [
        k for k in case.of("op_applied")
        if k > row and case.rows[k]["inplace"] and case.tensors[case.rows[k]["outputs"][0]]["kind"] == "leaf"
    ]  # fmt: skip
    return bool(steps or written)


def kept_for_all(program: Program, first: ast.Call, second: ast.Call | None) -> edits.Edits | None:
    """Let every backward() from the first on keep the graph, but for the last one of the block."""
    block = program.block(program.statement(program.span(first)))
    calls = [each.value for each in block if isinstance(each, ast.Expr) and method(each.value, "backward")]
    if first not in calls or second not in calls:
        return retained(program, first)
    change: edits.Edits = []
    for call in calls[calls.index(first) : -1]:
        flag = keyword(call, "retain_graph")
        if flag is None or not isinstance(flag.value, ast.Constant) or flag.value.value is not True:
            new = retained(program, call)
            if new is None:
                return None
            change += new
    return change


def retained(program: Program, call: ast.Call) -> edits.Edits | None:
    """Let the first backward() keep the graph."""
    flag = keyword(call, "retain_graph")
    if flag is not None:
        return edits.replaced(program, flag.value, "True")
    return (
        None
        if len(call.args) > 1 and called(call) == "backward"
        else edits.with_argument(program, call, "retain_graph=True")
    )


def again(case: Case, found: Finding, call: ast.Call) -> None:
    """The same call runs again, in a loop: say what leads back into the last round, and cut it there."""
    program = case.program
    statement = program.statement(program.span(call))
    loop = program.loop(statement)
    found.variant = "loop"
    last = case.passes[-1]
    before = max((each.last for each in case.passes[:-1]), default=0)
    if loop is None or not last.roots:
        return
    found.terms["loop"] = str(loop.lineno)
    crossing = carried(case, last.roots, before)
    names = [name for name in (carrier(case, tensor, before) for tensor in crossing) if name]
    written = {
        node.id for node in program.nodes
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and program.loop(node) is loop
    }  # fmt: skip
    inside = [each for each in crossing if in_lines(case.tensors[each]["at"], loop)]
    if not crossing or len(inside) < len(crossing):
        return
    found.variant, found.tensor = "carried", crossing[0]
    found.terms["name"] = ", ".join(sorted({case.name(each, before) for each in crossing}))
    if len(names) != len(crossing) or not set(names) <= written:
        return
    lines = [f"{name} = {name}.detach()" for name in sorted(set(names))]
    found.fix = edits.behind(program, statement, *lines) if program.block(statement) is loop.body else None


def in_lines(at: list[int] | None, node: ast.AST) -> bool:
    """Return whether a place is within the lines of a node."""
    return at is not None and node.lineno <= at[0] <= node.end_lineno


def carried(case: Case, roots: tuple[str, ...], before: int) -> list[str]:
    """Return the results of earlier rounds that the operations of this one were given."""
    todo, met, found = list(roots), set(), []
    while todo:
        tensor = todo.pop()
        made = case.makers.get(tensor)
        if tensor in met or made is None:
            continue
        met.add(tensor)
        if made < before:
            if case.tensors[tensor]["kind"] == "result":
                found.append(tensor)
        else:
            todo += case.inputs(made)
    return found


def carrier(case: Case, tensor: str, k: int) -> str | None:
    """Return the one variable that holds a tensor at a row."""
    names = [name for name, held in case.names_at(k).items() if held == tensor and name.isidentifier()]
    return names[0] if len(names) == 1 else None
