"""Measure engines side by side: each in its own process, in turn within every round; the median counts.

pyperf holds the samples, and keeps them in its own format for `python -m pyperf stats FILE`. Its runner is
not used: it measures one program after another, and a machine that grows busy in between changes the ratio.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pyperf

from tests.bench.engines import WORK, takes_part

ROOT = Path(__file__).resolve().parents[2]


class Child:
    """An engine in a process of its own."""

    def __init__(self, engine: str, python: str) -> None:
        self.engine = engine
        command = [python, "-m", "tests.bench.child", engine]
        self.process = subprocess.Popen(
            command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def ask(self, what: str, work: str) -> dict:
        """Send one question and wait for its answer; a child that died raises RuntimeError."""
        self.process.stdin.write(json.dumps({what: work}) + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            raise RuntimeError(f"{self.engine} ended during {work!r}; what it said stands above")
        return json.loads(answer)

    def close(self) -> None:
        """Let the process end by itself."""
        self.process.stdin.close()
        self.process.wait()


@contextmanager
def children(engines: list[str], torch: str | None) -> Iterator[list[Child]]:
    """Start one process per engine; `torch` is the interpreter that has it, if it is not this one."""
    with ExitStack() as stack:
        started = []
        for engine in engines:
            started.append(Child(engine, torch if engine == "torch" and torch else sys.executable))
            stack.callback(started[-1].close)
        yield started


def measured(work: str, everybody: list[Child], rounds: int) -> dict[str, pyperf.Benchmark]:
    """Return every engine's samples of one piece of work."""
    part = [child for child in everybody if takes_part(child.engine, work)]
    loops = {child.engine: child.ask("prepare", work)["loops"] for child in part}
    samples: dict[str, list[float]] = {child.engine: [] for child in part}
    for _ in range(rounds):
        for child in part:
            samples[child.engine].append(child.ask("sample", work)["seconds"])
    return {name: benchmark(f"{WORK[work]}: {name}", found, loops[name]) for name, found in samples.items()}


def benchmark(name: str, values: list[float], loops: int) -> pyperf.Benchmark:
    """Return samples as pyperf holds them."""
    about = {"name": name, "unit": "second", "loops": loops, "timer": "process_time"}
    return pyperf.Benchmark([pyperf.Run(values, metadata=about, collect_metadata=False)])
