"""Indentation that suffered on the way: tabs among spaces, a common indent, a first line cut short."""

from __future__ import annotations

from app.sandbox.child.mending.draft import Draft
from app.sandbox.child.mending.parsing import fault
from app.sandbox.child.mending.scan import leads

WIDTHS = (4, 8, 2)
MOST = 40  # single lines that are moved


def indentation(draft: Draft) -> None:
    """Mend the indentation where Python finds fault with it."""
    _dedent(draft)
    for step in (_first_line, _tabs, _stray):
        if isinstance(fault(draft.text()), IndentationError):
            step(draft)


def _width(text: str) -> int:
    return len(text) - len(text.lstrip(" \t"))


def _dedent(draft: Draft) -> None:
    """Take away the indentation that all lines share."""
    starts = leads(draft.text())
    rows = [i for i, line in enumerate(draft.lines) if line.text.strip() and not starts[i].in_string]
    code = [i for i in rows if not draft.lines[i].text.lstrip().startswith("#")] or rows
    if not code:
        return
    first = draft.lines[code[0]].text
    common = first[: _width(first)]
    while common and not all(draft.lines[i].text.startswith(common) for i in code if starts[i].free):
        common = common[:-1]
    for i in rows:
        text = draft.lines[i].text
        if common and text.startswith(common):
            draft.put(i, text[len(common) :], "indent")
        elif common and starts[i].free:
            draft.put(i, text.lstrip(), "indent")


def _first_line(draft: Draft) -> None:
    """The copy began in the middle of the first line: the others still have their common indent."""
    rows = [i for i, line in enumerate(draft.lines) if line.text.strip()]
    if len(rows) < 2 or draft.lines[rows[0]].text.rstrip().endswith(":"):
        return
    common = min(_width(draft.lines[i].text) for i in rows[1:])
    trial = draft.copy()
    for i in rows[1:] if common else ():
        trial.put(i, draft.lines[i].text[common:], "indent")
    if fault(trial.text()) is None:
        draft.adopt(trial)


def _tabs(draft: Draft) -> None:
    """Write spaces for the tabs that lines begin with, as wide as makes a program of the text."""
    for width in WIDTHS:
        trial = draft.copy()
        for i, line in enumerate(draft.lines):
            indent = line.text[: _width(line.text)]
            trial.put(i, indent.expandtabs(width) + line.text[len(indent) :], "tabs")
        if not isinstance(fault(trial.text()), IndentationError):
            draft.adopt(trial)
            return


def _stray(draft: Draft) -> None:
    """Put blocks that are indented for no reason where the line before them stands."""
    trial = draft.copy()
    for _ in range(MOST):
        error = fault(trial.text())
        if error is None or error.msg != "unexpected indent" or not error.lineno:
            break
        at = error.lineno - 1
        width = _width(trial.lines[at].text)
        above = next((line.text for line in trial.lines[at - 1 :: -1] if line.text.strip()), "") if at else ""
        extra = width - _width(above)
        if extra <= 0:
            break
        while at < len(trial.lines):
            text = trial.lines[at].text
            if text.strip() and _width(text) < width:
                break
            trial.put(at, text[min(extra, _width(text)) :], "indent")
            at += 1
    if not isinstance(fault(trial.text()), IndentationError):
        draft.adopt(trial)
