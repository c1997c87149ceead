"""Values as arrays: what is readable, what agrees, what is only a sample."""

from __future__ import annotations

import numpy as np
import pytest

from engine.trace.values import describe
from engine.verify.large import moved_wrong, numbered, total_wrong
from engine.verify.numbers import Unreadable, disagreement, value_of


def value(data, dtype="float32", shape=None):
    array = np.array(data)
    return value_of(
        "v1", {"dtype": dtype, "shape": list(array.shape if shape is None else shape), "data": data}
    )


def large(array, key="v1"):
    return value_of(key, describe(array, array.dtype.name))


def test_words_for_what_is_no_number_are_read():
    assert np.isnan(value(["nan", "inf"]).array[0]) and value(["nan", "inf"]).array[1] == np.inf


@pytest.mark.parametrize(
    ("data", "dtype", "shape"),
    [(1e39, "float32", []), (0.1, "float16", []), (1.5, "int64", []), (1, "bool", []), ("one", "float32", []),
     ([1.0], "float32", [2]), ([[1.0], [1.0, 2.0]], "float32", [2, 2]), (1.0, "float31", []),
     ([], "float32", [3]), (300, "uint8", [])],
)  # fmt: skip
def test_what_is_not_written_as_the_format_says_is_refused(data, dtype, shape):
    with pytest.raises(Unreadable):
        value_of("v1", {"dtype": dtype, "shape": shape, "data": data}).array  # noqa: B018


def test_a_float32_is_the_one_nearest_to_what_is_written():
    assert value(0.1).array == np.float32(0.1) == value(0.10000000149011612).array
    assert value([0.1, "nan", "-inf"]).array[0] == np.float32(0.1)


def test_rounding_of_a_float32_agrees_and_a_thousandth_does_not():
    third = value(float(np.float32(1 / 3)))
    assert disagreement(third, np.array(1 / 3)) is None
    assert disagreement(third, np.array(1.001 / 3)) is not None


def test_a_small_number_beside_a_large_one_is_still_looked_at():
    assert disagreement(value([1000.0, 1.0]), np.array([1000.0, 1.1])) is not None


def test_whole_numbers_agree_exactly():
    assert disagreement(value([1, 2], "int64"), np.array([1, 3])) is not None


def test_overflow_of_a_narrow_dtype_agrees():
    assert disagreement(value("inf"), np.array(1e300)) is None


@pytest.mark.parametrize("change", ["min", "max", "mean", "norm"])
def test_a_summary_that_contradicts_itself_is_refused(change):
    entry = describe(np.linspace(1.0, 2.0, 600, dtype=np.float32), "float32")
    entry["summary"][change] = {"min": 3.0, "max": 0.5, "mean": 9.0, "norm": 0.1}[change]
    with pytest.raises(Unreadable):
        value_of("v1", entry)


def test_the_sample_of_a_large_tensor_is_held_against_all_of_it():
    array = np.arange(900.0, dtype=np.float32).reshape(30, 30)
    assert disagreement(large(array), array.astype(np.float64)) is None
    assert disagreement(large(array), array + (array == 0)) is not None
    assert "mean" in disagreement(large(array), array * np.where(array == 62, 10.0, 1.0))


def coloured(array, key="v1", **letters):
    entry = describe(array, array.dtype.name)
    painted = entry["summary"]["picture"]
    for place, letter in letters.items():
        i = int(place[1:])
        painted["levels"] = painted["levels"][:i] + letter + painted["levels"][i + 1 :]
    return value_of(key, entry)


@pytest.mark.parametrize(
    "letters", [{"_0": "A"}, {"_1": "b"}, {"_1": "!"}, {"_1": "x"}, {"_1": ""}, {"_255": "K"}]
)
def test_a_picture_that_contradicts_the_other_parts_is_refused(letters):
    array = np.arange(900.0, dtype=np.float32).reshape(30, 30)
    with pytest.raises(Unreadable):
        coloured(array, **letters)


def test_every_shade_of_a_large_tensor_is_held_against_what_it_must_be():
    array = np.random.default_rng(0).standard_normal((30, 30)).astype(np.float32)
    array[0, 2] = np.abs(array).max() * 6.5 / 12
    assert large(array).entry["summary"]["picture"]["levels"][1] == "G"
    for letter in "aFGHg0":
        wrong = disagreement(coloured(array, _1=letter), array)
        assert wrong is None if letter == "G" else "another shade of it at [0, 2]" in wrong


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "int64", "bool"])
def test_honest_pictures_of_every_dtype_agree(dtype):
    array = (np.random.default_rng(0).standard_normal((40, 50)) * 9).astype(dtype)
    assert disagreement(large(array), array) is None


def test_shades_follow_what_is_moved_out_of_a_large_tensor():
    array = np.arange(900.0, dtype=np.float32).reshape(30, 30)
    source = large(array)
    assert moved_wrong(source, numbered(source).T, coloured(array.T.copy(), "v2", _1="L")) == (
        "another shade at [0, 2]", True
    )  # fmt: skip
    row = array[2].copy()
    row[2] = 800.0
    assert "shade" in moved_wrong(source, numbered(source)[2], value(row.tolist()))[0]
    assert moved_wrong(source, numbered(source)[2], value(array[2].tolist()))[0] is None


def test_what_is_moved_out_of_a_large_tensor_is_followed():
    array = np.arange(900.0, dtype=np.float32).reshape(30, 30)
    source = large(array)
    assert moved_wrong(source, numbered(source).T, large(array.T, "v2")) == (None, True)
    text, _ = moved_wrong(source, numbered(source).T, large(array + 1, "v2"))
    assert text is not None


def test_the_sum_of_a_large_tensor_follows_from_its_mean():
    source = large(np.full((40, 40), 0.5, np.float32))
    assert total_wrong(source, value(800.0), mean=False) is None
    assert total_wrong(source, value(801.0), mean=False) is not None
