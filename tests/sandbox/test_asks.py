"""Questions about gradients in the sandbox: answered behind the walls, within the limits of a run."""

from __future__ import annotations

import asyncio
import json
import time
from dataclasses import replace
from typing import Any

import pytest

from app.sandbox.limits import Limits
from app.sandbox.pool import Pool
from tests.sandbox import cases

PROGRAM = "import torch\nx = torch.tensor([1.0, 2.0], requires_grad=True)\n(x ** 2).sum().backward()\n"
QUICK = replace(Limits(), wall=1.0)
SLOPE = {
    "about": "slope",
    "call": 0,
    "made": 0,
    "output": 0,
    "element": [1],
    "points": 3,
    "reach": 1.0,
    "written": False,
}


def asked(source: str, question: dict, changes: list[dict] | None = None, limits: Limits = QUICK) -> Any:
    """Return the answer of a pool of its own to one question."""

    async def story() -> Any:
        async with Pool(limits, size=1) as pool:
            return await pool.ask(source, {"changes": changes or []}, question)

    return asyncio.run(story())


def row_of(source: str) -> int:
    """Return the row in which the first gradient is accumulated."""
    rows = cases.run_one(Pool(size=1), source)["rows"]
    return next(k for k, row in enumerate(rows) if row["kind"] == "grad_accumulated")


def why(row: int) -> dict:
    """Return the question why an element is what it is."""
    return {"about": "why", "row": row, "call": 0, "element": [1], "input_nr": 0}


def test_both_questions_are_answered_behind_the_walls():
    answer = asked(PROGRAM, why(row_of(PROGRAM)))
    assert answer["found"] and answer["number"] == 4.0 and answer["made"] == [0, 0]
    slope = asked(PROGRAM, SLOPE)
    assert slope["found"] and abs(slope["estimates"][1]["central"] - 4.0) < 1e-6 and len(slope["points"]) == 3


def test_changes_are_in_place_for_questions_and_for_traces():
    change = [{"made": 0, "output": 0, "element": [1], "value": 5.0}]
    assert abs(asked(PROGRAM, SLOPE, change)["estimates"][1]["central"] - 10.0) < 1e-5

    async def story() -> bytes:
        async with Pool(size=1) as pool:
            return await pool.run(PROGRAM, {"changes": change})

    trace = json.loads(asyncio.run(story()))
    (replaced,) = [row for row in trace["rows"] if row["kind"] == "data_replaced"]
    assert trace["values"][replaced["after"]]["data"] == [1.0, 5.0]


HOSTILE = {
    "a loop": "while True: pass",
    "a loop that catches": "while True:\n    try:\n        while True: pass\n    except BaseException: pass",
    "memory": "x = 'a'\nwhile True: x = x + x",
    "recursion": "def f(): return f()\nf()",
    "an import": "import os\nos.system('id')",
    "no python": "((((",
    "nothing": "",
    "prints for ever": "while True: print('x' * 10000)",
    "hides the end": PROGRAM.replace("(x", "try:\n    (x").rstrip()
    + "\nexcept BaseException:\n    print(1)\n",
}


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("question", [why(5), SLOPE], ids=["why", "slope"])
def test_no_program_keeps_a_question_longer_than_a_run(name: str, question: dict):
    before = time.monotonic()
    answer = asked(HOSTILE[name], question)
    assert time.monotonic() - before < QUICK.hard + 30  # starting the pool included
    assert answer is None or answer.get("found") is (
        True if name == "hides the end" and answer["found"] else False
    )


ODD = {
    "far element": {"element": [10**6 - 1]},
    "many dimensions": {"element": [0] * 16},
    "far call": {"call": 99_999},
    "far making": {"made": 999_999},
    "far output": {"output": 9_999},
}


@pytest.mark.parametrize("name", ODD)
def test_a_place_that_is_not_there_is_no_answer_and_no_harm(name: str):
    for question in (why(10), SLOPE):
        given = {**question, **{k: v for k, v in ODD[name].items() if k in question}}
        if given == question:
            continue
        assert asked(PROGRAM, given) == {"found": False}


def test_changes_of_every_odd_kind_leave_the_run_whole():
    source = (
        "import torch\nb = torch.tensor([True])\ni = torch.tensor([1], dtype=torch.uint8)\n"
        "c = torch.tensor([1j])\ne = torch.zeros(1).expand(3)\nh = torch.ones(1).half()\n"
        "z = torch.zeros(0)\nprint(e.sum())"
    )
    changes = [
        {"made": made, "output": 0, "element": [0], "value": value}
        for made, value in ((0, 3.0), (1, -1e30), (2, 2.0), (3, 1e38), (4, -5.5), (6, 1e38), (8, 1.0))
    ]

    async def story() -> bytes:
        async with Pool(size=1) as pool:
            return await pool.run(source, {"changes": changes})

    assert json.loads(asyncio.run(story()))["outcome"] == {"kind": "finished"}


def test_an_unknown_question_is_our_fault_and_answers_nothing():
    assert asked(PROGRAM, {"about": "everything"}) == {"found": False, "stopped": "crash"}
