"""Every honest trace is accepted: golden ones, those of recorded cases, of examples, of random programs."""

from __future__ import annotations

import json

import pytest

from engine.trace.run import trace_source
from engine.verify.check import check
from tests.engine.programs import program
from tests.trace.programs import PROGRAMS as GOLDEN
from tests.verify.traces import HONEST, trace_of

WHOLE = ("power", "two_paths", "accumulates", "training", "twice", "hooks", "captured", "modes", "changed")
LONG = """\
import torch
x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
y = x
for step in range(330):
    y = y * 1.01 + 0.5
y.sum().backward()
"""


@pytest.mark.parametrize("name", HONEST)
def test_an_honest_trace_is_accepted(name: str):
    report = check(trace_of(name))
    assert not report.problems, report.problems[0].text


@pytest.mark.parametrize("name", WHOLE)
def test_every_number_of_a_golden_trace_is_derived_again(name: str):
    report = check(trace_of(name))
    assert report.checked == report.of > 0, [gap.text for gap in report.given]


def test_nearly_every_number_of_the_recorded_cases_is_derived_again():
    reports = [check(trace_of(name)) for name in HONEST if name not in GOLDEN]
    assert sum(r.checked for r in reports) >= 0.99 * sum(r.of for r in reports)


@pytest.mark.parametrize("seed", range(60))
def test_a_random_programs_trace_is_accepted(seed: int):
    report = check(json.loads(json.dumps(trace_source(program(seed)))))
    assert not report.problems, f"{report.problems[0].text}\n{program(seed)}"


def test_a_trace_is_not_changed_by_checking_it():
    trace = trace_of("training")
    before = json.dumps(trace)
    check(trace)
    assert json.dumps(trace) == before


def test_a_long_trace_is_accepted():
    trace = trace_source(LONG)
    assert len(trace["rows"]) > 2000
    assert not check(trace).problems
