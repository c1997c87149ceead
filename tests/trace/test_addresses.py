"""No address of this process gets into a trace: a program has one trace, byte for byte."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from engine.checkpoint import Placeholder
from engine.trace.addresses import Addresses
from engine.trace.rules import text_of
from engine.trace.run import trace_source

TOP = Path(__file__).resolve().parents[2]
SEEDS = 40  # random programs


def traces() -> dict[str, str]:
    """Return the traces of all golden, recorded and some random programs as texts."""
    from tests.engine.programs import program
    from tests.oracle.observing import ALL, CASES
    from tests.trace.golden import PROGRAMS, golden

    made = {name: golden(name) for name in PROGRAMS}
    made |= {name: trace_source((CASES / f"{name}.py").read_text(encoding="utf-8")) for name in ALL}
    made |= {f"random {seed}": trace_source(program(seed)) for seed in range(SEEDS)}
    return {name: json.dumps(trace) for name, trace in made.items()}


def test_a_program_has_the_same_trace_in_every_process():
    words = [sys.executable, "-c", f"from {__name__} import traces; import json; print(json.dumps(traces()))"]
    runs = [
        subprocess.Popen(
            words, cwd=TOP, env={**os.environ, "PYTHONHASHSEED": seed}, stdout=subprocess.PIPE, text=True
        )
        for seed in ("1", "77")
    ]
    one, two = (json.loads(run.communicate()[0]) for run in runs)
    assert one.keys() == two.keys() and len(one) > 100
    assert [name for name in one if one[name] != two[name]] == []


def test_an_address_that_is_printed_is_numbered_and_stays_the_same():
    lines = trace_source(
        "class A: pass\na, b = A(), A()\nprint(a)\nprint(b)\nprint(a)\nprint('<A object at 0x123456>')\n"
    )["rows"]
    texts = [re.search(r"0x\w+", row["text"])[0] for row in lines if row["kind"] == "printed"]
    assert texts == ["0x7f0000000000", "0x7f0000000040", "0x7f0000000000", "0x123456"]


def test_an_address_in_a_message_is_numbered():
    trace = trace_source("raise ValueError(f'no {object()}')")
    assert trace["outcome"]["message"] == "no <object object at 0x7f0000000000>"


def test_a_text_without_an_address_is_left_alone():
    assert Addresses("").told("at 0xff, x at 0x12") == "at 0xff, x at 0x12"


@pytest.mark.parametrize(
    ("value", "wanted"),
    [(Placeholder(), "Placeholder"), (object(), "object"), (len, "builtin_function_or_method"), (2.5, "2.5")],
)
def test_an_argument_without_a_text_of_its_own_is_called_by_its_kind(value, wanted):
    assert text_of(value) == wanted


PACKED = """\
import torch
with torch.autograd.graph.saved_tensors_hooks(lambda t: [t], lambda packed: packed[0]):
    y = torch.ones(2, requires_grad=True).exp()
y.sum().backward()
"""


def test_what_a_hook_has_packed_is_said_to_be_packed():
    ran = [row for row in trace_source(PACKED)["rows"] if row["kind"] == "node_ran"]
    terms = [rule["terms"] for row in ran for rule in row["rules"] if "result" in rule["terms"]]
    assert [each["result"] for each in terms] == ["packed"]
