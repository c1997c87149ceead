"""GET /metrics: what it counts, and who may see it."""

from __future__ import annotations

import asyncio

import pytest
from starlette.testclient import TestClient

from app.main import create_app
from app.metrics import Metrics
from app.sandbox.pool import Busy, Pool
from app.settings import Settings
from tests.web.conftest import CannedChecker, CannedPool

MINE = ("127.0.0.1", 5000)
STRANGER = ("203.0.113.9", 5000)


def numbers(text: str) -> dict[str, float]:
    """Return Prometheus' text as a table."""
    lines = (line.rsplit(" ", 1) for line in text.splitlines() if line and not line.startswith("#"))
    return {name: float(value) for name, value in lines}


def seen(who: str, client: tuple[str, int], **headers: str) -> int:
    """Return the status that a client gets."""
    app = create_app(Settings(metrics=who), CannedPool(), CannedChecker())
    return TestClient(app, client=client).get("/metrics", headers=headers).status_code


@pytest.mark.parametrize(
    ("who", "client", "status"),
    [
        ("loopback", MINE, 200),
        ("loopback", ("::1", 1), 200),
        ("loopback", STRANGER, 404),
        ("loopback", ("testclient", 1), 404),
        ("everyone", STRANGER, 200),
        ("nobody", MINE, 404),
    ],
)
def test_who_may_see_the_numbers_is_a_setting(who, client, status):
    assert seen(who, client) == status


@pytest.mark.parametrize("header", ["X-Forwarded-For", "Forwarded", "X-Real-IP"])
def test_what_a_proxy_on_this_machine_passes_on_does_not_come_from_this_machine(header):
    assert seen("loopback", MINE, **{header: "127.0.0.1"}) == 404


def test_refusals_and_checks_are_counted():
    pool = CannedPool()
    app = create_app(Settings(), pool, CannedChecker())
    with TestClient(app, client=MINE) as client:
        client.post("/api/traces/check", content=b"{}")
        pool.error = Busy(1)
        client.post("/api/traces", json={"code": ""})
        answer = client.get("/metrics")
    told = numbers(answer.text)
    assert answer.headers["content-type"].startswith("text/plain; version=")
    assert told['gradstep_refusals_total{status="503"}'] == 1
    assert told['gradstep_checks_total{found="holds"}'] == 1
    assert told["gradstep_runs_waiting"] == told["gradstep_workers"] == 0


def test_runs_are_counted_by_outcome_with_the_time_to_their_first_row():
    async def use() -> dict[str, float]:
        async with Pool(size=1) as pool:
            metrics = Metrics(pool)
            for source in ("print(1)", "1 / 0", "import os", "print(２)"):
                await pool.run(source)
            return numbers(metrics.text().decode())

    told = asyncio.run(use())
    runs = {
        name: told[f'gradstep_runs_total{{outcome="{name}"}}'] for name in ("finished", "error", "refused")
    }
    assert runs == {"finished": 2, "error": 1, "refused": 1}
    assert told["gradstep_first_row_seconds_count"] == told["gradstep_run_seconds_count"] == 4
    assert 0 < told["gradstep_first_row_seconds_sum"] <= told["gradstep_run_seconds_sum"]
    assert told["gradstep_workers"] == 1


def test_a_strangers_word_for_a_limit_makes_no_series_of_its_own():
    metrics = Metrics(CannedPool())
    before = len(numbers(metrics.text().decode()))
    for k in range(50):
        metrics.ran({"kind": "limit", "limit": f"mine{k}"}, 0.1, None)
    told = numbers(metrics.text().decode())
    assert len(told) == before and told['gradstep_runs_total{outcome="limit_crash"}'] == 50
