"""Arrays as JSON."""

import json
import math

import numpy as np
import pytest

from engine.trace.values import CELLS, WHOLE, Values, nested


def only(array: np.ndarray) -> dict:
    values = Values()
    return values.table[values.intern(array)]


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


def test_float32_is_the_double_that_equals_it():
    assert only(np.array(0.1, np.float32))["data"] == 0.10000000149011612


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


def test_a_summary_counts_what_is_not_finite_and_measures_the_rest():
    array = np.full(300, 2.0, np.float32)
    array[0], array[1], array[2] = np.nan, np.inf, -np.inf
    found = only(array)["summary"]
    assert (found["nan"], found["inf"]) == (1, 2)
    assert (found["min"], found["max"], found["mean"]) == (2.0, 2.0, 2.0)
    assert found["norm"] == pytest.approx(math.sqrt(297 * 4))


def test_a_summary_of_nothing_finite_says_nan():
    found = only(np.full(300, np.nan, np.float32))["summary"]
    assert (found["min"], found["mean"], found["norm"]) == ("nan", "nan", 0.0)


def test_cells_are_a_sample_of_rows_and_columns_with_both_ends():
    array = np.arange(100 * 50, dtype=np.float32).reshape(100, 50)
    cells = only(array)["summary"]["cells"]
    assert (cells["rows"], cells["columns"]) == (CELLS, CELLS)
    assert (cells["data"][0][0], cells["data"][-1][-1]) == (0.0, 4999.0)


def test_a_vector_is_one_row_and_many_axes_are_rows_of_the_last():
    assert only(np.zeros(300))["summary"]["cells"]["rows"] == 1
    assert only(np.zeros((10, 10, 3)))["summary"]["cells"]["columns"] == 3


def test_large_values_are_told_apart_by_every_byte():
    values = Values()
    array = np.zeros(100_000, np.float32)
    first = values.intern(array)
    array[54_321] = 1e-30
    assert values.intern(array) != first
