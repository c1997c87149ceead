"""Learning rates at an epoch from the first one alone: what `scheduler.step(epoch)` uses where it exists."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable
from typing import Any


def _constant(plan: Any, base: float) -> float:
    return base * (plan.factor + (plan.last_epoch >= plan.total_iters) * (1 - plan.factor))


def _linear(plan: Any, base: float) -> float:
    part = min(plan.total_iters, plan.last_epoch) / plan.total_iters
    return base * (plan.start_factor + (plan.end_factor - plan.start_factor) * part)


def _multi_step(plan: Any, base: float) -> float:
    return base * plan.gamma ** bisect_right(sorted(plan.milestones.elements()), plan.last_epoch)


def _polynomial(plan: Any, base: float) -> float:
    return base * (1.0 - min(plan.total_iters, plan.last_epoch) / plan.total_iters) ** plan.power


def _cosine(plan: Any, base: float) -> float:
    fall = 1 + math.cos(math.pi * plan.last_epoch / plan.T_max)
    return plan.eta_min + (base - plan.eta_min) * fall / 2


CLOSED: dict[str, Callable[[Any, float], float]] = {
    "StepLR": lambda plan, base: base * plan.gamma ** (plan.last_epoch // plan.step_size),
    "MultiStepLR": _multi_step,
    "ConstantLR": _constant,
    "LinearLR": _linear,
    "ExponentialLR": lambda plan, base: base * plan.gamma**plan.last_epoch,
    "PolynomialLR": _polynomial,
    "CosineAnnealingLR": _cosine,
}


def rates(plan: Any) -> list[float] | None:
    """Return the learning rates of `plan.last_epoch`, one per group; None without a closed form."""
    found = next((CLOSED[kind.__name__] for kind in type(plan).__mro__ if kind.__name__ in CLOSED), None)
    return None if found is None else [found(plan, base) for base in plan.base_lrs]
