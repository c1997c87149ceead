"""Learning rates over time, where they are more than PyTorch's recorded numbers."""

from __future__ import annotations

import warnings

import pytest

from engine import create, methods, nn, optim
from engine.optim import schedulers

assert methods


@pytest.fixture
def optimizer() -> optim.Optimizer:
    return optim.SGD([nn.Parameter(create.ones(1))], lr=1.0)


def test_the_first_step_before_the_optimizers_is_warned_of_once(optimizer):
    scheduler = schedulers.StepLR(optimizer, 2)
    with pytest.warns(UserWarning, match="before `optimizer.step"):
        scheduler.step()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        scheduler.step()


def test_no_warning_after_a_step_of_the_optimizer(optimizer):
    scheduler = schedulers.ExponentialLR(optimizer, 0.5)
    optimizer.step()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        scheduler.step()
    assert optimizer.param_groups[0]["lr"] == scheduler.get_last_lr()[0] == 0.5


def test_a_state_taken_over_continues_alike(optimizer):
    first = schedulers.CosineAnnealingLR(optimizer, 10)
    optimizer.step()
    first.step()
    second = schedulers.CosineAnnealingLR(optim.SGD([nn.Parameter(create.ones(1))], lr=1.0), 10)
    second.load_state_dict(first.state_dict())
    assert second.last_epoch == 1 and "optimizer" not in first.state_dict()


def test_a_plateau_waits_out_its_patience_and_cooldown(optimizer):
    scheduler = schedulers.ReduceLROnPlateau(optimizer, patience=1, factor=0.5, cooldown=1)
    rates = []
    for _ in range(7):
        scheduler.step(1.0)
        rates.append(optimizer.param_groups[0]["lr"])
    assert rates == [1.0, 1.0, 0.5, 0.5, 0.5, 0.25, 0.25]
