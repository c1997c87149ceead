"""A client of the application; its pool runs nothing and answers with a trace written by hand."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import orjson
import pytest
from starlette.testclient import TestClient

from app.main import create_app
from app.settings import Settings
from tests.layout.test_dot import two_paths

GAP = {"kind": "node_ran", "reason": "large", "subject": "MmBackward0", "detail": "", "count": 1, "row": 4}


class CannedPool:
    """Answers every program alike, or raises; remembers what it was given."""

    def __init__(self) -> None:
        self.trace = orjson.dumps(two_paths().trace)
        self.error: Exception | None = None
        self.sources: list[str] = []
        self.options: list[dict] = []
        self.started = self.closed = False
        self.waiting, self.workers = 0, ()
        self.on_run = lambda outcome, seconds, first: None
        self.gate: asyncio.Event | None = None
        self.told: object = {"found": False}

    async def start(self) -> None:
        """Note that the application started."""
        self.started = True

    async def close(self) -> None:
        """Note that the application ended."""
        self.closed = True

    async def run(self, source: str, options: dict) -> bytes:
        """Answer, once the gate is open if there is one."""
        self.sources.append(source)
        self.options.append(options)
        if self.gate is not None:
            await self.gate.wait()
        if self.error is not None:
            raise self.error
        return self.trace

    async def ask(self, source: str, options: dict, question: dict) -> object:
        """Answer a question, or raise."""
        self.sources.append(source)
        self.options.append({**options, "ask": question})
        if self.error is not None:
            raise self.error
        return self.told


class CannedChecker:
    """Answers every trace alike, or raises; remembers what it was given."""

    def __init__(self) -> None:
        self.answer = {"checked": 2, "of": 3, "rows": 5, "given": [GAP], "problems": [], "stopped": None}
        self.error: Exception | None = None
        self.traces: list[bytes] = []
        self.gate: asyncio.Event | None = None
        self.cancelled = False

    async def start(self) -> None:
        """Start nothing."""

    async def close(self) -> None:
        """End nothing."""

    async def check(self, trace: bytes) -> dict:
        """Answer, once the gate is open if there is one."""
        self.traces.append(trace)
        try:
            if self.gate is not None:
                await self.gate.wait()
        except asyncio.CancelledError:
            self.cancelled = True
            raise
        if self.error is not None:
            raise self.error
        return self.answer


@pytest.fixture
def checker() -> CannedChecker:
    """The checker behind `client`."""
    return CannedChecker()


@pytest.fixture
def pool() -> CannedPool:
    """The pool behind `client`."""
    return CannedPool()


@pytest.fixture
def client(pool: CannedPool, checker: CannedChecker) -> Iterator[TestClient]:
    """A client of an application that lives as long as the test."""
    with TestClient(create_app(Settings(), pool, checker), raise_server_exceptions=False) as running:
        yield running
