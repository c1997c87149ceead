"""How much one trace may hold, and how a run that holds more is ended."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """What one trace may hold. `stop`, if given, gets the finished trace when a limit is reached."""

    rows: int = 20_000
    output: int = 65_536  # characters printed
    elements: int = 1_000_000  # in one tensor
    made: int = 8_000_000  # in all tensors together
    at_once: int = 0  # the first so many rows are written at the moment of their facts
    stop: Callable[[dict], None] | None = None
    step: Callable[[], None] | None = None  # called after every row, for who sends them while they come


SENTENCES = {
    "rows": "The run was stopped after {rows:,} steps.",
    "output": "The run was stopped: it printed more than {output:,} characters.",
    "elements": "The run was stopped: one tensor has more than {elements:,} elements.",
    "made": "The run was stopped: its tensors have more than {made:,} elements together.",
    "memory": "The run was stopped: it needed more memory than it may have.",
}


def sentence(limit: str, limits: Limits) -> str:
    """Return what a reader is told when a limit is reached."""
    sizes = {name: getattr(limits, name) for name in ("rows", "output", "elements", "made")}
    return SENTENCES[limit].format(**sizes)


class LimitReached(BaseException):
    """Ends a run that has reached a limit; no `except Exception` of a learner's catches it."""
