"""A lesson together with its runs: what the page shows, with every number and answer taken from the trace."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from app.lessons import facts, moments
from app.lessons.model import Checkpoint, Choice, Section
from app.lessons.prose import Writer, filled, places
from app.lessons.run import BEFORE, Run

NEXT = "next"  # to be clicked: the node that runs next


# Note: lessons
def section_told(section: Section, runs: Mapping[str, Run]) -> dict[str, Any]:
    """Return one section as the page gets it. Raises what facts, moments and prose raise."""
    run = runs[section.program]
    k = moments.row_of(run, section.show) if section.show else BEFORE
    writer = Writer(places(run))
    told: dict[str, Any] = {
        "title": writer.line(filled(section.title, run, k)),
        "html": writer.page(filled(section.prose, run, k)),
        "program": section.program,
        "k": k,
        "level": section.level,
        "checkpoint": None,
    }
    after = k
    if section.checkpoint:
        told["checkpoint"] = checkpoint_told(section.checkpoint, run, k, writer)
        after = told["checkpoint"]["reveal"]
    told["after"] = writer.page(filled(section.after, run, after))
    return told


def checkpoint_told(asked: Checkpoint, run: Run, k: int, writer: Writer) -> dict[str, Any]:
    """Return a question with its answer from the trace."""
    reveal = moments.row_of(run, asked.reveal) if asked.reveal else k
    answer = None if asked.answer is None else answer_of(asked, run, k, reveal)

    def line(text: str) -> str:
        return writer.line(filled(text, run, reveal))

    return {
        "id": asked.id,
        "kind": asked.kind,
        "ask": writer.line(filled(asked.ask, run, k)),
        "reveal": reveal,
        "answer": answer,
        "because": line(asked.because),
        "otherwise": line(asked.otherwise),
        "choices": [
            {
                "text": line(choice.text),
                "right": is_right(choice, answer, run, reveal),
                "reason": line(choice.reason),
            }
            for choice in asked.choices
        ],
        "wrong": [
            {"is": facts.evaluate(run, choice.when, reveal), "reason": line(choice.reason)}
            for choice in asked.wrong
        ],
    }


def answer_of(asked: Checkpoint, run: Run, k: int, reveal: int) -> Any:
    """Return the right answer: a number or list, a text; the ids of nodes; the number of a line."""
    if asked.kind != "node":
        return jsonable(facts.evaluate(run, asked.answer, reveal))
    nodes = [run.next_node(k)] if asked.answer == NEXT else list(run.nodes_called(asked.answer))
    if not nodes or None in nodes:
        raise moments.NoSuchStep(f"no node is called {asked.answer}")
    return nodes


def jsonable(value: Any) -> Any:
    """Return a fact as JSON can hold it."""
    if isinstance(value, list):
        return [jsonable(each) for each in value]
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


def is_right(choice: Choice, answer: Any, run: Run, k: int) -> bool:
    """Return whether a choice is the right one."""
    if choice.when is not None:
        return facts.evaluate(run, choice.when, k) is True
    if facts.told(answer) == choice.text.strip("`"):
        return True
    try:
        return same(facts.evaluate(run, choice.text.strip("`"), k), answer)
    except facts.NotAFact:
        return False


def same(a: Any, b: Any) -> bool:
    """Return whether two facts are one: numbers up to what single precision tells apart."""
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, int | float) and isinstance(b, int | float) and not isinstance(a, bool | None.__class__):
        return math.isclose(a, b, rel_tol=1e-5, abs_tol=1e-9)
    return a is b or a == b
