"""The runs of lessons' programs, each made once and kept: the bytes for the page, the trace for its text."""

from __future__ import annotations

import asyncio
import hashlib
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import orjson

from app.lessons.run import Run

MOST = 256  # runs that are kept; the course has fewer


@dataclass(frozen=True, slots=True)
class Played:
    """One run: the answer that a page plays, its mark for caches, its trace to ask facts of."""

    body: bytes
    etag: str
    run: Run


class Runs:
    """Makes runs when they are first asked for. `make` returns what POST /api/traces would answer."""

    def __init__(self, make: Callable[[str], Awaitable[bytes]]) -> None:
        self.make = make
        self.kept: OrderedDict[str, asyncio.Future[Played]] = OrderedDict()

    async def of(self, source: str) -> Played:
        """Return the run of a program. Raises what running it raises; then nothing is kept."""
        if source not in self.kept:
            self.kept[source] = asyncio.ensure_future(self.play(source))
            while len(self.kept) > MOST:
                self.kept.popitem(last=False)
        self.kept.move_to_end(source)
        future = self.kept[source]
        try:
            return await asyncio.shield(future)
        except Exception:
            if self.kept.get(source) is future:
                del self.kept[source]
            raise

    async def play(self, source: str) -> Played:
        """Run a program."""
        body = await self.make(source)
        run = await asyncio.to_thread(lambda: Run(orjson.loads(body)["trace"]))
        return Played(body, f'"{hashlib.sha256(body).hexdigest()[:20]}"', run)
