"""Holds one of our observations against PyTorch's recording, in six groups. Runs nothing.

Numbers agree within a relative 1e-5 (float32) or 1e-10 (float64), in text within 2e-4, all else exactly.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from typing import Any

GROUPS = ("values", "graph", "order", "flow", "saved", "text")
NUMBER = re.compile(r"[-+]?(?:\d+\.\d*|\.\d+|\d+)(?:[eE][-+]?\d+)?|nan|inf")
TEXT_TOLERANCE = 2e-4

Differences = dict[str, list[str]]


def differences(want: dict, got: dict) -> Differences:
    """Return what differs, by group; a case passes when all six lists are empty."""
    found: Differences = {group: [] for group in GROUPS}
    compare_variables(want, got, found)
    calls, ours = want.get("calls", []), got.get("calls", [])
    if len(calls) != len(ours):
        found["graph"].append(f"{len(ours)} backward calls, expected {len(calls)}")
    for i, (theirs, our) in enumerate(zip(calls, ours)):
        compare_graph(f"call {i}", theirs, our, found)
        compare_flow(f"call {i}", theirs, our, found)
    compare_text(want, got, found)
    return found


def compare_variables(want: dict, got: dict, found: Differences) -> None:
    """Compare every top-level variable after the run."""
    for name, theirs in want["variables"].items():
        ours = got.get("variables", {}).get(name)
        if ours is None:
            found["values"].append(f"{name}: missing")
            continue
        theirs = {key: value for key, value in theirs.items() if key != "stride"}
        ours = dict(ours)
        found["text"] += texts(theirs.pop("repr", None), ours.pop("repr", None), f"repr({name})")
        found["values"] += tensors(theirs, ours, name)


def compare_graph(here: str, want: dict, got: dict, found: Differences) -> None:
    """Compare one backward call: how it was made, its nodes and edges, what they saved, their order."""
    for key in ("api", "line", "parent", "retain_graph", "create_graph"):
        found["graph"] += trees(want.get(key), got.get(key), 0, f"{here}.{key}")
    nodes, ours = want.get("nodes", []), got.get("nodes", [])
    for key in ("name", "next"):
        found["graph"] += trees([n[key] for n in nodes], [n[key] for n in ours], 0, f"{here}.{key}")
    roots = [[[root["node"], root["input_nr"]] for root in side.get("roots", [])] for side in (want, got)]
    found["graph"] += trees(*roots, 0, f"{here}.roots")
    found["order"] += trees(want.get("order", []), got.get("order", []), 0, f"{here}.order")
    for k, (theirs, our) in enumerate(zip(nodes, ours)):
        where = f"{here} node {k} {theirs['name']}"
        found["saved"] += trees(theirs.get("saved", {}), our.get("saved", {}), 1e-5, where)
    messages = [(side.get("exception") or {}).get("message") for side in (want, got)]
    found["text"] += texts(*messages, f"{here}.exception")


def compare_flow(here: str, want: dict, got: dict, found: Differences) -> None:
    """Compare what each node received and what it sent along each edge."""
    runs = [[event for event in side.get("events", []) if event["kind"] == "run"] for side in (want, got)]
    for theirs, ours in zip(*runs):
        for side in ("grad_in", "grad_out"):
            where = f"{here} step {theirs['step']} node {theirs['node']} {side}"
            grads, our = theirs.get(side) or [], ours.get(side) or []
            if len(grads) != len(our):
                found["flow"].append(f"{where}: {len(our)} gradients, expected {len(grads)}")
            for k, (a, b) in enumerate(zip(grads, our)):
                found["flow"] += tensors(a, b, f"{where}[{k}]")


def compare_text(want: dict, got: dict, found: Differences) -> None:
    """Compare standard output, warnings and the exception that ended the run."""
    found["text"] += texts(want["stdout"], got.get("stdout"), "stdout")
    theirs, ours = want["exception"] or {}, got.get("exception") or {}
    for key in ("type", "line"):
        found["text"] += trees(theirs.get(key), ours.get(key), 0, f"exception.{key}")
    found["text"] += texts(theirs.get("message"), ours.get("message"), "exception.message")
    warnings = [[w["message"].splitlines()[0] for w in side.get("warnings", [])] for side in (want, got)]
    found["text"] += trees(*warnings, 0, "warnings")


def tensors(want: Any, got: Any, where: str) -> Iterator[str]:
    """Yield how two recorded tensors differ; the tolerance follows the dtype and the largest number."""
    if want is None or got is None:
        if want != got:
            yield f"{where}: {brief(got)}, expected {brief(want)}"
        return
    rel = 1e-10 if want.get("dtype") == "float64" else 1e-5
    yield from trees(want, got, rel, where, floor=rel * max(largest(want.get("values")), 1e-3))


def trees(want: Any, got: Any, rel: float, where: str, floor: float | None = None) -> Iterator[str]:
    """Yield how two JSON values differ; ours may hold more keys, never other ones."""
    floor = rel * 1e-1 if floor is None else floor
    match want, got:
        case dict(), dict():
            for key in want:
                if key not in got:
                    yield f"{where}.{key}: missing (expected {brief(want[key])})"
                else:
                    yield from trees(want[key], got[key], rel, f"{where}.{key}", floor)
        case list(), list() if len(want) == len(got):
            for i, (theirs, ours) in enumerate(zip(want, got)):
                yield from trees(theirs, ours, rel, f"{where}[{i}]", floor)
        case list(), list():
            yield f"{where}: {len(got)} entries, expected {len(want)}: {brief(got)} vs {brief(want)}"
        case _:
            if not same(want, got, rel, floor):
                yield f"{where}: {brief(got)}, expected {brief(want)}"


def same(want: Any, got: Any, rel: float, floor: float) -> bool:
    """Say whether two leaves agree: numbers within the tolerance, everything else exactly."""
    plain = [isinstance(value, (int, float)) and not isinstance(value, bool) for value in (want, got)]
    return math.isclose(want, got, rel_tol=rel, abs_tol=floor) if all(plain) else want == got


def texts(want: str | None, got: str | None, where: str) -> Iterator[str]:
    """Yield how two texts differ: the words exactly, the numbers in them nearly."""
    if want == got:
        return
    agree = want is not None and got is not None and NUMBER.sub("#", want) == NUMBER.sub("#", got)
    if not agree or not all(map(near, NUMBER.findall(want), NUMBER.findall(got))):
        yield f"{where}: {brief(got)}, expected {brief(want)}"


def near(want: str, got: str) -> bool:
    """Say whether two printed numbers are nearly the same."""
    return want == got or math.isclose(
        float(want), float(got), rel_tol=TEXT_TOLERANCE, abs_tol=TEXT_TOLERANCE
    )


def largest(values: Any) -> float:
    """Return the largest finite size among nested numbers."""
    if isinstance(values, list):
        return max(map(largest, values), default=0.0)
    return abs(values) if isinstance(values, (int, float)) and math.isfinite(values) else 0.0


def brief(value: Any) -> str:
    """Write a value in one short line."""
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) < 120 else text[:117] + "..."
