"""torch.optim.lr_scheduler: learning rates that follow a plan. A scheduler writes `lr` into the groups."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable

from engine.optim.chains import ChainedScheduler, SequentialLR
from engine.optim.cyclic import CyclicLR
from engine.optim.one_cycle import OneCycleLR
from engine.optim.optimizer import Optimizer
from engine.optim.plateau import ReduceLROnPlateau
from engine.optim.scheduler import LRScheduler, one_each

__all__ = [
    "ChainedScheduler", "ConstantLR", "CosineAnnealingLR", "CosineAnnealingWarmRestarts", "CyclicLR",
    "ExponentialLR", "LRScheduler", "LambdaLR", "LinearLR", "MultiStepLR", "MultiplicativeLR", "OneCycleLR",
    "PolynomialLR", "ReduceLROnPlateau", "SequentialLR", "StepLR", "_LRScheduler",
]  # fmt: skip

_LRScheduler = LRScheduler


class StepLR(LRScheduler):
    """Multiply by gamma every `step_size` epochs."""

    def __init__(
        self, optimizer: Optimizer, step_size: int, gamma: float = 0.1, last_epoch: int = -1
    ) -> None:
        self.step_size = step_size
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def planned(self, group: dict, lr: float, base: float) -> float:
        """Return the next learning rate of one group."""
        due = self.last_epoch != 0 and self.last_epoch % self.step_size == 0
        return lr * self.gamma if due else lr

    def told(self, lr: float, base: float) -> tuple[str, dict[str, float]]:
        """Return the plan as a formula and its terms."""
        due = self.last_epoch != 0 and self.last_epoch % self.step_size == 0
        return ("lr * gamma", {"gamma": self.gamma}) if due else ("lr", {})


class MultiStepLR(LRScheduler):
    """Multiply by gamma at each milestone."""

    def __init__(
        self, optimizer: Optimizer, milestones: Iterable[int], gamma: float = 0.1, last_epoch: int = -1
    ) -> None:
        self.milestones = Counter(milestones)
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def planned(self, group: dict, lr: float, base: float) -> float:
        """Return the next learning rate of one group."""
        return (
            lr * self.gamma ** self.milestones[self.last_epoch] if self.last_epoch in self.milestones else lr
        )

    def told(self, lr: float, base: float) -> tuple[str, dict[str, float]]:
        """Return the plan as a formula and its terms."""
        times = self.milestones[self.last_epoch]
        return ("lr * gamma ** times", {"gamma": self.gamma, "times": times}) if times else ("lr", {})


class ExponentialLR(LRScheduler):
    """Multiply by gamma every epoch."""

    def __init__(self, optimizer: Optimizer, gamma: float, last_epoch: int = -1) -> None:
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def planned(self, group: dict, lr: float, base: float) -> float:
        """Return the next learning rate of one group."""
        return lr if self._is_initial else lr * self.gamma

    def told(self, lr: float, base: float) -> tuple[str, dict[str, float]]:
        """Return the plan as a formula and its terms."""
        return ("lr", {}) if self._is_initial else ("lr * gamma", {"gamma": self.gamma})


class LambdaLR(LRScheduler):
    """The first learning rate times a function of the epoch."""

    def __init__(
        self, optimizer: Optimizer, lr_lambda: Callable | list[Callable], last_epoch: int = -1
    ) -> None:
        self.lr_lambdas = one_each(optimizer, lr_lambda, "lr_lambdas")
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        """Return the learning rates of `last_epoch`, one per group."""
        return [base * f(self.last_epoch) for f, base in zip(self.lr_lambdas, self.base_lrs, strict=True)]

    def told(self, lr: float, base: float) -> tuple[str, dict[str, float]]:
        """Return the plan as a formula and its terms."""
        return "base * lr_lambda(epoch)", {"base": base, "epoch": self.last_epoch}


class MultiplicativeLR(LRScheduler):
    """The present learning rate times a function of the epoch."""

    def __init__(
        self, optimizer: Optimizer, lr_lambda: Callable | list[Callable], last_epoch: int = -1
    ) -> None:
        self.lr_lambdas = one_each(optimizer, lr_lambda, "lr_lambdas")
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        """Return the learning rates of `last_epoch`, one per group."""
        groups = zip(self.lr_lambdas, self.optimizer.param_groups, strict=True)
        return [g["lr"] if self._is_initial else g["lr"] * f(self.last_epoch) for f, g in groups]

    def told(self, lr: float, base: float) -> tuple[str, dict[str, float]]:
        """Return the plan as a formula and its terms."""
        return ("lr", {}) if self._is_initial else ("lr * lr_lambda(epoch)", {"epoch": self.last_epoch})


class ConstantLR(LRScheduler):
    """A fraction of the learning rate for the first `total_iters` epochs."""

    def __init__(
        self, optimizer: Optimizer, factor: float = 1 / 3, total_iters: int = 5, last_epoch: int = -1
    ) -> None:
        if factor > 1.0 or factor < 0:
            raise ValueError("Constant multiplicative factor expected to be between 0 and 1.")
        self.factor = factor
        self.total_iters = total_iters
        super().__init__(optimizer, last_epoch)

    def planned(self, group: dict, lr: float, base: float) -> float:
        """Return the next learning rate of one group."""
        if self.last_epoch == 0:
            return lr * self.factor
        return lr * (1.0 / self.factor) if self.last_epoch == self.total_iters else lr

    def told(self, lr: float, base: float) -> tuple[str, dict[str, float]]:
        """Return the plan as a formula and its terms."""
        if self.last_epoch == 0:
            return "lr * factor", {"factor": self.factor}
        due = self.last_epoch == self.total_iters
        return ("lr * (1 / factor)", {"factor": self.factor}) if due else ("lr", {})


class LinearLR(LRScheduler):
    """From a fraction of the learning rate to another in `total_iters` equal steps."""

    def __init__(
        self, optimizer: Optimizer, start_factor: float = 1 / 3, end_factor: float = 1.0,
        total_iters: int = 5, last_epoch: int = -1,
    ) -> None:  # fmt: skip
        if start_factor > 1.0 or start_factor <= 0:
            raise ValueError(
                "Starting multiplicative factor expected to be greater than 0 and less or equal to 1."
            )
        if end_factor > 1.0 or end_factor < 0:
            raise ValueError("Ending multiplicative factor expected to be between 0 and 1.")
        self.start_factor = start_factor
        self.end_factor = end_factor
        self.total_iters = total_iters
        super().__init__(optimizer, last_epoch)

    def planned(self, group: dict, lr: float, base: float) -> float:
        """Return the next learning rate of one group."""
        if self.last_epoch == 0:
            return lr * self.start_factor
        if self._is_initial or self.last_epoch > self.total_iters:
            return lr
        rise = self.end_factor - self.start_factor
        return lr * (1.0 + rise / (self.total_iters * self.start_factor + (self.last_epoch - 1) * rise))

    def told(self, lr: float, base: float) -> tuple[str, dict[str, float]]:
        """Return the plan as a formula and its terms."""
        start, end = self.start_factor, self.end_factor
        if self.last_epoch == 0:
            return "lr * start_factor", {"start_factor": start}
        if self._is_initial or self.last_epoch > self.total_iters:
            return "lr", {}
        rise = "(end_factor - start_factor)"
        return f"lr * (1 + {rise} / (total_iters * start_factor + (t - 1) * {rise}))", {
            "start_factor": start, "end_factor": end, "total_iters": self.total_iters, "t": self.last_epoch,
        }  # fmt: skip


class PolynomialLR(LRScheduler):
    """Down to zero along a power of the epochs that are left."""

    def __init__(
        self, optimizer: Optimizer, total_iters: int = 5, power: float = 1.0, last_epoch: int = -1
    ) -> None:
        self.total_iters = total_iters
        self.power = power
        super().__init__(optimizer, last_epoch)

    def planned(self, group: dict, lr: float, base: float) -> float:
        """Return the next learning rate of one group."""
        t, total = self.last_epoch, self.total_iters
        if self._is_initial or t > total:
            return lr
        return lr * ((1.0 - t / total) / (1.0 - (t - 1) / total)) ** self.power

    def told(self, lr: float, base: float) -> tuple[str, dict[str, float]]:
        """Return the plan as a formula and its terms."""
        if self._is_initial or self.last_epoch > self.total_iters:
            return "lr", {}
        terms = {"t": self.last_epoch, "total_iters": self.total_iters, "power": self.power}
        return "lr * ((1 - t / total_iters) / (1 - (t - 1) / total_iters)) ** power", terms


class CosineAnnealingLR(LRScheduler):
    """Down to `eta_min` and up again along a cosine of period 2 * T_max."""

    def __init__(self, optimizer: Optimizer, T_max: int, eta_min: float = 0.0, last_epoch: int = -1) -> None:
        self.T_max = T_max
        self.eta_min = eta_min
        super().__init__(optimizer, last_epoch)

    def planned(self, group: dict, lr: float, base: float) -> float:
        """Return the next learning rate of one group, computed from the present one."""
        t, period, low = self.last_epoch, self.T_max, self.eta_min
        if self._is_initial:
            return lr
        if (t - 1 - period) % (2 * period) == 0:
            return lr + (base - low) * (1 - math.cos(math.pi / period)) / 2
        now, before = (1 + math.cos(math.pi * e / period) for e in (t, t - 1))
        return now / before * (lr - low) + low

    def told(self, lr: float, base: float) -> tuple[str, dict[str, float]]:
        """Return the plan as a formula and its terms."""
        t, period, low = self.last_epoch, self.T_max, self.eta_min
        if self._is_initial:
            return "lr", {}
        if (t - 1 - period) % (2 * period) == 0:
            terms = {"base": base, "eta_min": low, "T_max": period}
            return "lr + (base - eta_min) * (1 - cos(pi / T_max)) / 2", terms
        part = "(1 + cos(pi * t / T_max)) / (1 + cos(pi * (t - 1) / T_max))"
        return f"{part} * (lr - eta_min) + eta_min", {"t": t, "T_max": period, "eta_min": low}


class CosineAnnealingWarmRestarts(LRScheduler):
    """Down along half a cosine, then back to the start, each time `T_mult` times as slowly."""

    def __init__(
        self, optimizer: Optimizer, T_0: int, T_mult: int = 1, eta_min: float = 0.0, last_epoch: int = -1
    ) -> None:
        if T_0 <= 0 or not isinstance(T_0, int):
            raise ValueError(f"Expected positive integer T_0, but got {T_0}")
        if T_mult < 1 or not isinstance(T_mult, int):
            raise ValueError(f"Expected integer T_mult >= 1, but got {T_mult}")
        self.T_0 = T_0
        self.T_i = T_0
        self.T_mult = T_mult
        self.eta_min = eta_min
        self.T_cur = last_epoch
        super().__init__(optimizer, last_epoch)

    def step(self, epoch: float | None = None) -> None:  # type: ignore[override]
        """Go on to the next epoch, or to any one: fractions move along the curve within an epoch."""
        if epoch is None and self.last_epoch >= 0:
            epoch = self.last_epoch + 1
            self.T_cur += 1
            if self.T_cur >= self.T_i:
                self.T_cur -= self.T_i
                self.T_i *= self.T_mult
        else:
            epoch = 0 if epoch is None else epoch
            if epoch < 0:
                raise ValueError(f"Expected non-negative epoch, but got {epoch}")
            self.T_cur, self.T_i = self._within(epoch)
        self.last_epoch = math.floor(epoch)
        self._get_lr_called_within_step = True
        rates = self.get_lr()
        self._get_lr_called_within_step = False
        self._write(rates)

    def _within(self, epoch: float) -> tuple[float, int]:
        """Return how far an epoch is after the last restart, and how long that stretch is."""
        first, times = self.T_0, self.T_mult
        if epoch < first or times == 1:
            return epoch % first if epoch >= first else epoch, first
        n = int(math.log(epoch / first * (times - 1) + 1, times))
        return epoch - first * (times**n - 1) / (times - 1), first * times**n

    def get_lr(self) -> list[float]:
        """Return the learning rates of `last_epoch`, one per group."""
        fall = 1 + math.cos(math.pi * self.T_cur / self.T_i)
        return [self.eta_min + (base - self.eta_min) * fall / 2 for base in self.base_lrs]

    def told(self, lr: float, base: float) -> tuple[str, dict[str, float]]:
        """Return the plan as a formula and its terms."""
        terms = {"base": base, "eta_min": self.eta_min, "T_cur": self.T_cur, "T_i": self.T_i}
        return "eta_min + (base - eta_min) * (1 + cos(pi * T_cur / T_i)) / 2", terms
