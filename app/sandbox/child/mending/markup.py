"""What web pages and notebook files put around or into code: HTML's entities and tags, JSON's cells."""

from __future__ import annotations

import html
import json
import re

from app.sandbox.child.mending import scan
from app.sandbox.child.mending.draft import Draft, Line

ENTITY = re.compile(r"&(?:gt|lt|amp|quot|apos|nbsp|#0?3[49]|#x2[27]|#160);", re.IGNORECASE)
TAG = re.compile(
    r"</?(?:pre|code|span|br|p|div|b|i|em|strong|font|table|tbody|tr|td|ol|ul|li|a)(?:\s[^<>]*)?/?>",
    re.IGNORECASE,
)
CERTAIN = re.compile(r"</(?:pre|code|span|p|div|td|li|a|font)\s*>|<(?:br\s*/?|pre|code)>", re.IGNORECASE)
CELLS = re.compile(r"^\s*\{.*\"cells\"\s*:\s*\[", re.DOTALL)


def notebook(draft: Draft) -> None:
    """Take the code cells out of the text of a notebook file."""
    text = draft.text()
    if not CELLS.match(text):
        return
    try:
        cells = json.loads(text)["cells"]
        sources = [cell["source"] for cell in cells if cell["cell_type"] == "code"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return
    code = "\n".join(source if isinstance(source, str) else "".join(map(str, source)) for source in sources)
    draft.note("notebook", 1)
    draft.keep(Line(line, 1) for line in code.split("\n"))


def markup(draft: Draft) -> None:
    """Write the signs that HTML's entities stand for, and take its tags away."""
    if CERTAIN.search(draft.text()):
        for i, line in enumerate(draft.lines):
            draft.put(i, TAG.sub("", line.text), "html")
    for _ in range(2):  # copied from a page that shows its own source, they are written twice
        if not _in_code(draft.text()):
            return
        for i, line in enumerate(draft.lines):
            draft.put(i, ENTITY.sub(_sign, line.text), "html")


def _in_code(text: str) -> bool:
    """Return whether an entity stands where code is: then those in strings are no text of their own."""
    return any(
        stretch.kind == scan.CODE and any(stretch.start <= found.start() < stretch.end for found in entities)
        for entities in [list(ENTITY.finditer(text))]
        if entities
        for stretch in scan.stretches(text)
    )


def _sign(entity: re.Match[str]) -> str:
    return html.unescape(entity[0]).replace("\xa0", " ")
