"""Devices are PyTorch's on a machine without any: what is asked, what is refused, and in which words."""

import json
from pathlib import Path

import pytest

from engine import autograd, facade
from tests.engine.printed import outcome

TORCH = facade.modules()["torch"]
ROWS = json.loads((Path(__file__).parent / "data" / "devices.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["text"])
def test_devices_are_as_in_pytorch(row: dict):
    autograd.begin_program()
    assert outcome(TORCH, row["text"]) == row


def test_a_default_device_ends_with_the_program():
    TORCH.set_default_device("cuda:1")
    autograd.begin_program()
    assert TORCH.get_default_device() == TORCH.device("cpu")


def test_what_was_set_in_a_backend_ends_with_the_program():
    TORCH.backends.cudnn.benchmark = True
    autograd.begin_program()
    assert TORCH.backends.cudnn.benchmark is False
    with pytest.raises(AttributeError, match="cannot be changed here"):
        TORCH.backends.cudnn.other = True


def test_a_device_of_pytorch_that_only_we_lack_says_so():
    with pytest.raises(NotImplementedError, match="'meta' device are part of PyTorch"):
        TORCH.zeros(2, device="meta")
