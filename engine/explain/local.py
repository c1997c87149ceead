"""The local derivatives of one node: what its rule makes of a gradient, element by element.

A rule is linear in the gradient that it is given. So one element of its result is a sum over elements of that
gradient, each times a local derivative; the derivatives are the gradient of that element with respect to
the rule's own input, which the engine can be asked for. Where a rule cannot be differentiated once more, it
is tried on gradients that are 1 in one place. Either way the sum is compared with what the node really
gave; where it is another, the rule is not linear (or something else changed the number), and that is said.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from engine import autograd, events, modes
from engine.backward import validated
from engine.explain.backward_pass import Visit
from engine.tensor import Tensor, make_at
from engine.trace.limits import LimitReached

MOST_TRIES = 1024  # elements of a gradient that a rule is tried on one by one
DIGITS = {np.dtype(np.float64): 1e-11, np.dtype(np.float32): 2e-5, np.dtype(np.float16): 2e-2}
HALF = 4e-2  # bfloat16 has three digits


class Opaque(Exception):
    """A number cannot be taken apart further: `reason` says why."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


# Note: parts
class Local:
    """The local derivatives of one node, found as they are asked for."""

    def __init__(self, visit: Visit) -> None:
        self.visit = visit
        self._linked: dict[int, tuple[Tensor | None, list[Tensor | None]]] = {}
        self._tried: dict[int, list[tuple[int, tuple, Any]]] = {}

    def row(self, slot: int, element: tuple, flowed: Any) -> list[Any]:
        """Return, for each output of the node, the derivatives of one element of what flowed along a slot.

        One array per output in its shape, None where no gradient had arrived. Raises Opaque.
        """
        for grad in self.visit.given:
            if grad is not None and (type(grad) is not Tensor or grad.array.dtype.kind != "f"):
                raise Opaque("sparse" if type(grad) is not Tensor else "complex")
        wanted = float(flowed[element])
        for find in (self._by_graph, self._by_trying):
            try:
                found = find(slot, element)
            except Opaque:
                raise
            except (Exception, LimitReached):
                continue
            if found is not None and self._adds_up(found, wanted):
                return found
        raise Opaque(self._reason())

    def _reason(self) -> str:
        visit = self.visit
        if visit.after:
            return "hook"
        if visit.node.op is None and visit.node.inner is None:
            return "own"
        return "unknown"

    def _adds_up(self, found: list[Any], wanted: float) -> bool:
        """Return whether the derivatives times what arrived give what flowed, to the digits of its kind."""
        total = size = 0.0
        for derivatives, grad in zip(found, self.visit.given, strict=True):
            if derivatives is not None:
                with np.errstate(all="ignore"):
                    products = derivatives.astype(np.float64) * grad.array.astype(np.float64)
                products = products[derivatives != 0]
                total, size = total + products.sum(), size + np.abs(products).sum()
        if not np.isfinite(wanted):
            return not np.isfinite(total)
        kind = next(g for g in self.visit.given if g is not None)
        digits = HALF if kind.exotic is not None else DIGITS.get(kind.array.dtype, HALF)
        return bool(abs(total - wanted) <= digits * (size + abs(wanted)) + 1e-37)

    # ----- by the engine itself -----
    def _by_graph(self, slot: int, element: tuple) -> list[Any] | None:
        if slot not in self._linked:
            self._linked[slot] = self._link(slot)
        out, leaves = self._linked[slot]
        if out is None or not out.requires_grad:
            return [None if leaf is None else np.zeros(leaf.array.shape) for leaf in leaves]
        one = np.zeros(out.array.shape, out.array.dtype)
        one[element] = 1
        asked = [leaf for leaf in leaves if leaf is not None]
        with unseen():
            found = iter(autograd.grad(
                [out], asked, [make_at(one, out.exotic, out.place)], retain_graph=True, allow_unused=True,
            ))  # fmt: skip
        rows = [None if leaf is None else next(found) for leaf in leaves]
        return [
            None if leaf is None else np.zeros(leaf.array.shape) if row is None else row.array
            for leaf, row in zip(leaves, rows, strict=True)
        ]

    def _link(self, slot: int) -> tuple[Tensor | None, list[Tensor | None]]:
        """Evaluate the rule of a slot so that its result remembers the gradient it was given."""
        leaves = [None if grad is None else leaf_like(grad) for grad in self.visit.given]
        with unseen(), modes.backward_mode(create_graph=True):
            return self._run(slot, leaves, True), leaves

    def _run(self, slot: int, grads: list[Tensor | None], graph: bool) -> Tensor | None:
        visit, node = self.visit, self.visit.node
        asked = tuple(i == slot for i in range(len(node.next_edges)))
        with as_it_was(visit):
            rule = modes.begin_rule() if node.silent else None
            try:
                out = node.run(tuple(grads), asked, graph)[slot]
            finally:
                if rule is not None:
                    modes.end_rule(rule)
        edge = node.next_edges[slot]
        return None if out is None else validated(node, slot, edge, out)

    # ----- by trying -----
    def _by_trying(self, slot: int, element: tuple) -> list[Any] | None:
        given = self.visit.given
        if sum(grad.array.size for grad in given if grad is not None) > MOST_TRIES:
            return None
        if slot not in self._tried:
            self._tried[slot] = list(self._tries(slot))
        found = [None if grad is None else np.zeros(grad.array.shape) for grad in given]
        for output, place, array in self._tried[slot]:
            found[output][place] = 0.0 if array is None else array[element]
        return found

    def _tries(self, slot: int) -> Iterator[tuple[int, tuple, Any]]:
        """Yield what the rule gives for each gradient that is 1 in one place: (output, place, array)."""
        given = self.visit.given
        for output, grad in enumerate(given):
            if grad is None:
                continue
            for place in np.ndindex(grad.array.shape):
                zeros = [None if g is None else np.zeros_like(g.array) for g in given]
                zeros[output][place] = 1
                grads = [z if z is None else make_at(z, g.exotic, g.place) for z, g in zip(zeros, given)]
                with unseen(), modes.backward_mode(create_graph=False):
                    out = self._run(slot, grads, False)
                yield output, place, None if out is None else out.array.copy()


def leaf_like(grad: Tensor) -> Tensor:
    """Return a leaf with the numbers of a gradient."""
    leaf = make_at(grad.array.copy(), grad.exotic, grad.place)
    leaf.requires = True
    return leaf


@contextmanager
def unseen() -> Iterator[None]:
    """Let nobody hear of what is computed inside."""
    with events.observed_by(None):
        yield


@contextmanager
def as_it_was(visit: Visit) -> Iterator[None]:
    """Give a node back what it had saved when it ran, for a while."""
    node, inner = visit.node, visit.inner
    now = node.saved, node.freed, node.inner
    inner_now = None if inner is None else (inner.saved, inner.freed)
    node.saved, node.freed, node.inner = visit.saved, visit.freed, inner
    if inner is not None:
        inner.saved, inner.freed = visit.inner_saved, False
    try:
        yield
    finally:
        node.saved, node.freed, node.inner = now
        if inner is not None:
            inner.saved, inner.freed = inner_now
