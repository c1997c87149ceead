"""Sizes rather than times: bytes a row of a trace, and how a chain of 100,000 operations behaves."""

from __future__ import annotations

import gc
import gzip
import time
import tracemalloc

import orjson

from engine import events, facade
from engine.trace.recorder import Recorder
from engine.trace.spans import SNIPPET
from tests.bench.engines import LEFT_OUT, WORK, boundless, snippet
from tests.bench.programs import chain

LONG, SHORT = 100_000, 10_000


def print_all(works: list[str]) -> None:
    """Print both."""
    print(
        "\nThe trace as JSON: bytes a row after gzip, the rows alone, and with the values, tensors and nodes"
    )
    for work in works:
        if work not in LEFT_OUT["recorded"]:
            rows, alone, whole = trace_size(work)
            print(f"{WORK[work]:40}{rows:>9,} rows {alone / rows:>9.1f} {whole / rows:>9.1f}")
    print("\nA chain of 100,000 operations")
    ratio, kept, held = long_chain()
    print(f"time against one of 10,000: {ratio:.1f}x (10 is linear)")
    print(f"memory: {held / 1e6:.1f} MB held by the graph, {kept / 1e3:.1f} kB left after del")


def trace_size(work: str) -> tuple[int, int, int]:
    """Return a trace's number of rows, their bytes after gzip, and those of the whole trace."""
    text, names = snippet(work), {}
    recorder = Recorder(text, boundless())
    with events.observed_by(recorder):
        exec(compile(text, SNIPPET, "exec", dont_inherit=True), names)
        names[work](facade.modules()["torch"])()
    trace = recorder.trace({"kind": "finished"})
    sizes = [len(gzip.compress(orjson.dumps(part), 6, mtime=0)) for part in (trace["rows"], trace)]
    return len(trace["rows"]), *sizes


def long_chain() -> tuple[float, int, int]:
    """Return the long chain's time by the short one's, the bytes left after `del`, the bytes held."""
    torch = facade.modules()["torch"]

    def seconds(length: int) -> float:
        run = chain(torch, length)
        gc.collect()
        start = time.process_time()
        run()
        return time.process_time() - start

    seconds(SHORT)
    ratio = min(seconds(LONG) for _ in range(3)) / min(seconds(SHORT) for _ in range(3))
    x = torch.tensor([1.0], requires_grad=True)
    gc.collect()
    tracemalloc.start()
    y = x
    for _ in range(LONG):
        y = y * 1.0
    held = tracemalloc.get_traced_memory()[0]
    del y
    gc.collect()
    kept = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    return ratio, kept, held
