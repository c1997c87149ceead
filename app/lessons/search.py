"""Looking words up in all that is written: lessons, glossary, errors, gallery. Plain matching, ranked."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from app.lessons import gallery, glossary
from app.lessons.model import Lesson
from app.lessons.prose import bare

LINK = re.compile(r"\]\(<?[^)>]*>?\)")
LONGEST = 80  # characters of what is looked up
MOST = 30  # things that are shown
AROUND = 60  # characters on each side of what was found


@dataclass(frozen=True, slots=True)
class Page:
    """Something that can be found: what kind it is, where it stands, what it says."""

    kind: str
    url: str
    title: str
    text: str


@dataclass(frozen=True, slots=True)
class Found:
    """One page that fits, with the words around what was looked up."""

    kind: str
    url: str
    title: str
    excerpt: str


def of_lessons(lessons: Iterable[Lesson], lang: str) -> Iterator[Page]:
    """Return each section of each lesson; a lesson's own title and summary stand with its first."""
    for lesson in lessons:
        text = lesson.text(lang)
        for number, section in enumerate(text.sections, 1):
            asked = section.checkpoint
            said = [section.title, section.prose, asked.ask if asked else "", section.after]
            if number == 1:
                said.insert(0, text.summary)
            url = f"/lessons/{lesson.slug}#p={number}"
            yield Page("lesson", url, f"{lesson.number}. {text.title}", plain(" ".join(said)))


def of_terms(lang: str) -> Iterator[Page]:
    """Return each term."""
    for term in glossary.terms().values():
        said = f"{term.means[lang]} {term.term['en']}"
        yield Page("term", f"/glossary#{term.slug}", term.term[lang], said)


def of_gallery(lang: str) -> Iterator[Page]:
    """Return each program of the gallery."""
    for piece in gallery.pieces():
        said = " ".join([*piece.look[lang], piece.code])
        yield Page("program", f"/gallery#{piece.slug}", piece.title[lang], said)


def plain(text: str) -> str:
    """Return prose without its notation."""
    return " ".join(re.sub(r"[`*$\[]", "", LINK.sub(" ", bare(text))).split())


def look_up(asked: str, pages: Iterable[Page]) -> list[Found]:
    """Return the pages that hold every word, best first: in the title, then as a whole, then anywhere."""
    words = asked[:LONGEST].lower().split()
    ranked = []
    for page in pages if words else ():
        title, text = page.title.lower(), page.text.lower()
        if all(word in title or word in text for word in words):
            rank = (
                not all(word in title for word in words),
                " ".join(words) not in title + " " + text,
                len(page.text),
            )
            ranked.append((rank, page))
    ranked.sort(key=lambda pair: pair[0])
    return [Found(page.kind, page.url, page.title, excerpt(page.text, words)) for _, page in ranked[:MOST]]


def excerpt(text: str, words: list[str]) -> str:
    """Return the words around the first that was found."""
    low = text.lower()
    places = [low.find(word) for word in words if word in low]
    at = min(places, default=0)
    begin, end = max(0, at - AROUND), min(len(text), at + 2 * AROUND)
    return f"{'… ' if begin else ''}{text[begin:end].strip()}{' …' if end < len(text) else ''}"
