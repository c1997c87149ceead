"""What a request may be before anything is done with it: its size, its JSON, its sender. Runs nothing."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from ipaddress import ip_address, ip_network
from typing import Any, TypeVar

import orjson
from pydantic import BaseModel, ValidationError
from starlette.requests import Request

from app.problems import Left, Problem
from app.settings import Settings

T = TypeVar("T")
SOON = 1  # seconds until a client with too many runs may try again


async def read_body(request: Request, limit: int) -> bytes:
    """Return a request's body, or refuse it as soon as it is too long."""
    body = bytearray()
    if int_or_zero(request.headers.get("content-length")) > limit:
        raise Problem(413, limit=limit)
    async for chunk in request.stream():
        body += chunk
        if len(body) > limit:
            raise Problem(413, limit=limit)
    return bytes(body)


async def read_json(request: Request, model: type[BaseModel], limit: int) -> BaseModel:
    """Return a request's body as `model`, or refuse it: too long, no JSON, or not of that shape."""
    try:
        data = orjson.loads(await read_body(request, limit))
    except orjson.JSONDecodeError as error:
        raise Problem(400, errors=[{"at": "body", "message": str(error)}]) from None
    try:
        return model.model_validate(data, strict=True)
    except ValidationError as error:
        told = [{"at": ".".join(map(str, ("body", *e["loc"]))), "message": e["msg"]} for e in error.errors()]
        raise Problem(422, errors=told) from None


def check_code(code: str, settings: Settings) -> str:
    """Return a program that is not too long."""
    if len(code.encode("utf-8", "surrogatepass")) > settings.limits.source:
        raise Problem(413, limit=settings.limits.source)
    return code


def refuse_other_sites(request: Request) -> None:
    """Refuse a request that a page of another site sent: it would run programs on a reader's machine."""
    if request.headers.get("sec-fetch-site") == "cross-site":
        raise Problem(403)


async def while_wanted(request: Request, work: Coroutine[Any, Any, T]) -> T:
    """Return what `work` gives; end it when whoever asked has gone. Raises Left."""
    task = asyncio.ensure_future(work)
    leaving = asyncio.ensure_future(gone(request))
    try:
        await asyncio.wait((task, leaving), return_when=asyncio.FIRST_COMPLETED)
        if not task.done():
            raise Left
        return task.result()
    finally:
        task.cancel()
        leaving.cancel()
        await asyncio.gather(task, leaving, return_exceptions=True)


async def gone(request: Request) -> None:
    """Wait until the sender of a request, whose body has been read, closes the connection."""
    while (await request.receive())["type"] != "http.disconnect":
        pass


def int_or_zero(text: str | None) -> int:
    """Return a header's number; what is no number says nothing."""
    return int(text) if text and text.isdigit() else 0


def sender_of(request: Request) -> str:
    """Return whose runs are counted together: an address, or the whole /64 that an IPv6 client has."""
    try:
        found = ip_address(request.client.host if request.client else "")
    except ValueError:
        return "unknown"
    if found.version == 4:
        return str(found)
    mapped = found.ipv4_mapped
    return str(mapped) if mapped else str(ip_network((int(found) >> 64 << 64, 64)))


class Clients:
    """How many runs each address has at the moment, and how many of them may be under way at once.

    The others of an address wait in its own lane, so that its endless loops never hold every worker.
    """

    def __init__(self, most: int, lanes: int) -> None:
        self._most = most
        self._lanes = max(1, lanes)
        self._runs: Counter[str] = Counter()
        self._gates: dict[str, asyncio.Semaphore] = {}

    @asynccontextmanager
    async def run_of(self, request: Request) -> AsyncIterator[None]:
        """Let a run of the request's sender begin when it is its turn; refuse one too many."""
        address = sender_of(request)
        if self._runs[address] >= self._most:
            raise Problem(429, retry_after=SOON)
        self._runs[address] += 1
        gate = self._gates.setdefault(address, asyncio.Semaphore(self._lanes))
        try:
            async with gate:
                yield
        finally:
            self._runs[address] -= 1
            if not self._runs[address]:
                del self._runs[address], self._gates[address]
