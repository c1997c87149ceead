"""Gradients that pile up from step to step, or are emptied before they are used."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import pairwise
from math import prod

from app.sandbox.child.doctor import edits
from app.sandbox.child.doctor.case import Case, Finding
from app.sandbox.child.doctor.program import method
from app.sandbox.child.doctor.updates import ADDED, EMPTIED, TOUCHED, USED, Event, histories

SEVERAL = 3  # names that a sentence lists


def accumulating(case: Case) -> Iterator[Finding]:
    """`zero_grad` never runs: each step uses the gradients of all steps before it as well."""
    if not case.of("optimizer_step", "op_applied", "data_replaced"):
        return
    guilty: dict[int | None, list[tuple[str, list[Event]]]] = {}
    for leaf, events in histories(case).items():
        if piles_up(case, events):
            last = next(each for each in reversed(events) if each.what == USED)
            guilty.setdefault(last.by, []).append((leaf, events))
    for by, leaves in guilty.items():
        leaf, events = min(leaves, key=lambda each: prod(case.tensors[each[0]]["shape"]))
        added = next(row for row in sums(case, events))
        row = case.rows[added]
        used = next(each.row for each in events if each.what == USED)
        yield Finding(
            "accumulating", added, row["at"], variant="" if by is not None else "by_hand",
            node=row["node"], tensor=leaf,
            terms={"name": case.name(leaf, added), "names": listed(case, [leaf for leaf, _ in leaves])},
            values={} if row["kind"] != "grad_accumulated"
            else {"before": row["before"], "arriving": row["arriving"], "after": row["after"]},
            links=[case.link(used)],
            fix=zeroing(case, leaves, by),
        )  # fmt: skip


def piles_up(case: Case, events: list[Event]) -> bool:
    """Return whether every update but the first used what the one before it had used, and more."""
    used: list[int] = []
    for i, each in enumerate(events):
        if each.what == USED and (not used or adds(events[used[-1] : i])):
            used.append(i)
    between = [events[i:j] for i, j in pairwise(used)]
    if not between or any(each.what in (EMPTIED, TOUCHED) for part in between for each in part):
        return False
    return bool(list(sums(case, events)))


def adds(events: list[Event]) -> bool:
    """Return whether a gradient arrives in a part of a history."""
    return any(each.what == ADDED for each in events)


def sums(case: Case, events: list[Event]) -> Iterator[int]:
    """Yield the rows, after the first update, that add to a `.grad` that already holds numbers."""
    first = next(each.row for each in events if each.what == USED)
    for each in events:
        if each.what == ADDED and each.row > first:
            row = case.rows[each.row]
            if row["kind"] == "sparse_accumulated":
                yield each.row
            elif row["before"] is not None and not case.is_zero(row["before"]):
                yield each.row


def listed(case: Case, tensors: list[str]) -> str:
    """Return the names of some tensors, not too many."""
    names = [case.name(tensor) for tensor in tensors]
    return ", ".join(names[:SEVERAL]) + (", …" if len(names) > SEVERAL else "")


def zeroing(case: Case, leaves: list[tuple[str, list[Event]]], by: int | None) -> edits.Edits | None:
    """Empty the gradients before each backward; by hand, after each update."""
    program = case.program
    if by is None:
        return zeroing_by_hand(case, [events for _, events in leaves])
    steps = {
        tuple(case.rows[k]["at"] or ()) for k in case.of("optimizer_step") if case.rows[k]["which"] == by
    }
    call = program.find(list(next(iter(steps))), ast.Call) if len(steps) == 1 else None
    step = method(call, "step")
    if step is None or call.args or call.keywords or not isinstance(step.value, (ast.Name, ast.Attribute)):
        return None
    line = f"{program.text(step.value)}.zero_grad()"
    statement = program.statement(program.span(call))
    backward = only_backward(case, leaves)
    if backward is not None and program.same_block(statement, backward):
        return edits.before(program, backward, line)
    return edits.behind(program, statement, line) if isinstance(statement, ast.Expr) else None


def only_backward(case: Case, leaves: list[tuple[str, list[Event]]]) -> ast.stmt | None:
    """Return the statement of the only backward() that reaches some leaves."""
    rows = {each.row for _, events in leaves for each in events if each.what == ADDED}
    places = {tuple(case.rows[k]["at"] or ()) for k in rows}
    found = case.program.statement(list(next(iter(places)))) if len(places) == 1 else None
    return found if isinstance(found, ast.Expr) else None


def zeroing_by_hand(case: Case, histories: list[list[Event]]) -> edits.Edits | None:
    """Empty each `.grad` after the statement that updates by it."""
    program, change, met = case.program, [], set()
    for events in histories:
        for row in {each.row for each in events if each.what == USED}:
            statement = program.statement(case.rows[row]["at"])
            target = updated(statement)
            if target is None:
                return None
            if statement not in met:
                met.add(statement)
                new = edits.behind(program, statement, f"{program.text(target)}.grad.zero_()")
                if new is None:
                    return None
                change += new
    return change


def updated(statement: ast.stmt | None) -> ast.expr | None:
    """Return the tensor that a statement such as `w -= ...` or `w.data.sub_(...)` updates."""
    match statement:
        case ast.AugAssign(target=target) | ast.Assign(targets=[target]):
            pass
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=target))):
            pass
        case _:
            return None
    if isinstance(target, ast.Attribute) and target.attr == "data":
        target = target.value
    return target if isinstance(target, (ast.Name, ast.Attribute)) else None


def emptied(case: Case) -> Iterator[Finding]:
    """`zero_grad` runs between backward and step: the step has nothing to work with."""
    for which in sorted(case.held):
        steps = [k for k in case.of("optimizer_step") if case.rows[k]["which"] == which]
        early = [emptied_before(case, case.held[which], k) for k in steps]
        if not steps or any(each is None for each in early):
            continue
        first = early[0]
        call = case.program.find(case.rows[first]["at"], ast.Call)
        name = case.rows[steps[0]]["optimizer"]
        yield Finding(
            "emptied", steps[0], case.rows[first]["at"], tensor=case.rows[first].get("tensor"),
            terms={"optimizer": name, "line": str(case.rows[first]["at"][0])},
            links=[case.link(first)], fix=earlier(case, call, first),
        )  # fmt: skip


def emptied_before(case: Case, tensors: list[str], step: int) -> int | None:
    """Return the row that emptied all gradients of a step which had some, or None."""
    wanted, last = set(tensors), {}
    for k in range(step - 1, -1, -1):
        row = case.rows[k]
        if row["kind"] == "optimizer_step":
            break
        if row["kind"] in ("grad_accumulated", "grad_set", "sparse_accumulated") and row["tensor"] in wanted:
            last.setdefault(row["tensor"], k)
            if row["kind"] != "grad_set":
                wanted.discard(row["tensor"])
    ends = {case.rows[k]["kind"] for k in last.values()}
    if not last or ends != {"grad_set"}:
        return None
    rows = [case.rows[k] for k in last.values()]
    filled = len(wanted) < len(set(tensors))  # a gradient had come before
    gone = all(row["after"] is None or case.is_zero(row["after"]) for row in rows)
    full = all(row["before"] is not None and not case.is_zero(row["before"]) for row in rows)
    return min(last.values()) if filled and gone and full else None


def earlier(case: Case, call: ast.AST | None, row: int) -> edits.Edits | None:
    """Move the call that empties to before the backward() that filled."""
    program = case.program
    added = [k for k in case.of("grad_accumulated", "sparse_accumulated") if k < row]
    statement = program.statement(case.rows[row]["at"])
    backward = program.statement(case.rows[added[-1]]["at"])
    if method(call, "zero_grad") is None or not isinstance(statement, ast.Expr) or backward is None:
        return None
    if not isinstance(backward, ast.Expr) or not program.same_block(statement, backward):
        return None
    return edits.moved(program, statement, backward)
