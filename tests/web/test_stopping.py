"""Who closes the connection ends the run: its child is gone long before any limit, its place is free."""

from __future__ import annotations

import time

import anyio
import httpx
import pytest
from starlette.testclient import TestClient

from app.main import create_app
from app.settings import Settings
from tests.serving import served
from tests.web.conftest import CannedPool

LONG = 60  # seconds; far more than the test may take
ENDLESS = {"code": "while True: pass"}
ADDRESS = "/api/traces"


def test_a_run_that_is_stopped_gives_its_only_worker_back_at_once():
    with (
        served(workers=1, limit_wall=LONG, limit_cpu=LONG) as (address, _),
        httpx.Client(base_url=address, timeout=LONG) as client,
    ):
        assert client.post(ADDRESS, json={"code": "1"}).status_code == 201
        for _ in range(3):
            with pytest.raises(httpx.ReadTimeout):
                client.post(ADDRESS, json=ENDLESS, timeout=httpx.Timeout(5, read=0.4))
        began = time.monotonic()
        answer = client.post(ADDRESS, json={"code": "print(6 * 7)"}).json()
        assert answer["trace"]["outcome"]["kind"] == "finished"
        assert time.monotonic() - began < LONG / 4
        assert 'gradstep_refusals_total{status="503"}' not in client.get("/metrics").text


def test_a_run_nobody_waits_for_is_ended_even_while_it_waits_for_its_turn():
    async def story() -> None:
        pool = CannedPool()
        pool.gate = anyio.Event()
        app = create_app(Settings(workers=2), pool)  # so one lane for each client
        transport = httpx.ASGITransport(app)
        async with app.router.lifespan_context(app), httpx.AsyncClient(transport=transport) as one:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(lambda: one.post(f"http://x{ADDRESS}", json={"code": "first"}))
                while not pool.sources:
                    await anyio.sleep(0)
                await app(*leaving(b'{"code": "second"}'))
                pool.gate.set()
            assert pool.sources == ["first"]
            assert (await one.post(f"http://x{ADDRESS}", json={"code": "third"})).status_code == 201

    anyio.run(story)


def leaving(body: bytes) -> tuple:
    """Return the ASGI arguments of a client that sends a body and goes."""
    messages = [{"type": "http.request", "body": body, "more_body": False}, {"type": "http.disconnect"}]
    scope = {
        "type": "http", "method": "POST", "scheme": "http", "path": ADDRESS, "query_string": b"",
        "headers": [], "client": ("127.0.0.1", 1), "state": {},
    }  # fmt: skip

    async def receive() -> dict:
        return messages.pop(0)

    async def send(message: dict) -> None:
        pass

    return scope, receive, send


def test_who_stays_gets_the_answer():
    with TestClient(create_app(Settings(), CannedPool())) as client:
        assert client.post(ADDRESS, json={"code": ""}).status_code == 201
