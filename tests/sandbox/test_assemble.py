"""A child's bytes become a valid trace, whatever they are."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.sandbox import protocol
from app.sandbox.assemble import Ending, assemble
from app.sandbox.limits import SENTENCES, Limits, sentence

HEAD = {"version": 1, "engine": "0", "mirrors": "PyTorch"}
SOURCE = "x = 1\n  y = '😀'  \n"
TABLES: dict[str, Any] = {"tensors": {}, "nodes": {}, "modules": {}, "values": {}}
LIMITS = replace(Limits(), rows=5)


def row(k: int = 0) -> dict[str, Any]:
    return {"kind": "printed", "at": [1, 0, 1, 5], "text": str(k)}


def rows(*found: Any, **tables: Any) -> bytes:
    return protocol.message(protocol.ROWS, {**TABLES, **tables, "rows": list(found)})


def last(*found: Any, outcome: Any = None, **tables: Any) -> bytes:
    outcome = {"kind": "finished"} if outcome is None else outcome
    return protocol.message(protocol.LAST, {**TABLES, **tables, "rows": list(found), "outcome": outcome})


def trace(stream: bytes, how: str = "exit", line: int | None = None) -> dict[str, Any]:
    return json.loads(assemble(SOURCE, HEAD, stream, Ending(how, line), LIMITS))


def test_frames_are_put_together_in_order():
    found = trace(rows(row(0), values={"v1": {"a": 1}}) + last(row(1), values={"v2": {}}, tensors={"t1": {}}))
    assert [r["text"] for r in found["rows"]] == ["0", "1"]
    assert list(found) == ["version", "engine", "mirrors", "source", *TABLES, "rows", "outcome"]
    assert found["values"] == {"v1": {"a": 1}, "v2": {}} and found["tensors"] == {"t1": {}}
    assert found["outcome"] == {"kind": "finished"} and found["source"] == SOURCE


def test_later_entries_win_and_the_last_frame_has_the_whole_tables():
    first, second = {"t1": {"names": []}, "t9": {}}, {"t1": {"names": ["x"]}}
    assert trace(rows(tensors=first) + rows(tensors=second))["tensors"] == {"t1": {"names": ["x"]}, "t9": {}}
    assert trace(rows(tensors=first) + last(tensors=second))["tensors"] == second


@pytest.mark.parametrize("how", ["stuck", "time", "memory", "trace", "crash", "violation"])
def test_a_run_without_a_last_frame_ends_in_the_row_of_its_limit(how: str):
    found = trace(rows(row()), how)
    assert found["rows"][0] == row()
    assert found["rows"][-1]["kind"] == "limit" and found["outcome"]["message"] == sentence(how, LIMITS)
    assert found["outcome"]["limit"] == ("time" if how == "stuck" else how)


def test_a_child_that_leaves_without_a_word_has_crashed():
    assert trace(rows(row()), "exit")["outcome"]["limit"] == "crash"
    assert trace(b"", "killed")["outcome"]["limit"] == "crash"


def test_where_it_was_stuck_is_marked_as_a_whole_line_in_utf16_units():
    assert trace(b"", "stuck", 2)["outcome"]["at"] == [2, 2, 2, 10]
    assert trace(b"", "stuck", 99)["outcome"]["at"] is None


def test_a_child_may_say_itself_why_it_was_cut():
    found = trace(rows(row()) + protocol.message(protocol.LAST, {"cut": "memory"}))
    assert found["outcome"]["limit"] == "memory" and len(found["rows"]) == 2


BAD = {
    "an unknown frame": protocol.frame(b"?", b"{}"),
    "no JSON": protocol.frame(protocol.ROWS, b"{"),
    "a list": protocol.message(protocol.ROWS, []),
    "missing fields": protocol.message(protocol.ROWS, {"rows": []}),
    "an extra field": protocol.message(protocol.ROWS, {**TABLES, "rows": [], "more": 1}),
    "rows that are no list": protocol.message(protocol.ROWS, {**TABLES, "rows": {}}),
    "a row without a kind": rows({"at": None}),
    "a row with a strange place": rows({"kind": "x", "at": [1, 2]}),
    "a row that is text": rows("x"),
    "too many rows": rows(*[row()] * 20),
    "a strange id": rows(tensors={"__proto__": {}}),
    "an id of another table": rows(tensors={"n1": {}}),
    "an entry that is text": rows(values={"v1": "x"}),
    "an unknown outcome": last(outcome={"kind": "won"}),
    "an outcome whose kind is a list": last(outcome={"kind": []}),
    "an outcome without a message": last(outcome={"kind": "error", "type": "E", "at": None}),
    "a strange reason": protocol.message(protocol.LAST, {"cut": ["x"]}),
    "numbers without end": protocol.frame(protocol.ROWS, b'{"rows":[{"kind":"x","at":null,"n":1e999}]}'),
    "half a surrogate pair": protocol.frame(protocol.ROWS, b'"\\ud800"'),
    "a tower": protocol.frame(protocol.ROWS, b"[" * 100_000),
}


@pytest.mark.parametrize("what", BAD)
def test_what_is_not_as_agreed_ends_the_trace_where_it_was(what: str):
    found = trace(rows(row()) + BAD[what] + rows(row()))
    assert found["outcome"]["limit"] == "crash"
    assert [r["kind"] for r in found["rows"]] == ["printed", "limit"]


def test_nesting_that_cannot_be_written_again_is_dropped():
    tower: Any = []
    for _ in range(400):
        tower = [tower]
    found = trace(rows({"kind": "x", "at": None, "tower": tower}))
    assert found["outcome"]["limit"] == "crash" and len(found["rows"]) == 1


@given(st.binary() | st.lists(st.sampled_from([*BAD.values(), rows(row()), last(row())])).map(b"".join))
def test_any_bytes_give_a_valid_trace(stream: bytes):
    found = trace(stream)
    assert set(found) == {*HEAD, *TABLES, "source", "rows", "outcome"}
    assert found["outcome"]["kind"] in ("finished", "limit")


def test_every_sentence_names_its_limit():
    for name in SENTENCES:
        assert "{" not in sentence(name, LIMITS) and sentence(name, LIMITS).endswith(".")
    assert "5 s" in sentence("time", LIMITS) and "512 MiB" in sentence("memory", LIMITS)
