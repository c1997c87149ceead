"""Checkpoints: what is not kept is computed again, with the same numbers, where everybody can see it."""

from __future__ import annotations

import pytest

from engine import create, events, methods, nn
from engine.checkpoint import checkpoint, checkpoint_sequential

assert methods
KINDS = (True, False)


def leaf(*values: float):
    return create.tensor(list(values), requires_grad=True)


@pytest.mark.parametrize("reentrant", KINDS)
def test_gradients_are_those_without_a_checkpoint(reentrant: bool):
    def block(x, w):
        return (x * w).tanh() * x

    plain, spared = (leaf(0.5, -1.0), leaf(2.0, 3.0)), (leaf(0.5, -1.0), leaf(2.0, 3.0))
    block(*plain).sum().backward()
    checkpoint(block, *spared, use_reentrant=reentrant).sum().backward()
    assert [p.grad.tolist() for p in plain] == [s.grad.tolist() for s in spared]


@pytest.mark.parametrize("reentrant", KINDS)
def test_the_function_runs_again_once_per_backward(reentrant: bool):
    runs = []

    def block(x):
        runs.append(x.tolist())
        return x.exp().sin()

    y = checkpoint(block, leaf(1.0), use_reentrant=reentrant)
    assert len(runs) == 1
    y.sum().backward(retain_graph=True)
    y.sum().backward()
    assert len(runs) == 3


@pytest.mark.parametrize("reentrant", KINDS)
def test_random_numbers_are_drawn_again_and_later_ones_are_not_disturbed(reentrant: bool):
    dropout = nn.Dropout(0.5)
    x = leaf(*[1.0] * 20)
    create.manual_seed(1)
    y = checkpoint(lambda x: dropout(x) * x, x, use_reentrant=reentrant)
    expected = y.detach().tolist()
    y.sum().backward()
    after = create.rand(1).tolist()
    assert x.grad.tolist() == [2 * value for value in expected]
    create.manual_seed(1)
    dropout(create.ones(20))
    assert create.rand(1).tolist() == after


def test_running_again_stops_once_everything_saved_is_back():
    said = []

    def block(x):
        x = x.exp()
        said.append("after exp")
        return x + 1

    checkpoint(block, leaf(1.0), use_reentrant=False).backward()
    assert said == ["after exp"]


def test_placeholders_stand_for_what_would_have_been_saved():
    y = checkpoint(lambda x: x.exp(), leaf(1.0), use_reentrant=False)
    assert not hasattr(y.grad_fn.saved["result"].tensor, "array")


def test_running_again_is_stated_as_far_as_it_goes():
    facts: list = []
    with events.observed_by(facts.append):
        y = checkpoint(lambda x: (x * 3).sin(), leaf(1.0), use_reentrant=False)
        facts.clear()
        y.backward()
    assert [fact.op.name for fact in facts if isinstance(fact, events.OpApplied)] == ["mul"]


def test_a_sequence_is_cut_into_segments():
    model = nn.Sequential(*(nn.Linear(2, 2) for _ in range(4)))
    x = leaf(1.0, 2.0)
    y = checkpoint_sequential(model, 2, x, use_reentrant=True)
    assert y.tolist() == pytest.approx(model(x).tolist())
    y.sum().backward()
    assert all(p.grad is not None for p in model.parameters())


def test_leaving_out_the_kind_is_warned_of_and_means_reentrant():
    with pytest.warns(UserWarning, match="use_reentrant parameter should be passed explicitly"):
        y = checkpoint(lambda x: x * 2, leaf(1.0))
    assert y.grad_fn.name() == "CheckpointFunctionBackward"


def test_keywords_reach_the_function_only_without_reentrance():
    assert checkpoint(lambda x, by: x * by, leaf(1.0), by=3, use_reentrant=False).tolist() == [3.0]
    with pytest.raises(ValueError, match="Unexpected keyword arguments: by"):
        checkpoint(lambda x, by: x * by, leaf(1.0), by=3, use_reentrant=True)
