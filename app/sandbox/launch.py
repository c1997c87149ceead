"""How a process of the sandbox is started: this interpreter, an empty environment, nothing inherited."""

from __future__ import annotations

import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

# -s -P: no user directory and no working directory on the import path (-I would ignore PYTHONHASHSEED)
BOOT = """import sys; sys.path.insert(0, {root!r})
from {module} import {function} as start; start(sys.argv[1])"""


def command(module: str, function: str, argument: str = "") -> list[str]:
    """Return the command line that calls `module.function(argument)` in a fresh interpreter."""
    code = BOOT.format(root=str(ROOT), module=module, function=function)
    return [sys.executable, "-s", "-P", "-c", code, argument]


def environment() -> dict[str, str]:
    """Return the whole environment of a worker: one thread, one hash seed, and what the system insists on."""
    kept = {name: os.getenv(name) for name in ("SYSTEMROOT", "SYSTEMDRIVE")}  # Windows cannot do without
    return {name: value for name, value in kept.items() if value} | {
        "PATH": os.defpath,
        "OPENBLAS_NUM_THREADS": "1",
        "OMP_NUM_THREADS": "1",
        "VECLIB_MAXIMUM_THREADS": "1",
        "PYTHONHASHSEED": "0",
        "LC_ALL": "C.UTF-8",
    }
