"""The order in which saved tensors are packed and unpacked, as PyTorch 2.13 printed it.

By name, results last, and all of them before anything is computed: so it decides which of two changed
tensors an error names, and whether a hook runs for a gradient nobody asked for.
"""

from __future__ import annotations

import pytest

from engine import facade

torch = facade.modules()["torch"]
F = torch.nn.functional

ORDERS = {  # the first element of each tensor that is packed; unpacked in the same order
    "mul": (lambda a, b, c: a * b, [20.5, 10.5]),
    "div": (lambda a, b, c: a / b, [20.5, 10.5]),
    "atan2": (lambda a, b, c: torch.atan2(a, b), [20.5, 10.5]),
    "addcmul": (lambda a, b, c: torch.addcmul(a, b, c), [20.5, 30.5]),
    "lerp": (lambda a, b, c: torch.lerp(a, b, c), [20.5, 10.5, 30.5]),
    "dot": (lambda a, b, c: a.dot(b), [10.5, 20.5]),
    "prod": (lambda a, b, c: a.prod(), [10.5, 110.25]),
    "std": (lambda a, b, c: a.std(), [10.5, 0.0]),
    "gather": (lambda a, b, c: a.gather(0, torch.tensor([0, 0])), [0, 10.5]),
    "index": (lambda a, b, c: a[torch.tensor([0, 0])], [0]),
}


def leaves(*first):
    return [torch.tensor([value, value], requires_grad=True) for value in first]


@pytest.mark.parametrize("name", ORDERS)
def test_saved_tensors_are_packed_and_unpacked_by_name_with_results_last(name):
    function, order = ORDERS[name]
    packed, unpacked = [], []

    def note(into):
        return lambda tensor: (into.append(tensor.flatten()[0].item()), tensor)[1]

    with torch.autograd.graph.saved_tensors_hooks(note(packed), note(unpacked)):
        y = function(*leaves(10.5, 20.5, 30.5))
    y.sum().backward()
    assert packed == order
    assert unpacked == order


def test_everything_saved_is_unpacked_even_for_one_input():
    seen = []
    a, b = leaves(1.0, 2.0)
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: (seen.append(t[0].item()), t)[1]):
        y = a * b
    y.sum().backward(inputs=[a])
    assert seen == [2.0, 1.0]


class Nothing(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 1

    @staticmethod
    def backward(ctx, grad):
        return None


def test_everything_saved_is_unpacked_even_when_no_gradient_arrived():
    seen = []
    (a,) = leaves(1.0)
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: (seen.append(t[0].item()), t)[1]):
        y = a.sin()
    Nothing.apply(y).sum().backward()
    assert seen == [1.0]
    assert a.grad is None


CHANGED = {  # both inputs were written in place, one by mul_ and one by add_: which one is complained of
    "mul": (lambda a, b: a * b, "Add"),
    "pow": (lambda a, b: a**b, "Add"),
    "addcmul": (lambda a, b: torch.addcmul(b, a, b), "Mul"),
    "dot": (lambda a, b: a @ b, "Mul"),
    "max": (lambda a, b: torch.max(a, b), "Add"),
    "addcdiv": (lambda a, b: a.addcdiv(a, b), "Mul"),
    "layer_norm": (lambda a, b: F.layer_norm(a, (2,), a, b), "Add"),
    "logaddexp": (lambda a, b: torch.logaddexp(a, b), "Add"),
}


@pytest.mark.parametrize("name", CHANGED)
def test_of_two_changed_tensors_the_first_by_name_is_complained_of(name):
    function, blamed = CHANGED[name]
    a, b = (x * 1 for x in leaves(1.0, 2.0))
    y = function(a, b)
    a.mul_(2)
    b.add_(1)
    with pytest.raises(
        RuntimeError, match=f"which is output 0 of {blamed}, is at version 1; expected version 0"
    ):
        y.sum().backward()


def test_a_changed_tensor_is_complained_of_even_if_only_the_other_gradient_is_wanted():
    a, b = leaves(1.0, 2.0)
    changed = a * 1
    y = changed * b
    changed.mul_(2)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward(inputs=[a])
