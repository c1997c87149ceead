"""Calls that were not made, or too early: `loss.backward` without parentheses, the scheduler first."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from app.sandbox.child.doctor import edits
from app.sandbox.child.doctor.case import Case, Finding
from app.sandbox.child.doctor.program import attribute, method

MEANT = ("backward", "step", "zero_grad", "zero_")
WITHOUT = re.compile(r"\.(backward|step|zero_grad|zero_)[ \t]*(?:#.*|;.*)?\r?$", re.MULTILINE)
SCHEDULER = "Detected call of `lr_scheduler.step()` before `optimizer.step()`"


def uncalled(case: Case) -> Iterator[Finding]:
    """A method is named and not called: nothing happens, and nothing says so."""
    if not case.rows or not WITHOUT.search(case.source):
        return
    program = case.program
    for node in sorted((n for n in program.nodes if isinstance(n, ast.Expr)), key=lambda each: each.lineno):
        found = attribute(node.value, *MEANT)
        if found is None:
            continue
        at = program.span(node)
        row = next((k for k in case.of("echo") if case.rows[k]["at"] == at), len(case.rows) - 1)
        text = program.text(node)
        yield Finding(
            "uncalled", row, at, terms={"text": text, "name": found.attr, "line": str(node.lineno)},
            fix=edits.after_text(program, node, "()"),
        )  # fmt: skip


def scheduler_first(case: Case) -> Iterator[Finding]:
    """The scheduler plans the second learning rate before the first was used."""
    for k in case.of("warning"):
        row = case.rows[k]
        if not row["message"].startswith(SCHEDULER):
            continue
        plans = [i for i in case.of("lr_scheduled") if case.rows[i]["at"] and i > 0]
        at = row["at"] or (case.rows[plans[0]]["at"] if plans else None)
        statement = case.program.statement(at)
        steps = case.of("optimizer_step")
        step = case.program.statement(case.rows[steps[0]]["at"]) if steps else None
        fix = None
        if isinstance(statement, ast.Expr) and method(statement.value, "step") and isinstance(step, ast.Expr):
            if case.program.same_block(statement, step):
                fix = edits.moved(case.program, statement, step, edits.behind)
        yield Finding(
            "scheduler_first", k, at, terms={"line": str(at[0]) if at else "?"},
            links=[case.link(steps[0])] if steps else [], fix=fix,
        )  # fmt: skip
        return
