"""A trace that anything was done to is checked or refused: never an exception of ours, never a long wait."""

from __future__ import annotations

import copy
import json
import time
from collections.abc import Iterator
from functools import cache
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from engine.verify.check import check
from tests.verify.traces import SUBJECTS, trace_of

STRANGE: list[Any] = [
    None, True, 0, -1, 10**30, 2**63, 1e308, -0.0, "", "x", "nan", "9" * 6000, "grad * 2", "self", "t1", "n1",
    "v1", "v999999", [], {}, [[]], [None], [0], [-1], [10**9] * 3, [[[[]]]], {"tensor": "t1"},
    {"tensor": "t999"}, {"kind": "x"}, {"dtype": "float32", "shape": [10**6], "data": 1.5}, {"": ""},
]  # fmt: skip
CHANGES = ("set", "delete", "double", "add")
SMALL = 60_000  # characters of a trace that is changed
LONG = 20  # seconds of processor time


@cache
def subjects() -> list[tuple[dict, list[tuple]]]:
    """Return small honest traces, each with the way to everything in it."""
    traces = [json.loads(json.dumps(trace_of(name))) for name in SUBJECTS]
    return [(trace, list(ways(trace))[1:]) for trace in traces if len(json.dumps(trace)) < SMALL]


def ways(thing: Any, way: tuple = ()) -> Iterator[tuple]:
    """Yield the way to a thing and to all within it."""
    yield way
    inside = thing.items() if isinstance(thing, dict) else enumerate(thing) if isinstance(thing, list) else ()
    for key, each in inside:
        yield from ways(each, (*way, key))


def change(trace: dict, way: tuple, how: str, strange: Any) -> None:
    """Do something to one place of a trace, if it is still there."""
    *above, last = way
    try:
        for key in above:
            trace = trace[key]
        if how == "set":
            trace[last] = strange
        elif how == "delete":
            del trace[last]
        elif how == "double" and isinstance(trace, list):
            trace.insert(last, copy.deepcopy(trace[last]))
        elif how == "add" and isinstance(trace, dict):
            trace[strange if isinstance(strange, str) else "kind"] = strange
    except (LookupError, TypeError):
        pass  # an earlier change took it away


@settings(max_examples=400)
@given(st.data())
def test_a_trace_that_something_was_done_to_is_checked_or_refused(data: st.DataObject):
    honest, places = data.draw(st.sampled_from(range(len(subjects()))).map(subjects().__getitem__))
    trace = copy.deepcopy(honest)
    for _ in range(data.draw(st.integers(1, 3))):
        way = places[data.draw(st.integers(0, len(places) - 1))]
        strange = copy.deepcopy(STRANGE[data.draw(st.integers(0, len(STRANGE) - 1))])
        change(trace, way, data.draw(st.sampled_from(CHANGES)), strange)
    began = time.process_time()
    check(trace)
    assert time.process_time() - began < LONG
