"""How far to go along a direction: until the strong Wolfe conditions hold. Knows losses and slopes only."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from engine.tensor import Tensor

ENOUGH, FLAT = 1e-4, 0.9  # the share of the slope that has to be gained; the share that may be left
SMALLEST = 1e-9


@dataclass
class Point:
    """How far, and the loss, the gradient and the slope along the direction there."""

    t: Any
    loss: float
    grad: Tensor
    slope: float


def between(one: Point, two: Point, bounds: tuple | None = None) -> float:
    """Return where the cubic through two points and their slopes is lowest, within bounds."""
    low, high = bounds or ((one.t, two.t) if one.t <= two.t else (two.t, one.t))
    middle = one.slope + two.slope - 3 * (one.loss - two.loss) / (one.t - two.t)
    square = middle**2 - one.slope * two.slope
    if square < 0:
        return (low + high) / 2.0
    root = math.sqrt(square)
    near, far = (one, two) if one.t <= two.t else (two, one)
    best = far.t - (far.t - near.t) * ((far.slope + root - middle) / (far.slope - near.slope + 2 * root))
    return min(max(best, low), high)


def search(
    tried: Callable[[Any], tuple[float, Tensor]], t: Any, d: Tensor, loss: float, grad: Tensor, slope: float,
    most: int,
) -> tuple:  # fmt: skip
    """Return (loss, grad, t, evaluations) of a point that satisfies the conditions, or of the best found."""
    from engine.optim.lbfgs import silent

    def at(t: Any) -> Point:
        found, flat = tried(t)
        return Point(t, found, flat, silent(lambda: flat.dot(d).item()))

    start = Point(0, loss, silent(grad.clone), slope)
    ends, rounds, done = _bracket(at, start, t, most)
    size = silent(lambda: d.abs().max().item())
    found, rounds = _zoom(at, start, ends, rounds, most, size) if not done else (ends[0], rounds)
    return found.loss, found.grad, found.t, rounds + 1


def _bracket(at: Callable[[Any], Point], start: Point, t: Any, most: int) -> tuple[list, int, bool]:
    """Go further until a point is good enough or lies beyond one that is."""
    before, here, rounds = start, at(t), 0
    while rounds < most:
        too_high = here.loss > start.loss + ENOUGH * here.t * start.slope
        if too_high or (rounds > 1 and here.loss >= before.loss):
            return [before, here], rounds, False
        if abs(here.slope) <= -FLAT * start.slope:
            return [here], rounds, True
        if here.slope >= 0:
            return [before, here], rounds, False
        bounds = here.t + 0.01 * (here.t - before.t), here.t * 10
        before, here = here, at(between(before, here, bounds))
        rounds += 1
    return [start, here], rounds, False


def _zoom(
    at: Callable[[Any], Point], start: Point, ends: list, rounds: int, most: int, size: float
) -> tuple[Point, int]:
    """Make the bracket smaller until a point inside is good enough."""
    stuck = False
    low, high = (0, 1) if ends[0].loss <= ends[-1].loss else (1, 0)
    while rounds < most and abs(ends[1].t - ends[0].t) * size >= SMALLEST:
        t, left, right = between(*ends), min(e.t for e in ends), max(e.t for e in ends)
        margin = 0.1 * (right - left)
        close = min(right - t, t - left) < margin
        if close and (stuck or t >= right or t <= left):
            t = right - margin if abs(t - right) < abs(t - left) else left + margin
            close = False
        stuck = close
        here = at(t)
        rounds += 1
        too_high = here.loss > start.loss + ENOUGH * here.t * start.slope
        if too_high or here.loss >= ends[low].loss:
            ends[high] = here
            low, high = (0, 1) if ends[0].loss <= ends[1].loss else (1, 0)
            continue
        good = abs(here.slope) <= -FLAT * start.slope
        if not good and here.slope * (ends[high].t - ends[low].t) >= 0:
            ends[high] = ends[low]
        ends[low] = here
        if good:
            break
    return ends[low], rounds
