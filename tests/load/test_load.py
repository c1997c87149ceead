"""A small crowd for seconds: nothing good is lost, nothing hostile gets through, nothing stays behind."""

from __future__ import annotations

import asyncio

import pytest

from app.sandbox import lockdown
from tests.load.crowd import Crowd, Report
from tests.serving import served

pytestmark = pytest.mark.skipif(not lockdown.can_fork(), reason="counts processes as Linux tells them")
ROOM = 150  # MiB that a server may have grown by: what it caches, and what its allocator keeps


@pytest.fixture(scope="module", params=[None, 0.7], ids=["undisturbed", "with processes killed"])
def report(request: pytest.FixtureRequest) -> Report:
    """What became of twenty clients' programs."""
    with served(proxies="127.0.0.1", limit_wall=2, check_workers=1) as (address, pid):
        return asyncio.run(Crowd(address, pid, 20, 3.0, request.param).run())


def test_no_good_or_slow_run_is_lost(report: Report):
    assert not report.lost
    assert report.seconds["good"] and report.seconds["slow"]


def test_every_hostile_run_is_contained(report: Report):
    assert report.seconds["hostile"] and not report.escaped


def test_the_server_is_afterwards_as_it_was(report: Report):
    assert report.processes[0] == report.processes[1]
    assert report.memory[1] < report.memory[0] + ROOM
