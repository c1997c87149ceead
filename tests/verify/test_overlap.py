"""Writing in place into memory that is read elsewhere: derived step by step, refused where wrong."""

from __future__ import annotations

import json

import pytest

from engine.trace.run import trace_source
from engine.verify.check import check

WRITES = [
    "x -= x[:, :1]",
    "x /= x[:, :1]",
    "x[:, :2] += x[:, 1:]",
    "x[:, 1:] = x[:, :-1]",
    "x.t().sub_(x[:, 1:2].t())",
    "x.addcmul_(x[:, :1], x[:, :1])",
]
SIZES = ["(2, 3)", "(3, 20)"]


def trace_of(write: str, size: str) -> dict:
    """Return the trace of one write."""
    source = f"import torch\nx = (torch.arange(60.)[: torch.ones{size}.numel()] + 1).reshape{size}\n{write}\n"
    return json.loads(json.dumps(trace_source(source)))


def written(trace: dict) -> dict:
    """Return the row of the write."""
    return next(row for row in reversed(trace["rows"]) if row["kind"] == "op_applied" and row["inplace"])


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("write", WRITES)
def test_every_number_of_such_a_write_is_derived(write: str, size: str):
    if "[:, :2]" in write and size != SIZES[0]:
        write = "x[:, :19] += x[:, 1:]"
    trace = trace_of(write, size)
    assert trace["outcome"]["kind"] == "finished"
    report = check(trace)
    assert not report.problems, report.problems[0].text
    assert report.checked == report.of, [gap.text for gap in report.given]


@pytest.mark.parametrize("size", SIZES)
def test_a_write_that_reads_before_it_writes_is_refused(size: str):
    trace = trace_of(WRITES[0], size)
    row = written(trace)
    value = trace["values"][row["values"][0]]["data"]
    value[0][-1] -= 1
    report = check(trace)
    assert report.problems
    assert "op_applied" in report.problems[0].text
