"""The small notation of a lesson's front matter and fenced blocks: `key: value` lines.

A value goes on in the next lines as long as they are indented; an indented `key: value` belongs to the entry
above it. `#` is a plain character here, because steps are counted with it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

LINE = re.compile(r"(?P<indent> *)(?P<key>[a-z][a-z ]*?)\s*:(?:\s+(?P<value>.*))?$")


class Misread(ValueError):
    """A block that is not written as it should be: the line of the block, and what is wrong with it."""

    def __init__(self, line: int, words: str) -> None:
        super().__init__(words)
        self.line, self.words = line, words


@dataclass(slots=True)
class Entry:
    """One `key: value`, with those that belong to it."""

    key: str
    value: str
    line: int
    inner: dict[str, str] = field(default_factory=dict)


def entries(lines: list[str], keys: set[str], inner: set[str] = frozenset()) -> list[Entry]:
    """Return the entries of a block. Raises Misread for a key that is not among those expected."""
    found: list[Entry] = []
    current = None  # where a line that goes on is added: (entry, key inside it or None)
    for number, line in enumerate(lines):
        if not line.strip():
            continue
        match = LINE.match(line)
        deep = line.startswith(" ")
        if match and not deep:
            if match["key"] not in keys:
                raise Misread(number, f"`{match['key']}` is not one of {', '.join(sorted(keys))}")
            found.append(Entry(match["key"], (match["value"] or "").strip(), number))
            current = (found[-1], None)
        elif match and deep and match["key"] in inner and found:
            found[-1].inner[match["key"]] = (match["value"] or "").strip()
            current = (found[-1], match["key"])
        elif deep and current:
            entry, key = current
            if key is None:
                entry.value = f"{entry.value} {line.strip()}".strip()
            else:
                entry.inner[key] = f"{entry.inner[key]} {line.strip()}".strip()
        else:
            raise Misread(number, f"`{line.strip()}` should be `key: value`, or be indented to go on")
    return found


def single(found: list[Entry], key: str, default: str | None = None) -> str | None:
    """Return the value of a key that may stand once. Raises Misread if it stands twice."""
    those = [entry for entry in found if entry.key == key]
    if len(those) > 1:
        raise Misread(those[1].line, f"`{key}` stands twice")
    return those[0].value if those else default
