"""Programs that tests ask about: run once for the trace, once more for each number."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from engine.explain.why import Asking, Question
from engine.trace.changes import Change
from engine.trace.run import Run

KINDS = {
    "edge_flowed": "grad", "grad_summed": "after", "grad_accumulated": "arriving",
    "grad_retained": "arriving", "grad_captured": "grad", "node_entered": "grads",
}  # fmt: skip


def why(source: str, row: int, call: int, element: tuple, changes: tuple[Change, ...] = ()) -> dict:
    """Return the answer about one element of the gradient of a row."""
    told: list[dict] = []
    run = Run(
        source, recorder=lambda *given: Asking(*given, Question(row, call, element), told.append, changes)
    )
    run.trace()
    return told[0] if told else {"found": False}


def gradients(trace: dict) -> Iterator[tuple[int, int, dict]]:
    """Yield (row, call, value) for every gradient in a trace that can be asked about."""
    open_calls: list[int] = []
    for k, row in enumerate(trace["rows"]):
        if row["kind"] == "backward_began":
            open_calls.append(row["call"])
        elif row["kind"] == "backward_ended":
            open_calls.remove(row["call"])
        elif row["kind"] in KINDS and open_calls:
            value = row[KINDS[row["kind"]]]
            value = value[0] if isinstance(value, list) and value else value
            if isinstance(value, str) and trace["values"][value]["dtype"].startswith("float"):
                yield k, open_calls[-1], trace["values"][value]


def elements(shape: list[int]) -> list[tuple[int, ...]]:
    """Return the first and the last element of a shape."""
    if 0 in shape:
        return []
    return sorted({tuple(0 for _ in shape), tuple(n - 1 for n in shape)})


def at(value: dict, element: tuple) -> Any:
    """Return one number of a value of a trace, None if it is not written out."""
    data = value.get("data")
    for i in element:
        data = None if data is None else data[i]
    return (
        {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}.get(data, data)
        if isinstance(data, str)
        else data
    )


def real(value: Any) -> float:
    """Return a number of an answer."""
    return float(value)


def adds_up(place: dict, digits: float) -> bool:
    """Return whether a place that was taken apart is the sum of its parts."""
    if place["stop"] is not None or not place["terms"]:
        return True
    products = [real(t["product"]) for t in place["terms"]] + [real(place["rest"])]
    number, total = (
        real(place["number"]),
        math.fsum(products) if all(map(math.isfinite, products)) else math.nan,
    )
    if not math.isfinite(number) or not math.isfinite(total):
        return not math.isfinite(number) and not math.isfinite(total)
    return abs(total - number) <= digits * (sum(map(abs, products)) + abs(number)) + 1e-37
