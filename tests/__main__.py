"""Runs every test: `python -m tests [arguments of pytest]`. Finds or installs a browser if it needs one.

Python, JavaScript (`node --test`, see tests/js/conftest.py) and the browser are one run with one result.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


class Tally:
    """Count what happened, for the closing line."""

    def __init__(self) -> None:
        self.passed: set[str] = set()
        self.failed: set[str] = set()
        self.skipped: set[str] = set()

    def pytest_runtest_logreport(self, report) -> None:
        """Count a test once, whatever its set-up and tear-down do."""
        if report.failed:
            self.failed.add(report.nodeid)
        elif report.skipped:
            self.skipped.add(report.nodeid)
        elif report.when == "call":
            self.passed.add(report.nodeid)

    def pytest_collectreport(self, report) -> None:
        """Count a file that could not be read as one failure."""
        if report.failed:
            self.failed.add(report.nodeid)

    def line(self) -> str:
        """Say it in one line."""
        passed = len(self.passed - self.failed - self.skipped)
        skipped = len(self.skipped - self.failed)
        return f"{passed} passed, {len(self.failed)} failed" + (f", {skipped} skipped" if skipped else "")


def main(arguments: list[str]) -> int:
    """Run pytest with these arguments over everything, or over what they select."""
    os.chdir(ROOT)
    try:
        import pytest

        from tests.browser import browsers
    except ImportError as missing:
        print(f"The tests need {missing.name}: run `pip install -e '.[test]'` first.", file=sys.stderr)
        return 2
    if may_need_browser(arguments):
        try:
            print(f"browser: {browsers.ensure()}", flush=True)
        except browsers.BrowserMissing as missing:
            print(missing, file=sys.stderr)
            return 2
    tally = Tally()
    code = int(pytest.main(arguments, plugins=[tally]))
    print(tally.line(), flush=True)
    return code


def may_need_browser(arguments: list[str]) -> bool:
    """Say whether these arguments can reach tests/browser: no path among them, or one that leads there."""
    if {"--help", "-h", "--version", "--collect-only", "--co"} & set(arguments):
        return False
    paths = [Path(word.split("::")[0]).resolve() for word in arguments if not word.startswith("-")]
    paths = [path for path in paths if path.exists()]
    browser = ROOT / "tests" / "browser"
    return not paths or any(
        path == browser or path in browser.parents or browser in path.parents for path in paths
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
