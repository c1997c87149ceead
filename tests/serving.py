"""A server of the tests' own on the loopback address: a process that listens, and the address it told."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


@contextmanager
def served(**settings: object) -> Iterator[tuple[str, int]]:
    """Serve while inside; give address and process id. Settings are those of GRADSTEP_, in small letters."""
    chosen = {f"GRADSTEP_{name.upper()}": str(value) for name, value in settings.items()}
    process = subprocess.Popen(
        [sys.executable, "-m", "app", "serve", "--port", "0"],
        cwd=ROOT, env={**os.environ, **chosen}, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        line = process.stdout.readline()
        yield next(word for word in line.split() if word.startswith("http://127.0.0.1:")), process.pid
    finally:
        process.terminate()
        try:
            process.wait(20)
        finally:
            process.kill()
            process.wait()
            process.stdout.close()
