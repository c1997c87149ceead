"""Python 2 as old posts have it: `print x`, `except E, e`. Where it stands in a statement's place only."""

from __future__ import annotations

import re

from app.sandbox.child.mending import scan
from app.sandbox.child.mending.draft import Draft, Line

BEFORE = r"^(\s*(?:(?:for|while|if|elif|else|with|try|except|finally|def|class)\b[^#]*?:\s*|[^#'\"]*;\s*)?)"
PRINT = re.compile(
    BEFORE + r"print(?:[ \t]+(?![=.(\[]|in\b|is\b|and\b|or\b)(\S.*)|[ \t]*(\"[^\"].*|'[^'].*))$"
)
STREAM = re.compile(r"^>>\s*[\w.]+\s*(?:,\s*|$)")
EXCEPT = re.compile(r"^(\s*except\s+[\w.]+|\s*except\s*\([^()]*\))\s*,\s*(\w+)\s*:")


def old_python(draft: Draft) -> None:
    """Write Python 3 for the statements that Python 2 wrote otherwise."""
    starts = scan.leads(draft.text())
    for i, line in enumerate(draft.lines):
        if starts[i].in_string:
            continue
        draft.put(i, EXCEPT.sub(r"\1 as \2:", line.text), "python2")
        if starts[i].free and (found := PRINT.match(draft.lines[i].text)):
            _call(draft, i, found[1], found[2] or found[3])
    if "print" in draft.places:
        for i, line in enumerate(draft.lines):
            if line.text.strip() == "print" and starts[i].free:
                draft.put(i, line.text.replace("print", "print()"), "print")


def _call(draft: Draft, index: int, before: str, rest: str) -> None:
    """Turn a print statement into a call, over as many lines as its brackets take."""
    last = index
    text = rest
    while scan.leads(text + "\n")[-1].depth and last + 1 < len(draft.lines):
        last += 1
        text += "\n" + draft.lines[last].text
    values, comment = _split(text)
    values = STREAM.sub("", values)
    end = ""
    if values.endswith(","):
        values, end = values[:-1].rstrip(), 'end=" "'
    elif ";" in values and not scan.leads(values + "\n")[-1].in_string:
        values, comment = _at_semicolon(values, comment)
    inside = ", ".join(part for part in (values, end) if part)
    lines = f"{before}print({inside}){comment}".split("\n")
    for k, each in enumerate(lines):
        origin = draft.lines[index + k].origin
        draft.lines[index + k] = Line(each, origin)
        draft.note("print", origin)


def _split(text: str) -> tuple[str, str]:
    """Return a text without the comment at its end, and that comment with the space before it."""
    stretches = scan.stretches(text)
    if stretches and stretches[-1].kind == scan.COMMENT and "\n" not in text[stretches[-1].start :]:
        values = text[: stretches[-1].start].rstrip()
        return values, text[len(values) :]
    return text.rstrip(), ""


def _at_semicolon(values: str, comment: str) -> tuple[str, str]:
    """Return what is printed, and the statements after a semicolon with the comment."""
    for stretch in scan.stretches(values):
        piece = values[stretch.start : stretch.end]
        if stretch.kind == scan.CODE and ";" in piece:
            cut = stretch.start + piece.index(";")
            return values[:cut].rstrip(), values[cut:] + comment
    return values, comment
