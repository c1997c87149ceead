"""A kind of corruption: one thing in an honest trace made false, and the row that must be named for it.

A kind is a function of (trace, row, k) that falsifies the trace in place at one row. It returns the row that
must be named (None: the tables; a set: one of these), or SKIP where it does not apply.
"""

from __future__ import annotations

import copy
import json
import pickle
import re
from collections.abc import Callable, Iterator
from typing import Any

SKIP = object()  # this row cannot be falsified so
KINDS: dict[str, tuple[str | None, Callable]] = {}


def corruption(of: str | None = None) -> Callable:
    """Add a kind. `of` is the kind of row it falsifies; None if it looks at the trace as a whole."""

    def add(function: Callable) -> Callable:
        assert function.__name__ not in KINDS
        KINDS[function.__name__] = (of, function)
        return function

    return add


def corrupted(name: str, trace: dict) -> Iterator[tuple[dict, Any]]:
    """Yield (falsified trace, row that must be named) for up to three places: first, last and middle ones."""
    of, function = KINDS[name]
    places = [0] if of is None else [k for k, row in enumerate(trace["rows"]) if row["kind"] == of]
    packed, found = pickle.dumps(trace), 0
    FIRST.clear()
    for k, row in enumerate(trace["rows"]):
        FIRST.update({v: k for v in re.findall(r'"(v\d+)"', json.dumps(row)) if v not in FIRST})
    for i in dict.fromkeys((0, len(places) - 1, len(places) // 2, *range(len(places)))):
        if found == 3 or not places:
            return
        false = pickle.loads(packed)
        k = places[i]
        named = function(false, false["rows"][k] if false["rows"] else {}, k)
        if named is not SKIP:
            found += 1
            yield false, named


# ----- what kinds share -----------------------------------------------------------------------------
FIRST: dict[str, int] = {}  # the row that mentions a value first, in the trace that is being falsified


def first_seen(trace: dict, v: str | None) -> int | None:
    """Return the row that mentions a value first."""
    return FIRST.get(v or "")


def alter(trace: dict, v: str, how: Callable[[float], float]) -> bool:
    """Change the first number of a value, if it is a float; say whether that made another value of it."""
    entry = trace["values"][v]
    data, place = entry.get("data"), entry
    key: Any = "data"
    while isinstance(data, list) and data:
        place, key, data = data, 0, data[0]
    if type(data) is not float or entry["dtype"] not in ("float32", "float64"):
        return False
    place[key] = float(how(data))
    same = [e for e in trace["values"].values() if e == entry]
    return place[key] != data and len(same) == 1


def other_value(trace: dict, v: str | None, k: int) -> str | None:
    """Return another value of the same shape and dtype that has been mentioned before row k."""
    entry = trace["values"].get(v, {})
    for key, each in trace["values"].items():
        if key != v and (each["shape"], each["dtype"]) == (entry.get("shape"), entry.get("dtype")):
            if FIRST.get(key, k) < k:
                return key
    return None


def swap_value(trace: dict, row: dict, field: Any, k: int) -> Any:
    """Let a field of a row say another value; returns k, or SKIP if there is none."""
    other = other_value(trace, row[field], k)
    if other is None:
        return SKIP
    row[field] = other
    return k


def other_node(trace: dict, node: str) -> str | None:
    """Return another node."""
    return next((n for n in trace["nodes"] if n != node), None)


def applied(trace: dict, node: str) -> Any:
    """Return the row that applied a node's operation, or SKIP."""
    return next(
        (k for k, row in enumerate(trace["rows"]) if row.get("kind") == "op_applied" and row["node"] == node),
        SKIP,
    )


def drop(trace: dict, k: int) -> int:
    """Take a row out; the one that follows it stands in its place."""
    del trace["rows"][k]
    return k


def double(trace: dict, k: int) -> int:
    """Write a row twice."""
    trace["rows"].insert(k, copy.deepcopy(trace["rows"][k]))
    return k + 1
