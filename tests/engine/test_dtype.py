"""The kinds of numbers and how they mix, against PyTorch's own table."""

from __future__ import annotations

import copy
import json
import pickle
from collections.abc import Iterator
from contextvars import copy_context
from pathlib import Path

import numpy as np
import pytest

from engine.dtype import (
    ALIASES,
    DTYPES,
    NUMBER,
    SCALAR,
    VECTOR,
    DType,
    bfloat16,
    bool_,
    by_name,
    can_cast,
    complex32,
    complex64,
    complex128,
    default_dtype,
    float16,
    float32,
    float64,
    from_numpy,
    int8,
    int32,
    int64,
    promote,
    promote_types,
    result_dtype_of_number,
    set_default_dtype,
    uint8,
)

TABLE = json.loads((Path(__file__).parent / "data" / "promotion.json").read_text())
RANKS = {"vector": VECTOR, "scalar": SCALAR, "number": NUMBER}


def _pairs() -> Iterator[tuple[tuple[DType, int], tuple[DType, int], str]]:
    for row in TABLE:
        left, right = (RANKS[rank] for rank in row["ranks"])
        numbers = [result_dtype_of_number(x) for x in (True, 1, 1.0, 1j)]
        others = numbers if right == NUMBER else [d for d in DTYPES.values() if d is not complex32]
        for other, result in zip(others, row["results"], strict=True):
            yield (by_name(row["dtype"]), left), (other, right), result


def test_mixed_operands_become_what_pytorch_makes_of_them():
    wrong = [
        (a, b, promote((a, b)), expected) for a, b, expected in _pairs() if promote((a, b)).name != expected
    ]
    assert wrong == []


def test_the_order_of_operands_does_not_matter():
    assert all(promote((a, b)) is promote((b, a)) for a, b, _ in _pairs())


def test_half_precision_with_a_complex_number_is_half_precision_complex():
    assert promote(((float16, VECTOR), (complex64, NUMBER))) is complex32


def test_three_operands_are_weighed_by_rank_first():
    assert promote(((int8, VECTOR), (float64, SCALAR), (complex64, NUMBER))) is complex128
    assert promote(((float32, VECTOR), (float64, SCALAR), (int64, NUMBER))) is float32


def test_equal_kinds_stay_what_they_are():
    assert promote([(int8, VECTOR), (int8, NUMBER)]) is int8
    assert promote_types(bfloat16, bfloat16) is bfloat16


def test_there_is_one_object_per_kind_even_after_copying():
    for dtype in DTYPES.values():
        assert copy.deepcopy(dtype) is dtype
        assert pickle.loads(pickle.dumps(dtype)) is dtype


def test_a_dtype_prints_as_pytorch_writes_it():
    assert repr(float32) == str(float32) == "torch.float32"
    assert repr(bool_) == "torch.bool"


def test_aliases_name_the_same_objects():
    assert ALIASES["float"] is float32 and ALIASES["long"] is int64 and ALIASES["double"] is float64
    assert by_name("half") is float16


@pytest.mark.parametrize(
    ("dtype", "legacy", "short", "c_name"),
    [
        (float32, "torch.FloatTensor", "Float", "float"),
        (float64, "torch.DoubleTensor", "Double", "double"),
        (int64, "torch.LongTensor", "Long", "long int"),
        (float16, "torch.HalfTensor", "Half", "c10::Half"),
        (bool_, "CPUBoolType", "Bool", "bool"),
        (bfloat16, "CPUBFloat16Type", "BFloat16", "c10::BFloat16"),
    ],
)
def test_names_in_messages_are_pytorchs(dtype: DType, legacy: str, short: str, c_name: str):
    assert (dtype.legacy, dtype.short, dtype.c_name) == (legacy, short, c_name)


def test_only_float_kinds_are_floating_point():
    assert [d.name for d in DTYPES.values() if d.is_floating_point] == [
        "float16", "bfloat16", "float32", "float64"
    ]  # fmt: skip
    assert [d.name for d in DTYPES.values() if d.is_complex] == ["complex64", "complex128", "complex32"]


def test_real_and_complex_kinds_correspond():
    assert complex128.to_real() is float64 and float64.to_complex() is complex128
    assert int64.to_real() is int64 and bfloat16.to_complex() is complex64


def test_arrays_are_recognised_by_their_numpy_dtype():
    assert from_numpy(np.dtype("float64")) is float64
    assert from_numpy(np.dtype("float32")) is float32
    assert from_numpy(np.ones(2, bool).dtype) is bool_


def test_an_array_of_text_is_refused_in_pytorchs_words():
    with pytest.raises(TypeError, match=r"^can't convert np.ndarray of type numpy.str_. The only supported"):
        from_numpy(np.dtype("<U3"))


def test_small_integers_wrap_around():
    assert uint8.hold(np.array([250 + 10, -1])).tolist() == [4, 255]


def test_whole_numbers_cut_off_the_fraction():
    assert int32.hold(np.array([2.9, -2.9])).tolist() == [2, -2]


def test_a_real_kind_drops_the_imaginary_part():
    assert float32.hold(np.array([1 + 2j])).tolist() == [1.0]


def test_holding_what_is_already_held_copies_nothing():
    array = np.ones(3, np.float32)
    assert float32.hold(array) is array


def test_bfloat16_keeps_eight_bits_and_rounds_ties_to_even():
    held = bfloat16.hold(np.array([1.0, 1 + 2**-8, 1 + 3 * 2**-8, 3.14159, np.inf, -1e-45]))
    assert held.dtype == np.float32
    assert held.tolist() == [1.0, 1.0, 1 + 2**-6, 3.140625, np.inf, -0.0]
    assert np.isnan(bfloat16.hold(np.array(np.nan)))


def test_the_default_decides_what_python_floats_become():
    def elsewhere() -> list[DType]:
        set_default_dtype(float64)
        return [default_dtype(), result_dtype_of_number(1.5), result_dtype_of_number(1j)]

    assert copy_context().run(elsewhere) == [float64, float64, complex128]
    assert default_dtype() is float32


def test_only_a_floating_point_kind_can_be_the_default():
    with pytest.raises(TypeError, match="^only floating-point types are supported as the default type$"):
        set_default_dtype(int64)


def test_python_numbers_have_a_kind():
    assert [result_dtype_of_number(x) for x in (True, 2, 2.0, 2j)] == [bool_, int64, float32, complex64]
    with pytest.raises(ValueError, match="not a number"):
        result_dtype_of_number("2")


def test_an_in_place_result_may_lower_precision_but_not_category():
    assert can_cast(float64, float32) and can_cast(int64, uint8) and can_cast(bool_, int8)
    assert not can_cast(float32, int64) and not can_cast(complex64, float32) and not can_cast(uint8, bool_)
