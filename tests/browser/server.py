"""Starts the real server as a user would, on a free port, and ends it. Knows nothing of pages."""

from __future__ import annotations

import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ADDRESS = re.compile(r"http://127\.0\.0\.1:\d+")
COMMAND = (sys.executable, "-m", "app", "serve", "--port", "0")


@contextmanager
def serving(log: Path) -> Iterator[str]:
    """Run `gradstep serve`; yield its address once it has printed it; check that it never stumbled."""
    with log.open("w", encoding="utf-8") as sink:
        process = subprocess.Popen(
            COMMAND,
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=sink,
            text=True,
            encoding="utf-8",
        )
        try:
            address = first_address(process)
            drain = threading.Thread(target=process.stdout.read, daemon=True)
            drain.start()
            assert address, f"the server printed no address:\n{log.read_text(encoding='utf-8')[-1500:]}"
            yield address
            assert process.poll() is None, f"the server ended by itself:\n{log.read_text(encoding='utf-8')}"
        finally:
            end(process)
    said = log.read_text(encoding="utf-8")
    assert "Traceback" not in said, f"the server stumbled, the last time so:\n{said[-1500:]}"


def first_address(process: subprocess.Popen) -> str | None:
    """Read the server's output up to its address; None if it ended without one."""
    for line in process.stdout:
        if found := ADDRESS.search(line):
            return found.group()
    return None


def end(process: subprocess.Popen) -> None:
    """Ask the server to stop; insist if it does not."""
    process.terminate()
    try:
        process.wait(30)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
