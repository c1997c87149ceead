"""Anomaly mode: what may switch it, and that its stack is the learner's own."""

from __future__ import annotations

import pytest

from engine import facade
from engine.trace.run import trace_source

TORCH = facade.modules()["torch"]
PROGRAM = """\
import torch
x = torch.tensor([-1.0], requires_grad=True)
def root(x):
    return x.sqrt()
with torch.autograd.detect_anomaly():
    y = root(x)
    z = torch.nn.ReLU()(y)
    z.backward()
"""


def test_the_stack_of_the_forward_call_has_the_learners_frames_and_lines_only():
    rows = trace_source(PROGRAM)["rows"]
    (told,) = (
        row["message"] for row in rows if row["kind"] == "warning" and "Error detected" in row["message"]
    )
    assert told == (
        "Error detected in SqrtBackward0. Traceback of forward call that caused the error:\n"
        '  File "<snippet>", line 6, in <module>\n    y = root(x)\n'
        '  File "<snippet>", line 4, in root\n    return x.sqrt()\n'
    )


@pytest.mark.parametrize("value", [1, None, "x", 1.0, TORCH.ones(2), TORCH.tensor(True)])
def test_only_a_bool_switches_it_and_nothing_else_is_left_behind(value):
    kind = type(value).__name__
    with pytest.raises(TypeError) as refused:
        TORCH.autograd.set_detect_anomaly(value)
    assert (
        str(refused.value)
        == f"set_anomaly_enabled(): argument 'enabled' (position 1) must be bool, not {kind}"
    )
    with pytest.raises(TypeError) as refused, TORCH.autograd.set_detect_anomaly(True, check_nan=value):
        pass
    assert "'check_nan' (position 2) must be bool" in str(refused.value)
    assert TORCH.is_anomaly_enabled() is False


@pytest.mark.parametrize("value", [1, None, TORCH.ones(2)])
def test_only_a_bool_switches_recording(value):
    with pytest.raises(
        TypeError, match=r"set_grad_enabled\(\): argument 'enabled' \(position 1\) must be bool"
    ):
        TORCH.set_grad_enabled(value)
    assert TORCH.is_grad_enabled() is True
