"""Derives a claimed number again from what it was made of. Decides nothing about rows."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from engine.verify.large import moved_wrong, numbered
from engine.verify.laws.table import EACH, EXACT, MOVES, SPARED, TROUBLE, Lacking, asks, call
from engine.verify.numbers import AGREE, PLACES, Value, differing, disagreement, widened

ROUGH = 2.0  # roundings of parts that cancel
WORSE = 4.0  # how much more than one rounding of each input a result may be off


class Underivable(Exception):
    """A number that cannot be derived again: one of report.REASONS, and what in particular."""

    def __init__(self, reason: str, detail: str = "") -> None:
        super().__init__(f"{detail} is not known" if reason == "unknown" else detail or reason)
        self.reason, self.detail = reason, detail


class Unread:
    """A plain argument that is written in words only."""


UNREAD = Unread()
IN_WORDS = re.compile(
    r"<.*>|.*tensor of shape \[.*|.*\.\.\..*|a large int|[A-Za-z_]\w*|[-\d]*:[-\d:]*", re.DOTALL
)


@lru_cache(maxsize=4096)
def parsed(text: str) -> Any:
    """Return what a plain argument says, or UNREAD."""
    if text in ("nan", "inf", "-inf"):
        return float(text)
    if re.fullmatch(r"torch\.\w+", text):
        return text
    try:
        return UNREAD if text.endswith(", ...]") else ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return UNREAD


def gathered(named: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return named things as a dict; `x[0]`, `x[1]` become the list x."""
    found: dict[str, Any] = {}
    for name, thing in named:
        stem, bracket, _ = name.partition("[")
        if bracket:
            found.setdefault(stem, []).append(thing)
        else:
            found[name] = thing
    return found


def parts(thing: Any) -> list[Any]:
    """Return a thing's members: itself, or those of a list."""
    return thing if isinstance(thing, list) else [thing]


def wide(thing: Any) -> Any:
    """Return a thing as laws take it: arrays in the precision we calculate in."""
    if isinstance(thing, list):
        return [wide(each) for each in thing]
    if isinstance(thing, Value):
        return thing.wide
    return widened(thing) if isinstance(thing, np.ndarray) else thing


class Derivation:
    """One evaluation of a law: `known` are Values, arrays, plain things and lists of them, by name."""

    def __init__(self, function: Callable, known: dict[str, Any], name: str) -> None:
        self.function = function
        self.exact, each, moves = name in EXACT, name in EACH, name in MOVES
        self.places: tuple | None = None
        self.shape: tuple[int, ...] = ()
        known = {
            name: known[name] for name, default in asks(function)
            if name in known and not (default is SPARED and known[name] is UNREAD)
        }  # fmt: skip
        if any(part is UNREAD for thing in known.values() for part in parts(thing)):
            raise Underivable("unwritten")
        large = {n: p for n, t in known.items() for p in parts(t) if isinstance(p, Value) and not p.whole}
        self.moving = next(iter(large.items())) if len(large) == 1 and moves and not each else None
        if large and self.moving is None:
            large = list(large.values())
            known = self.sampled(known, large, each)
        elif self.moving is not None:
            known[self.moving[0]] = numbered(self.moving[1])
        self.known = {name: wide(thing) for name, thing in known.items()}

    def sampled(self, known: dict[str, Any], large: list[Value], each: bool) -> dict[str, Any]:
        """Return what is known at the places that are written of large tensors."""
        self.shape = large[0].shape
        if not each or any(value.shape != self.shape for value in large):
            raise Underivable("large")
        self.places = np.unravel_index(large[0].places, self.shape)

        def pick(thing: Any) -> Any:
            if isinstance(thing, list):
                return [pick(part) for part in thing]
            if isinstance(thing, Value) and not thing.whole:
                return thing.sample
            array = thing.array if isinstance(thing, Value) else thing
            if not isinstance(array, np.ndarray) or not array.ndim:
                return array
            try:
                return np.broadcast_to(array, self.shape)[self.places]
            except ValueError:
                raise Underivable("large") from None

        return {name: pick(thing) for name, thing in known.items()}

    def evaluate(self, known: dict[str, Any]) -> list[Any]:
        """Return the results of the law."""
        try:
            with np.errstate(all="ignore"):
                made = call(self.function, known)
        except Lacking as lack:
            raise Underivable("unknown", str(lack.args[0])) from None
        except (*TROUBLE, MemoryError) as trouble:
            raise Underivable("trouble", f"{type(trouble).__name__}: {trouble}"[:80]) from None
        return list(made) if isinstance(made, (tuple, list)) else [made]

    def results(self) -> list[Any]:
        """Return the results of the law for what is known."""
        return self.evaluate(self.known)

    def wrong(
        self, found: list[Value | None], made: list[Any] | None = None, rounding: bool = True
    ) -> list[str | None]:
        """Say for each result how what was found differs from it, beyond what rounding explains."""
        made = self.results() if made is None else made
        if self.moving is not None:
            return self.moved(found, made)
        if len(made) < len(found):
            raise Underivable("results")
        wrong = [self.compare(f, m) for f, m in zip(found, made)]
        for i, text in enumerate(wrong):
            if text is not None and rounding and not self.exact and self.forgiven(found[i], made[i], i):
                wrong[i] = None
        return wrong

    def moved(self, found: list[Value | None], made: list[Any]) -> list[str | None]:
        """Say how what was moved out of a large tensor differs, as far as its sample tells."""
        wrong = []
        for value, places in zip(found, made):
            text, told = (
                (None, True) if value is None else moved_wrong(self.moving[1], np.asarray(places), value)
            )
            if not told:
                raise Underivable("large")
            wrong.append(text)
        return wrong

    def compare(self, found: Value | None, made: Any, slack: Any = 0.0) -> str | None:
        """Say how one result differs from what was found."""
        if found is None or made is None:
            return None if found is made else "nothing" if made is None else "a number"
        if self.places is None:
            return disagreement(found, made, slack)
        if found.shape != self.shape:
            return f"shape {list(self.shape)}"
        return differing(found.sample, np.broadcast_to(made, found.sample.shape), found.dtype, slack)

    def forgiven(self, found: Value | None, made: Any, i: int) -> bool:
        """Say whether rounding explains a difference: calculated narrowly, or with every input rounded."""
        if (
            found is None
            or made is None
            or np.shape(made) != (found.shape if self.places is None else found.sample.shape)
        ):
            return False
        step, slack = 2.0 ** -PLACES.get(found.dtype, 23), np.zeros(np.shape(made))
        single = found.dtype not in AGREE
        if single and self.compare(found, self.evaluate(narrow(self.known))[i]) is None:
            return True
        for seed in range(6):
            random = np.random.default_rng(seed)
            known = {name: jolted(thing, step, random) for name, thing in self.known.items()}
            for moved in (self.evaluate(known)[i], self.evaluate(narrow(known))[i] if single else made):
                slack = np.fmax(slack, np.abs(moved - made))
        if hasattr(self.function, "rough"):  # parts that cancel are rounded as the large numbers they are
            slack = slack + ROUGH * step * np.asarray(call(self.function.rough, self.known))
        finite = slack[np.isfinite(slack)]
        return self.compare(found, made, WORSE * (slack + (finite.mean() if finite.size else 0.0))) is None


def narrow(known: dict[str, Any]) -> dict[str, Any]:
    """Return everything in single precision."""
    return {name: narrowed(thing) for name, thing in known.items()}


def narrowed(thing: Any) -> Any:
    """Return a thing in single precision."""
    if isinstance(thing, list):
        return [narrowed(each) for each in thing]
    return thing.astype(np.float32) if isinstance(thing, np.ndarray) and thing.dtype.kind == "f" else thing


def jolted(thing: Any, step: float, random: np.random.Generator) -> Any:
    """Return a thing with each number moved by a relative step up or down."""
    if isinstance(thing, list):
        return [jolted(each, step, random) for each in thing]
    if isinstance(thing, np.ndarray) and thing.dtype.kind in "fc":
        return thing * (1 + step * random.choice((-1.0, 1.0), thing.shape))
    return thing


def law_of(function: Callable, name: str, known: dict[str, Any]) -> Derivation:
    """Return the derivation of an operation or of a rule of a node, by its name."""
    return Derivation(function, known, name)
