"""What every learning rate scheduler shares: the count of epochs, and writing `lr` into the groups."""

from __future__ import annotations

import types
import warnings
from typing import Any

from engine import events
from engine.optim import closed
from engine.optim.optimizer import Optimizer, numbers_of

DOCS = "See more details at https://pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate"
TOO_EARLY = (
    "Detected call of `lr_scheduler.step()` before `optimizer.step()`. In PyTorch 1.1.0 and later, you "
    "should call them in the opposite order: `optimizer.step()` before `lr_scheduler.step()`.  Failure to "
    "do this will result in PyTorch skipping the first value of the learning rate schedule. " + DOCS
)
EPOCH = (
    "The epoch parameter in `scheduler.step()` was not necessary and is being deprecated where possible. "
    "Please use `scheduler.step()` to step the scheduler. During the deprecation, if epoch is different "
    "from None, the closed form is used instead of the new chainable form, where available. Please open "
    "an issue if you are unable to replicate your use case: "
    "https://github.com/pytorch/pytorch/issues/new/choose."
)
LAST = "To get the last learning rate computed by the scheduler, please use `get_last_lr()`."


class LRScheduler:
    """Counts epochs and asks `get_lr` for the learning rates of the next one. A subclass plans them."""

    _get_lr_called_within_step = False

    def __init__(self, optimizer: Optimizer, last_epoch: int = -1) -> None:
        if not isinstance(optimizer, Optimizer):
            raise TypeError(f"{type(optimizer).__name__} is not an Optimizer")
        self.optimizer = optimizer
        for i, group in enumerate(optimizer.param_groups):
            if last_epoch == -1:
                group.setdefault("initial_lr", group["lr"])
            elif "initial_lr" not in group:
                raise KeyError(_not_resumed(i))
        self.base_lrs = [group["initial_lr"] for group in optimizer.param_groups]
        self.last_epoch = last_epoch
        self._begin()

    def _begin(self) -> None:
        self._step_count = 0
        self._is_initial = True
        self.step()
        self._is_initial = False

    def start_over(self) -> None:
        """Begin again at epoch 0 from the first learning rates."""
        before = self._rates()
        for group, base in zip(self.optimizer.param_groups, self.base_lrs, strict=True):
            group["lr"] = base
        self.last_epoch = -1
        for number, base in enumerate(self.base_lrs):
            self.state(number, before, "base", {"base": base})
        self._begin()

    def get_last_lr(self) -> list[float]:
        """Return the learning rates now in use, one per group."""
        return self._last_lr

    def get_lr(self) -> list[float]:
        """Return the learning rates of `last_epoch`, one per group."""
        self.warn_outside()
        pairs = zip(self.optimizer.param_groups, self.base_lrs, strict=True)
        return [self.planned(group, group["lr"], base) for group, base in pairs]

    def warn_outside(self) -> None:
        """Warn whoever asks for learning rates from outside of a step."""
        if not self._get_lr_called_within_step:
            warnings.warn(LAST, UserWarning, stacklevel=2)

    def planned(self, group: dict[str, Any], lr: float, base: float) -> float:
        """Return the next learning rate of one group from its present and its first one."""
        raise NotImplementedError

    def step(self, epoch: int | None = None) -> None:
        """Go on to the next epoch and write its learning rates."""
        if self._step_count == 1 and not self.optimizer.has_stepped():
            warnings.warn(TOO_EARLY, UserWarning, stacklevel=2)
        self._step_count += 1
        if epoch is not None:
            warnings.warn(EPOCH, UserWarning, stacklevel=2)
        self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
        self._get_lr_called_within_step = True
        rates = (None if epoch is None else closed.rates(self)) or self.get_lr()
        self._get_lr_called_within_step = False
        self._write(rates, told=epoch is None)

    def told(self, lr: float, base: float) -> tuple[str, dict[str, float]]:
        """Return what `planned` computes as a formula and its terms; an empty one if it is not told."""
        return "", {}

    def told_of(self, group: int, lr: float, base: float) -> tuple[str, dict[str, float]]:
        """Return the same for a group, by its number."""
        return self.told(lr, base)

    def state(self, group: int, before: list[float], formula: str, terms: dict[str, float]) -> None:
        """State what became of a group's learning rate, if somebody watches."""
        watch = events.observer()
        if watch is not None:
            now = self._rates()[group]
            fact = events.LrScheduled(
                self, self.optimizer, group, self.last_epoch, before[group], now, formula, terms
            )
            watch(fact)

    def _rates(self) -> list[float]:
        return [float(numbers_of(group, "lr")[0]) for group in self.optimizer.param_groups]

    def _write(self, rates: list[float], told: bool = True) -> None:
        before = self._rates()
        for group, lr in zip(self.optimizer.param_groups, rates, strict=True):
            group["lr"] = lr
        for number, (lr, base) in enumerate(zip(before, self.base_lrs, strict=True)):
            if not (self._is_initial and lr == rates[number]):
                self.state(number, before, *(self.told_of(number, lr, base) if told else ("", {})))
        self._last_lr = [group["lr"] for group in self.optimizer.param_groups]

    def state_dict(self) -> dict[str, Any]:
        """Return everything but the optimiser; None in place of plain functions."""
        kept = {k: v for k, v in vars(self).items() if k != "optimizer"}
        plain = [k for k in kept if _functions(kept[k])]
        return {k: v for k, v in kept.items() if k not in plain} | {k: [None] * len(kept[k]) for k in plain}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over a state that was saved."""
        functions = {k: v for k, v in vars(self).items() if _functions(v)}
        vars(self).update(state_dict)
        vars(self).update(functions)


def _functions(value: Any) -> bool:
    return isinstance(value, list) and any(isinstance(v, types.FunctionType) for v in value)


def _not_resumed(index: int) -> str:
    return (
        f"param 'initial_lr' is not specified in param_groups[{index}] when resuming scheduler with "
        "last_epoch >= 0.\nThis typically happens when:\n1. You're trying to resume training from a "
        "checkpoint but haven't properly loaded the optimizer state\n2. You're using last_epoch >= 0 for "
        "a fresh training run (not recommended)"
    )


def one_each(optimizer: Optimizer, given: Any, name: str) -> list:
    """Return one entry per group: the same for all, or as given."""
    count = len(optimizer.param_groups)
    if not isinstance(given, (list, tuple)):
        return [given] * count
    if len(given) != count:
        raise ValueError(f"Expected {count} {name}, but got {len(given)}")
    return list(given)
