"""`python -m tests.bench`: our engine against the floor (the same NumPy calls, no graph) and others.

Each piece of work is run in rounds, all engines in turn within a round, and the median round counts.
`micrograd`, HIPS `autograd` and `torch` take part if they are installed.
"""

from __future__ import annotations

import importlib.util
import os
import statistics
import sys
import time

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_name] = "1"  # before NumPy is loaded: one thread for everybody

from tests.bench import work  # noqa: E402

ROUNDS = 9


def timed(task) -> float:
    """Return the CPU seconds of one run."""
    start = time.process_time()
    task()
    return time.process_time() - start


def measured(tasks: dict) -> dict[str, float]:
    """Return each engine's median over the rounds; every round runs them all."""
    for task in tasks.values():
        task()
    rounds = {name: [] for name in tasks}
    for _ in range(ROUNDS):
        for name, task in tasks.items():
            rounds[name].append(timed(task))
    return {name: statistics.median(found) for name, found in rounds.items()}


def main() -> None:
    """Print one line per piece of work: milliseconds of the floor, and every engine's ratio to it."""
    others = [name for name in ("micrograd", "autograd", "torch") if importlib.util.find_spec(name)]
    print(f"Python {sys.version.split()[0]}; also here: {', '.join(others) or 'no other engine'}")
    print("ratios to the floor (CPU time, median of", ROUNDS, "rounds)")
    for title, make in work.WORK.items():
        found = measured(make(others))
        floor = found.pop("floor")
        line = "  ".join(f"{name} {seconds / floor:6.2f}x" for name, seconds in found.items())
        print(f"{title:42} floor {floor * 1e3:8.3f} ms   {line}")


if __name__ == "__main__":
    main()
