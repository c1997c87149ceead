"""Where in the program each row stands: in which calls, modules, rounds of loops and statements.

Read from the places of the rows and from how the lines are indented; the program is neither run nor parsed.
A round of a loop begins where the program goes back inside it: rounds that leave no row are not counted.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from app.layout.indents import Block, Indents

PLACED = ("tensor_made", "detached", "op_applied")  # rows in which the program has come on
END = 1 << 20  # a column behind every line

Place = tuple[int, int]  # line and column of an expression's end: they grow as Python works through a line


@dataclass(frozen=True, slots=True)
class Scope:
    """One stretch of the run: `kind` is "module", "call", "loop" or "line"; `key` is its own."""

    kind: str
    key: tuple
    label: str
    line: int | None
    count: int = 0  # which round of its loop, from 1


@dataclass(slots=True)
class Frame:
    """One call that is being run, or the program itself: where it was last, and in which rounds.

    Inside a module of the library nothing is followed: no line of the program runs there.
    """

    key: int
    scopes: tuple[Scope, ...]  # around it
    function: int | None = None  # the line it begins in, once that is known
    follows: bool = True
    last: Place | None = None
    bound: set[tuple] = field(default_factory=set)  # what the present statement has bound so far
    rounds: dict[Block, int] = field(default_factory=dict)  # open loops, from the outside in
    turns: dict[int, int] = field(default_factory=dict)  # how often each loop was begun
    steps: int = 0  # statements begun


class Scopes:
    """`of_row`: the scopes of each row, the outermost first."""

    def __init__(self, trace: dict) -> None:
        self._lines = Indents(trace["source"])
        self.of_row: list[tuple[Scope, ...]] = []
        self._read(trace)

    def _read(self, trace: dict) -> None:
        """Go through the rows once, with what is open at each."""
        opening: dict[int, list[tuple[int, str, list | None, str]]] = {}
        for first, *stretch in [*calls_made(trace), *modules_entered(trace)]:
            opening.setdefault(first, []).append(tuple(stretch))
        frame = Frame(0, (), function=0)
        opened: list[tuple[int, Frame]] = []  # until when, and what it is in
        number = 0
        for k, row in enumerate(trace["rows"]):
            while opened and opened[-1][0] < k:
                frame = opened.pop()[1]
            for last, kind, at, label in sorted(opening.get(k, ()), key=lambda each: (-each[0], each[1])):
                self._come(frame, at, again=True)
                number += 1
                scope = Scope(kind, (kind, number), label, at[0] if at else None)
                opened.append((min(last, opened[-1][0]) if opened else last, frame))
                frame = Frame(number, (*self._scopes(frame), scope), follows=kind == "call")
            if row["kind"] in PLACED:
                self._come(frame, row["at"], again=False)
            elif row["kind"] == "names_bound":
                self._bind(frame, row["at"])
            self.of_row.append(self._scopes(frame))

    def _scopes(self, frame: Frame) -> tuple[Scope, ...]:
        """Return the scopes of where a frame is now."""
        if frame.last is None:
            return frame.scopes
        lines, found = self._lines, list(frame.scopes)
        for loop, count in frame.rounds.items():
            key = ("loop", frame.key, loop.head, frame.turns[loop.head], count)
            found.append(Scope("loop", key, lines.text(loop.head).rstrip(":"), loop.head, count))
        line = lines.statement(frame.last[0])
        found.append(Scope("line", ("line", frame.key, frame.steps), lines.text(line), line))
        return tuple(found)

    def _bind(self, frame: Frame, at: list | None) -> None:
        """A statement has bound a name: if the same has done so before, this is another round."""
        if at is None or not self._is_in(frame, at[0]):
            return
        again = tuple(at) in frame.bound
        if again:
            frame.bound.clear()
        line, statement = at[2], self._lines.statement
        if frame.last is not None and statement(frame.last[0]) == statement(line):
            line = max(line, frame.last[0])
        self._move(frame, (line, END), again)
        frame.bound.add(tuple(at))

    def _come(self, frame: Frame, at: list | None, again: bool) -> None:
        """Follow the program to a place; `again`: it comes there only once in a round."""
        if at is None or not self._is_in(frame, at[0]):
            return
        place, before = (at[2], at[3]), frame.last
        back = before is not None and ((again and place == before) or self._went_back(before, place))
        self._move(frame, place, back)

    def _is_in(self, frame: Frame, line: int) -> bool:
        """Return whether a line belongs to a frame's own code."""
        if not frame.follows:
            return False
        if frame.function is None:
            frame.function = self._lines.function(line)
        return frame.function == self._lines.function(line)

    def _move(self, frame: Frame, place: Place, back: bool) -> None:
        """Stand at a place: some rounds go on, others begin."""
        before, frame.last = frame.last, place
        around = self._lines.loops(place[0])
        common = [loop for loop, own in zip(frame.rounds, around) if loop == own]
        for loop in list(frame.rounds)[len(common) :]:
            del frame.rounds[loop]
        if common and back:
            frame.rounds[common[-1]] += 1
        for loop in around[len(common) :]:
            frame.rounds[loop] = 1
            frame.turns[loop.head] = frame.turns.get(loop.head, 0) + 1
        statement = self._lines.statement
        if back or before is None or statement(before[0]) != statement(place[0]):
            frame.steps += 1
            frame.bound.clear()

    def _went_back(self, before: Place, place: Place) -> bool:
        """Return whether a place is reached from another only by a further round."""
        if self._lines.statement(place[0]) == self._lines.statement(before[0]):
            return place < before and (before[1] == END or " for " not in self._lines.text(place[0])[4:])
        return place < before or self._lines.exclusive(before[0], place[0])


def calls_made(trace: dict) -> Iterator[tuple[int, int, str, list | None, str]]:
    """Yield the first and the last row of each call of the program's own functions, its place, its name."""
    for call in trace.get("calls", ()):
        yield call["first"], call["last"], "call", call["at"], f"{call['function']}()"


def modules_entered(trace: dict) -> Iterator[tuple[int, int, str, list | None, str]]:
    """Yield the first and the last row of each module's forward, its place, its name."""
    opened: list[tuple[str, int]] = []
    rows, modules = trace["rows"], trace["modules"]

    def found(module: str, first: int, last: int) -> tuple[int, int, str, list | None, str]:
        name = modules[module]["path"].rpartition(".")[2]
        kind = modules[module]["type"]
        return first, last, "module", rows[first]["at"], f"{name} · {kind}" if name else kind

    for k, row in enumerate(rows):
        if row["kind"] == "module_entered":
            opened.append((row["module"], k))
        elif row["kind"] == "module_left" and any(module == row["module"] for module, _ in opened):
            while opened:
                module, first = opened.pop()
                yield found(module, first, k)
                if module == row["module"]:
                    break
    for module, first in opened:
        yield found(module, first, len(rows) - 1)
