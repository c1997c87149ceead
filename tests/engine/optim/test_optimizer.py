"""A step as facts: which parameters moved, by which formula, from which numbers."""

from __future__ import annotations

import math

import numpy as np
import pytest

from engine import create, events, methods, nn, optim
from engine.tensor import Tensor

assert methods

KINDS = {
    "sgd": lambda p: optim.SGD(p, lr=0.1),
    "sgd decayed": lambda p: optim.SGD(p, lr=0.1, weight_decay=0.2),
    "sgd maximizing": lambda p: optim.SGD(p, lr=0.1, maximize=True),
    "sgd momentum": lambda p: optim.SGD(p, lr=0.1, momentum=0.9, dampening=0.3),
    "sgd nesterov": lambda p: optim.SGD(p, lr=0.1, momentum=0.9, nesterov=True, weight_decay=0.1),
    "adam": lambda p: optim.Adam(p, lr=0.1),
    "adam amsgrad": lambda p: optim.Adam(p, lr=0.1, amsgrad=True, weight_decay=0.1),
    "adamw": lambda p: optim.AdamW(p, lr=0.1, weight_decay=0.3),
    "rmsprop": lambda p: optim.RMSprop(p, lr=0.1),
    "rmsprop centered": lambda p: optim.RMSprop(p, lr=0.1, centered=True, momentum=0.5, weight_decay=0.1),
    "adagrad": lambda p: optim.Adagrad(p, lr=0.5, lr_decay=0.1, weight_decay=0.1),
}


def trained(make, steps: int = 3, watch=None) -> tuple[Tensor, optim.Optimizer]:
    p = nn.Parameter(create.tensor([1.0, -2.0, 0.5]))
    optimizer = make([p])
    with events.observed_by(watch):
        for _ in range(steps):
            optimizer.zero_grad()
            ((p * create.tensor([1.0, 2.0, -3.0]) - 1) ** 2).sum().backward()
            optimizer.step()
    return p, optimizer


def rederived(fact: events.ParameterUpdated) -> np.ndarray:
    """Return what the formula of an update gives, from its terms alone."""
    names = {"sqrt": np.sqrt, "max": np.maximum, "p": fact.before, "g": fact.grad, **fact.terms}
    *steps, last = fact.formula.split("; ")
    for step in steps:
        name, _, text = step.partition(" = ")
        found = eval(text, {}, names)
        if name in fact.terms:
            assert np.allclose(fact.terms[name], found, rtol=1e-5), f"{name} is not {text}"
        names[name] = found
    return eval(last, {}, names)


@pytest.mark.parametrize("name", KINDS)
def test_the_stated_formula_and_terms_give_the_stated_result(name: str):
    updates: list[events.ParameterUpdated] = []

    def watch(fact: object) -> None:
        if isinstance(fact, events.ParameterUpdated):
            assert np.allclose(rederived(fact), fact.after, rtol=1e-5, atol=1e-7), fact.formula
            updates.append(fact)

    trained(KINDS[name], watch=watch)
    assert len(updates) == 3


@pytest.mark.parametrize("name", KINDS)
def test_being_watched_changes_no_number(name: str):
    seen, unseen = (trained(KINDS[name], watch=watch)[0] for watch in (lambda fact: None, None))
    assert seen.tolist() == unseen.tolist()


@pytest.mark.parametrize("name", KINDS)
def test_a_state_taken_over_continues_alike(name: str):
    p, optimizer = trained(KINDS[name])
    q = nn.Parameter(create.tensor(p.tolist()))
    other = KINDS[name]([q])
    other.load_state_dict(optimizer.state_dict())
    for parameter, owner in ((p, optimizer), (q, other)):
        parameter.grad = create.tensor([0.1, 0.2, 0.3])
        owner.step()
    assert p.tolist() == q.tolist()


def test_a_step_states_itself_then_each_parameter_with_a_gradient():
    a, b = nn.Parameter(create.ones(1)), nn.Parameter(create.ones(1))
    optimizer = optim.SGD([a, b], lr=0.5)
    b.grad = create.ones(1)
    seen: list = []
    with events.observed_by(seen.append):
        optimizer.step()
    assert [type(fact).__name__ for fact in seen] == ["OptimizerStepped", "ParameterUpdated"]
    assert seen[1].parameter is b and seen[1].formula == "p - lr * g" and seen[1].terms == {"lr": 0.5}
    assert seen[1].before.tolist() == [1.0] and seen[1].after.tolist() == [0.5]


def test_a_step_writes_in_place_and_counts_it():
    for make, writes in ((KINDS["sgd"], 3), (KINDS["adamw"], 6)):
        p, _ = trained(make)
        assert p._version == writes and p.is_leaf


def test_groups_keep_their_own_options():
    a, b = nn.Parameter(create.ones(1)), nn.Parameter(create.ones(1))
    optimizer = optim.SGD([{"params": [a]}, {"params": [b], "lr": 1.0}], lr=0.25)
    a.grad = b.grad = create.ones(1)
    optimizer.step()
    assert a.tolist() == [0.75] and b.tolist() == [0.0]


def test_a_closure_runs_with_recording_on_and_gives_the_loss():
    p = nn.Parameter(create.ones(1))
    optimizer = optim.SGD([p], lr=0.5)

    def closure() -> Tensor:
        optimizer.zero_grad()
        loss = (p * 3).sum()
        loss.backward()
        return loss

    assert optimizer.step(closure).item() == 3.0 and p.tolist() == [-0.5]


def test_zero_grad_can_leave_zeros():
    p = nn.Parameter(create.ones(1))
    p.grad = grad = create.ones(1)
    optim.SGD([p], lr=0.1).zero_grad(set_to_none=False)
    assert p.grad is grad and grad.tolist() == [0.0]


def test_a_learners_own_optimizer_uses_groups_and_state():
    class Halving(optim.Optimizer):
        def step(self, closure=None) -> None:
            for group in self.param_groups:
                for p in group["params"]:
                    self.state[p]["steps"] = self.state[p].get("steps", 0) + 1
                    p.data.mul_(group["by"])

    p = nn.Parameter(create.ones(2))
    optimizer = Halving([p], {"by": 0.5})
    optimizer.step()
    assert p.tolist() == [0.5, 0.5] and optimizer.state[p]["steps"] == 1


def test_learning_rates_may_be_tensors_and_infinite_gradients_do_not_stop_a_step():
    p = nn.Parameter(create.ones(1))
    p.grad = create.tensor([math.inf])
    optim.SGD([p], lr=create.tensor(0.5)).step()
    assert p.tolist() == [-math.inf]
