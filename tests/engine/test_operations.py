"""Every operation against what PyTorch makes of it: value, graph, saved values, both orders of gradients."""

import json
import math
import warnings
from pathlib import Path

import pytest

from engine import facade
from tests.engine.expressions import evaluate

torch = facade.modules()["torch"]
ROWS = json.loads((Path(__file__).parent / "data" / "operations.json").read_text())
OF_OUR_OWN = (  # their second-order graph: where PyTorch has one kernel, we compose; values are compared
    "Convolution NativeLayerNorm NativeBatchNorm NativeGroupNorm Cumprod AsStrided Trilinear"
).split()
CLOSE = 2e-5  # float32: kernels differ in their last digits, and differences may cancel


def agree(want, got, close=CLOSE, scale=1.0):
    """Return whether two JSON values agree, numbers nearly: relative to the largest beside them."""
    if isinstance(want, list) and isinstance(got, list):
        scale = max([scale, *(abs(w) for w in want if isinstance(w, float))])
        return len(want) == len(got) and all(
            agree(w, g, close, scale) for w, g in zip(want, got, strict=True)
        )
    numeric = [isinstance(v, (int, float)) and not isinstance(v, bool) for v in (want, got)]
    if all(numeric):
        return math.isclose(want, got, rel_tol=close, abs_tol=close * min(scale, 1e3) * 1e-1)
    return want == got


def composed(row):
    """Return whether a row's second-order graph is made differently here."""
    return any(f"{name}Backward" in row["graph"] for name in OF_OUR_OWN)


@pytest.mark.parametrize("row", ROWS, ids=[f"{i}: {row['text']}" for i, row in enumerate(ROWS)])
def test_the_operation_is_what_pytorch_makes_of_it(row):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = evaluate(torch, row["text"], row["inputs"])
    assert found["graph"] == row["graph"]
    assert agree(row["value"], found["value"]), found["value"]
    for name, value in row["saved"].items():
        assert name in found["saved"], f"{name} is not saved"
        assert agree(value, found["saved"][name]), f"saved {name}: {found['saved'][name]}, not {value}"
    for what in ("grads", "second_graph", "second"):
        if what in row and not (what == "second_graph" and composed(row)):
            close = 10 * CLOSE if what == "second" and composed(row) else CLOSE
            assert agree(row[what], found[what], close), f"{what}: {found[what]}, not {row[what]}"
