"""Checking in isolation: it finds what it finds outside, and nothing that is sent to it does harm."""

from __future__ import annotations

import asyncio
import json
from functools import cache

import pytest

from app.sandbox import checks, lockdown
from app.sandbox.assemble import Ending
from app.sandbox.checks import Checker
from engine.trace.run import trace_source
from engine.verify.check import check
from tests.verify.traces import SUBJECTS, trace_of

LONG = """\
import torch
x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
for run in range(10):
    y = x
    for step in range(60):
        y = y * 1.01 + 0.5
    y.sum().backward()
"""
FORKS = pytest.param(True, marks=pytest.mark.skipif(not lockdown.can_fork(), reason="forks only on Linux"))
HOSTILE = {
    "deep": b'{"trace":' + b"[" * 900 + b"]" * 900 + b"}",
    "deeper": b"[" * 200_000,
    "null": b'{"trace": null}',
    "a list": b"[]",
    "nothing": b"",
    "half a character": b'{"version": "\\ud800"}',
    "no text": b"\xff\xfe",
}


def checked(*traces: bytes, seconds: float = 10.0, **options) -> list[dict]:
    """Return what a checker says of each."""

    async def story() -> list[dict]:
        checker = Checker(seconds, **options)
        await checker.start()
        try:
            return [await asyncio.wait_for(checker.check(trace), 60) for trace in traces]
        finally:
            await checker.close()

    return asyncio.run(story())


def written(trace: dict) -> bytes:
    return json.dumps(trace).encode()


@cache
def long() -> bytes:
    return written(trace_source(LONG))


@pytest.mark.parametrize("forks", [FORKS, False])
def test_a_check_finds_in_isolation_what_it_finds_outside(forks: bool):
    names = SUBJECTS if forks else SUBJECTS[:3]
    found = checked(*(written({"trace": trace_of(name), "drawing": {}}) for name in names), forks=forks)
    for name, told in zip(names, found, strict=True):
        assert told == {**check(trace_of(name)).as_dict(), "stopped": None}, name


def test_a_false_row_is_named():
    trace = json.loads(json.dumps(trace_of("two_paths")))
    k = next(k for k, row in enumerate(trace["rows"]) if row["kind"] == "edge_flowed")
    trace["rows"][k]["missing"] = 9
    (told,) = checked(written(trace))
    problem = {"row": k, "claim": "edge_flowed.missing", "expected": "0", "found": "9"}
    assert told["problems"] == [problem] and told["stopped"] is None


def test_a_long_text_of_a_trace_is_cut():
    trace = json.loads(json.dumps(trace_of("two_paths")))
    k = next(k for k, row in enumerate(trace["rows"]) if row["kind"] == "edge_flowed")
    trace["rows"][k]["target"] = "n" + "1" * 100_000
    (told,) = checked(written(trace))
    assert told["problems"] and len(json.dumps(told)) < 5_000


def test_a_check_that_takes_too_long_says_how_far_it_came():
    (told,) = checked(long(), seconds=0.15)
    assert told["stopped"] == "time" and told["problems"] == []
    assert 0 <= told["rows"] < len(json.loads(long())["rows"])


def test_a_check_that_needs_too_much_memory_says_so(monkeypatch):
    monkeypatch.setattr(checks, "MEMORY", 250 << 20)
    (told,) = checked(b"[" + b'{"a":[1.5,2.5,{}]},' * 900_000 + b"0]")
    assert told["stopped"] == "memory"


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_bytes_are_refused_and_the_next_trace_is_checked(name: str):
    refused, honest = checked(HOSTILE[name], written(trace_of("power")))
    assert refused["problems"] or refused["stopped"] == "json"
    assert honest["checked"] == honest["of"] > 0 and not honest["problems"]


@pytest.mark.parametrize(("how", "why"), [("stuck", "time"), ("crash", "crash"), ("violation", "crash")])
def test_a_process_that_says_nothing_has_not_checked_anything(how: str, why: str):
    assert checks.read(b"", Ending(how)) == {**checks.NOTHING, "stopped": why}
    assert checks.read(b"l\0\0\0\2no", Ending(how)) == {**checks.NOTHING, "stopped": why}
