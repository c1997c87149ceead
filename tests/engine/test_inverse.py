"""Inverting matrices: what finite differences of single elements cannot show, and what is refused."""

import numpy as np
import pytest

from engine import facade

torch = facade.modules()["torch"]
B = [[1.0, 0.5], [-0.3, 2.0]]


def lower_sum(values):
    """Return a weighted sum of the Cholesky factor of B @ B.T + 1, and its leaf."""
    b = torch.tensor(values, dtype=torch.float64, requires_grad=True)
    factor = torch.linalg.cholesky(b @ b.T + torch.eye(2, dtype=torch.float64))
    return (factor * torch.tensor([[1.0, 5.0], [2.0, 3.0]], dtype=torch.float64)).sum(), b


def test_cholesky_has_the_gradient_of_a_symmetric_matrix():
    total, b = lower_sum(B)
    total.backward()
    for at in np.ndindex(2, 2):
        high, low = np.array(B), np.array(B)
        high[at] += 1e-6
        low[at] -= 1e-6
        slope = (lower_sum(high.tolist())[0] - lower_sum(low.tolist())[0]).item() / 2e-6
        assert abs(slope - b.grad[at].item()) < 1e-6


def test_solving_agrees_with_the_inverse():
    a, b = torch.tensor(B), torch.tensor([1.0, 2.0])
    np.testing.assert_allclose(torch.linalg.solve(a, b).tolist(), (torch.inverse(a) @ b).tolist(), rtol=1e-6)


def test_the_determinant_and_its_logarithm_agree():
    a = torch.tensor(B)
    sign, size = torch.slogdet(a)
    np.testing.assert_allclose((sign * size.exp()).item(), torch.det(a).item(), rtol=1e-6)
    assert torch.isnan(torch.logdet(-torch.eye(3)))


def test_a_singular_matrix_has_no_inverse():
    with pytest.raises(RuntimeError, match="singular"):
        torch.inverse(torch.zeros(2, 2))


def test_a_matrix_must_be_square():
    with pytest.raises(RuntimeError, match="2 by 3 matrices"):
        torch.det(torch.zeros(2, 3))
