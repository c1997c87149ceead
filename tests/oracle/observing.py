"""Runs `python -m engine.observe` on recorded cases, each in a process of its own, and says what differs."""

from __future__ import annotations

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.oracle.agreement import GROUPS, Differences, differences

CASES = Path(__file__).parent / "cases"
ROOT = Path(__file__).parents[2]
ALL = sorted(path.stem for path in CASES.glob("*.json"))
WORKERS = 2
HANG = 300  # seconds after which a run counts as hung


def observe_all() -> dict[str, Differences]:
    """Run every case; return what differs, case by case."""
    with ThreadPoolExecutor(WORKERS) as pool:
        return dict(zip(ALL, pool.map(disagreement, ALL), strict=True))


def disagreement(name: str) -> Differences:
    """Observe one case; return only the groups that differ. A crash of ours differs in all of them."""
    command = [sys.executable, "-m", "engine.observe", str(CASES / f"{name}.py")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=HANG)
    want = json.loads((CASES / f"{name}.json").read_text(encoding="utf-8"))
    try:
        got = json.loads(done.stdout)
    except json.JSONDecodeError:
        return {group: [f"no observation: {(done.stderr or done.stdout)[-300:]}"] for group in GROUPS}
    return {group: found for group, found in differences(want, got).items() if found}
