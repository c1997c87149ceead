"""Modules as facts: what is stated when one is made, called, emptied, loaded."""

from __future__ import annotations

import pytest

from engine import create, events, methods, nn
from engine.nn.module import Module

assert methods


@pytest.fixture
def facts():
    """The facts stated while a test runs."""
    seen: list = []
    with events.observed_by(seen.append):
        yield seen


def kinds(facts: list) -> list[str]:
    return [type(fact).__name__ for fact in facts]


def test_parameters_are_stated_once_with_their_first_values(facts):
    layer = nn.Linear(3, 2)
    assert kinds(facts) == ["TensorMade", "TensorMade"]
    assert [fact.tensor for fact in facts] == [layer.weight, layer.bias]
    assert layer.weight.array.any()


def test_a_call_is_framed_by_entering_and_leaving(facts):
    model = nn.Sequential(nn.Linear(1, 1), nn.ReLU())
    facts.clear()
    model(create.ones(1, 1))
    framed = [(type(f).__name__, f.module) for f in facts if "Module" in type(f).__name__]
    inside = [
        ("ModuleEntered", model[0]),
        ("ModuleLeft", model[0]),
        ("ModuleEntered", model[1]),
        ("ModuleLeft", model[1]),
    ]
    assert framed == [("ModuleEntered", model), *inside, ("ModuleLeft", model)]


def test_zero_grad_states_itself_then_each_grad_that_was_there(facts):
    layer = nn.Linear(2, 1)
    layer(create.ones(1, 2)).sum().backward()
    layer.bias.grad = None
    facts.clear()
    layer.zero_grad()
    assert kinds(facts) == ["ZeroGradCalled", "GradSet"]
    assert facts[1].tensor is layer.weight and facts[1].after is None


def test_zero_grad_in_place_keeps_the_tensor_and_states_what_it_held(facts):
    layer = nn.Linear(2, 1, bias=False)
    layer(create.ones(1, 2)).sum().backward()
    grad = layer.weight.grad
    facts.clear()
    layer.zero_grad(set_to_none=False)
    assert layer.weight.grad is grad and not grad.array.any()
    assert facts[1].before.tolist() == [[1.0, 1.0]] and facts[1].cause == "zero_grad"


def test_loading_writes_in_place_and_counts_it():
    layer = nn.Linear(2, 1)
    weight, version = layer.weight, layer.weight._version
    layer.load_state_dict(nn.Linear(2, 1).state_dict())
    assert layer.weight is weight and weight._version == version + 1


def test_a_state_dict_shares_memory_with_the_module():
    layer = nn.Linear(2, 1)
    state = layer.state_dict()
    layer.weight.data.fill_(5.0)
    assert state["weight"].tolist() == [[5.0, 5.0]]


def test_changing_dtype_keeps_the_parameter_objects():
    layer = nn.Linear(2, 1)
    weight = layer.weight
    layer.double()
    assert layer.weight is weight and weight.dtype.name == "float64"


def test_shared_parameters_are_listed_once():
    model = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2))
    model[1].weight = model[0].weight
    assert [name for name, _ in model.named_parameters()] == ["0.weight", "0.bias", "1.bias"]
    assert list(model.state_dict()) == ["0.weight", "0.bias", "1.weight", "1.bias"]


def test_train_and_eval_reach_every_module():
    model = nn.Sequential(nn.Dropout(0.5), nn.Sequential(nn.Dropout(0.5)))
    x = create.ones(3)
    assert model.eval()(x) is x
    assert all(not module.training for module in model.modules())
    assert all(module.training for module in model.train().modules())


def test_a_module_without_super_init_is_refused_at_its_first_parameter():
    class Forgetful(Module):
        def __init__(self) -> None:
            self.weight = nn.Parameter(create.ones(1))

    with pytest.raises(AttributeError, match="before Module.__init__"):
        Forgetful()


def test_nobody_watching_changes_no_number():
    def loss(watch) -> list:
        create.manual_seed(0)
        with events.observed_by(watch):
            model = nn.Sequential(nn.Linear(4, 3), nn.Dropout(0.5), nn.LayerNorm(3), nn.GELU())
            out = model(create.randn(2, 4)).sum()
            out.backward()
        return [p.grad.tolist() for p in model.parameters()]

    assert loss(None) == loss(lambda fact: None)
