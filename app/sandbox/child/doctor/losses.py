"""Losses that compute something else than is meant: shapes that broadcast, softmax twice, sums of graphs."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from math import e

from app.sandbox.child.doctor import edits
from app.sandbox.child.doctor.case import Case, Finding
from app.sandbox.child.doctor.program import called

PAIRS = {"mse_loss", "smooth_l1_loss", "huber_loss", "l1_loss"}
EVEN = {"pow", "abs", "square", "mul"}  # what becomes of a difference on its way into a loss
ENDS = {"mean", "sum"}
SHAPING = {"unsqueeze", "view", "reshape", "expand", "select", "slice", "transpose", "t", "permute", "index"}
PLAIN_SHAPES = {"view", "reshape", "squeeze", "clone", "to", "alias", "flatten"}
SQUASHED = {"softmax": "log_softmax", "sigmoid": "binary_cross_entropy_with_logits"}


# ----- shapes -----
def broadcast(case: Case) -> Iterator[Finding]:
    """(N, 1) meets (N,) in a loss: every prediction is compared with every target."""
    met = set()
    for k in case.of("op_applied"):
        row = case.rows[k]
        if row["op"] == "sub" and not row["inplace"]:
            pair = tall_and_flat(case, [before_expand(case, tensor, k) for tensor in case.inputs(k)])
            if (
                pair is None
                or not ends_in_a_loss(case, row["outputs"][0])
                or spread_on_purpose(case, pair, k)
            ):
                continue
        elif row["op"] in PAIRS:
            pair = tall_and_flat(case, [before_expand(case, tensor, k) for tensor in case.inputs(k)[:2]])
            if pair is None:
                continue
        else:
            continue
        place = tuple(row["at"] or ())
        if place and place not in met:
            met.add(place)
            yield wide(case, k, pair)


def tall_and_flat(case: Case, tensors: list[str]) -> tuple[str, str] | None:
    """Return two tensors of shapes (N, 1) and (N,), N over 1, one of which requires grad; tall one first."""
    if len(tensors) < 2 or case.wants(tensors[0]) == case.wants(tensors[1]):
        return None
    for tall, flat in (tensors[:2], tensors[1::-1]):
        n = case.tensors[flat]["shape"]
        if len(n) == 1 and n[0] > 1 and case.tensors[tall]["shape"] == [n[0], 1]:
            return tall, flat
    return None


def before_expand(case: Case, tensor: str, k: int) -> str:
    """Return what a loss has expanded itself to make both sides equal."""
    made = case.makers.get(tensor)
    row = case.rows[made] if made is not None else {}
    own = row.get("op") == "expand" and row["at"] == case.rows[k]["at"]
    return case.inputs(made)[0] if own else tensor


def ends_in_a_loss(case: Case, tensor: str) -> bool:
    """Return whether a difference is squared, or made positive, and averaged to one number at once."""
    for _ in range(3):
        uses = case.uses.get(tensor, [])
        if not uses or len({case.rows[k]["op"] for k in uses}) > 1:
            return False
        row = case.rows[uses[0]]
        if row["op"] in ENDS:
            return case.tensors[row["outputs"][0]]["shape"] == []
        if row["op"] not in EVEN or (row["op"] == "mul" and set(case.inputs(uses[0])) != {tensor}):
            return False
        tensor = row["outputs"][0]
    return False


def spread_on_purpose(case: Case, pair: tuple[str, str], k: int) -> bool:
    """Return whether the tall side was made tall for this: by an index or unsqueeze."""
    made = case.makers.get(pair[0])
    row = case.rows[made] if made is not None else {}
    return row.get("op") in SHAPING and case.wants(pair[0])


def wide(case: Case, k: int, pair: tuple[str, str]) -> Finding:
    """Say what is compared with what, and make the tall side flat."""
    at, tall, flat = case.rows[k]["at"], *pair
    n = case.tensors[flat]["shape"][0]
    return Finding(
        "broadcast", k, at, node=case.rows[k]["node"], tensor=tall,
        terms={
            "tall": case.name(tall, k), "flat": case.name(flat, k), "n": str(n), "pairs": str(n * n),
        },
        fix=flattened(case, k, tall),
    )  # fmt: skip


def flattened(case: Case, k: int, tall: str) -> edits.Edits | None:
    """Write `.squeeze(-1)` behind the side that has one dimension more."""
    program = case.program
    node = program.find(case.rows[k]["at"], ast.BinOp, ast.Call)
    sides = [node.left, node.right] if isinstance(node, ast.BinOp) else list(node.args[:2]) if node else []
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and called(node) == "sub":
        sides = [node.func.value, *node.args]
    names = case.names_at(k)
    for side in sides:
        same = isinstance(side, (ast.Name, ast.Attribute)) and names.get(program.text(side)) == tall
        if same or (not isinstance(side, ast.Name) and case.tensors[tall]["at"] == program.span(side)):
            return edits.replaced(program, side, f"{program.operand(side)}.squeeze(-1)")
    return None


# ----- softmax -----
def twice(case: Case) -> Iterator[Finding]:
    """Softmax before cross-entropy, or sigmoid before a loss with logits: the loss does it again."""
    met = set()
    for k in case.of("op_applied"):
        row = case.rows[k]
        if row["op"] == "nll_loss":
            first, again = case.makers.get(case.inputs(k)[0]), "softmax"
            if (
                first is None
                or case.rows[first]["op"] != "log_softmax"
                or case.rows[first]["at"] != row["at"]
            ):
                continue
            tensor = case.inputs(first)[0]
        elif row["op"] == "binary_cross_entropy_with_logits":
            tensor, again = case.inputs(k)[0], "sigmoid"
        else:
            continue
        made = squashed(case, tensor, again)
        place = tuple(row["at"] or ())
        if made is None or not place or place in met:
            continue
        met.add(place)
        at = case.rows[made]["at"]
        yield Finding(
            "twice", k, at, variant="" if again == "softmax" else "sigmoid", node=case.rows[made]["node"],
            tensor=case.rows[made]["outputs"][0],
            terms={
                "line": str(at[0] if at else ""), "loss": str(row["at"][0]),
                "best": best(case.tensors[case.rows[made]["outputs"][0]]["shape"]),
            },
            links=[case.link(made)], fix=once(case, made, k),
        )  # fmt: skip


def best(shape: list[int]) -> str:
    """Return the largest probability that a second softmax leaves to a class of which the first was sure."""
    classes = shape[1] if len(shape) > 1 else shape[0] if shape else 1
    return f"{e / (e + classes - 1):.2f}"


def squashed(case: Case, tensor: str, op: str) -> int | None:
    """Return the row of the softmax or sigmoid that gave a tensor, whatever shape it was given since."""
    for _ in range(4):
        made = case.makers.get(tensor)
        row = case.rows[made] if made is not None else {}
        if row.get("kind") != "op_applied" or not case.wants(tensor):
            return None
        if row["op"] == op:
            return made
        if row["op"] not in PLAIN_SHAPES:
            return None
        tensor = case.inputs(made)[0]
    return None


def once(case: Case, made: int, loss: int) -> edits.Edits | None:
    """Give the loss what went into the softmax; else write that in place of the softmax."""
    program, names = case.program, case.names_at(loss)
    source, result = case.inputs(made)[0], case.rows[made]["outputs"][0]
    call = program.find(case.rows[loss]["at"], ast.Call)
    first = call.args[0] if call is not None and call.args else None
    if isinstance(first, ast.Name) and names.get(first.id) == result:
        other = [name for name, tensor in names.items() if tensor == source and name.isidentifier()]
        if len(other) == 1:
            return edits.replaced(program, first, other[0])
    node = program.find(case.rows[made]["at"], ast.Call)
    if node is None:
        return None
    if called(node) in ("softmax", "sigmoid", "softmax_"):
        on = isinstance(node.func, ast.Attribute) and program.text(node.func.value) not in MODULES
        inner = node.func.value if on and not starts_with_self(node) else node.args[0] if node.args else None
        return edits.replaced(program, node, program.text(inner)) if inner is not None else None
    return out_of_the_sequence(case)


MODULES = {"torch", "F", "nn.functional", "torch.nn.functional"}


def starts_with_self(call: ast.Call) -> bool:
    """Return whether a call is `self.softmax(...)`: a module of the class."""
    return isinstance(call.func.value, ast.Name) and call.func.value.id == "self"


def out_of_the_sequence(case: Case) -> edits.Edits | None:
    """Take the only `nn.Softmax(...)` or `nn.Sigmoid()` that ends an `nn.Sequential(...)` away."""
    program = case.program
    found = [node for node in program.nodes if called(node) in ("Softmax", "Sigmoid")]
    if len(found) != 1:
        return None
    outer = program.parent[found[0]]
    if called(outer) != "Sequential" or len(outer.args) < 2 or outer.args[-1] is not found[0]:
        return None
    at = program.span(outer.args[-2])[2:] + program.span(found[0])[2:]
    return [{"at": at, "text": ""}]


# ----- history -----
def history(case: Case) -> Iterator[Finding]:
    """`total += loss` keeps the graph of every round: nobody goes backward through the total."""
    if len(case.passes) < 2:
        return
    roots = {root for each in case.passes for root in each.roots}
    entered = {case.rows[k]["node"] for k in case.of("node_entered")}
    rounds: dict[tuple, list[int]] = {}
    for k in case.of("op_applied"):
        row = case.rows[k]
        if row["op"] in ("add", "add_") and row["node"] is not None and row["at"]:
            if any(is_loss(case, tensor, roots) for tensor in case.inputs(k)):
                rounds.setdefault(tuple(row["at"]), []).append(k)
    for place, rows in rounds.items():
        nodes = {case.rows[k]["node"] for k in rows}
        if len(rows) < 2 or nodes & entered:
            continue
        statement = case.program.statement(list(place))
        name, value = summed(statement)
        totals = {case.rows[k]["outputs"][0] for k in rows}
        used = [k for tensor in totals for k in case.uses.get(tensor, ()) if k not in rows]
        if name is None or any(case.rows[k]["node"] in entered for k in used):
            continue
        yield Finding(
            "history", rows[1], list(place), node=case.rows[rows[1]]["node"],
            tensor=case.rows[rows[1]]["outputs"][0],
            terms={"name": name, "loss": case.program.text(value), "count": str(len(rows))},
            fix=numbers_only(case, name, value, rows), note=True,
        )  # fmt: skip


def is_loss(case: Case, tensor: str, roots: set[str]) -> bool:
    """Return whether a tensor is what some backward() began with, or that times a number."""
    made = case.makers.get(tensor)
    scaled = made is not None and case.rows[made].get("op") in ("mul", "div")
    return tensor in roots or (scaled and any(each in roots for each in case.inputs(made)))


def summed(statement: ast.stmt | None) -> tuple[str | None, ast.expr | None]:
    """Return the name and the summand of `total += loss` or `total = total + loss`."""
    match statement:
        case ast.AugAssign(target=ast.Name(id=name), op=ast.Add(), value=value):
            return name, value
        case ast.Assign(
            targets=[ast.Name(id=name)], value=ast.BinOp(left=ast.Name(id=left), op=ast.Add(), right=value)
        ):
            return (name, value) if name == left else (None, None)
    return None, None


def numbers_only(case: Case, name: str, value: ast.expr, rows: list[int]) -> edits.Edits:
    """Add the number, not the tensor; where the total must stay a tensor, one without a graph."""
    program = case.program
    starts = [
        node.value for node in program.nodes
        if isinstance(node, ast.Assign)
        and any(isinstance(target, ast.Name) and target.id == name for target in node.targets)
        and summed(node)[0] is None
    ]  # fmt: skip
    plain = all(isinstance(each, ast.Constant) for each in starts)
    asked = any(isinstance(program.parent[node], ast.Attribute) for node in program.names(name))
    single = all(case.tensors[case.rows[k]["outputs"][0]]["shape"] == [] for k in rows)
    tail = ".item()" if plain and single and not asked else ".detach()"
    return edits.replaced(program, value, program.operand(value) + tail)
