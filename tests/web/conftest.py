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


class CannedPool:
    """Answers every program alike, or raises; remembers what it was given."""

    def __init__(self) -> None:
        self.trace = orjson.dumps(two_paths().trace)
        self.error: Exception | None = None
        self.sources: list[str] = []
        self.started = self.closed = False
        self.gate: asyncio.Event | None = None

    async def start(self) -> None:
        """Note that the application started."""
        self.started = True

    async def close(self) -> None:
        """Note that the application ended."""
        self.closed = True

    async def run(self, source: str, options: dict) -> bytes:
        """Answer, once the gate is open if there is one."""
        self.sources.append(source)
        if self.gate is not None:
            await self.gate.wait()
        if self.error is not None:
            raise self.error
        return self.trace


@pytest.fixture
def pool() -> CannedPool:
    """The pool behind `client`."""
    return CannedPool()


@pytest.fixture
def client(pool: CannedPool) -> Iterator[TestClient]:
    """A client of an application that lives as long as the test."""
    with TestClient(create_app(Settings(), pool), raise_server_exceptions=False) as running:
        yield running
