"""What a lesson is made of, before and after its program has run."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Choice:
    """One answer that can be chosen: its text, when it is right, and what is said if it is chosen wrongly."""

    text: str
    when: str | None = None  # an expression; without one: the text is the fact that `answer` gives
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A question that the learner answers before the step that shows the answer."""

    id: str
    ask: str
    kind: str  # number, choice, node or line
    reveal: str | None  # the address of the step that shows the answer
    answer: str | None  # an expression over the trace, at the revealing step; `node` and `line`: an address
    because: str
    choices: tuple[Choice, ...] = ()
    wrong: tuple[Choice, ...] = ()  # known wrong numbers (`when` gives them) and their reasons
    otherwise: str = ""


@dataclass(frozen=True, slots=True)
class Section:
    """One screen of a lesson: its prose (Markdown), the step it talks about, at most one question."""

    title: str
    prose: str
    show: str | None
    program: str
    checkpoint: Checkpoint | None
    after: str  # prose that is shown once the question is answered
    at_line: int  # of the file
    level: str | None = None  # of detail: story, chain or engine; None: as the reader has it


@dataclass(frozen=True, slots=True)
class Text:
    """A lesson in one language."""

    title: str
    summary: str
    sections: tuple[Section, ...]
    file: Path


@dataclass(frozen=True, slots=True)
class Lesson:
    """A lesson: its place in the course, its programs, and one text for each language."""

    slug: str
    number: int
    folder: Path
    needs: tuple[str, ...]
    minutes: int
    answers: tuple[str, ...]  # the confusions it answers: keys of teachers' table
    programs: dict[str, str]  # file name -> source; "snippet.py" is the first
    texts: dict[str, Text]
    terms: tuple[str, ...] = ()

    def text(self, lang: str) -> Text:
        """Return the lesson in a language, English where it has none."""
        return self.texts.get(lang) or self.texts.get("en") or next(iter(self.texts.values()))


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong with a lesson: where, and in plain words."""

    file: str
    line: int
    words: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.words}"
