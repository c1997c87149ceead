"""DOT text to Graphviz's JSON by warm worker processes, within a time limit, each text once."""

from __future__ import annotations

import asyncio
import hashlib
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections import OrderedDict
from pathlib import Path

import orjson

from app.layout.worker import LENGTH

WORKER = Path(__file__).with_name("worker.py")
REMEMBERED = 512  # answers


class LayoutFailed(Exception):
    """Graphviz could not draw this in time, or at all."""


class Renderer:
    """A few workers, one drawing at a time each. A worker that is late is killed and replaced."""

    def __init__(self, size: int = 1) -> None:
        self._idle: asyncio.Queue[Process | None] = asyncio.Queue()
        self._size = size
        self._workers: set[Process] = set()
        self._known: OrderedDict[bytes, dict] = OrderedDict()

    async def start(self) -> None:
        """Start the workers."""
        for _ in range(self._size):
            self._idle.put_nowait(await self._spawn())

    async def close(self) -> None:
        """End the workers."""
        for worker in list(self._workers):
            await self._kill(worker)

    @property
    def ready(self) -> bool:
        """Say whether a worker is running."""
        return any(worker.returncode is None for worker in self._workers)

    async def render(self, dot: str, seconds: float) -> dict:
        """Return Graphviz's JSON for a DOT text, or raise LayoutFailed when `seconds` are over."""
        key = hashlib.sha256(dot.encode()).digest()
        if key in self._known:
            self._known.move_to_end(key)
            return self._known[key]
        try:
            async with asyncio.timeout(seconds):
                drawn = await self._ask(dot)
        except TimeoutError:
            raise LayoutFailed(f"no layout after {seconds:.1f} s") from None
        if not drawn:
            raise LayoutFailed("Graphviz drew nothing")
        self._known[key] = answer = orjson.loads(drawn)
        if len(self._known) > REMEMBERED:
            self._known.popitem(last=False)
        return answer

    async def _ask(self, dot: str) -> bytes:
        worker = await self._idle.get()
        answered = False
        try:
            if worker is None or worker.returncode is not None:
                worker = await self._spawn()
            drawn = await exchange(worker, dot.encode())
            answered = True
            return drawn
        except (asyncio.IncompleteReadError, ConnectionError):
            return b""
        finally:
            if not answered and worker is not None:
                await self._kill(worker)
                worker = None
            self._idle.put_nowait(worker)

    async def _spawn(self) -> Process:
        worker = await asyncio.create_subprocess_exec(
            sys.executable, "-P", str(WORKER), stdin=PIPE, stdout=PIPE, stderr=DEVNULL, start_new_session=True
        )
        self._workers.add(worker)
        return worker

    async def _kill(self, worker: Process) -> None:
        self._workers.discard(worker)
        if worker.returncode is None:
            worker.kill()
        await worker.wait()


async def exchange(worker: Process, request: bytes) -> bytes:
    """Send one request to a worker and return its answer."""
    worker.stdin.write(LENGTH.pack(len(request)) + request)
    await worker.stdin.drain()
    head = await worker.stdout.readexactly(LENGTH.size)
    return await worker.stdout.readexactly(LENGTH.unpack(head)[0])
