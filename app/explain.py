"""What error messages mean: one file per error in `explanations/`, recognised in today's and older wording.

A message is only looked at: the patterns are ours, the text is short, and nothing of it is run.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "explanations"
MOST = 60  # messages of one trace that are looked at, the last ones
LONGEST = 2_000  # characters of one message that are looked at
PASTED = ("traceback", "prose")  # kinds of mends that set texts aside which may be messages


@dataclass(frozen=True, slots=True)
class Explanation:
    """One error: PyTorch's message for `program`, what it means, why it comes, what to do; by language."""

    slug: str
    message: str
    patterns: tuple[str, ...]
    older: tuple[str, ...]
    means: dict[str, str]
    why: dict[str, list[str]]
    fix: dict[str, list[str]]
    program: str
    fixed: str

    @property
    def url(self) -> str:
        """Return the address of its page."""
        return f"/errors/{self.slug}"

    @property
    def title(self) -> str:
        """Return the beginning of the message, as long as a heading may be."""
        first = re.split(r"(?<=[.:]) |: \[", self.message.partition(": ")[2])[0]
        return first if len(first) <= 110 else first[:110].rsplit(" ", 1)[0] + " …"

    def matches(self, message: str) -> bool:
        """Return whether a message is this one, however its lines were broken."""
        plain = " ".join(message[:LONGEST].split())
        return any(re.search(pattern, plain, re.IGNORECASE) for pattern in self.patterns)


@lru_cache(maxsize=1)
def explanations() -> tuple[Explanation, ...]:
    """Return every explanation, by slug."""
    found = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(FOLDER.glob("*.json"))]
    return tuple(
        Explanation(**{**entry, "patterns": tuple(entry["patterns"]), "older": tuple(entry["older"])})
        for entry in found
    )


def find(slug: str) -> Explanation | None:
    """Return an explanation by its slug."""
    return next((each for each in explanations() if each.slug == slug), None)


def recognised(message: str) -> Explanation | None:
    """Return the explanation of a message, or None."""
    return next((each for each in explanations() if each.matches(message)), None)


def explained(trace: dict[str, Any]) -> list[dict[str, str]]:
    """Return which known errors a trace ends in, warns of, or was pasted with: slug, address, where."""
    outcome = trace["outcome"]
    said = [
        ("pasted", text)
        for mend in trace.get("mended", ())
        if mend["kind"] in PASTED
        for text in mend["texts"]
    ]
    said += [("warning", row["message"]) for row in trace["rows"] if row["kind"] == "warning"]
    said += [("outcome", outcome["message"])] if outcome["kind"] == "error" else []
    found = {}
    for where, text in list(dict.fromkeys(said))[-MOST:]:
        if (known := recognised(text)) is not None:
            found[known.slug] = {"slug": known.slug, "url": known.url, "title": known.title, "where": where}
    return list(found.values())
