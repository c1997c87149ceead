"""Runs `python -m engine.observe` on recorded cases, in worker processes, and says what differs."""

from __future__ import annotations

import contextlib
import io
import json
import multiprocessing
import runpy
import sys
from pathlib import Path

from tests.oracle.agreement import GROUPS, Differences, differences

CASES = Path(__file__).parent / "cases"
ALL = sorted(path.stem for path in CASES.glob("*.json"))
WORKERS = 2
HANG = 120  # seconds after which a run counts as hung


def observe_all() -> dict[str, Differences]:
    """Run every case, each in a process of its own; return what differs, case by case."""
    methods = multiprocessing.get_all_start_methods()
    context = multiprocessing.get_context("forkserver" if "forkserver" in methods else "spawn")
    if context.get_start_method() == "forkserver":
        context.set_forkserver_preload(["numpy", "engine.facade"])
    with context.Pool(WORKERS, maxtasksperchild=1) as pool:
        waiting = {name: pool.apply_async(disagreement, (name,)) for name in ALL}
        return {name: job.get(timeout=HANG) for name, job in waiting.items()}


def disagreement(name: str) -> Differences:
    """Observe one case in this process; return only the groups that differ."""
    out, sys.argv = io.StringIO(), ["engine.observe", str(CASES / f"{name}.py")]
    try:
        with contextlib.redirect_stdout(out):
            runpy.run_module("engine.observe", run_name="__main__", alter_sys=True)
    except SystemExit:
        pass
    except BaseException as failure:  # a crash of ours is a difference, not the end of the comparison
        return {group: [f"engine.observe raised {failure!r}"] for group in GROUPS}
    try:
        got = json.loads(out.getvalue())
    except json.JSONDecodeError:
        return {group: ["engine.observe printed no observation"] for group in GROUPS}
    want = json.loads((CASES / f"{name}.json").read_text(encoding="utf-8"))
    return {group: found for group, found in differences(want, got).items() if found}
