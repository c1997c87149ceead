"""Functions that NumPy does not have, against what is known of them."""

import math

import numpy as np
import pytest

from engine.ops.special import digamma, erfinv, lgamma, polygamma

EULER = 0.5772156649015329


@pytest.mark.parametrize("x", [-0.999999, -0.9, -0.3, 0.0, 1e-8, 0.5, 0.75, 0.99999999])
def test_erfinv_undoes_erf(x):
    assert math.isclose(math.erf(float(erfinv(x))), x, rel_tol=1e-14, abs_tol=1e-300)


def test_erfinv_is_infinite_at_the_ends_and_nan_beyond():
    assert erfinv(np.array([-1.0, 1.0])).tolist() == [-math.inf, math.inf]
    assert np.isnan(erfinv(np.array([1.5, -2.0]))).all()


def test_digamma_at_points_that_are_known():
    known = {1.0: -EULER, 0.5: -EULER - 2 * math.log(2), 2.0: 1 - EULER, -0.5: 0.03648997397857652}
    np.testing.assert_allclose(digamma(np.array(list(known))), list(known.values()), rtol=1e-13)
    assert digamma(np.array([0.0]))[0] == -math.inf
    assert np.isnan(digamma(np.array([-1.0]))[0])


def test_polygamma_at_one_is_a_zeta_value():
    np.testing.assert_allclose(polygamma(1, np.array([1.0])), [math.pi**2 / 6], rtol=1e-14)
    np.testing.assert_allclose(polygamma(3, np.array([1.0])), [math.pi**4 / 15], rtol=1e-14)
    np.testing.assert_allclose(polygamma(1, np.array([-0.5])), [8.934802200544679], rtol=1e-13)


def test_lgamma_has_poles_at_zero_and_below():
    assert lgamma(np.array([0.0, -1.0, -2.0])).tolist() == [math.inf] * 3
    assert math.isnan(lgamma(math.nan))
