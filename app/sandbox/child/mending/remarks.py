"""Remarks that are no comments to Python: `// so`, `→ 4`; results between lines that have no prompts."""

from __future__ import annotations

import re

from app.sandbox.child.mending import scan
from app.sandbox.child.mending.draft import Draft
from app.sandbox.child.mending.parsing import is_right
from app.sandbox.child.mending.wrapping import drop_output

SIGN = re.compile(r"//(?=\s*[\u4e00-\u9fff])|//(?=\s*[A-Za-z]+ [A-Za-z]+)|[→⇒➜]|=>|->")
HEADER = re.compile(r"^\s*(?:async\s+)?(?:def|class)\b")
SHOWN = re.compile(r"^(?:tensor|array)\(")
BOUND = re.compile(r"\bimport\b.*(?:\b(?:tensor|array)\b|\*)|\b(?:tensor|array)\s*=|\bdef (?:tensor|array)\b")


def remarks(draft: Draft) -> None:
    """Turn what follows `//` or an arrow into a comment, where it says something to people."""
    starts = scan.leads(draft.text())
    for i, line in enumerate(draft.lines):
        if not starts[i].free or HEADER.match(line.text):
            continue
        at = _remark(line.text)
        before = line.text[:at].rstrip() if at >= 0 else ""
        if at >= 0 and (not before or is_right(before.strip()) or is_right(before.strip() + "\n    pass")):
            rest = line.text[at:].removeprefix("//").strip()
            draft.put(i, f"{before}{'  ' if before.strip() else before}# {rest}", "remarks")


def _remark(text: str) -> int:
    """Return where a remark begins in a line, or -1."""
    for stretch in scan.stretches(text):
        if stretch.kind == scan.COMMENT:
            return -1
        if stretch.kind == scan.CODE and (found := SIGN.search(text, stretch.start, stretch.end)):
            return found.start()
    return -1


def results(draft: Draft) -> None:
    """Take away what a notebook showed, `tensor(…)`, where the program has no such name of its own."""
    text = draft.text()
    if BOUND.search(text):
        return
    starts = scan.leads(text)
    kept, inside = [], False
    for i, line in enumerate(draft.lines):
        if starts[i].free and SHOWN.match(line.text):
            inside = True
        elif starts[i].free and (line.text.strip() or not inside):
            inside = False
        if inside and line.text.strip():
            drop_output(draft, line)
        else:
            kept.append(line)
    draft.keep(kept)
