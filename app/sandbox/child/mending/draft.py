"""A pasted text as lines that know where they came from, and the list of what was mended. Parses nothing."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

NEWLINE = re.compile(r"\r\n|\r|\n")
LONGEST = 400  # characters of one quoted text in the list of mends
MOST = 40  # quoted texts of one kind


@dataclass(frozen=True, slots=True)
class Line:
    """One line; `origin` is its number in the pasted text, 0 if it was added."""

    text: str
    origin: int


@dataclass(slots=True)
class Draft:
    """A text while it is mended: its lines, and per kind of mend the pasted lines and texts it concerns."""

    lines: list[Line]
    pasted: tuple[str, ...] = ()
    places: dict[str, set[int]] = field(default_factory=dict)
    texts: dict[str, list[str]] = field(default_factory=dict)

    @classmethod
    def of(cls, source: str) -> Draft:
        """Return a draft of a pasted text."""
        lines = NEWLINE.split(source)
        return cls([Line(text, i) for i, text in enumerate(lines, 1)], tuple(lines))

    def text(self) -> str:
        """Return the text as it is now."""
        return "\n".join(line.text for line in self.lines)

    def copy(self) -> Draft:
        """Return a draft that can be changed without changing this one."""
        places = {kind: set(lines) for kind, lines in self.places.items()}
        return Draft(
            list(self.lines), self.pasted, places, {kind: list(said) for kind, said in self.texts.items()}
        )

    def adopt(self, other: Draft) -> None:
        """Become what another draft is."""
        self.lines, self.places, self.texts = other.lines, other.places, other.texts

    def note(self, kind: str, origin: int, text: str | None = None) -> None:
        """Remember that a pasted line was mended; origin 0 is a line that was added."""
        lines = self.places.setdefault(kind, set())
        if origin:
            lines.add(origin)
        said = self.texts.setdefault(kind, [])
        if text and len(said) < MOST:
            said.append(text[:LONGEST])

    def put(self, index: int, text: str, kind: str) -> None:
        """Give a line another text, if it is another."""
        line = self.lines[index]
        if text != line.text:
            self.lines[index] = replace(line, text=text)
            self.note(kind, line.origin)

    def keep(self, lines: Iterable[Line]) -> None:
        """Keep these lines only."""
        self.lines = list(lines)

    def mends(self) -> list[dict]:
        """Return what was mended: kinds with the pasted lines they are about, and texts where they help."""
        return [
            {"kind": kind, "lines": sorted(lines), "texts": self.texts.get(kind, [])}
            for kind, lines in self.places.items()
            if lines or self.texts.get(kind)
        ]
