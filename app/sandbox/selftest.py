"""What this operating system really gives: tries to break out of a locked-down child, and reports.

`capabilities()` asks a process of its own, so that the server neither forks nor locks itself down.
"""

from __future__ import annotations

import functools
import json
import mmap
import os
import select
import signal
import socket
import subprocess
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from typing import Any

from app.sandbox import launch, lockdown
from app.sandbox.limits import MIB, Limits

PATIENCE = 0.2  # seconds a probe may take before it is killed
SMALL = replace(Limits(), memory=256 * MIB)


@dataclass(frozen=True, slots=True)
class Capabilities:
    """The isolation here: "full" if nothing got out, and what is missing otherwise."""

    level: str
    missing: tuple[str, ...]
    walls: tuple[str, ...]


@functools.cache
def capabilities() -> Capabilities:
    """Return what the walls hold on this system, tried once per process."""
    if not lockdown.can_fork():
        return Capabilities("partial", tuple(PROBES), ())
    done = subprocess.run(
        launch.command("app.sandbox.selftest", "report"),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        env=launch.environment(),
        timeout=30,
        check=True,
    )
    found = json.loads(done.stdout)
    return Capabilities(found["level"], tuple(found["missing"]), tuple(found["walls"]))


def isolation() -> str:
    """Return "full" or "partial": with the latter a server should listen on the loopback address only."""
    return capabilities().level


# ----- in the process of its own -----
def report(_: Any = None) -> None:
    """Try every probe and print what was found."""
    missing = tuple(name for name, probe in PROBES.items() if not held(probe))
    walls = ["resource limits", "no new privileges"]
    if lockdown.landlock_version():
        walls.append(f"Landlock {lockdown.landlock_version()}")
    if lockdown.has_seccomp():
        walls.append("seccomp")
    found = Capabilities("partial" if missing else "full", missing, tuple(walls))
    print(json.dumps(asdict(found)))


def held(probe: Callable[[], Any]) -> bool:
    """Return whether a locked-down child that tries `probe` is refused, killed or has to be."""
    reader, writer = os.pipe()
    parent = os.getpid()
    child = os.fork()
    if child == 0:
        _attempt(probe, writer, parent)
    os.close(writer)
    answer = _answer(reader)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    os.close(reader)
    return answer == b"locked"


def _attempt(probe: Callable[[], Any], writer: int, parent: int) -> None:
    try:
        lockdown.confine(writer, writer, parent, SMALL)
        os.write(writer, b"locked")
        probe()
        os.write(writer, b" but escaped")
    except (OSError, MemoryError, RuntimeError):
        pass  # refused, as it should be
    finally:
        os._exit(0)


def _answer(reader: int) -> bytes:
    """Read what the child wrote until it ends or its time is over."""
    deadline = time.monotonic() + PATIENCE
    text = b""
    while (left := deadline - time.monotonic()) > 0 and select.select([reader], [], [], left)[0]:
        part = os.read(reader, 64)
        if not part:
            break
        text += part
    return text


def _executable_memory() -> None:
    mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)


PROBES: dict[str, Callable[[], Any]] = {
    "reading files": lambda: open("/etc/passwd"),
    "listing directories": lambda: os.listdir("/"),
    "looking at files": lambda: os.stat("/"),
    "sockets": lambda: socket.socket(),
    "socket pairs": lambda: socket.socketpair(),
    "forking": lambda: os.fork(),
    "starting programs": lambda: os.execv("/bin/sh", ["sh", "-c", "exit"]),
    "signals to the parent": lambda: os.kill(os.getppid(), 0),
    "becoming root": lambda: os.setuid(0),
    "writing to other descriptors": lambda: os.write(1, b"x"),
    "executable memory": _executable_memory,
    "a gigabyte of memory": lambda: bytearray(1 << 30),
    "raising its limits": lambda: lockdown.resource.setrlimit(lockdown.resource.RLIMIT_CPU, (99, 99)),
}

if __name__ == "__main__":
    report()
