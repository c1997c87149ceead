"""Rules of the whole run: its order, the same examples from hypothesis every time, and no skipping in CI."""

from __future__ import annotations

import os

import pytest
from hypothesis import settings

IN_CI = os.environ.get("CI") == "true"

settings.register_profile("gradstep", deadline=None, derandomize=True, print_blob=False)
settings.load_profile("gradstep")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the browser last: what is quick and close to the fault speaks first."""
    items.sort(key=lambda item: "browser" in item.path.parent.parts)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """Turn a test that skips itself into a failure where CI=true."""
    report = yield
    if IN_CI and report.skipped and not hasattr(report, "wasxfail"):
        refuse(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector):
    """Turn a test file that skips itself into a failure where CI=true."""
    report = yield
    if IN_CI and report.skipped:
        refuse(report)
    return report


def refuse(report: pytest.CollectReport | pytest.TestReport) -> None:
    """Make a failure of a skip and keep its reason."""
    reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
    report.outcome = "failed"
    report.longrepr = f"With CI=true nothing may be skipped, but {report.nodeid} said: {reason}"
