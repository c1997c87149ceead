"""How large traces are."""

from __future__ import annotations

import pytest

from tests.bench import engines, facts

MOST = 200  # bytes a row after gzip, with the values and all tables
WORK = [work for work in engines.WORK if work not in engines.LEFT_OUT["recorded"]]


@pytest.mark.parametrize("work", WORK)
def test_a_trace_takes_few_bytes_a_row(work):
    rows, _, whole = facts.trace_size(work)
    assert whole <= MOST * rows
