"""float16 is computed with 32 bits and rounded once; recorded from PyTorch 2.13."""

from __future__ import annotations

import pytest

from engine import facade

torch = facade.modules()["torch"]
F = torch.nn.functional
RECORDED = {
    "tanh": (torch.tanh, [0.80029296875, 0.9755859375, -0.6044921875, 0.318603515625, 1.0],
             [0.251708984375, 0.033782958984375, 0.4443359375, 0.62890625, 0.0]),
    "softplus": (F.softplus, [1.38671875, 2.3046875, 0.403076171875, 0.87158203125, 5.109375],
                 [0.525390625, 0.63037109375, 0.2322998046875, 0.407470703125, 0.69580078125]),
    "erf": (torch.erf, [0.8798828125, 0.998046875, -0.677734375, 0.359375, 1.0],
            [0.2359619140625, 0.006275177001953125, 0.48388671875, 0.70849609375, 0.0]),
    "softmax": (lambda x: F.softmax(x, 0),
                [0.016845703125, 0.05059814453125, 0.0027866363525390625, 0.007808685302734375, 0.921875],
                [1.0132789611816406e-06, 3.039836883544922e-06, 1.7881393432617188e-07,
                 4.76837158203125e-07, 5.537271499633789e-05]),
}  # fmt: skip


@pytest.mark.parametrize("name", RECORDED)
def test_values_and_gradients_of_16_bits_are_those_of_one_rounding(name):
    function, values, grads = RECORDED[name]
    x = torch.tensor([1.1, 2.2, -0.7, 0.33, 5.1], dtype=torch.float16).requires_grad_()
    y = function(x)
    (y * torch.tensor(0.7, dtype=torch.float16)).sum().backward()
    assert y.tolist() == values
    assert x.grad.tolist() == grads
    assert y.dtype is x.grad.dtype is torch.float16
