"""The digits of a float32."""

import numpy as np
import pytest

from engine.trace.digits import FEW, nested, shortest

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
    "zeros": np.array([0.0, -0.0] * FEW, np.float32),
}


@pytest.mark.parametrize("kind", KINDS)
def test_whoever_takes_the_nearest_float32_has_every_bit_again(kind):
    array = KINDS[kind][np.isfinite(KINDS[kind])]
    assert np.array_equal(np.array(shortest(array)).astype(np.float32).view(np.uint32), array.view(np.uint32))


@pytest.mark.parametrize("kind", KINDS)
def test_many_are_written_as_each_alone_is(kind):
    array = KINDS[kind][np.isfinite(KINDS[kind])][:2_000]
    assert shortest(array) == [float(str(x)) for x in array]


@pytest.mark.parametrize("size", [1, FEW, FEW + 1])
def test_numbers_beside_nan_are_short_as_well(size):
    array = np.full(size + 1, 0.1, np.float32)
    array[0] = np.nan
    assert nested(array, "float32") == ["nan"] + [0.1] * size


def test_a_shape_is_kept():
    array = np.full((5, 2, 4), 0.1, np.float32)
    assert nested(array, "float32") == np.full((5, 2, 4), 0.1).tolist()
    assert nested(array[:0], "float32") == []
