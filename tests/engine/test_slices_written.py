"""CopySlices where what was overwritten asked for no gradient: its node computes nothing for that side."""

from __future__ import annotations

import pytest

from engine import facade

torch = facade.modules()["torch"]


@pytest.mark.parametrize("write", ["mul_", "div_", "add_", "copy_"])
def test_a_slice_of_data_written_with_a_leaf_passes_the_gradient_to_the_leaf_alone(write):
    a = torch.tensor(2.0, requires_grad=True)
    x = torch.ones(2, 2) * 1
    getattr(x[0], write)(a)
    x.add_(a)
    x.sum().backward()
    own = {"mul_": 2.0, "div_": -0.5, "add_": 2.0, "copy_": 2.0}[write]
    assert a.grad.item() == own + 4.0


def test_a_slice_written_twice_keeps_both_gradients():
    a, b = (torch.tensor(v, requires_grad=True) for v in (2.0, 3.0))
    x = torch.ones(2, 2) * 1
    x[0].mul_(a)
    x[0].mul_(b)
    x.sum().backward()
    assert (a.grad.item(), b.grad.item()) == (6.0, 4.0)
