"""What all checks share: the tables, the values as numbers, what each tensor holds now, and the report."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from engine.verify.derive import Underivable, law_of
from engine.verify.numbers import Unreadable, Value, brief, disagreement, value_of
from engine.verify.program import Program
from engine.verify.report import Gap, Report

Held = np.ndarray | Value  # what a tensor holds: memory that views share, or a sample of something large


LATELY = 64  # rows, or gradients, that are still near
DOUBTS = 64  # what a tensor may hold instead, at most
HERE: Any = object()  # the row that is being looked at


class Stop(Exception):
    """A row makes a claim that does not hold."""


class World:
    """One trace while it is walked through: `k` is the row, `row` its content."""

    def __init__(self, trace: dict, report: Report) -> None:
        self.trace = trace
        self.rows: list[dict] = trace["rows"]
        self.tensors: dict[str, dict] = trace["tensors"]
        self.nodes: dict[str, dict] = trace["nodes"]
        self.report = report
        self.bound: dict[str, str] = {}  # names, and the tensors they are bound to
        self.program = Program(trace["source"])
        self.words = self.program.words
        self.k = -1
        self.row: dict = {}
        self.holds: dict[str, Held] = {}
        self.live: dict[
            str, None
        ] = {}  # tensors that hold something and are spoken of again, or were just now
        self.parting = parting(self.rows, self.tensors)  # by row: tensors that are not spoken of after it
        self.owned: dict[int, list[str]] = {}  # tensors by the array that owns their memory
        self.grads: dict[str, str | None] = {}  # the last known `.grad` of a tensor
        self.grad_memory: dict[str, Held] = {}  # and the memory it is in
        self.twins: set[str] = set()  # tensors whose `.grad` may be the very one of another tensor
        self.arriving: dict[str, None] = {}  # gradients that have been on their way, the latest last
        self.guessed: set[str] = set()  # tensors that no row has made; what they share memory with is a guess
        self.doubts: dict[str, list[Held]] = {}  # what else a tensor may hold
        self.about: set[str] = set()  # tensors of which we know what they hold but for the last digit
        self.inflight: list[str] = []  # the gradients that a hook may be looking at now
        self.uncertain = False  # memory was written of which a guess says who shares it
        self.newest = 0  # the highest number of a value that has appeared
        self.made_at: dict[str, int] = {}  # the row that applied a node's operation
        self.applications: dict[
            str, dict[str, Any]
        ] = {}  # what a node's operation was given and made, by name
        self.slices: dict[str, tuple] = {}  # what was done to the view that a CopySlices is about
        self.freed: dict[str, set[str]] = {}  # what each node has dropped
        self.freed_at: dict[str, int] = {}
        self.written_at: dict[str, list[int]] = {}  # the rows that wrote a tensor in place
        self.cut_short = trace["outcome"].get("kind") == "limit"
        self.values: dict[str, Value] = {}
        self.unreadable: dict[str, str] = {}
        for key, entry in trace["values"].items():
            try:
                self.values[key] = value_of(key, entry)
            except Unreadable as problem:
                self.unreadable[key] = str(problem)
        self.contents: dict[tuple, Value] | None = None  # the first value that holds just these numbers
        self.fitting: dict[tuple, list[Value]] = {}  # values by dtype and shape, in their order
        for value in self.values.values():
            self.fitting.setdefault((value.kind, value.shape), []).append(value)

    # ----- judging -----
    def refuse(self, claim: str, expected: Any, found: Any, row: int | None = HERE) -> None:
        """Note that a claim does not hold. If it is this row's, nothing after it can be believed: stop."""
        here = row is HERE
        name = f"{self.row.get('kind', '')}.{claim}" if here else claim
        self.report.refuse(self.k if here else row, name, self.brief(expected), self.brief(found))
        if here:
            raise Stop

    def brief(self, thing: Any) -> str:
        """Write a thing in one short line, a value with its numbers."""
        return brief(self.values.get(thing, thing) if isinstance(thing, str) else thing)

    def must(self, claim: str, expected: Any, found: Any) -> bool:
        """Hold one field of the row against what it must be."""
        if expected != found:
            self.refuse(claim, expected, found)
        return expected == found

    def must_be(self, claim: str, expected: str | None, found: str | None) -> bool:
        """Hold a claimed value against the very value it must be; it counts as derived."""
        if self.must(claim, expected, found):
            self.report.checked += found is not None
            return True
        return False

    def derive(
        self, claims: list[tuple[str, str | None]], function: Callable | None, name: str, known: dict
    ) -> bool:
        """Derive claimed values from what is known by a law; say whether that could be done and they hold."""
        written = [claim for claim, v in claims if v is not None]
        if function is None:
            self.leave("operation", name, len(written))
            return False
        try:
            wrong = law_of(function, name, known).wrong([self.values.get(v) for _, v in claims])
        except Underivable as gap:
            self.leave(gap.reason, name, len(written), gap.detail)
            return False
        for (claim, v), text in zip(claims, wrong):
            if text is not None:
                self.refuse(claim, text, v)
            self.report.checked += v is not None
        return not any(wrong)

    def leave(self, reason: str, subject: str = "", count: int = 1, detail: str = "") -> None:
        """Note that numbers of this row are taken as they stand; `reason` is one of report.REASONS."""
        self.report.leave(Gap(self.row["kind"], reason, subject, detail), self.k, count)

    # ----- what tensors hold -----
    def enter(self, k: int, row: dict) -> None:
        """Go to a row; what nobody has spoken of for a while is not looked through any more."""
        self.k, self.row = k, row
        for tensor in self.parting.get(k - LATELY, ()):
            self.live.pop(tensor, None)

    def arrive(self, *grads: str | None) -> None:
        """Gradients are on their way."""
        for grad in grads:
            if grad is not None:
                self.arriving.pop(grad, None)
                self.arriving[grad] = None

    def shown(self, array: np.ndarray) -> bool:
        """Say whether a value that holds just this has appeared."""
        if self.contents is None:
            self.contents = {}
            for value in self.values.values():
                if value.whole:
                    self.contents.setdefault((value.kind, value.shape, value.array.tobytes()), value)
        value = self.contents.get((array.dtype, array.shape, array.tobytes()))
        return value is not None and int(value.id[1:]) <= self.newest

    def lately(self) -> Iterator[str]:
        """Yield the gradients that were on their way lately, the latest first."""
        return itertools.islice(reversed(self.arriving), LATELY)

    def value(self, v: str | None) -> Value | None:
        """Return a value by its id."""
        return None if v is None else self.values.get(v)

    def make(self, tensor: str, v: str) -> None:
        """A tensor holds memory of its own from now on."""
        value = self.values[v]
        self.hold(tensor, value.array.copy() if value.whole else value)

    def hold(self, tensor: str, memory: Held) -> None:
        """A tensor holds this memory from now on, perhaps together with others."""
        self.holds[tensor] = memory
        self.live[tensor] = None
        if isinstance(memory, np.ndarray):
            owner = memory if memory.base is None else memory.base
            self.owned.setdefault(id(owner), []).append(tensor)

    def sharing(self, tensor: str) -> list[str]:
        """Return the other tensors that look into the memory a tensor looks into."""
        memory = self.holds.get(tensor)
        if not isinstance(memory, np.ndarray):
            return []
        owner = memory if memory.base is None else memory.base
        found = {t: self.holds[t] for t in self.owned.get(id(owner), ()) if t != tensor and t in self.holds}
        return [t for t, m in found.items() if isinstance(m, np.ndarray) and np.shares_memory(m, memory)]

    def write(self, tensor: str, v: str) -> None:
        """A tensor is written in place: everything that shares its memory sees it."""
        self.written_at.setdefault(tensor, []).append(self.k)
        value, memory = self.values[v], self.holds.get(tensor)
        if self.guessed and isinstance(memory, np.ndarray) and value.whole:
            self.doubt(tensor, memory, value.array)
        if (
            isinstance(memory, np.ndarray)
            and value.whole
            and memory.shape == value.shape
            and memory.flags.writeable
        ):
            memory[...] = value.array
        else:
            self.make(tensor, v)

    def doubt(self, tensor: str, memory: np.ndarray, after: np.ndarray) -> None:
        """A tensor is about to be written: who shares its memory is uncertain where a guess is involved."""
        before, self.uncertain = memory.copy(), True
        for other in list(self.live):
            held = self.holds.get(other)
            if other == tensor or not {tensor, other} & self.guessed or not isinstance(held, np.ndarray):
                continue
            if held.shape == before.shape and held.dtype == before.dtype:
                if np.shares_memory(held, memory):
                    self.doubts.setdefault(other, []).append(before)
                elif any(np.array_equal(memory, before) for memory in (held, *self.doubts.get(other, ()))):
                    self.doubts[other] = [*self.doubts.get(other, ()), after.copy()][-DOUBTS:]

    def may_hold(self, tensor: str, value: Value) -> bool:
        """Say whether a tensor may hold a value for all we know, and believe it then."""
        for memory in self.doubts.get(tensor, ()):
            if same(memory, value):
                self.hold(tensor, memory)
                return True
        return False

    def settle(self, tensor: str, v: str) -> None:
        """Where a tensor's last digit was not known, this value tells it."""
        memory, value = self.holds.get(tensor), self.values[v]
        if tensor in self.about and isinstance(memory, np.ndarray) and value.whole:
            if memory.shape == value.shape and disagreement(value, memory) is None:
                memory[...] = value.array

    def is_held(self, tensor: str, v: str | None) -> bool | None:
        """Say whether a tensor holds exactly a value; None if what it holds is not known."""
        memory, value = self.holds.get(tensor), self.value(v)
        return None if memory is None or value is None else same(memory, value)

    def is_grad(self, tensor: str, memory: Held) -> bool:
        """Say whether memory holds what rows have told of a tensor's `.grad`."""
        value = self.value(self.grads.get(tensor))
        return value is not None and same(memory, value)

    def shape(self, tensor: str) -> tuple[int, ...]:
        """Return a tensor's shape as it is now."""
        memory = self.holds.get(tensor)
        return tuple(self.tensors[tensor]["shape"] if memory is None else memory.shape)

    def holders(self, value: Value) -> Iterator[str]:
        """Yield the tensors that hold exactly a value, the latest first."""
        for tensor in itertools.chain(reversed(self.live), reversed(self.holds)):
            if self.is_held(tensor, value.id):
                yield tensor


def parting(rows: list[dict], tensors: dict[str, dict]) -> dict[int, list[str]]:
    """Return by row the tensors of which no later row speaks."""
    last: dict[str, int] = {}
    for k, row in enumerate(rows):
        last |= dict.fromkeys(spoken_of(row, tensors), k)
    found: dict[int, list[str]] = {}
    for tensor, k in last.items():
        found.setdefault(k, []).append(tensor)
    return found


def spoken_of(thing: Any, tensors: dict[str, dict]) -> Iterator[str]:
    """Yield the tensors that stand anywhere in a row."""
    if type(thing) is str:
        if thing in tensors:
            yield thing
    elif type(thing) in (dict, list):
        for each in thing.values() if type(thing) is dict else thing:
            yield from spoken_of(each, tensors)


def same(memory: Held, value: Value) -> bool:
    """Say whether memory holds exactly a value's elements."""
    if isinstance(memory, Value) or not value.whole:
        return isinstance(memory, Value) and memory.id == value.id
    return (
        memory.shape == value.shape
        and memory.dtype == value.kind
        and np.array_equal(memory, value.array, equal_nan=value.kind.kind in "fc")
    )
