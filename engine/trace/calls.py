"""Which rows belong to which call of the program's own functions. No row depends on it."""

from __future__ import annotations

from collections.abc import Callable

from engine.trace.lines import Seen
from engine.trace.spans import Spans


class Calls:
    """The calls in which facts were stated, in order, each with its first and its last row."""

    def __init__(self, spans: Spans) -> None:
        self._spans = spans
        self._made: list[dict] = []
        self._open: list[dict | None] = []  # one for each frame that is being run; None: the program itself

    def follow(self, seen: Seen, rows: list[dict], bind: Callable[[list], None], changes: list) -> None:
        """Frames were left and entered; in between, what they have bound is written by `bind`."""
        self._leave(seen, len(rows))
        bind(changes)
        self._enter(seen, len(rows))

    def _leave(self, seen: Seen, row: int) -> None:
        kept = len(self._open) if seen[0] is None else seen[0]
        for call in self._open[kept:]:
            if call is not None:
                call["last"] = row - 1
        del self._open[kept:]

    def _enter(self, seen: Seen, row: int) -> None:
        for code, site in seen[2]:
            call = None
            if code.co_name != "<module>":
                at = None if site is None else self._spans.at(*site)
                function = code.co_qualname.rpartition("<locals>.")[2]
                call = {"function": function, "at": at, "first": row, "last": None}
                self._made.append(call)
            self._open.append(call)

    def table(self, rows: int) -> list[dict]:
        """Return the calls of a trace of so many rows, those without any left out."""
        whole = [{**call, "last": rows - 1 if call["last"] is None else call["last"]} for call in self._made]
        return [call for call in whole if call["first"] <= call["last"]]
