"""One engine in a process of its own: `python -m tests.bench.child ENGINE` answers a JSON line with another.

{"prepare": WORK} → {"loops": n}: how often one sample runs it.
{"sample": WORK} → {"seconds": s}: of CPU, for one run.
"""

from __future__ import annotations

import gc
import json
import math
import os
import sys
import time

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_name] = "1"  # before NumPy is loaded: one thread for everybody

from tests.bench import engines  # noqa: E402

SAMPLE = 0.02  # seconds that one sample takes at least
MOST = 1_000  # runs in one sample


def seconds(run: engines.Run, loops: int) -> float:
    """Return the CPU seconds of one run, measured over `loops` of them."""
    start = time.process_time()
    for _ in range(loops):
        run()
    return (time.process_time() - start) / loops


def main(engine: str) -> None:
    """Answer until the parent closes the pipe."""
    runs: dict[str, tuple[engines.Run, int]] = {}
    for line in sys.stdin:
        asked = json.loads(line)
        if "prepare" in asked:
            run = engines.run_of(engine, asked["prepare"])
            run()
            loops = min(max(math.ceil(SAMPLE / max(seconds(run, 2), 1e-9)), 1), MOST)
            runs = {asked["prepare"]: (run, loops)}  # the work before it is let go
            answer = {"loops": loops}
        else:
            gc.collect()
            answer = {"seconds": seconds(*runs[asked["sample"]])}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
