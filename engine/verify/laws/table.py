"""A law: what an operation makes of its arguments, and what each argument gets back. Knows no traces.

Numbers are float64 (or complex128, or whole). Functions say by their parameters' names what they need:
arguments by name, `g` the gradient that arrived, `gs` one per result, `y` the first result, `ys` all of them.
A derivative may be left to the operation itself: by where each element went, or by a step in every direction.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

FORWARD: dict[str, Callable] = {}  # by the name of the operation
PULLS: dict[str, dict[str, Callable]] = {}  # by the name of the node, then of its input
EXACT: set[str] = set()  # operations and nodes that move or choose numbers and round nothing
MOVES: set[str] = set()  # operations and nodes that only move the numbers of their one tensor
EACH: set[str] = set()  # operations and nodes that work element by element
OPS: dict[str, dict[str, Callable]] = {}  # the derivatives again, by the name of the operation
VIEWS: set[str] = set()  # operations whose results share memory with their first argument
PICKS: dict[str, int] = {}  # operations one result of which says where in `self` the first one stands
TROUBLE = (ValueError, IndexError, TypeError, ZeroDivisionError, OverflowError, np.exceptions.AxisError)
STEP = 1e-30  # far below rounding: the imaginary part is the derivative to the last bit


class _Spared:
    """Stands for an argument that is not needed in every case."""

    def __repr__(self) -> str:
        return "SPARED"


SPARED = _Spared()


class Lacking(KeyError):
    """A function asks for something that is not known."""


def law(
    name: str, forward: Callable | None, nodes: str = "", *,
    exact: bool = False, pointwise: bool = False, carries: bool = False, view: bool = False,
    picks: int | None = None, moves: str = "", smooth: str = "", steps: str = "", flat: str = "",
    **pulls: Callable,
) -> None:  # fmt: skip
    """Add a law. `pulls` are derivatives by input; `moves`, `smooth`, `steps`, `flat` name inputs without.

    moves: elements are moved (derived by following them); smooth: element by element; steps: each result
    may depend on each element; flat: the derivative is zero. `carries`: all that is done is to move numbers.
    """
    for each in name.split():
        if forward is not None:
            FORWARD[each] = forward
    for make, inputs in ((Moved, moves), (Smooth, smooth), (Stepped, steps)):
        pulls |= {each: make(forward, each) for each in inputs.split()}
    pulls |= {each: nothing for each in flat.split()}
    for node in nodes.split():
        PULLS.setdefault(node, {}).update(pulls)
    names = {*name.split(), *nodes.split()}
    for operation in name.split():
        OPS.setdefault(operation, {}).update(pulls)
    EXACT.update(names if exact or moves else ())
    MOVES.update(name.split() if moves or carries else ())
    MOVES.update(nodes.split() if carries else ())
    EACH.update(names if pointwise or smooth else ())
    VIEWS.update(name.split() if view else ())
    PICKS.update(dict.fromkeys(name.split(), picks) if picks is not None else {})


def nothing(g: np.ndarray) -> np.ndarray:
    """Return zeros: what is flat passes no gradient on."""
    return np.zeros_like(g)


_SIGNATURES: dict[Any, list[tuple[str, Any]]] = {}


def asks(function: Any) -> list[tuple[str, Any]]:
    """Return (name, default or `Parameter.empty`) of what a function needs."""
    known = _SIGNATURES.get(function)
    if known is None:
        known = getattr(function, "asks", None)
        if known is None:
            known = [(n, p.default) for n, p in inspect.signature(function).parameters.items()]
        _SIGNATURES[function] = known
    return known


def call(function: Any, known: Mapping[str, Any]) -> Any:
    """Call a function with what it asks for by name."""
    given = {}
    for name, default in asks(function):
        value = known.get(name, default)
        if value is inspect.Parameter.empty:
            raise Lacking(name)
        given[name] = None if value is SPARED else value
    return function(**given)


class Derived:
    """A derivative that is got from the operation itself."""

    def __init__(self, forward: Callable, into: str) -> None:
        self.forward = forward
        self.into = into
        empty = inspect.Parameter.empty
        self.asks = [("gs", empty), *asks(forward)]

    def results(self, given: dict, value: np.ndarray) -> list[np.ndarray]:
        """Return what the operation makes if its input `into` is `value`."""
        made = self.forward(**{**given, self.into: value})
        return list(made) if isinstance(made, (tuple, list)) else [made]


class Moved(Derived):
    """Every result is one of the elements, or none of them: follow where each went, and come back."""

    def __init__(self, forward: Callable, into: str) -> None:
        super().__init__(forward, into)
        empty = inspect.Parameter.empty
        self.asks = [(n, None if n == into else d) for n, d in self.asks] + [(f"{into}_sym_sizes", empty)]

    def __call__(self, /, gs: list, **given: Any) -> np.ndarray:
        """Add each gradient where its element came from."""
        shape = given.pop(f"{self.into}_sym_sizes")
        size = int(np.prod(shape, dtype=np.int64))
        back = np.zeros(size + 1, np.result_type(*(g for g in gs if g is not None)))
        origins = self.results(given, np.arange(1, size + 1).reshape(shape))
        for g, origin in zip(gs, origins, strict=False):
            if g is not None:
                np.add.at(
                    back, np.asarray(origin, np.int64).ravel(), np.broadcast_to(g, np.shape(origin)).ravel()
                )
        return back[1:].reshape(shape)


class Smooth(Derived):
    """Element by element: one imaginary step of all elements gives every slope at once."""

    def __call__(self, /, gs: list, **given: Any) -> np.ndarray:
        """Return gradient times slope."""
        stepped = self.results(given, np.asarray(given[self.into], np.float64) + 1j * STEP)[0]
        return gs[0] * (np.imag(stepped) / STEP)


class Stepped(Derived):
    """Each result may depend on each element: one imaginary step per element."""

    def __call__(self, /, gs: list, **given: Any) -> np.ndarray:
        """Return, per element, what all gradients together make of a step of it."""
        at = np.asarray(given[self.into], np.float64)
        back = np.zeros(at.shape)
        for where in np.ndindex(at.shape):
            moved = at.astype(np.complex128)
            moved[where] += 1j * STEP
            made = self.results(given, moved)
            back[where] = sum(np.sum(g * np.imag(y)) for g, y in zip(gs, made, strict=False) if g is not None)
        return back / STEP


# ----- words that several laws use --------------------------------------------------------------
def size_of(x: Any) -> Any:
    """Return |x|, also for numbers on an imaginary step."""
    return np.where(np.real(x) < 0, -x, x)


def over(dim: Any, ndim: int) -> tuple[int, ...]:
    """Return dimensions as a tuple counted from the front; None and () are all of them."""
    if dim is None or dim == ():
        return tuple(range(ndim))
    return tuple(d % ndim if ndim else 0 for d in (dim if isinstance(dim, tuple) else (dim,)))


def kept(reduced: Any, dim: Any, keepdim: bool, ndim: int) -> np.ndarray:
    """Return something reduced with its dimensions of size 1 put back."""
    reduced = np.asarray(reduced)
    if keepdim or not ndim or reduced.ndim == ndim:
        return reduced
    return np.expand_dims(reduced, over(dim, ndim))


def conj(x: Any) -> Any:
    """Return the conjugate; a real number is its own."""
    return np.conj(x) if np.iscomplexobj(x) else x


def summed_to(x: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """Return sums that bring an array to a shape it was broadcast from."""
    lead = x.ndim - len(shape)
    x = np.sum(x, axis=tuple(range(lead)))
    stretched = tuple(d for d, n in enumerate(shape) if n == 1 and x.shape[d] != 1)
    return np.sum(x, axis=stretched, keepdims=True)
