"""Cyclic learning rates: up and down between two bounds, the momentum the other way."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from engine.optim.optimizer import Optimizer
from engine.optim.scheduler import LRScheduler, one_each

MODES = ("triangular", "triangular2", "exp_range")


class CyclicLR(LRScheduler):
    """From `base_lr` to `max_lr` and back in each cycle; the height may shrink from cycle to cycle."""

    def __init__(
        self, optimizer: Optimizer, base_lr: Any, max_lr: Any, step_size_up: int = 2000,
        step_size_down: int | None = None, mode: str = "triangular", gamma: float = 1.0,
        scale_fn: Callable[[float], float] | None = None, scale_mode: str = "cycle",
        cycle_momentum: bool = True, base_momentum: float = 0.8, max_momentum: float = 0.9,
        last_epoch: int = -1,
    ) -> None:  # fmt: skip
        if not isinstance(optimizer, Optimizer):
            raise TypeError(f"{type(optimizer).__name__} is not an Optimizer")
        self.optimizer = optimizer
        lows = bounds(optimizer, base_lr, "base_lr")
        if last_epoch == -1:
            for low, group in zip(lows, optimizer.param_groups, strict=True):
                group["lr"] = low
        self.max_lrs = bounds(optimizer, max_lr, "max_lr")
        up = float(step_size_up)
        self.total_size = up + (up if step_size_down is None else float(step_size_down))
        self.step_ratio = up / self.total_size
        if mode not in MODES and scale_fn is None:
            raise ValueError("mode is invalid and scale_fn is None")
        self.mode, self.gamma = mode, gamma
        self.scale_mode = scale_mode if scale_fn or mode != "exp_range" else "iterations"
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            self._begin_momentum(base_momentum, max_momentum, last_epoch == -1)
        self._scale_fn_custom = scale_fn
        super().__init__(optimizer, last_epoch)
        self.base_lrs = lows

    def _begin_momentum(self, base: Any, top: Any, anew: bool) -> None:
        optimizer = self.optimizer
        if not {"momentum", "betas"} & set(optimizer.defaults):
            raise ValueError("optimizer must support momentum or beta1 with `cycle_momentum` option enabled")
        self.use_beta1 = "betas" in optimizer.defaults
        self.base_momentums = bounds(optimizer, base, "base_momentum")
        self.max_momentums = bounds(optimizer, top, "max_momentum")
        groups = zip(optimizer.param_groups, self.base_momentums, self.max_momentums, strict=True)
        for group, low, high in groups if anew else ():
            self._set_momentum(group, high)
            group.update(max_momentum=high, base_momentum=low)

    def _set_momentum(self, group: dict, value: float) -> None:
        if self.use_beta1:
            group["betas"] = (value, *group["betas"][1:])
        else:
            group["momentum"] = value

    def scale_fn(self, x: float) -> float:
        """Return what the height of a cycle is multiplied by; `x` is the cycle, or the iteration."""
        if self._scale_fn_custom is not None:
            return self._scale_fn_custom(x)
        if self.mode == "triangular":
            return 1.0
        return 1 / (2.0 ** (x - 1)) if self.mode == "triangular2" else self.gamma**x

    def _part(self) -> tuple[float, float]:
        """Return how far up a cycle is now, from 0 to 1, and the scale of its height."""
        cycle = math.floor(1 + self.last_epoch / self.total_size)
        x = 1.0 + self.last_epoch / self.total_size - cycle
        part = x / self.step_ratio if x <= self.step_ratio else (x - 1) / (self.step_ratio - 1)
        return part, self.scale_fn(cycle if self.scale_mode == "cycle" else self.last_epoch)

    def get_lr(self) -> list[float]:
        """Return the learning rates of `last_epoch`, one per group, and write the momenta."""
        self.warn_outside()
        part, scale = self._part()
        if self.cycle_momentum:
            momenta = zip(self.base_momentums, self.max_momentums, strict=True)
            written = [high - (high - low) * part * scale for low, high in momenta]
            for group, momentum in zip(self.optimizer.param_groups, written, strict=True):
                self._set_momentum(group, momentum)
        return [
            low + (high - low) * part * scale for low, high in zip(self.base_lrs, self.max_lrs, strict=True)
        ]

    def told_of(self, group: int, lr: float, base: float) -> tuple[str, dict[str, float]]:
        """Return the plan of one group as a formula and its terms."""
        part, scale = self._part()
        low, high = self.base_lrs[group], self.max_lrs[group]
        terms = {"base_lr": low, "max_lr": high, "part": part, "scale": scale}
        return "base_lr + (max_lr - base_lr) * part * scale", terms


def bounds(optimizer: Optimizer, given: Any, name: str) -> list:
    """Return one bound per group: the same for all, or as given."""
    count = len(optimizer.param_groups)
    if isinstance(given, (list, tuple)) and len(given) != count:
        raise ValueError(
            f"{name} must have the same length as optimizer.param_groups. {name} has {len(given)} values, "
            f"param_groups has {count}."
        )
    return one_each(optimizer, given, name)
