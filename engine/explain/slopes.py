"""The slope of a program's output by running it again with one number moved: it needs no graph.

The output is what the backward call in question starts from: each root times the gradient it was given,
summed. Every run stops there. Runs are made in float64 with the same random draws; that they are the same
program is seen from the output, which must be near what the program itself gets.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

import numpy as np

from engine import events
from engine.explain.why import number
from engine.explain.wide import in_float64
from engine.tensor import Tensor
from engine.trace.changes import Change, Changing, changed
from engine.trace.limits import LimitReached, Limits
from engine.trace.log import owner
from engine.trace.recorder import Recorder

STEPS = (1e-3, 1e-5)  # times the size of the number, at least 1
SAME = 2e-2  # relative: float64 has left the program what it is; 16 bits have three digits

Start = Callable[[Callable[[str, Limits | None], Recorder]], Any]  # runs the program under a recorder


@dataclass(frozen=True, slots=True)
class Asked:
    """Which number is moved, which backward call gives the output, and how many points a curve has.

    `written`: the number is moved as that call finds it, after all that was written into its memory before;
    else right when its tensor is made.
    """

    call: int
    made: int
    output: int
    element: tuple[int, ...]
    points: int = 0
    reach: float = 1.0  # how far the curve goes to either side
    written: bool = False


class Rooted(Changing):
    """Watches a run up to one backward call, moves one number, and keeps what the call starts from."""

    def __init__(
        self,
        source: str,
        limits: Limits | None,
        asked: Asked,
        changes: tuple[Change, ...] = (),
        seeds: Any = None,
        shift: tuple[float, int] | None = None,
    ) -> None:
        super().__init__(source, limits, changes)
        self.asked, self.seeds, self.shift = asked, seeds, shift
        self.tensor: Tensor | None = None
        self.writes = 0  # into its memory, since it was made
        self.value: float | None = None
        self.dtype = ""
        self.result: float | None = None
        before = self.log.overwriting

        def overwriting(array: np.ndarray) -> None:
            before(array)
            if self.tensor is not None and owner(array) is owner(self.tensor.array):
                self.writes += 1

        self.log.overwriting = overwriting

    def made(self, making: int, tensors: tuple[Tensor, ...]) -> None:
        """Take hold of the tensor that has the number."""
        asked = self.asked
        if making != asked.made or asked.output >= len(tensors):
            return
        tensor = tensors[asked.output]
        shape, element = tensor.array.shape, asked.element
        if len(shape) == len(element) and all(i < n for i, n in zip(element, shape, strict=True)):
            if tensor.array.dtype.kind == "f":
                self.tensor, self.dtype = tensor, tensor.dtype.name

    def _find_DataReplaced(self, fact: Any, *_: Any) -> None:
        self.writes += fact.tensor is self.tensor

    def _note(self, fact: Any, kind: type, frame: Any) -> None:
        super()._note(fact, kind, frame)
        if self.tensor is None:
            return
        if self.value is None:
            self.value = float(self.tensor.array[self.asked.element])
        if self.shift is not None and self.writes >= self.shift[1]:
            (value, _), self.shift = self.shift, None
            asked = self.asked
            self.replace(self.tensor, [Change(asked.made, asked.output, asked.element, value, shift=True)])

    def replace(self, tensor: Tensor, changes: list[Change]) -> None:
        """Move a number where it stands, so that everything sees it, unless it is another tensor's too."""
        if tensor.array.base is not None or not tensor.array.flags.writeable:
            tensor.array = tensor.array.copy()
        events.overwriting(tensor.array)
        for change in changes:
            tensor.array[change.element] = changed(tensor.array, change)

    def _find_BackwardBegan(self, fact: Any, *rest: Any) -> tuple[int, int]:
        found = super()._find_BackwardBegan(fact, *rest)
        if found[0] == self.asked.call and self.result is None:
            if self.tensor is not None and self.asked.written:
                self.value = float(self.tensor.array[self.asked.element])
            roots = [root.array.astype(np.float64) for root in fact.roots]
            if self.seeds is None:
                self.seeds = [None if grad is None else grad.array.astype(np.float64) for grad in fact.grads]
            if [r.shape for r in roots] == [
                getattr(seed, "shape", r.shape) for r, seed in zip(roots, self.seeds)
            ]:
                parts = [float((r * s).sum()) for r, s in zip(roots, self.seeds) if s is not None]
                self.result = math.fsum(parts) if all(map(math.isfinite, parts)) else sum(parts)
            self.over = {"kind": "limit", "limit": "asked", "message": "", "at": None}
            raise LimitReached("asked")
        return found


class Slope:
    """The runs of one question, and what came out of them."""

    def __init__(
        self, start: Start, asked: Asked, changes: tuple[Change, ...] = (), until: float = math.inf
    ) -> None:
        self.start, self.asked, self.changes, self.until = start, asked, changes, until
        self.seeds: Any = None
        self.wide = True
        self.after = 0  # writes after which the number is moved

    def run(self, shift: float, wide: bool | None = None) -> Rooted | None:
        """Run the program with the number moved by `shift`; None if there is no time left."""
        if time.monotonic() > self.until:
            return None
        asked = self.asked
        moved = (shift, self.after) if shift else None
        made: list[Rooted] = []

        def recorder(source: str, limits: Limits | None) -> Rooted:
            made.append(Rooted(source, limits, asked, self.changes, self.seeds, moved))
            return made[0]

        with in_float64() if (self.wide if wide is None else wide) else nullcontext():
            self.start(recorder)
        return made[0]

    def result(self, shift: float) -> float | None:
        """Return the output with the number moved."""
        done = self.run(shift)
        return None if done is None else done.result

    def answer(self) -> dict:
        """Return the number, the output there, the estimates, the one-sided slopes and the curve."""
        own = self.run(0.0, wide=False)
        if own is None or own.result is None or own.value is None:
            return {"found": False}
        self.after = own.writes if self.asked.written else 0
        wide = self.run(0.0)
        self.wide = wide is not None and near(wide.result, own.result)
        base = wide if self.wide else own
        self.seeds = base.seeds
        x, y = own.value, base.result
        size = max(1.0, abs(x))
        estimates = [self.estimate(step * size * (1 if self.wide else 10), y) for step in STEPS]
        return {
            "found": True, "value": number(x), "result": number(y), "float64": self.wide, "dtype": own.dtype,
            "estimates": estimates, "points": self.points(x),
        }  # fmt: skip

    def estimate(self, step: float, middle: float | None) -> dict:
        """Return the central difference for one step size, and the slopes to either side."""
        right, left = self.result(step), self.result(-step)
        return {
            "step": step,
            "central": divided(right, left, 2 * step),
            "right": divided(right, middle, step),
            "left": divided(middle, left, step),
        }

    def points(self, x: float) -> list[list[Any]]:
        """Return (number, output) at evenly spaced places around the number, from left to right."""
        count, reach = self.asked.points, self.asked.reach
        places = [reach * (2 * i / (count - 1) - 1) for i in range(count)] if count > 1 else []
        found = [(x + shift, self.result(shift)) for shift in places]
        return [[number(place), number(result)] for place, result in found if result is not None]


def near(a: float | None, b: float | None) -> bool:
    """Return whether two outputs are the same but for digits."""
    if a is None or b is None:
        return False
    if not (math.isfinite(a) and math.isfinite(b)):
        return str(a) == str(b)
    return abs(a - b) <= SAME * max(abs(a), abs(b), 1e-3)


def divided(high: float | None, low: float | None, step: float) -> float | str | None:
    """Return a difference over a step."""
    return None if high is None or low is None else number((high - low) / step)
