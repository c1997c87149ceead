"""Arrays as JSON."""

import json
import math

import numpy as np
import pytest

from engine.trace.digits import nested
from engine.trace.values import WHOLE, Values, describe


def only(array: np.ndarray) -> dict:
    return describe(array, array.dtype.name)


def test_equal_arrays_share_an_id():
    values = Values()
    first = values.intern(np.array([1.0, 2.0], np.float32))
    assert values.intern(np.array([1.0, 2.0], np.float32)) == first
    assert len(values.table) == 1


@pytest.mark.parametrize(
    "other",
    [np.array([1.0, 2.0], np.float64), np.array([[1.0, 2.0]], np.float32), np.array([1.0, 2.5], np.float32)],
)
def test_dtype_shape_and_numbers_all_tell_values_apart(other):
    values = Values()
    assert values.intern(np.array([1.0, 2.0], np.float32)) != values.intern(other)


def test_a_value_is_what_it_was_when_written():
    values = Values()
    array = np.array([1.0, 2.0], np.float32)
    before = values.intern(array)
    array[0] = 9
    assert values.table[before]["data"] == [1.0, 2.0]
    assert values.intern(array) != before


def test_a_view_is_written_as_its_own_numbers():
    assert only(np.arange(6, dtype=np.float32).reshape(2, 3).T)["data"] == [[0, 3], [1, 4], [2, 5]]


def test_float32_is_written_in_the_digits_that_tell_it_from_its_neighbours():
    assert only(np.array(0.1, np.float32))["data"] == 0.1
    assert only(np.array([1 / 3, 2 / 3], np.float32))["data"] == [0.33333334, 0.6666667]


def test_other_dtypes_are_written_as_the_double_that_equals_them():
    assert only(np.array(0.1, np.float16))["data"] == 0.0999755859375
    assert describe(np.array(0.1005859375, np.float32), "bfloat16")["data"] == 0.1005859375


def test_minus_zero_of_a_float32_keeps_its_sign():
    assert math.copysign(1, only(np.array(-0.0, np.float32))["data"]) == -1


def test_values_that_are_asked_for_early_stay_and_later_ones_follow():
    values = Values()
    first = values.intern(np.array([0.5, 0.1], np.float32))
    assert values.table[first]["data"] == [0.5, 0.1]
    second = values.intern(np.array([[0.2], [0.3]], np.float32))
    assert [values.table[v]["data"] for v in (first, second)] == [[0.5, 0.1], [[0.2], [0.3]]]


@pytest.mark.parametrize("shape", [(0,), (0, 3), (2, 0), (1, 1, 1), (2, 3, 4), (3, 1, 2, 1)])
def test_a_float32_keeps_its_shape(shape):
    array = np.arange(np.prod(shape), dtype=np.float32).reshape(shape)
    assert only(array)["data"] == array.tolist()


def test_nan_and_inf_are_words_and_survive_strict_json():
    data = only(np.array([[np.nan, np.inf], [-np.inf, 1.0]], np.float32))["data"]
    assert data == [["nan", "inf"], ["-inf", 1.0]]
    assert json.loads(json.dumps(data, allow_nan=False)) == data


def test_minus_zero_keeps_its_sign():
    assert math.copysign(1, json.loads(json.dumps(nested(np.array(-0.0))))) == -1


def test_booleans_and_integers_stay_what_they_are():
    assert only(np.array([True, False]))["data"] == [True, False]
    assert only(np.array([2**62]))["data"] == [2**62]


def test_an_empty_tensor_has_an_empty_list():
    assert only(np.zeros((0, 3), np.float32)) == {"dtype": "float32", "shape": [0, 3], "data": []}


def test_the_largest_whole_value_and_the_smallest_summary():
    assert "data" in only(np.zeros(WHOLE, np.float32))
    assert "summary" in only(np.zeros(WHOLE + 1, np.float32))


def test_large_values_are_told_apart_by_every_byte():
    values = Values()
    array = np.zeros(100_000, np.float32)
    first = values.intern(array)
    array[54_321] = 1e-30
    assert values.intern(array) != first
