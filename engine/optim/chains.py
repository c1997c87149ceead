"""Schedulers that are made of others: one after the other, or all at every step."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import Any

from engine.optim.optimizer import Optimizer
from engine.optim.plateau import ReduceLROnPlateau
from engine.optim.scheduler import LRScheduler


class Linked(LRScheduler):
    """What schedulers that are made of others share: their states are part of its own."""

    _schedulers: Sequence[LRScheduler]

    def state_dict(self) -> dict[str, Any]:
        """Return everything but the optimiser, and last the states of its schedulers."""
        own = {k: v for k, v in vars(self).items() if k not in ("optimizer", "_schedulers")}
        return {**own, "_schedulers": [scheduler.state_dict() for scheduler in self._schedulers]}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over a state that was saved, with those of its schedulers."""
        vars(self).update({k: v for k, v in state_dict.items() if k != "_schedulers"})
        for scheduler, state in zip(self._schedulers, state_dict["_schedulers"]):
            scheduler.load_state_dict(state)


class SequentialLR(Linked):
    """One scheduler after the other; `milestones` are the epochs at which they take turns."""

    def __init__(
        self, optimizer: Optimizer, schedulers: list[LRScheduler], milestones: list[int], last_epoch: int = -1
    ) -> None:
        if len(schedulers) < 1:
            raise ValueError(
                "SequentialLR expects at least one scheduler to be chained, but got no scheduler."
            )
        if len(milestones) != len(schedulers) - 1:
            raise ValueError(
                "Sequential Schedulers expects number of schedulers provided to be one more than the "
                f"number of milestone points, but got number of schedulers {len(schedulers)} and the "
                f"number of milestones to be equal to {len(milestones)}"
            )
        self._schedulers = schedulers
        self._milestones = milestones
        self.last_epoch = last_epoch + 1
        self.optimizer = optimizer
        schedulers[0].start_over()
        self._last_lr = schedulers[0].get_last_lr()

    def step(self) -> None:  # type: ignore[override]
        """Go on to the next epoch with the scheduler whose turn it is."""
        self.last_epoch += 1
        turn = bisect_right(self._milestones, self.last_epoch)
        scheduler = self._schedulers[turn]
        if turn > 0 and self._milestones[turn - 1] == self.last_epoch:
            scheduler.start_over()
        else:
            scheduler.step()
        self._last_lr = scheduler.get_last_lr()


class ChainedScheduler(Linked):
    """All of several schedulers at every step, each going on from what the one before has written."""

    def __init__(self, schedulers: Sequence[LRScheduler], optimizer: Optimizer | None = None) -> None:
        if len(schedulers) < 1:
            raise ValueError(
                "ChainedScheduler expects at least one scheduler to be chained, but got no scheduler."
            )
        optimizer = optimizer or schedulers[0].optimizer
        for i, scheduler in enumerate(schedulers):
            check_linked(i, scheduler, optimizer)
        self._schedulers = schedulers
        self.optimizer = optimizer
        self._last_lr = [group["lr"] for group in optimizer.param_groups]

    def step(self) -> None:  # type: ignore[override]
        """Go on to the next epoch with each of them."""
        for scheduler in self._schedulers:
            scheduler.step()
        self._last_lr = [group["lr"] for group in self._schedulers[-1].optimizer.param_groups]


def check_linked(i: int, scheduler: LRScheduler, optimizer: Optimizer) -> None:
    """Refuse a scheduler that cannot be part of a chain for this optimizer."""
    if not hasattr(scheduler, "optimizer"):
        raise TypeError(f"ChainedScheduler at index {i} should have `optimizer` as its attribute.")
    if isinstance(scheduler, ReduceLROnPlateau):
        raise ValueError(
            "ChainedScheduler does not support `ReduceLROnPlateau` scheduler as it requires additional "
            f"kwargs to be specified when calling `step`, but got one at index {i} in the given schedulers "
            "sequence."
        )
    if scheduler.optimizer is not optimizer:
        raise ValueError(
            "ChainedScheduler expects all schedulers to belong to the same optimizer, but got scheduler "
            f"{type(scheduler).__name__} at index {i} has {scheduler.optimizer}, which is different from "
            f"{type(optimizer).__name__}."
        )
