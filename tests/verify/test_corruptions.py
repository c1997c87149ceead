"""Honest traces with one thing falsified: each kind is refused, with the row named."""

from __future__ import annotations

import pytest

from engine.verify.check import check
from tests.verify import corruptions  # noqa: F401 - fills the table
from tests.verify.corruptions.table import KINDS, corrupted
from tests.verify.traces import SUBJECTS, trace_of


def named(expected: object, row: int | None) -> bool:
    """Say whether the row that is named is one that may be."""
    return row in expected if isinstance(expected, set) else row == expected


def test_there_are_many_kinds():
    assert len(KINDS) >= 40


@pytest.mark.parametrize("kind", KINDS)
def test_a_falsified_trace_is_refused_with_the_row_named(kind: str):
    tried = 0
    for name in SUBJECTS:
        for false, expected in corrupted(kind, trace_of(name)):
            tried += 1
            report = check(false)
            assert report.problems, f"{kind} in {name}: accepted, though row {expected} is false"
            assert named(expected, report.problems[0].row), (
                f"{kind} in {name}: row {expected} is false, but it says: {report.problems[0].text}"
            )
    assert tried, (
        f"{kind} applies to none of {SUBJECTS}: add a trace to tests/verify/traces.py that it can falsify"
    )
