"""Which dtype every operation returns for every dtype, and how it refuses: as recorded from PyTorch."""

import json
import warnings
from pathlib import Path

import numpy as np
import pytest

from engine import facade
from engine.ops.kinds import FLOATS, only
from tests.engine.expressions import outcomes, refusal

torch = facade.modules()["torch"]
DATA = Path(__file__).parent / "data"
KINDS = json.loads((DATA / "kinds.json").read_text())
REFUSALS = json.loads((DATA / "refusals.json").read_text())


@pytest.mark.parametrize("row", KINDS, ids=[row["text"] for row in KINDS])
def test_the_result_has_pytorchs_dtype(row):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = outcomes(torch, row["text"])
    assert {name: found[name] for name in row["results"]} == row["results"]


@pytest.mark.parametrize("row", REFUSALS, ids=[row["text"] for row in REFUSALS])
def test_a_mistake_gets_pytorchs_error(row):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert refusal(torch, row["text"]) == row["error"]


def test_a_kernel_is_named_when_it_has_no_version_for_a_dtype():
    forward = only(FLOATS, "smooth_cpu", lambda self: self)
    with pytest.raises(NotImplementedError, match="\"smooth_cpu\" not implemented for 'Long'"):
        forward(np.array([1, 2]))
