"""Which characters of a text are code, string or comment. Reads broken text too: it never fails."""

from __future__ import annotations

import re
from dataclasses import dataclass

CODE, STRING, COMMENT = 0, 1, 2
DOUBLE, SINGLE = "“”„‟＂", "‘’‚‛＇"  # quotes that are no Python quotes
QUOTES = (
    {'"': '"' + DOUBLE, "'": "'" + SINGLE}
    | {q: DOUBLE + '"' for q in DOUBLE}
    | {q: SINGLE + "'" for q in SINGLE}
)
HASHES = "#＃"
OPEN, CLOSE = "([{（［【｛", ")]}）］】｝"
PREFIX = re.compile(r"(?<![A-Za-z0-9_])[rRbBuUfF]{1,2}$")


@dataclass(frozen=True, slots=True)
class Stretch:
    """Characters from `start` to `end` of one kind; of a string its quotes and whether it is an f-string."""

    kind: int
    start: int
    end: int
    opening: str = ""
    closing: str = ""  # empty: the line ends first
    formatted: bool = False


def stretches(text: str) -> list[Stretch]:
    """Cut a text into code, strings and comments. A string of one line ends with its line at the latest."""
    found: list[Stretch] = []
    i = begin = 0
    while i < len(text):
        char = text[i]
        if char in HASHES:
            end = _line_end(text, i)
            stretch = Stretch(COMMENT, i, end)
        elif char in QUOTES:
            stretch = _string(text, i)
        else:
            i += 1
            continue
        if begin < i:
            found.append(Stretch(CODE, begin, i))
        found.append(stretch)
        i = begin = stretch.end
    if begin < len(text):
        found.append(Stretch(CODE, begin, len(text)))
    return found


def _line_end(text: str, start: int) -> int:
    end = text.find("\n", start)
    return len(text) if end < 0 else end


def _string(text: str, start: int) -> Stretch:
    """Return the string that begins at a quote."""
    quote = text[start]
    before = PREFIX.search(text[max(0, start - 3) : start])
    formatted = before is not None and "f" in before[0].lower()
    if text.startswith(quote * 3, start) and quote in "\"'":
        end = _unescaped(text, quote * 3, start + 3, len(text))
        if end >= 0:
            return Stretch(STRING, start, end + 3, quote * 3, quote * 3, formatted)
        return Stretch(STRING, start, len(text), quote * 3, "", formatted)
    stop = _line_end(text, start)
    while quote in "\"'" and text[stop - 1 : stop] == "\\" and stop < len(text):
        stop = _line_end(text, stop + 1)  # the backslash carries the string on
    for closers in (quote, QUOTES[quote]) if quote in "\"'" else (QUOTES[quote],):
        ends = [end for one in closers if (end := _unescaped(text, one, start + 1, stop)) >= 0]
        if ends:
            end = min(ends)
            return Stretch(STRING, start, end + 1, quote, text[end], formatted)
    return Stretch(STRING, start, stop, quote, "", formatted)


def _unescaped(text: str, wanted: str, start: int, stop: int) -> int:
    """Return where `wanted` stands first without a backslash before it, or -1."""
    while (found := text.find(wanted, start, stop)) >= 0:
        slashes = 0
        while text[found - slashes - 1] == "\\":
            slashes += 1
        if slashes % 2 == 0:
            return found
        start = found + 1
    return -1


@dataclass(frozen=True, slots=True)
class Lead:
    """What a line begins in: inside a string, inside how many brackets, after a backslash."""

    in_string: bool
    depth: int
    continued: bool

    @property
    def free(self) -> bool:
        """Return whether a statement may begin here."""
        return not self.in_string and self.depth == 0 and not self.continued


def leads(text: str) -> list[Lead]:
    """Return what each line of a text begins in."""
    found = [Lead(False, 0, False)]
    depth = 0
    for stretch in stretches(text):
        piece = text[stretch.start : stretch.end]
        for i, char in enumerate(piece):
            if char == "\n":
                continued = stretch.kind == CODE and text[stretch.start + i - 1 : stretch.start + i] == "\\"
                found.append(Lead(stretch.kind == STRING, depth, continued))
            elif stretch.kind == CODE:
                depth += (char in OPEN) - (char in CLOSE)
                depth = max(depth, 0)
    return found
