"""What the indentation of a source says: its loops, its functions, where each statement begins."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

LOOP = re.compile(r"(?:async\s+)?(?:for|while)\b")
FUNCTION = re.compile(r"(?:async\s+)?def\b")
BRANCH = re.compile(r"(?:elif|else|except|finally|case)\b")
SIGNS = re.compile(r"\\.|\"\"\"|'''|[\"'#()\[\]{}]")


@dataclass(frozen=True, slots=True)
class Block:
    """Lines that belong together: a head and, after it, everything that is indented further."""

    head: int
    last: int


class Indents:
    """A source by its lines, counted from 1. Nothing of it is parsed: what is odd is grouped oddly."""

    def __init__(self, source: str) -> None:
        self.texts = re.split(r"\r\n|\r|\n", source)
        self._starts = statement_starts(self.texts)
        heads = [i for i in range(len(self.texts)) if self._starts[i] == i]
        self._loops = [self._block(i) for i in heads if LOOP.match(self.texts[i].lstrip())]
        self._functions = [self._block(i) for i in heads if FUNCTION.match(self.texts[i].lstrip())]
        self.loops = cache(self._loops_around)
        self.function = cache(self._function_around)

    def text(self, line: int) -> str:
        """Return a line without its indentation."""
        return self.texts[line - 1].strip() if 0 < line <= len(self.texts) else ""

    def statement(self, line: int) -> int:
        """Return the first line of the statement that a line belongs to."""
        return self._starts[line - 1] + 1 if 0 < line <= len(self._starts) else line

    def _loops_around(self, line: int) -> list[Block]:
        """Return the loops of its own function that a line stands in, the outermost first."""
        inside = self.function(line)
        return [loop for loop in self._loops if loop.head <= line <= loop.last and inside < loop.head]

    def _function_around(self, line: int) -> int:
        """Return the line in which the function begins that a line stands in; 0 for none."""
        return max((each.head for each in self._functions if each.head <= line <= each.last), default=0)

    def exclusive(self, before: int, after: int) -> bool:
        """Return whether no round runs both lines: another branch of a condition begins in between."""
        least = self._indent(self.statement(before) - 1)
        for i in range(before, min(after, len(self.texts))):
            indent = self._indent(i)
            if indent is None or least is None or indent >= least:
                continue
            if BRANCH.match(self.texts[i].lstrip()):
                return True
            least = indent
        return False

    def _indent(self, i: int) -> int | None:
        """Return how far line i, from 0, is indented; None where it is empty or goes on another's."""
        text = self.texts[i]
        if self._starts[i] != i or not text.strip() or text.lstrip().startswith("#"):
            return None
        return len(text) - len(text.lstrip())

    def _block(self, i: int) -> Block:
        own, last = self._indent(i) or 0, i
        for j in range(i + 1, len(self.texts)):
            indent = self._indent(j)
            if indent is not None and indent <= own:
                break
            if self.texts[j].strip():
                last = j
        return Block(i + 1, last + 1)


def statement_starts(texts: list[str]) -> list[int]:
    """Return, for each line (from 0), the line in which its statement begins, by brackets and strings."""
    starts: list[int] = []
    depth, quote, goes_on = 0, "", False
    for i, text in enumerate(texts):
        starts.append(starts[-1] if starts and (depth or quote or goes_on) else i)
        depth, quote = scanned(text, depth, quote)
        goes_on = text.endswith("\\")
    return starts


def scanned(text: str, depth: int, quote: str) -> tuple[int, str]:
    """Return how many brackets, and which long string, are open after a line."""
    for piece in SIGNS.finditer(text):
        sign = piece.group()
        if quote:
            quote = "" if sign == quote else quote
        elif sign == "#":
            break
        elif sign[0] in "\"'":
            quote = sign
        elif sign in "([{":
            depth += 1
        elif sign in ")]}":
            depth = max(depth - 1, 0)
    return depth, quote if len(quote) == 3 else ""
