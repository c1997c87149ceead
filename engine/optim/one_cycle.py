"""The one-cycle plan: the learning rate up and far down, the momentum the other way."""

from __future__ import annotations

import math
from typing import Any

from engine.optim.optimizer import Optimizer
from engine.optim.scheduler import LRScheduler, one_each


class OneCycleLR(LRScheduler):
    """Up to `max_lr`, then far down; the momentum goes the other way."""

    def __init__(
        self, optimizer: Optimizer, max_lr: Any, total_steps: int | None = None, epochs: int | None = None,
        steps_per_epoch: int | None = None, pct_start: float = 0.3, anneal_strategy: str = "cos",
        cycle_momentum: bool = True, base_momentum: Any = 0.85, max_momentum: Any = 0.95,
        div_factor: float = 25.0, final_div_factor: float = 1e4, three_phase: bool = False,
        last_epoch: int = -1,
    ) -> None:  # fmt: skip
        if total_steps is None:
            if epochs is None or steps_per_epoch is None:
                raise ValueError("You must define either total_steps OR (epochs AND steps_per_epoch)")
            total_steps = epochs * steps_per_epoch
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(
                f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}"
            )
        self.total_steps = total_steps
        self.cosine = anneal_strategy == "cos"
        self.cycle_momentum = cycle_momentum
        up = float(pct_start * total_steps) - 1
        rows = [(up, "initial_lr", "max_lr", "max_momentum", "base_momentum")]
        if three_phase:
            down = float(2 * pct_start * total_steps) - 2
            rows.append((down, "max_lr", "initial_lr", "base_momentum", "max_momentum"))
            rows.append((total_steps - 1, "initial_lr", "min_lr", "max_momentum", "max_momentum"))
        else:
            rows.append((total_steps - 1, "max_lr", "min_lr", "base_momentum", "max_momentum"))
        self.phases = rows
        if cycle_momentum and not {"momentum", "betas"} & set(optimizer.defaults):
            raise ValueError("optimizer must support momentum or beta1 with `cycle_momentum` option enabled")
        tops = one_each(optimizer, max_lr, "max_lr")
        for group, top in zip(optimizer.param_groups, tops if last_epoch == -1 else (), strict=False):
            group.update(initial_lr=top / div_factor, max_lr=top)
            group["min_lr"] = group["initial_lr"] / final_div_factor
            if cycle_momentum:
                group.update(max_momentum=max_momentum, base_momentum=base_momentum)
                _set_momentum(group, max_momentum)
        super().__init__(optimizer, last_epoch)

    def planned(self, group: dict, lr: float, base: float) -> float:
        """Return the next learning rate of one group, and write its momentum."""
        if self.last_epoch > self.total_steps:
            raise ValueError(
                f"Tried to step {self.last_epoch} times. The specified number of total steps is "
                f"{self.total_steps}"
            )
        start = 0.0
        for phase in self.phases:
            end, low, high, first, last = phase
            if self.last_epoch <= end or phase is self.phases[-1]:
                part = (self.last_epoch - start) / (end - start)
                if self.cycle_momentum:
                    _set_momentum(group, self._between(group[first], group[last], part))
                return self._between(group[low], group[high], part)
            start = end
        raise AssertionError("the last phase always applies")

    def _between(self, start: float, end: float, part: float) -> float:
        if self.cosine:
            return end + (start - end) / 2.0 * (math.cos(math.pi * part) + 1)
        return (end - start) * part + start


def _set_momentum(group: dict, value: float) -> None:
    if "betas" in group:
        group["betas"] = (value, *group["betas"][1:])
    else:
        group["momentum"] = value
