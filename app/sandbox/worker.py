"""One process of the pool and the conversation with it. Knows no queue, and does not trust the answers."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import time
from dataclasses import asdict
from typing import Any

from app.sandbox import launch, protocol
from app.sandbox.assemble import Ending
from app.sandbox.limits import Limits

START = 30.0  # seconds a process may take to warm up
GENTLY = 1.0  # seconds in which a process whose input has ended should be gone
MARGIN = 2.0  # seconds after the hard limit at which a warm parent that is silent counts as dead


class Died(Exception):
    """The worker itself is gone, or does not answer: its run says nothing about the program."""


class Gone(Died):
    """The worker has ended: somebody killed it, before the run or in the middle of it."""


class Worker:
    """A warm parent that forks for each run, or a process for one run only."""

    def __init__(self, process: asyncio.subprocess.Process, limits: Limits, forks: bool) -> None:
        self.process, self.limits, self.forks = process, limits, forks
        self.head: dict[str, Any] = {}
        self.runs = 0
        self.idle = False  # waits for a run, and may be given one

    @classmethod
    async def start(cls, limits: Limits, forks: bool, work: str) -> Worker:
        """Start a process that does this `work`, and wait until it is warm. Raises Died."""
        module = "app.sandbox.child.zygote" if forks else "app.sandbox.child.lone"
        process = await asyncio.create_subprocess_exec(
            *launch.command(module, "main", json.dumps({"work": work, "limits": asdict(limits)})),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            env=launch.environment(),
            cwd=os.path.abspath(os.sep),
            start_new_session=True,
        )
        worker = cls(process, limits, forks)
        try:
            async with asyncio.timeout(START):
                kind, payload = await worker._frame()
            worker.head = protocol.load(payload)
            if kind != protocol.READY or type(worker.head) is not dict:
                raise protocol.ProtocolError("not ready")
        except (TimeoutError, EOFError, ConnectionError, protocol.ProtocolError) as error:
            await worker.stop()
            raise Died(f"a sandbox process did not start: {error!r}") from error
        except BaseException:
            await worker.stop(at_once=True)
            raise
        return worker

    @property
    def pid(self) -> int:
        """Return the process id."""
        return self.process.pid

    async def run(self, job: bytes) -> tuple[bytes, Ending]:
        """Do one job; return what its child sent and how it ended. Raises Died."""
        self.runs += 1
        stream = bytearray()
        try:
            async with asyncio.timeout(self.limits.hard + (MARGIN if self.forks else 0)):
                self.process.stdin.write(protocol.frame(protocol.JOB, job))
                await self.process.stdin.drain()
                ending = await self._listen(stream)
        except TimeoutError:
            await self.stop(at_once=True)
            if self.forks:
                raise Died("a warm parent does not answer") from None
            ending = Ending("stuck")
        except (EOFError, ConnectionError, protocol.ProtocolError) as error:
            await self.stop()
            if self.forks:
                raise Gone("a warm parent is gone") from error
            ending = Ending(_how(self.process.returncode))
        return bytes(stream), ending

    async def _listen(self, stream: bytearray) -> Ending:
        """Collect a child's stream until its parent says how it ended."""
        first = None
        while True:
            kind, payload = await self._frame()
            if kind == protocol.CHUNK:
                stream += payload
                if first is None and protocol.has_rows(stream):
                    first = time.monotonic()
                if len(stream) > 3 * self.limits.trace:
                    raise protocol.ProtocolError("too much")
            elif kind == protocol.ENDED:
                told = protocol.load(payload)
                return Ending(told["how"], told["line"], told["milliseconds"], first)

    async def _frame(self) -> tuple[bytes, bytes]:
        header = await self.process.stdout.readexactly(protocol.HEADER.size)
        kind, length = protocol.HEADER.unpack(header)
        if length > protocol.MAX_FRAME:
            raise protocol.ProtocolError(f"a frame of {length} bytes")
        return kind, await self.process.stdout.readexactly(length)

    def cancel(self) -> None:
        """Ask for the end of the present run; its `run` then returns soon."""
        if self.forks and not self.process.stdin.is_closing():
            self.process.stdin.write(protocol.frame(protocol.CANCEL))
        elif not self.forks:
            self._kill()

    async def stop(self, at_once: bool = False) -> None:
        """End the process, and with it its child. Leaves neither a zombie nor an open pipe.

        A process that ends by itself is only waited for: a signal would race with its being reaped.
        """
        self.process.stdin.close()
        if not at_once:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(GENTLY):
                    return await self._gone()
        self._kill()
        await self._gone()

    async def _gone(self) -> None:
        with contextlib.suppress(ConnectionError):
            while await self.process.stdout.read(1 << 20):
                pass
        await self.process.wait()
        with contextlib.suppress(ConnectionError):
            await self.process.stdin.wait_closed()

    def _kill(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            self.process.kill()


def _how(code: int | None) -> str:
    """Return how a process for one run ended, from its exit code."""
    if code == 0:
        return "exit"
    return "time" if code == -getattr(signal, "SIGXCPU", 0) else "crash"
