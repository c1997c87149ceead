"""How tensors are written, against texts recorded from PyTorch."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.dtype import by_name, float32, float64, int64
from engine.format import (
    get_printoptions,
    item_text,
    printoptions,
    return_types_text,
    set_printoptions,
    sparse_text,
    tensor_text,
)

DATA = Path(__file__).parent / "data"
TEXTS = json.loads((DATA / "texts.json").read_text())
SPARSE_TEXTS = json.loads((DATA / "sparse_texts.json").read_text())


def _array(row: dict[str, Any]) -> np.ndarray:
    dtype = by_name(row["dtype"])
    flat = np.array(row["data"], np.float64)
    flat = flat.view(np.complex128) if dtype.is_complex else flat
    return dtype.hold(flat.reshape(row["shape"]))


def _text(row: dict[str, Any]) -> str:
    how = {name: row[name] for name in ("grad_fn", "requires_grad", "parameter") if name in row}
    with printoptions(**row.get("options", {})):
        return tensor_text(_array(row), by_name(row["dtype"]), **how)


def test_tensors_are_written_as_pytorch_writes_them():
    for row in TEXTS:
        assert _text(row) == row["text"]


def test_sparse_tensors_are_written_as_pytorch_writes_them():
    for row in SPARSE_TEXTS:
        indices = np.array(row["indices"], np.int64)
        dtype = by_name(row["dtype"])
        values = np.array(row["values"], dtype.numpy)
        assert sparse_text(indices, values, tuple(row["shape"]), dtype) == row["text"]


def test_the_node_that_made_it_is_named_rather_than_that_it_requires_grad():
    array = np.array([1.0, 2.0], np.float32)
    text = tensor_text(array, float32, grad_fn="MulBackward0", requires_grad=True)
    assert text == "tensor([1., 2.], grad_fn=<MulBackward0>)"


def test_a_parameter_says_so_on_a_line_of_its_own():
    text = tensor_text(np.array([0.5], np.float32), float32, requires_grad=True, parameter=True)
    assert text == "Parameter containing:\ntensor([0.5000], requires_grad=True)"


def test_a_kind_that_goes_without_saying_is_left_out():
    assert tensor_text(np.array([1, 2]), int64) == "tensor([1, 2])"
    assert tensor_text(np.array([1.0]), float64) == "tensor([1.], dtype=torch.float64)"
    assert tensor_text(np.array([], np.int64), int64) == "tensor([], dtype=torch.int64)"


def test_a_suffix_that_does_not_fit_starts_a_line():
    zeros = np.zeros(13, np.float32)
    lines = tensor_text(zeros, float32, grad_fn="MulBackward0").splitlines()
    assert lines[1] == "       grad_fn=<MulBackward0>)"


def test_a_strided_array_is_written_like_its_copy():
    array = np.arange(24.0, dtype=np.float32).reshape(4, 6).T[::2, ::-1]
    assert tensor_text(array, float32) == tensor_text(array.copy(), float32)


def test_printoptions_end_with_their_block():
    with printoptions(precision=2, linewidth=40):
        assert get_printoptions()["precision"] == 2
    assert get_printoptions() == {
        "precision": 4, "threshold": 1000, "edgeitems": 3, "linewidth": 80, "sci_mode": None
    }  # fmt: skip


def test_printoptions_end_with_their_block_even_after_an_error():
    with pytest.raises(ZeroDivisionError), printoptions(precision=1):
        raise ZeroDivisionError
    assert get_printoptions()["precision"] == 4


def test_an_option_not_given_stays_except_sci_mode():
    with printoptions():
        set_printoptions(precision=3, sci_mode=True)
        set_printoptions(edgeitems=2)
        assert get_printoptions() == {
            "precision": 3, "threshold": 1000, "edgeitems": 2, "linewidth": 80, "sci_mode": None
        }  # fmt: skip


def test_a_named_tuple_of_tensors_is_written_field_by_field():
    fields = {"values": "tensor([1., 1.])", "indices": "tensor([0, 0])"}
    assert return_types_text("max", fields) == (
        "torch.return_types.max(\nvalues=tensor([1., 1.]),\nindices=tensor([0, 0]))"
    )


def test_one_number_is_formatted_as_the_double_it_holds():
    assert item_text(np.array(0.1, np.float32)) == "0.10000000149011612"
    assert item_text(np.array(1.5, np.float32), ".3f") == "1.500"
    assert item_text(np.array(3), "03d") == "003"
