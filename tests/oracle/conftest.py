"""Observes every recorded case once, and ends a run with how far the engine agrees with PyTorch."""

from __future__ import annotations

import pytest

from tests.oracle.agreement import GROUPS, Differences
from tests.oracle.observing import observe_all

REPORT = pytest.StashKey[dict[str, Differences]]()


@pytest.fixture(scope="session")
def disagreements(request) -> dict[str, Differences]:
    """What differs in each case, by group; nothing where it agrees."""
    request.config.stash[REPORT] = observe_all()
    return request.config.stash[REPORT]


def pytest_terminal_summary(terminalreporter, config) -> None:
    """Say which recorded cases agree whole, and what keeps the others from it."""
    found = config.stash.get(REPORT, None)
    if found is None:
        return
    terminalreporter.section("PyTorch's recordings")
    whole = sum(not bad for bad in found.values())
    groups = "  ".join(f"{group} {sum(group not in bad for bad in found.values())}" for group in GROUPS)
    terminalreporter.line(f"{whole} of {len(found)} cases agree whole  ({groups})")
    for name, bad in found.items():
        if bad:
            terminalreporter.line(f"not yet: {name}: {', '.join(bad)}")
