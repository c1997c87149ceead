"""The gallery: programs from small to large, each with three sentences on what to look at."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

FILE = Path(__file__).parent / "gallery.json"
PROGRAMS = Path(__file__).parent / "programs"


@dataclass(frozen=True, slots=True)
class Piece:
    """One program. `title` and the three sentences of `look` are by language."""

    slug: str
    title: dict[str, str]
    look: dict[str, list[str]]
    code: str


@lru_cache(maxsize=1)
def pieces() -> tuple[Piece, ...]:
    """Return the programs from small to large."""
    found = json.loads(FILE.read_text(encoding="utf-8"))
    return tuple(
        Piece(**each, code=(PROGRAMS / f"{each['slug']}.py").read_text(encoding="utf-8")) for each in found
    )


def find(slug: str) -> Piece | None:
    """Return the program of that name, or None."""
    return next((each for each in pieces() if each.slug == slug), None)
