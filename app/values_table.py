"""The numbers of a trace as a table: one line for each value and gradient, in the order of the run."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

import orjson

COLUMNS = ("step", "line", "event", "of", "what", "dtype", "shape", "numbers")
# kind of a row: (whose number it is, the field that holds it, what it is)
TOLD = {
    "tensor_made": ("tensor", "value", "value"),
    "detached": ("tensor", "value", "value"),
    "data_replaced": ("tensor", "after", "value"),
    "edge_flowed": ("target", "grad", "gradient on the edge"),
    "grad_set": ("tensor", "after", "grad"),
    "grad_retained": ("tensor", "after", "grad"),
    "grad_accumulated": ("tensor", "after", "grad"),
    "parameter_updated": ("tensor", "after", "value"),
}


def table(trace: dict) -> str:
    """Return CSV. `step` is the page's; a number is as the trace has it; of large tensors: the summary."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    for k, row in enumerate(trace["rows"], 1):
        for subject, what, value in numbers(row):
            held = trace["values"].get(value) or {"dtype": "", "shape": None, "data": None}
            shown = held["data"] if "data" in held else {"summary": summary(held)}
            line = row["at"][0] if row["at"] else ""
            cells = [k, line, row["kind"], name_of(trace, subject), what, held["dtype"]]
            writer.writerow([*cells, json(held["shape"]), json(shown)])
    return text.getvalue()


def numbers(row: dict) -> Iterator[tuple[str, str, str | None]]:
    """Yield (id of a tensor or node, what the number is, id of the value or None) for each of a row."""
    if row["kind"] == "op_applied":
        yield from ((tensor, "value", value) for tensor, value in zip(row["outputs"], row["values"]))
    elif row["kind"] in TOLD:
        subject, field, what = TOLD[row["kind"]]
        yield row[subject], what, row[field]


def name_of(trace: dict, subject: str) -> str:
    """Return what a reader knows a tensor or node by: its first variable, its grad_fn, else its id."""
    if subject in trace["nodes"]:
        variable = trace["nodes"][subject].get("variable")
        return f"{trace['nodes'][subject]['name']}{f' of {name_of(trace, variable)}' if variable else ''}"
    names = trace["tensors"].get(subject, {}).get("names")
    return names[0] if names else subject


def summary(held: dict) -> dict:
    """Return the figures of a large tensor, without its picture."""
    return {name: figure for name, figure in held.get("summary", {}).items() if name != "cells"}


def json(data: object) -> str:
    """Return a cell's JSON; None, where there is no number, is an empty cell."""
    return "" if data is None else orjson.dumps(data).decode()
