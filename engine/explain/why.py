"""Answers "why this number?" for one element of one gradient of a run: a recorder that looks closer."""

from __future__ import annotations

import contextlib
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from engine.explain.backward_pass import BackwardPass, Flow
from engine.explain.paths import MOST_PATHS, Paths, Place, Term
from engine.node import AccumulateGrad, Node
from engine.tensor import Tensor
from engine.trace.changes import Change, Changing
from engine.trace.limits import LimitReached, Limits

EXACT = 2**53  # larger whole numbers are no JSON numbers


@dataclass(frozen=True, slots=True)
class Question:
    """Which number: the row that shows it, in which backward call, which element of which input."""

    row: int
    call: int
    element: tuple[int, ...]
    input_nr: int = 0  # of the node, where the row is node_entered


class Asking(Changing):
    """Watches a run until the backward call in question is over; then hands the answer to `tell`."""

    def __init__(
        self,
        source: str,
        limits: Limits | None,
        question: Question,
        tell: Callable[[dict], Any],
        changes: tuple[Change, ...] = (),
    ) -> None:
        super().__init__(source, limits, changes)
        self.question, self.tell = question, tell
        self._pass: BackwardPass | None = None
        self._began = False
        self._over = False
        self._made: dict[tuple[int, int], tuple[weakref.ref, int, int]] = {}

    def made(self, number: int, tensors: tuple[Tensor, ...]) -> None:
        """Remember which making a tensor comes from: by its node if it has one, which lives longer."""
        for output, tensor in enumerate(tensors):
            subject = tensor if tensor.node is None else tensor.node
            key = id(subject), tensor.output_nr
            self._made[key] = weakref.ref(subject), number, output

    def __call__(self, fact: Any) -> None:
        done = self._pass
        if done is not None:
            done.take(fact)
        super().__call__(fact)
        if self._pass is not None:
            if done is None:
                self._pass.take(fact)
            if self._over:
                self.answer()

    def _find_BackwardBegan(self, fact: Any, *rest: Any) -> tuple[int, int]:
        found = super()._find_BackwardBegan(fact, *rest)
        if found[0] == self.question.call:
            self._pass = BackwardPass()
        return found

    def _find_BackwardEnded(self, fact: Any, *rest: Any) -> int:
        number = super()._find_BackwardEnded(fact, *rest)
        self._over = self._over or number == self.question.call
        return number

    def _find_BackwardFailed(self, fact: Any, *rest: Any) -> int:
        number = super()._find_BackwardFailed(fact, *rest)
        self._over = self._over or number == self.question.call
        return number

    # ----- the answer -----
    def answer(self) -> None:
        """Tell what was found, and end the run."""
        done, self._pass = self._pass, None
        with contextlib.suppress(LimitReached):
            self.rows  # noqa: B018 - written now; a limit may cut them
        self.tell(self.explained(done))
        self.over = {"kind": "limit", "limit": "asked", "message": "", "at": None}
        raise LimitReached("asked")

    def explained(self, done: BackwardPass) -> dict:
        """Return the answer for the row in question, or why there is none."""
        rows, question = self.writer.rows, self.question
        calls = (
            k for k, r in enumerate(rows) if r["kind"] == "backward_began" and r["call"] == question.call
        )
        began = next(calls, None)
        if began is None or not began < question.row < len(rows):
            return {"found": False}
        fact = done.of_row(rows, began, question.row)
        if fact is None:
            return {"found": False}
        asked = self._asked_for(done, *fact)
        if asked is None:
            return {"found": False}
        node, input_nr, flows, place, shape, before = asked
        paths = Paths(done)
        paths.explain(flows, place)
        whole = done.flows.get((node, input_nr), [])
        return {
            "found": True, "row": question.row, "call": question.call, "shape": list(shape),
            "element": list(place.element), "number": number(place.number), "held": number(before),
            "node": self.ids.find(node), "input_nr": input_nr,
            "parts": len([flow for flow in whole if flow.array is not None]), "of": len(flows),
            "whole": number(total_of(whole, place.element)) if whole else number(place.number),
            "made": self._making_of(node, input_nr),
            "places": [self._place(each) for each in paths.places],
            **self._counts(paths, flows),
        }  # fmt: skip

    def _asked_for(self, done: BackwardPass, kind: str, fact: Any, kept: Any) -> tuple | None:
        """Return the node and input, the flows, the place, the shape, what `.grad` held before."""
        element = self.question.element
        before = None
        if kind == "edge_flowed":
            node, input_nr, flows, array = fact.target, fact.input_nr, [kept], kept.array
        elif kind == "grad_summed":
            node, input_nr, flows, array = fact.node, fact.input_nr, kept, None
            array = None if not kept or kept[0].array is None else sum_of(kept)
        else:
            node = fact.node
            input_nr = self.question.input_nr if kind == "node_entered" else getattr(fact, "input_nr", 0)
            flows = done.flows.get((node, input_nr), [])
            array = kept[input_nr] if kind == "node_entered" and input_nr < len(kept) else kept
            if kind in ("grad_accumulated", "grad_retained") and fact.before is not None:
                before = array_of(fact.before)
        if not isinstance(array, np.ndarray) or not has(array, element) or array.dtype.kind != "f":
            return None
        place = Place(node, input_nr, element, float(array[element]))
        if not flows:
            place.stop = "start"
        elif kind not in ("edge_flowed", "grad_summed"):
            self._note_hook(done, place)
        held = None if before is None or not has(before, element) else float(before[element])
        return node, input_nr, flows, place, array.shape, held

    def _note_hook(self, done: BackwardPass, place: Place) -> None:
        """Where a hook changed what had arrived, the number is the hook's."""
        arrived = total_of(done.flows.get((place.node, place.input_nr), []), place.element)
        visit = done.visits.get(place.node)
        entered = None if visit is None else visit.entered[place.input_nr]
        if entered is not None:
            arrived = float(entered[place.element])
        if arrived is not None and arrived != place.number and not both_nan(arrived, place.number):
            place.stop, place.before = "hook", arrived

    def _making_of(self, node: Node, input_nr: int) -> list[int] | None:
        """Return which making the tensor comes from whose gradient this is."""
        subject = node.variable if type(node) is AccumulateGrad else node
        known = self._made.get((id(subject), input_nr))
        return [*known[1:]] if known is not None and known[0]() is subject else None

    # ----- as JSON -----
    def _counts(self, paths: Paths, flows: list[Flow]) -> dict:
        count = paths.count()
        listed = paths.listed() if count is not None and count <= MOST_PATHS else []
        return {
            "paths": [
                {"product": number(p + 0.0), "hops": [list(hop) for hop in hops]} for p, hops in listed
            ],
            "count": None if count is None else whole_number(count),
            "node_paths": whole_number(paths.node_paths(flows)),
        }

    def _place(self, place: Place) -> dict:
        return {
            "node": None if place.node is None else self.ids.find(place.node),
            "input_nr": place.input_nr, "element": list(place.element), "number": number(place.number),
            "stop": place.stop, "before": number(place.before), "more": place.more,
            "rest": number(place.rest), "terms": [self._term(term) for term in place.terms],
        }  # fmt: skip

    def _term(self, term: Term) -> dict:
        node = None if term.visit is None else self.ids.find(term.visit.node)
        return {
            "node": node, "slot": term.slot, "output": term.output,
            "element": None if term.element is None else list(term.element),
            "derivative": number(term.derivative), "grad": number(term.grad),
            "product": number(term.product), "to": term.to, "blocked": term.blocked,
        }  # fmt: skip


def sum_of(flows: list[Flow]) -> np.ndarray:
    """Return what several flows add up to, in the order in which they came."""
    total = flows[0].array
    for flow in flows[1:]:
        total = total + flow.array
    return total


def total_of(flows: list[Flow], element: tuple) -> float | None:
    """Return an element of the sum of several flows."""
    arrays = [flow for flow in flows if flow.array is not None]
    return float(sum_of(arrays)[element]) if arrays else None


def array_of(value: Any) -> Any:
    """Return the array of a tensor, or the array itself."""
    return value.array if isinstance(value, Tensor) else value


def has(array: Any, element: tuple) -> bool:
    """Return whether an array has an element."""
    shape = np.shape(array)
    return len(shape) == len(element) and all(i < n for i, n in zip(element, shape, strict=True))


def both_nan(a: float, b: float) -> bool:
    """Return whether two numbers are no numbers."""
    return a != a and b != b


def number(value: float | None) -> float | str | None:
    """Return a number as a trace writes it: what JSON does not know is a word."""
    if value is None or np.isfinite(value):
        return value
    return "nan" if np.isnan(value) else "inf" if value > 0 else "-inf"


def whole_number(count: int) -> int | str:
    """Return a whole number as JSON can carry it, or its digits as a word."""
    return count if count <= EXACT else str(count) if count < 10**40 else f"10^{len(str(count)) - 1}"
