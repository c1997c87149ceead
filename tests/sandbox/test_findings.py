"""What a child says of faults is believed only if it is shaped as agreed; it comes with the trace."""

from __future__ import annotations

from typing import Any

import pytest
from jsonschema import Draft202012Validator

from app.sandbox import protocol
from app.sandbox.findings import are_findings
from app.sandbox.limits import Limits
from app.sandbox.pool import Pool
from engine.trace.schema import json_schema
from tests.sandbox.cases import run_all
from tests.sandbox.test_assemble import TABLES, trace

GOOD = {
    "code": "freed", "variant": "loop", "severity": "fault", "row": 0, "at": [1, 0, 1, 5], "node": "n1",
    "tensor": None, "terms": {"name": "w"}, "values": {"before": "v1"},
    "links": [{"row": 0, "at": None}], "fix": [{"at": [1, 0, 1, 0], "text": "x"}],
}  # fmt: skip
BAD: dict[str, Any] = {
    "no list": {"code": "freed"},
    "too many": [GOOD] * 9,
    "a field less": [{name: value for name, value in GOOD.items() if name != "fix"}],
    "a field more": [{**GOOD, "html": "<b>"}],
    "a code that is no word": [{**GOOD, "code": "__proto__.x"}],
    "a row beyond the last": [{**GOOD, "row": 1}],
    "a link beyond the last": [{**GOOD, "links": [{"row": 5, "at": None}]}],
    "a value that is no id": [{**GOOD, "values": {"before": "3.5"}}],
    "a term that is no text": [{**GOOD, "terms": {"name": ["w"]}}],
    "an edit nowhere": [{**GOOD, "fix": [{"at": None, "text": "x"}]}],
    "an empty change": [{**GOOD, "fix": []}],
    "a book of an edit": [{**GOOD, "fix": [{"at": [1, 0, 1, 0], "text": "x" * 30_000}]}],
}
ROW = {"kind": "printed", "at": None, "text": "x"}
PILED_UP = """\
import torch
w = torch.ones(1, requires_grad=True)
opt = torch.optim.SGD([w], lr=0.1)
for _ in range(2):
    (w * 2).sum().backward()
    opt.step()
"""


def sent(findings: Any) -> dict[str, Any]:
    """Return the trace of a child that ends with some findings."""
    frame = {**TABLES, "rows": [ROW], "outcome": {"kind": "finished"}, "findings": findings}
    return trace(protocol.message(protocol.LAST, frame))


def test_what_is_as_agreed_is_believed():
    assert are_findings([GOOD], 1) and are_findings([], 0)
    assert sent([GOOD])["findings"] == [GOOD]
    assert "findings" not in sent([])


@pytest.mark.parametrize("what", BAD)
def test_what_is_not_as_agreed_is_not(what: str):
    assert not are_findings(BAD[what], 1)
    assert sent(BAD[what])["outcome"]["limit"] == "crash"


def test_findings_come_with_the_trace_and_fit_its_schema():
    traces = run_all(Pool(Limits(), size=1), {"wrong": PILED_UP, "right": "import torch\nprint(1)\n"})
    assert [each["code"] for each in traces["wrong"]["findings"]] == ["accumulating"]
    assert "findings" not in traces["right"]
    for found in traces.values():
        Draft202012Validator(json_schema()).validate(found)
