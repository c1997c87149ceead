"""Clipping gradients, and parameters as one vector."""

from __future__ import annotations

import math

import pytest

from engine import create, events, methods, nn
from engine.nn import utils

assert methods


def model_with_grads() -> nn.Module:
    layer = nn.Linear(2, 1)
    layer.weight.grad = create.tensor([[3.0, 4.0]])
    layer.bias.grad = create.tensor([12.0])
    return layer


def test_gradients_are_multiplied_in_place_by_the_factor_that_is_stated():
    layer, seen = model_with_grads(), []
    grad = layer.weight.grad
    with events.observed_by(seen.append):
        total = utils.clip_grad_norm_(layer.parameters(), 6.5)
    assert total.item() == 13.0 and layer.weight.grad is grad
    assert grad.array.ravel().tolist() == pytest.approx([1.5, 2.0])
    factor = seen[1].tensor
    assert factor.item() == pytest.approx(0.5)
    writes, clipped = [fact for fact in seen if isinstance(fact, events.OpApplied)], seen[-1]
    assert [fact.args[1][1] for fact in writes] == [factor, factor]
    assert (clipped.total, clipped.factor) == (13.0, factor.array)


def test_small_gradients_are_multiplied_by_one_which_still_counts_as_a_write():
    layer = model_with_grads()
    utils.clip_grad_norm_(layer.parameters(), 100.0)
    assert layer.bias.grad.tolist() == [12.0] and layer.bias.grad._version == 1


@pytest.mark.parametrize("order, norm", [(1, 19.0), (math.inf, 12.0), (2, 13.0)])
def test_the_norm_is_that_of_all_gradients_as_one_vector(order: float, norm: float):
    grads = [p.grad for p in model_with_grads().parameters()]
    assert utils.get_total_norm(grads, order).item() == pytest.approx(norm)


def test_a_norm_that_is_not_finite_can_be_refused():
    layer = model_with_grads()
    layer.bias.grad = create.tensor([math.nan])
    with pytest.raises(RuntimeError, match="non-finite, so it cannot be clipped"):
        utils.clip_grad_norm_(layer.parameters(), 1.0, error_if_nonfinite=True)


def test_values_are_held_between_limits_in_place():
    layer = model_with_grads()
    utils.clip_grad_value_(layer.parameters(), 3.5)
    assert layer.weight.grad.tolist() == [[3.0, 3.5]] and layer.bias.grad.tolist() == [3.5]


def test_a_vector_goes_back_into_the_parameters():
    layer = nn.Linear(2, 1)
    vector = utils.parameters_to_vector(layer.parameters())
    assert vector.grad_fn.name() == "CatBackward0" and vector.numel() == 3
    utils.vector_to_parameters(create.tensor([1.0, 2.0, 3.0]), layer.parameters())
    assert layer.weight.tolist() == [[1.0, 2.0]] and layer.bias.tolist() == [3.0]
