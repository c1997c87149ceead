"""Rows of a table of weights: whose gradient is left out or shared, which no finite difference shows."""

import pytest

from engine import facade

torch = facade.modules()["torch"]
F = torch.nn.functional


def slopes(*indices, **options):
    weight = torch.ones(3, 2, requires_grad=True)
    F.embedding(torch.tensor(indices), weight, **options).sum().backward()
    return weight.grad.tolist()


def test_a_row_that_is_used_twice_gets_both_gradients():
    assert slopes(1, 0, 1) == [[1.0, 1.0], [2.0, 2.0], [0.0, 0.0]]


def test_the_padding_row_gets_nothing():
    assert slopes(1, 0, 1, padding_idx=1) == [[1.0, 1.0], [0.0, 0.0], [0.0, 0.0]]


def test_gradients_can_be_divided_by_how_often_a_row_is_used():
    assert slopes(1, 0, 1, scale_grad_by_freq=True) == [[1.0, 1.0], [1.0, 1.0], [0.0, 0.0]]


def test_an_index_outside_is_refused():
    with pytest.raises(IndexError, match="index out of range in self"):
        slopes(3)
