"""A typed formula becomes a program, with what the page has to know about it. Never raises."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from app.sandbox.child.expressions.program import program
from app.sandbox.child.expressions.reading import Formula, formula, shape_of
from app.sandbox.child.expressions.shapes import shapes
from app.sandbox.child.expressions.spelling import Trouble
from app.sandbox.child.expressions.values import chosen, compute

# Note: formulas
SENTENCES = {  # the page tells them in the reader's language: static/js/trace/refusals.js
    "function": "{about} is no function that a formula may call",
    "near": "{about} is no function that a formula may call: did you mean {better}?",
    "arguments": "{about}() does not take {better} arguments in a formula",
    "quotient": "'{about}' may be meant below the fraction line or beside it: write the * and the brackets",
    "unclear": "it is not certain how far the argument goes in '{about}': write {better}",
    "nothing": "there is nothing to compute: every line only names a number",
}


@dataclass(frozen=True, slots=True)
class Expressed:
    """A program, and the facts that go with it: as `expression` in the trace's schema."""

    source: str
    facts: dict[str, Any] | None
    refusal: tuple[str, list[int]] | None = None  # why there is no program, and where in the typed text


def expressed(text: str, leaves: Mapping[str, Any] | None = None) -> Expressed | None:
    """Return the program of a formula, or None where a text is none. `leaves` are values from the fields."""
    try:
        return _expressed(text, leaves or {})
    except RecursionError:  # nested too deeply for a formula; the gate says so, if Python can read it
        return None


def _expressed(text: str, leaves: Mapping[str, Any]) -> Expressed | None:
    found = formula(text)
    if found is None:
        return None
    if found.trouble:
        return _refused(text, found.trouble)
    wanted = shapes(found)
    given = {name: value for name, value in leaves.items() if shape_of(value) is not None}
    values = chosen(found, wanted, {**found.given, **{n: v for n, v in given.items() if n in found.free}})
    computed = compute(found, values)
    shape = None if computed.fault is not None else list(map(int, _shape(computed.value)))
    is_scalar = shape is None or _count(shape) == 1
    made = program(found, values, is_scalar)
    told = [
        {
            "name": name,
            "shape": list(shape_of(values[name]) or ()),
            "value": values[name],
            "at": made.places[name],
        }
        for name in found.free
    ]
    facts = {"typed": text, "leaves": told, "result": made.result, "shape": shape, "ones": not is_scalar}
    return Expressed(made.text, facts | {"problem": _problem(found, computed)})


def _shape(value: Any) -> tuple[int, ...]:
    return getattr(value, "shape", ())


def _count(shape: list[int]) -> int:
    count = 1
    for size in shape:
        count *= size
    return count


def _problem(found: Formula, computed: Any) -> dict[str, Any] | None:
    """Return which part's shapes cannot be, if that is known before the program runs."""
    if computed.fault is None:
        return None
    for line in found.lines:
        if any(node is computed.fault for node in ast.walk(line.tree)):
            part = ast.get_source_segment(line.text, computed.fault) or line.text
    shown = ["×".join(map(str, shape)) or "1" for shape in computed.shapes]
    return {"kind": "shapes", "about": part, "better": ", ".join(f"({each})" for each in shown)}


def _refused(text: str, trouble: Trouble) -> Expressed:
    about = trouble.about or text[trouble.start : trouble.end]
    message = SENTENCES[trouble.kind].format(about=about, better=trouble.better)
    return Expressed(text, None, (message, _span(text, trouble.start, trouble.end)))


def _span(text: str, start: int, end: int) -> list[int]:
    """Return a place as the trace has it: lines from 1, columns in UTF-16 units (formulas have no others)."""
    place = []
    for at in (start, end):
        before = text[:at].replace("\r\n", "\n").replace("\r", "\n")
        column = len(before) - before.rfind("\n") - 1
        place += [before.count("\n") + 1, column]
    return place
