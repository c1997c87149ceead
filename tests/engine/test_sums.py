"""Sums to the last bit, against results recorded from PyTorch, and the order by hand."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.sums import cumprod, cumsum, mean, std, sum_all, sum_dims, var

SUMS = json.loads((Path(__file__).parent / "data" / "sums.json").read_text())


def _array(row: dict[str, Any]) -> np.ndarray:
    shape, order = row["shape"], row["order"]
    array = np.random.RandomState(math.prod(shape)).standard_normal(shape).astype(row["dtype"])
    return array.transpose(order) if order else array


def _numbers(array: np.ndarray) -> list[float]:
    flat = array.ravel()
    return (flat.view(flat.real.dtype) if flat.dtype.kind == "c" else flat).tolist()


def _normal(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.RandomState(seed).standard_normal(shape).astype(np.float32)


def _results(row: dict[str, Any]) -> dict[str, np.ndarray]:
    array, dims = _array(row), tuple(row["dims"])
    results = {"sum": sum_dims(array, dims), "mean": mean(array, dims)}
    if "var" in row:
        results |= {"var": var(array, dims, 0), "std": std(array, dims, 0)}
    if "cumsum" in row:
        results |= {"cumsum": cumsum(array, dims[0]), "cumprod": cumprod(array, dims[0])}
    return results


def test_every_bit_is_pytorchs():
    for row in SUMS:
        for name, result in _results(row).items():
            assert _numbers(result) == row[name], (name, row["dtype"], row["shape"], row["dims"])


def test_a_whole_sum_is_the_sum_over_all_dimensions():
    for n in (*range(1, 70), 1000, 5000):
        for dtype in ("float32", "float64", "complex64", "complex128"):
            array = _normal(n, seed=n).astype(dtype)
            assert sum_all(array) == sum_dims(array, (0,)), n


def test_the_fifth_of_five_numbers_joins_the_first():
    big = 2.0**30
    assert sum_all(np.array([big, 1, 1, 1, -big], np.float32)) == 3
    assert sum_all(np.array([big, -big, 1, 1, 1], np.float32)) == 2


def test_what_is_left_over_of_vectors_comes_first():
    x = np.array([1, 1, 0, 0, 0, 0, 0, -(2.0**30), 2.0**30], np.float32)
    assert sum_all(x) == 0  # 2**30 first swallows the ones


def test_memory_is_walked_not_indices():
    x = _normal(30, 70)
    assert sum_all(x.T) == sum_all(x)
    assert sum_dims(x.T, (0,)).tolist() == sum_dims(x, (1,)).tolist()


def test_a_sum_of_minus_zeros_is_zero():
    for n in (1, 5, 12, 40, 300):
        zeros = np.full(n, -0.0, np.float32)
        assert not np.signbit(sum_all(zeros)) and not np.signbit(sum_dims(zeros, (0,)))
        assert not np.signbit(cumsum(zeros, 0)).any()


@pytest.mark.parametrize("shape", [(), (1,), (3,), (1, 4), (2, 3, 4), (2, 1, 3, 1)])
def test_results_have_the_shape_asked_for(shape: tuple[int, ...]):
    x = np.ones(shape, np.float32)
    for dims in {(0,), tuple(range(x.ndim)), (x.ndim - 1,)} if shape else {()}:
        expected = np.add.reduce(x, axis=dims)
        kept = np.add.reduce(x, axis=dims, keepdims=True)
        assert sum_dims(x, dims).shape == mean(x, dims).shape == expected.shape
        assert sum_dims(x, dims, True).shape == mean(x, dims, True).shape == kept.shape
        assert var(x, dims).shape == std(x, dims).shape == kept.shape
        assert sum_dims(x, dims).tolist() == expected.tolist()
    assert sum_all(x).shape == mean(x).shape == ()


def test_every_result_is_an_array_of_the_same_kind():
    for dtype in (np.float16, np.float32, np.float64, np.complex64):
        x = np.ones((4, 5), dtype)
        for result in (sum_all(x), sum_dims(x, (0,)), mean(x), mean(x, (1,)), cumsum(x, 0), cumprod(x, 1)):
            assert isinstance(result, np.ndarray) and result.dtype == dtype


def test_a_sum_owns_its_memory():
    x = np.ones((1, 3), np.float32)
    sum_dims(x, (0,))[...] = 7
    assert x.tolist() == [[1, 1, 1]]


def test_whole_numbers_and_booleans_are_counted_in_int64():
    assert sum_all(np.array([200, 100], np.uint8)) == 300
    assert sum_dims(np.array([[True, True], [False, True]]), (0,)).tolist() == [1, 2]
    assert sum_all(np.array([2**31 - 1, 1], np.int32)).dtype == np.int64
    assert cumsum(np.array([True, True]), 0).tolist() == [1, 2]
    assert cumprod(np.array([100, 100], np.int8), 0).tolist() == [100, 10000]


def test_nothing_sums_to_zero_and_has_no_mean():
    empty = np.ones((0, 3), np.float32)
    assert sum_all(empty) == 0 and sum_dims(empty, (0,)).tolist() == [0, 0, 0]
    assert np.isnan(mean(empty)) and np.isnan(mean(empty, (0,))).all() and np.isnan(var(empty, (0,))).all()


def test_one_number_has_no_spread_to_estimate():
    assert np.isnan(var(np.ones(1, np.float32)))
    assert var(np.ones(1, np.float32), correction=0) == 0


def test_running_sums_are_added_in_double_precision():
    x = np.array([1e8, 1, 1, 1, 1, -1e8], np.float32)
    assert cumsum(x, 0)[-1] == 4


def test_a_scalar_is_its_own_running_sum():
    assert cumsum(np.array(2.0, np.float32), 0).shape == ()


def test_half_precision_is_rounded_at_the_end_only():
    x = np.full(4096, 1.0, np.float16)
    assert sum_all(x) == 4096 and mean(x) == 1


def test_sums_are_close_to_the_true_ones_whatever_the_strides():
    x = _normal(6, 7, 8, 9)
    for order in ((0, 1, 2, 3), (3, 1, 0, 2), (2, 3, 1, 0)):
        y = x.transpose(order)[:, ::2]
        for dims in ((0,), (1,), (3,), (0, 2), (1, 3), (0, 1, 3), (0, 1, 2, 3)):
            true = y.astype(np.float64).sum(dims)
            assert sum_dims(y, dims) == pytest.approx(true, rel=1e-4, abs=1e-4)


def test_an_expanded_array_is_summed_like_its_values():
    x = np.broadcast_to(np.float32([[1], [2]]), (2, 40))
    assert sum_all(x) == 120 and sum_dims(x, (1,)).tolist() == [40, 80]
