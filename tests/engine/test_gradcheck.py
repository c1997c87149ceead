"""gradcheck agrees with right rules and tells wrong ones."""

import pytest

from engine import facade

torch = facade.modules()["torch"]
GradcheckError = facade.modules()["torch.autograd"].GradcheckError


def doubles(*values):
    return torch.tensor(list(values), dtype=torch.float64, requires_grad=True)


def test_right_gradients_pass():
    assert torch.autograd.gradcheck(
        lambda x, y: (x * y).sin() + x.exp(), (doubles(0.5, 1.0), doubles(2.0, -1.0))
    )
    assert torch.autograd.gradgradcheck(lambda x: x**3 + x.sigmoid(), doubles(0.5, -1.0))


class Wrong(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * x


def test_a_wrong_rule_is_told_with_both_jacobians():
    with pytest.raises(GradcheckError, match="Jacobian mismatch for output 0 with respect to input 0"):
        torch.autograd.gradcheck(Wrong.apply, doubles(1.5))
    assert not torch.autograd.gradcheck(Wrong.apply, doubles(1.5), raise_exception=False)


def test_nothing_to_check_is_refused():
    with pytest.raises(ValueError, match="at least one input tensor to require gradient"):
        torch.autograd.gradcheck(lambda x: x * 2, torch.ones(2))
