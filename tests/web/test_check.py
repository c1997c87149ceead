"""POST /api/traces/check: what goes to the checker as it came, what comes back, what is refused."""

from __future__ import annotations

import json

import anyio
import httpx
import pytest
from starlette.testclient import TestClient

from app.main import create_app
from app.sandbox.pool import Busy, Unavailable
from app.settings import Settings
from tests.web.conftest import GAP, CannedChecker, CannedPool
from tests.web.test_api import JSON, refused

ADDRESS = "/api/traces/check"
PROBLEM = {"row": 3, "claim": "edge_flowed.missing", "expected": "0", "found": "9"}


def test_a_trace_goes_to_the_checker_byte_by_byte(client, checker):
    body = b'{"trace": {"rows": [ ], "x": -0.0, "n": 9007199254740993}}'
    assert client.post(ADDRESS, content=body, headers=JSON).status_code == 200
    assert checker.traces == [body]


def test_the_answer_tells_what_was_checked_and_what_was_not(client):
    answer = client.post(ADDRESS, content=b"{}", headers=JSON)
    assert answer.json() == {
        "checked": 2, "of": 3, "rows": 5, "given": [GAP], "problems": [], "stopped": None
    }  # fmt: skip


def test_a_contradiction_is_told_with_its_row(client, checker):
    checker.answer = {**checker.answer, "problems": [PROBLEM]}
    assert client.post(ADDRESS, content=b"{}", headers=JSON).json()["problems"] == [PROBLEM]


@pytest.mark.parametrize(
    "field", [{"checked": "2"}, {"more": 1}, {"given": None}, {"problems": [{"row": []}]}]
)
def test_an_answer_of_another_shape_is_not_passed_on(client, checker, field):
    checker.answer = {**checker.answer, **field}
    told = client.post(ADDRESS, content=b"{}", headers=JSON).json()
    assert told == {"checked": 0, "of": 0, "rows": 0, "given": [], "problems": [], "stopped": "crash"}


def test_what_is_no_json_is_400(client, checker):
    checker.answer = {**checker.answer, "stopped": "json"}
    refused(client.post(ADDRESS, content=b"{", headers=JSON), 400)


def test_a_trace_too_long_is_413_before_it_is_read():
    with TestClient(create_app(Settings(check_bytes=100), CannedPool(), CannedChecker())) as client:
        told = refused(client.post(ADDRESS, content=b" " * 101, headers=JSON), 413)
        assert "100" in told["detail"]
        assert client.post(ADDRESS, content=b" " * 100, headers=JSON).status_code == 200


@pytest.mark.parametrize("error", [Busy(2.2), Unavailable("closing")])
def test_without_a_free_process_it_is_503_and_says_when_to_come_back(client, checker, error):
    checker.error = error
    answer = client.post(ADDRESS, content=b"{}", headers=JSON)
    refused(answer, 503)
    assert int(answer.headers["retry-after"]) >= 1


def test_a_page_of_another_site_may_not_have_traces_checked(client, checker):
    refused(client.post(ADDRESS, content=b"{}", headers={"Sec-Fetch-Site": "cross-site"}), 403)
    assert checker.traces == []


def with_app(settings: Settings, story) -> None:
    """Tell a story to an application whose checks wait until the gate opens."""

    async def told() -> None:
        checker = CannedChecker()
        checker.gate = anyio.Event()
        app = create_app(settings, CannedPool(), checker)
        async with app.router.lifespan_context(app):
            await story(app, checker)

    anyio.run(told)


def test_one_check_too_many_of_one_client_is_429_and_its_runs_go_on():
    async def story(app, checker) -> None:
        transport = httpx.ASGITransport(app)
        async with (
            httpx.AsyncClient(transport=transport, base_url="http://x") as one,
            anyio.create_task_group() as tasks,
        ):
            tasks.start_soon(lambda: one.post(ADDRESS, content=b"{}"))
            while not checker.traces:
                await anyio.sleep(0)
            refused(await one.post(ADDRESS, content=b"{}"), 429)
            assert (await one.post("/api/traces", json={"code": ""})).status_code == 201
            checker.gate.set()

    with_app(Settings(runs_per_client=1), story)


def test_a_check_nobody_waits_for_is_ended():
    async def story(app, checker) -> None:
        messages = [
            {"type": "http.request", "body": b"{}", "more_body": False},
            {"type": "http.disconnect"},
        ]
        scope = {
            "type": "http",
            "method": "POST",
            "scheme": "http",
            "path": ADDRESS,
            "query_string": b"",
            "headers": [],
            "client": ("127.0.0.1", 1),
            "state": {},
        }

        async def receive() -> dict:
            if len(messages) == 1:
                while not checker.traces:
                    await anyio.sleep(0)
            return messages.pop(0)

        async def send(message: dict) -> None:
            pass

        await app(scope, receive, send)
        assert checker.cancelled

    with_app(Settings(), story)


def test_the_openapi_document_tells_the_check(client):
    document = client.get("/openapi.json").json()
    told = document["paths"][ADDRESS]["post"]
    schema = told["requestBody"]["content"]["application/json"]["schema"]
    assert "POST /api/traces" in schema["description"]
    assert "type" not in schema  # anything may be asked; what is no trace does not hold
    assert {"200", "400", "413", "429", "503"} <= set(told["responses"])
    assert "CheckAnswer" in json.dumps(told["responses"]["200"])
