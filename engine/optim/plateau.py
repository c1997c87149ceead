"""A scheduler that watches a measured number instead of counting epochs."""

from __future__ import annotations

import math
import warnings
from typing import Any

from engine.optim.optimizer import Optimizer
from engine.optim.scheduler import EPOCH, LRScheduler, one_each
from engine.tensor import Tensor


class ReduceLROnPlateau(LRScheduler):
    """Multiply by `factor` when a measured number has not improved for `patience` epochs."""

    def __init__(
        self, optimizer: Optimizer, mode: str = "min", factor: float = 0.1, patience: int = 10,
        threshold: float = 1e-4, threshold_mode: str = "rel", cooldown: int = 0, min_lr: Any = 0,
        eps: float = 1e-8,
    ) -> None:  # fmt: skip
        if factor >= 1.0:
            raise ValueError("Factor should be < 1.0.")
        if not isinstance(optimizer, Optimizer):
            raise TypeError(f"{type(optimizer).__name__} is not an Optimizer")
        if mode not in ("min", "max"):
            raise ValueError("mode " + mode + " is unknown!")
        if threshold_mode not in ("rel", "abs"):
            raise ValueError("threshold mode " + threshold_mode + " is unknown!")
        self.optimizer, self.mode, self.factor, self.patience = optimizer, mode, factor, patience
        self.threshold, self.threshold_mode, self.cooldown, self.eps = (
            threshold,
            threshold_mode,
            cooldown,
            eps,
        )
        self.min_lrs = one_each(optimizer, min_lr, "min_lrs")
        self.last_epoch = 0
        self.best = math.inf if mode == "min" else -math.inf
        self.cooldown_counter = self.num_bad_epochs = 0
        self._last_lr = [group["lr"] for group in optimizer.param_groups]

    @property
    def in_cooldown(self) -> bool:
        """Return whether bad epochs do not count at present."""
        return self.cooldown_counter > 0

    def step(self, metrics: Any, epoch: int | None = None) -> None:  # type: ignore[override]
        """Take note of a measured number; reduce the learning rates if it is time."""
        current = float(metrics.array.item() if isinstance(metrics, Tensor) else metrics)
        if epoch is not None:
            warnings.warn(EPOCH, UserWarning, stacklevel=2)
        self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
        better = self.is_better(current, self.best)
        self.best = current if better else self.best
        self.num_bad_epochs = 0 if better else self.num_bad_epochs + 1
        if self.in_cooldown:
            self.cooldown_counter -= 1
            self.num_bad_epochs = 0
        if self.num_bad_epochs > self.patience:
            self._reduce()
            self.cooldown_counter = self.cooldown
            self.num_bad_epochs = 0
        else:
            self._stay()
        self._last_lr = [group["lr"] for group in self.optimizer.param_groups]

    def is_better(self, a: float, best: float) -> bool:
        """Return whether `a` improves on `best` by more than the threshold."""
        sign = -1 if self.mode == "min" else 1
        goal = (
            best * (1 + sign * self.threshold)
            if self.threshold_mode == "rel"
            else best + sign * self.threshold
        )
        return a < goal if self.mode == "min" else a > goal

    def _reduce(self) -> None:
        before = self._rates()
        for number, (group, least) in enumerate(zip(self.optimizer.param_groups, self.min_lrs, strict=True)):
            lr = max(float(group["lr"]) * self.factor, least)
            if float(group["lr"]) - lr > self.eps:
                group["lr"] = lr
                self.state(
                    number, before, "max(lr * factor, min_lr)", {"factor": self.factor, "min_lr": least}
                )
            else:
                self.state(number, before, "lr", {})

    def _stay(self) -> None:
        before = self._rates()
        for number in range(len(before)):
            self.state(number, before, "lr", {})
