"""What a child may say of faults in its program: checked strictly, as everything it sends."""

from __future__ import annotations

import re
from typing import Any

MOST, MOST_EDITS, MOST_LINKS, MOST_TERMS = 8, 400, 8, 12
LONGEST, LONGEST_EDIT = 2_000, 20_000  # characters of a term, and of all that a fix writes
FIELDS = {
    "code", "variant", "severity", "row", "at", "node", "tensor", "terms", "values", "links", "fix",
}  # fmt: skip
WORD = re.compile(r"[a-z_]{0,40}")
ID = re.compile(r"[tnv][1-9][0-9]{0,8}")


def are_findings(value: Any, rows: int) -> bool:
    """Return whether a value is a list of findings about a run of so many rows."""
    return type(value) is list and len(value) <= MOST and all(is_finding(each, rows) for each in value)


def is_finding(value: Any, rows: int) -> bool:
    """Return whether a value says of one fault: which, where, about what, and how to mend it."""
    if type(value) is not dict or set(value) != FIELDS:
        return False
    words = all(type(value[name]) is str and WORD.fullmatch(value[name]) for name in ("code", "variant"))
    ids = all(value[name] is None or is_id(value[name]) for name in ("node", "tensor"))
    if not words or not ids or value["severity"] not in ("fault", "note"):
        return False
    if not is_row(value["row"], rows) or not is_span(value["at"]):
        return False
    terms, values = value["terms"], value["values"]
    if type(terms) is not dict or type(values) is not dict or len(terms) + len(values) > MOST_TERMS:
        return False
    said = all(WORD.fullmatch(name) and is_text(text, LONGEST) for name, text in terms.items())
    meant = all(WORD.fullmatch(name) and is_id(text) for name, text in values.items())
    return said and meant and are_links(value["links"], rows) and is_fix(value["fix"])


def are_links(value: Any, rows: int) -> bool:
    """Return whether a value is a list of places to go to."""
    return (
        type(value) is list
        and len(value) <= MOST_LINKS
        and all(type(each) is dict and set(each) == {"row", "at"} for each in value)
        and all(is_row(each["row"], rows) and is_span(each["at"]) for each in value)
    )


def is_fix(value: Any) -> bool:
    """Return whether a value is a list of edits, or none."""
    if value is None:
        return True
    if type(value) is not list or not 0 < len(value) <= MOST_EDITS:
        return False
    if not all(type(each) is dict and set(each) == {"at", "text"} for each in value):
        return False
    good = all(each["at"] is not None and is_span(each["at"]) for each in value)
    return good and all(is_text(each["text"], LONGEST_EDIT) for each in value)


def is_row(value: Any, rows: int) -> bool:
    """Return whether a value is the number of a row."""
    return type(value) is int and 0 <= value < rows


def is_id(value: Any) -> bool:
    """Return whether a value is the id of a tensor, a node or a value."""
    return type(value) is str and ID.fullmatch(value) is not None


def is_text(value: Any, longest: int) -> bool:
    """Return whether a value is a text that is not too long."""
    return type(value) is str and len(value) <= longest


def is_span(value: Any) -> bool:
    """Return whether a value is a place in the source, or none."""
    return value is None or (type(value) is list and [type(n) for n in value] == [int] * 4)
