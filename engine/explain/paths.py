"""How a gradient came about: a sum over what arrived, each a local derivative times a gradient before it.

The places of a gradient, (node, input, element), form a graph of their own: each is the sum of its terms, and
each term leads to a place nearer to the root. It is opened breadth first, as far as there is time. A path is
a walk from the number asked for to the root; its product is what it adds to the number.
"""

from __future__ import annotations

import math
import time
from collections import deque
from dataclasses import dataclass, field

import numpy as np

from engine.explain.backward_pass import BackwardPass, Flow, Visit
from engine.explain.local import Local, Opaque
from engine.node import Node

SECONDS = 1.5  # until no further places are opened
MOST_PLACES = 400
MOST_TERMS = 64  # of one place, that are listed
MOST_PATHS = 48  # more are not listed one by one


@dataclass(slots=True, eq=False)
class Term:
    """One part of a sum: `derivative` times `grad`, an element of what the node of `visit` was given."""

    slot: int
    visit: Visit | None
    output: int
    element: tuple | None
    derivative: float
    grad: float | None
    product: float
    to: int | None = None  # the place of `grad`
    blocked: bool = False  # the local derivative is 0 everywhere: nothing comes through


@dataclass(slots=True, eq=False)
class Place:
    """One element of a gradient, taken apart or not (`stop` says why not; "start": the call was given it)."""

    node: Node | None
    input_nr: int
    element: tuple
    number: float
    terms: list[Term] = field(default_factory=list)
    stop: str | None = None
    before: float | None = None  # a hook made `number` of it
    more: int = 0  # terms that are not listed
    rest: float = 0.0  # and their sum


class Paths:
    """The places that one number depends on."""

    def __init__(self, done: BackwardPass) -> None:
        self.done = done
        self.places: list[Place] = []
        self._ids: dict[tuple, int] = {}
        self._locals: dict[Visit, Local] = {}

    # ----- opening -----
    def explain(self, flows: list[Flow], place: Place) -> None:
        """Open a place, whose number is the sum of some flows, and what is behind it while there is time."""
        until = time.monotonic() + SECONDS
        self.places.append(place)
        if place.stop is None:
            self.open(place, flows)
        waiting = deque(range(1, len(self.places)))
        while waiting:
            each = self.places[waiting.popleft()]
            known = len(self.places)
            if known > MOST_PLACES or time.monotonic() > until:
                each.stop = each.stop or "closed"
                continue
            if each.stop is None:
                self.open(each, self.done.flows.get((each.node, each.input_nr), []))
            waiting.extend(range(known, len(self.places)))

    def open(self, place: Place, flows: list[Flow]) -> None:
        """Find the terms of a place."""
        terms: list[Term] = []
        try:
            for flow in flows:
                if flow.array is not None:
                    terms += self.terms_of(flow, place.element)
        except Opaque as why:
            place.stop = why.reason
            return
        if len(terms) > MOST_TERMS:
            place.more = len(terms) - MOST_TERMS
            place.rest = math.fsum(term.product for term in terms[MOST_TERMS:])
            terms = terms[:MOST_TERMS]
        for term in terms:
            if term.visit is not None and not term.blocked:
                term.to = self.place_of(term)
        place.terms = terms

    def terms_of(self, flow: Flow, element: tuple) -> list[Term]:
        """Return what an element of a flow is the sum of."""
        flowed = float(flow.array[element])
        visit = flow.visit
        if visit is None:
            return [Term(flow.slot, None, 0, element, 1.0, flowed, flowed)]
        if visit not in self._locals:
            self._locals[visit] = Local(visit)
        rows = self._locals[visit].row(flow.slot, element, flow.array)
        found = []
        for output, row in enumerate(rows):
            if row is None:
                continue
            grads = visit.given[output].array
            for index in np.argwhere(row != 0):
                at = tuple(index.tolist())
                derivative, grad = float(row[at]), float(grads[at])
                found.append(Term(flow.slot, visit, output, at, derivative, grad, derivative * grad))
        return found or [blocked(flow, element)]

    def place_of(self, term: Term) -> int:
        """Return the place that a term leads to, which it makes if it is new."""
        visit = term.visit
        key = (visit.node, term.output, term.element)
        if key not in self._ids:
            self._ids[key] = len(self.places)
            self.places.append(self.arrived_at(visit, term.output, term.element))
        return self._ids[key]

    def arrived_at(self, visit: Visit, output: int, element: tuple) -> Place:
        """Return the place of what a node was given; a hook may have made it of something else."""
        number, entered = float(visit.given[output].array[element]), visit.entered[output]
        place = Place(visit.node, output, element, number)
        before = None if entered is None else float(entered[element])
        if before is not None and before != number and not (math.isnan(before) and math.isnan(number)):
            place.stop, place.before = "hook", before
        elif (visit.node, output) not in self.done.flows:
            place.stop = "start"
        return place

    # ----- counting -----
    def count(self) -> int | None:
        """Return how many paths there are, element by element; None if not all places were opened."""
        return self._count(0, {})

    def _count(self, start: int, known: dict[int, int | None]) -> int | None:
        stack = [start]
        while stack:
            place = self.places[stack[-1]]
            if stack[-1] in known:
                stack.pop()
                continue
            ahead = [t.to for t in place.terms if t.to is not None and t.to not in known]
            if ahead:
                stack += ahead
                continue
            counts = [1 if term.to is None else known[term.to] for term in place.terms]
            cut = place.stop == "closed" or place.more or any(count is None for count in counts)
            known[stack.pop()] = None if cut else sum(counts) if place.terms else 1
        return known[start]

    def listed(self) -> list[tuple[float, list[tuple[int, int]]]]:
        """Return every path: its product, and its (place, term) from the number asked for to the root."""
        found: list[tuple[float, list[tuple[int, int]]]] = []
        stack: list[tuple[int, float, list[tuple[int, int]]]] = [(0, 1.0, [])]
        while stack:
            here, factor, hops = stack.pop()
            place = self.places[here]
            if not place.terms:
                found.append((factor * place.number, hops))
            for i, term in reversed(list(enumerate(place.terms))):
                onward = [*hops, (here, i)]
                if term.to is None:
                    found.append((factor * term.product, onward))
                else:
                    stack.append((term.to, factor * term.derivative, onward))
        return found

    def node_paths(self, flows: list[Flow]) -> int:
        """Return how many paths there are from node to node, whatever the elements."""
        known: dict[Node, int] = {}
        start = [flow.visit for flow in flows if flow.array is not None]
        stack = [visit for visit in start if visit is not None]
        while stack:
            visit = stack[-1]
            if visit.node in known:
                stack.pop()
                continue
            before = [flow.visit for flow in self._into(visit)]
            ahead = [each for each in before if each is not None and each.node not in known]
            if ahead:
                stack += ahead
                continue
            total = sum(1 if each is None else known[each.node] for each in before)
            known[stack.pop().node] = total or 1
        return sum(1 if visit is None else known[visit.node] for visit in start) or 1

    def _into(self, visit: Visit) -> list[Flow]:
        inputs = range(len(visit.entered))
        found = [flow for i in inputs for flow in self.done.flows.get((visit.node, i), [])]
        return [flow for flow in found if flow.array is not None]


def blocked(flow: Flow, element: tuple) -> Term:
    """Return the term of a flow of which nothing came through."""
    given = flow.visit.given[0]
    grad, at = None, None  # which elements might have come through, nothing tells
    if given is not None and given.array.shape == flow.array.shape:
        grad, at = float(given.array[element]), element
    elif given is not None and given.array.size == 1:
        grad, at = given.array.item(), (0,) * given.array.ndim
    return Term(flow.slot, flow.visit, 0, at, 0.0, grad, 0.0, blocked=True)
