"""`scheduler.step(epoch)` goes to any epoch at once; recorded from PyTorch 2.13."""

from __future__ import annotations

import pytest

from engine import facade

torch = facade.modules()["torch"]
plans = torch.optim.lr_scheduler
RECORDED = {  # the learning rates at epochs 3, 1, 7, 0, and after one more step
    "StepLR": ((2, 0.5), [0.05, 0.1, 0.0125, 0.1, 0.1]),
    "MultiStepLR": (
        ([1, 4],),
        [0.010000000000000002, 0.010000000000000002, 0.0010000000000000002, 0.1, 0.010000000000000002],
    ),
    "ExponentialLR": ((0.9,), [0.0729, 0.09000000000000001, 0.04782969000000001, 0.1, 0.09000000000000001]),
    "CosineAnnealingLR": (
        (4, 0.01),
        [0.023180194846605363, 0.08681980515339464, 0.08681980515339464, 0.1, 0.08681980515339464],
    ),
    "ConstantLR": ((), [0.1 / 3, 0.1 / 3, 0.1, 0.1 / 3, 0.1 / 3]),
    "LinearLR": ((), [0.07333333333333335, 0.04666666666666667, 0.1, 0.1 / 3, 0.04666666666666667]),
    "PolynomialLR": ((4, 2), [0.00625, 0.05625, 0.0, 0.1, 0.05625]),
}


def planned(name, *args):
    optimizer = torch.optim.SGD([torch.zeros(2, requires_grad=True)], 0.1)
    plan = getattr(plans, name)(optimizer, *args)
    optimizer.step()
    return plan


@pytest.mark.parametrize("name", RECORDED)
@pytest.mark.filterwarnings("ignore:The epoch parameter")
def test_an_epoch_that_is_named_is_reached_by_the_closed_form(name):
    args, rates = RECORDED[name]
    plan, found = planned(name, *args), []
    for epoch in (3, 1, 7, 0, None):
        plan.step(epoch)
        found += plan.get_last_lr()
    assert found == rates


@pytest.mark.filterwarnings("error")
def test_warm_restarts_take_fractions_of_epochs_without_a_warning():
    plan, found = planned("CosineAnnealingWarmRestarts", 3, 1, 0.01), []
    for epoch in (0, 2.5, 3, 4.2, 7, 2, None, None):
        plan.step(epoch)
        found.append((plan.get_last_lr()[0], plan.T_cur, plan.T_i, plan.last_epoch))
    assert found == [
        (0.1, 0, 3, 0),
        (0.01602885682970026, 2.5, 3, 2),
        (0.1, 0, 3, 3),
        (0.06890576474687263, 1.2000000000000002, 3, 4),
        (0.0775, 1, 3, 7),
        (0.032500000000000015, 2, 3, 2),
        (0.1, 0, 3, 3),
        (0.0775, 1, 3, 4),
    ]
    with pytest.raises(ValueError, match="Expected non-negative epoch, but got -1"):
        plan.step(-1)


def test_functions_are_not_saved_and_stay_when_a_state_is_loaded():
    plan = planned("LambdaLR", lambda epoch: 1 / (epoch + 1))
    plan.step()
    assert plan.state_dict()["lr_lambdas"] == [None]
    other = planned("LambdaLR", lambda epoch: 1 / (epoch + 1))
    other.load_state_dict(plan.state_dict())
    other.step()
    assert other.get_last_lr() == [0.03333333333333333]
