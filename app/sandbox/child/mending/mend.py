"""The mender: a pasted text becomes the program it stands for, and a list says what was mended.

A text that parses and whose names are bound comes back as it is, byte for byte. Of one that stays broken the
mended form counts only if it is right at least as far as the pasted one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from app.sandbox.child.mending.characters import characters
from app.sandbox.child.mending.draft import Draft
from app.sandbox.child.mending.gutters import gutter, labels, marks
from app.sandbox.child.mending.imports import names
from app.sandbox.child.mending.indents import indentation
from app.sandbox.child.mending.markup import markup, notebook
from app.sandbox.child.mending.parsing import fault, is_right
from app.sandbox.child.mending.python2 import old_python
from app.sandbox.child.mending.remarks import remarks, results
from app.sandbox.child.mending.sessions import prompts
from app.sandbox.child.mending.wrapping import fences, magics, numbers, prose, tracebacks

# In this order: what stands around the code first, then its lines, then its signs.
STAGES: tuple[Callable[[Draft], None], ...] = (
    notebook, markup, fences, labels, marks, gutter, numbers, prompts, tracebacks, results, magics,
    characters, remarks, old_python, indentation, prose,
)  # fmt: skip

LONGEST, MOST = 66_000, 2_000  # characters and lines; the gate refuses more


@dataclass(frozen=True, slots=True)
class Mended:
    """A program, and what was done to the pasted text to get it."""

    source: str
    mends: list[dict] = field(default_factory=list)


def mended(source: str) -> Mended:
    """Return the program that a pasted text stands for. Never raises."""
    if len(source) > LONGEST or source.count("\n") > MOST:
        return Mended(source)
    draft = Draft.of(source)
    if not is_right(source):
        draft = _repaired(draft)
    names(draft)
    return Mended(draft.text(), draft.mends()) if draft.places else Mended(source)


def _repaired(pasted: Draft) -> Draft:
    """Return a draft with everything mended that has to be, or the pasted one if that led nowhere."""
    draft = pasted.copy()
    for stage in STAGES:
        before = draft.text()
        stage(draft)
        if draft.text() != before and is_right(draft.text()):
            return draft
    return draft if _fault_line(draft) >= _fault_line(pasted) else pasted


def _fault_line(draft: Draft) -> int:
    """Return the pasted line at which Python stops reading."""
    error = fault(draft.text())
    if error is None or not error.lineno:
        return 0
    return draft.lines[min(error.lineno, len(draft.lines)) - 1].origin
