"""Checks traces in processes of their own, behind the wall of the programs that made them."""

from __future__ import annotations

import logging
from typing import Any

from app.sandbox import protocol
from app.sandbox.assemble import Ending
from app.sandbox.limits import MIB, Limits
from app.sandbox.pool import Pool

MEMORY = 1024 * MIB  # bytes of address space for one check: a trace takes ten times its size as objects
ANSWER = MIB  # bytes that a check may send
WAITING = 32  # traces that may wait for a free process
NOTHING = {"checked": 0, "of": 0, "rows": 0, "given": [], "problems": []}
SAID = {"time": "time", "stuck": "time", "memory": "memory"}  # how a process ended → why its check stopped

log = logging.getLogger("gradstep.sandbox")


class Checker:
    """Derives traces again, `size` at a time."""

    def __init__(self, seconds: float, size: int = 1, *, forks: bool | None = None) -> None:
        limits = Limits(wall=seconds, cpu=int(seconds) + 2, memory=MEMORY, trace=ANSWER)
        self.pool = Pool(limits, size, WAITING, forks=forks, work="check")

    async def start(self) -> None:
        """Start the processes. Raises Unavailable."""
        await self.pool.start()

    async def close(self) -> None:
        """End the processes."""
        await self.pool.close()

    async def check(self, trace: bytes) -> dict[str, Any]:
        """Return what a check found, and in `stopped` why it ended early. Raises Busy or Unavailable."""
        _, stream, ending = await self.pool.converse(trace)
        return read(stream, ending)


def read(stream: bytes, ending: Ending) -> dict[str, Any]:
    """Return what a process has told, or why it could not."""
    try:
        for kind, payload in protocol.split(stream):
            told = protocol.load(payload)
            if kind == protocol.LAST and type(told) is dict:
                return told
    except protocol.ProtocolError:
        pass
    log.warning("a check was lost (%s)", ending.how)
    return {**NOTHING, "stopped": SAID.get(ending.how, "crash")}
