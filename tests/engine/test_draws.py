"""Random numbers written in place: PyTorch's numbers for a seed, and no gradient."""

import pytest

from engine import facade

torch = facade.modules()["torch"]
NODES = {
    "uniform_": "UniformBackward0", "normal_": "NormalBackward0", "bernoulli_": "BernoulliBackward2",
    "exponential_": "ExponentialBackward0", "random_": "RandomBackward2",
}  # fmt: skip


@pytest.mark.parametrize("name", NODES)
def test_drawing_records_a_node_through_which_nothing_flows(name):
    a = torch.ones(3, requires_grad=True)
    drawn = getattr(a * 1, name)()
    assert drawn.grad_fn.name() == NODES[name]
    drawn.sum().backward()
    assert a.grad.tolist() == [0.0, 0.0, 0.0]


def test_the_same_seed_draws_the_same_numbers_in_place_and_anew():
    torch.manual_seed(5)
    new = torch.rand(4)
    torch.manual_seed(5)
    assert torch.empty(4).uniform_().tolist() == new.tolist()


def test_random_whole_numbers_stay_in_their_range():
    assert set(torch.zeros(200, dtype=torch.int64).random_(2, 5).tolist()) == {2, 3, 4}
    assert set(torch.zeros(200, dtype=torch.int64).random_(3).tolist()) == {0, 1, 2}


def test_bernoulli_draws_zeros_and_ones():
    assert set(torch.zeros(100).bernoulli_(0.5).tolist()) == {0.0, 1.0}
    assert torch.zeros(5).bernoulli_(1.0).tolist() == [1.0] * 5
