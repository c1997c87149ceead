"""Programs in `programs/*.txt`, and beside each what PyTorch 2.13 printed: run ours, compare the text.

`python tests/engine/nn/recordings.py` under a Python that has PyTorch writes all recordings anew.
"""

from __future__ import annotations

import builtins
import contextlib
import contextvars
import io
import re
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

ROOMS = ("nn", "optim", "numeric", "distributions", "transforms", "functions")
FOLDERS = tuple(Path(__file__).parents[1] / room / "programs" for room in ROOMS)


def programs(room: str) -> list[Path]:
    """Return the programs of one of the rooms."""
    return sorted(path for folder in FOLDERS if folder.parent.name == room for path in folder.glob("*.txt"))


def recording(program: Path) -> Path:
    """Return the file that holds what PyTorch printed."""
    return program.with_suffix(".out")


def printed(program: Path, names: Mapping[str, Any] | None = None) -> str:
    """Run a program and return what it printed, object addresses hidden; `names` replace the built-ins."""
    out = io.StringIO()
    code = compile(program.read_text(encoding="utf-8"), str(program), "exec", dont_inherit=True)
    with contextlib.redirect_stdout(out), warnings.catch_warnings():
        exec(code, {"__name__": "__main__", "__builtins__": dict(names or vars(builtins))})
    return re.sub(r"0x[0-9a-f]{6,}", "0x…", out.getvalue())


def printed_by_ours(program: Path) -> str:
    """Run a program with our engine in the place of PyTorch, and return what it printed."""
    from engine import facade
    from engine.trace.run import importer

    names = {**vars(builtins), "__import__": importer(facade.modules())}
    return contextvars.copy_context().run(printed, program, names)


if __name__ == "__main__":
    for path in (p for room in ROOMS for p in programs(room)):
        recording(path).write_text(printed(path), encoding="utf-8")
        print(path.name)
