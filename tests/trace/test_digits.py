"""The digits of a float32."""

import numpy as np
import pytest

from engine.trace.digits import spelled

RANDOM = np.random.default_rng(0)
KINDS = {
    "any bits": RANDOM.integers(0, 2**32, 20_000, dtype=np.uint32).view(np.float32),
    "near one": RANDOM.standard_normal(20_000).astype(np.float32),
    "of all sizes": (RANDOM.standard_normal(20_000) * 10.0 ** RANDOM.integers(-40, 38, 20_000)).astype("f4"),
    "typed by people": (RANDOM.integers(-9999, 9999, 20_000) / 10.0 ** RANDOM.integers(0, 9, 20_000)).astype(
        "f4"
    ),
    "powers of two": 2.0 ** np.arange(-149, 128, dtype=np.float32),
    "whole": RANDOM.integers(-(2**31), 2**31, 2_000).astype(np.float32),
    "zeros": np.array([0.0, -0.0], np.float32),
}


@pytest.mark.parametrize("kind", KINDS)
def test_whoever_takes_the_nearest_float32_has_every_bit_again(kind):
    array = KINDS[kind][np.isfinite(KINDS[kind])]
    assert np.array_equal(np.array(spelled(array)).astype(np.float32).view(np.uint32), array.view(np.uint32))


@pytest.mark.parametrize("kind", KINDS)
def test_no_fewer_digits_would_do(kind):
    array = KINDS[kind][np.isfinite(KINDS[kind])][:2_000]
    assert spelled(array) == [float(str(x)) for x in array]


def test_what_is_no_number_stands_between_the_numbers_as_a_word():
    array = np.array([0.1, np.nan, -np.inf, 0.2, np.inf], np.float32)
    assert spelled(array) == [0.1, "nan", "-inf", 0.2, "inf"]
