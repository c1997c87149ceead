"""`python -m tests.trace.golden` writes the golden traces anew: Python writes them, JavaScript folds them."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from app.sandbox.child import stand_ins
from app.sandbox.child.stand_ins import said
from engine import facade
from engine.trace.run import trace_source
from tests.trace.programs import LIMITS, PROGRAMS

FOLDER = Path(__file__).parent / "golden"


def golden(name: str) -> dict:
    """Return the trace of one program."""
    world = elsewhere() if name == "elsewhere" else {}
    return trace_source(PROGRAMS[name], limits=LIMITS.get(name), **world)


def elsewhere() -> dict[str, Any]:
    """Return a world in which packages that are not here are stood in for, as in the sandbox."""
    said.begin()
    absent, at_end = stand_ins.modules(lambda title, names: SimpleNamespace(**names))
    return {"modules": facade.modules() | absent, "at_end": at_end}


def text(trace: dict) -> str:
    """Return a trace as JSON for reading: a line for every row and every entry of a table."""
    parts = []
    for key, value in trace.items():
        head = f"{dump(key)}: "
        if isinstance(value, list):
            parts.append(head + "[\n" + ",\n".join(f"  {dump(row)}" for row in value) + "\n ]")
        elif isinstance(value, dict) and key != "outcome" and value:
            parts.append(
                head + "{\n" + ",\n".join(f"  {dump(k)}: {dump(v)}" for k, v in value.items()) + "\n }"
            )
        else:
            parts.append(head + dump(value))
    return "{\n " + ",\n ".join(parts) + "\n}\n"


def dump(value: object) -> str:
    """Return strict JSON on one line."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name in PROGRAMS:
        (FOLDER / f"{name}.json").write_text(text(golden(name)), encoding="utf-8")
