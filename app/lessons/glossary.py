"""The terms of the page and of the lessons, with what they mean and the lesson that shows it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

FILE = Path(__file__).parent / "glossary.json"


@dataclass(frozen=True, slots=True)
class Term:
    """One term. `term` and `means` are by language; `lesson` is the slug of the lesson that shows it."""

    slug: str
    term: dict[str, str]
    means: dict[str, str]
    lesson: str | None


@lru_cache(maxsize=1)
def terms() -> dict[str, Term]:
    """Return every term by its slug."""
    found = json.loads(FILE.read_text(encoding="utf-8"))
    return {slug: Term(slug=slug, **entry) for slug, entry in found.items()}


def in_order(lang: str) -> list[Term]:
    """Return the terms as a reader of that language looks them up."""
    return sorted(terms().values(), key=lambda each: each.term[lang].lower())
