"""POST /api/traces and its neighbours: answers and refusals."""

from __future__ import annotations

import gzip
import json

import anyio
import httpx
import pytest

from app.main import create_app
from app.sandbox.pool import Busy, Unavailable
from app.settings import Settings
from tests.web.conftest import CannedChecker

JSON = {"Content-Type": "application/json"}


def refused(answer, status: int) -> dict:
    """Check that an answer is a problem document of that status; return it."""
    assert answer.status_code == status
    assert answer.headers["content-type"] == "application/problem+json"
    told = answer.json()
    assert told["status"] == status and told["title"] and told["detail"]
    assert told["instance"] == answer.request.url.path
    assert "Traceback" not in answer.text
    return told


def test_a_program_comes_back_as_trace_and_drawing(client, pool):
    answer = client.post("/api/traces", json={"code": "import torch"})
    assert answer.status_code == 201
    assert pool.sources == ["import torch"]
    body = answer.json()
    assert list(body) == ["trace", "drawing", "errors"] and body["errors"] == []
    assert body["trace"] == json.loads(pool.trace)
    assert set(body["drawing"]) == {"layouts", "scenes", "scene_at", "fold", "folds"}


def test_the_bytes_of_the_trace_go_on_as_they_came(client, pool):
    pool.trace = pool.trace.replace(b'"version":1', b'"version":  1.000')
    answer = client.post("/api/traces", json={"code": ""})
    assert b'{"trace":' + pool.trace + b',"drawing":{' in answer.content


def test_a_drawing_places_everything_that_is_drawn(client, pool):
    body = client.post("/api/traces", json={"code": ""}).json()
    trace, drawing = body["trace"], body["drawing"]
    (scene,) = drawing["scenes"]
    layout = drawing["layouts"][scene["layout"]]
    assert set(scene["place"]) == set(trace["tensors"]) | set(trace["nodes"])
    assert set(scene["place"].values()) == set(layout["elements"])
    slots = {(edge["to"], edge["slot"]) for edge in layout["edges"].values()}
    for n, node in trace["nodes"].items():
        for slot, edge in enumerate(node["edges"]):
            assert edge is None or (scene["place"][n], slot) in slots


def test_the_seed_of_unseeded_numbers_goes_to_the_run(client, pool):
    for body in ({"code": ""}, {"code": "", "seed": 7}):
        assert client.post("/api/traces", json=body).status_code == 201
    assert [options["seed"] for options in pool.options] == [0, 7]
    for seed in (-1, 2**32, "1", 1.5):
        assert client.post("/api/traces", json={"code": "", "seed": seed}).status_code == 422


def test_the_values_of_a_formula_go_to_the_run_if_they_are_numbers_vectors_or_matrices(client, pool):
    leaves = {"x": 2.5, "n": 3, "v": [1, 2.0], "A": [[1.0, 2.0], [3.0, 4.0]]}
    assert client.post("/api/traces", json={"code": "x*n", "leaves": leaves}).status_code == 201
    assert pool.options[-1]["leaves"] == leaves
    for wrong in ("2", None, [], [[]], [[1], [2, 3]], [[[1]]], [1] * 65, 1e39, True, {"x": 1}, ["a"]):
        body = {"code": "x", "leaves": {"x": wrong}}
        assert client.post("/api/traces", json=body).status_code == 422, wrong


def test_a_large_answer_is_zipped(client):
    answer = client.post("/api/traces", json={"code": ""}, headers={"Accept-Encoding": "gzip"})
    assert answer.headers["content-encoding"] == "gzip"


def test_text_that_is_no_json_is_400(client):
    told = refused(client.post("/api/traces", content=b'{"code": ', headers=JSON), 400)
    assert told["errors"][0]["at"] == "body"


@pytest.mark.parametrize(
    "body", [{}, {"code": 3}, {"code": None}, [], "x", 3, None, {"code": "", "more": 1}, {"code": ["x"]}]
)
def test_json_of_another_shape_is_422_and_says_where(client, pool, body):
    told = refused(client.post("/api/traces", content=json.dumps(body), headers=JSON), 422)
    assert told["errors"][0]["at"].startswith("body") and told["errors"][0]["message"]
    assert pool.sources == []


def test_an_empty_program_is_run(client, pool):
    assert client.post("/api/traces", json={"code": ""}).status_code == 201
    assert pool.sources == [""]


def test_a_program_too_long_is_413_and_says_the_limit(client, pool):
    limit = Settings().limits.source
    assert client.post("/api/traces", json={"code": "#" * limit}).status_code == 201
    told = refused(client.post("/api/traces", json={"code": "é" * (limit // 2 + 1)}), 413)
    assert str(limit) in told["detail"]
    assert len(pool.sources) == 1


def test_a_body_too_long_is_413_before_it_is_read(client):
    refused(client.post("/api/traces", content=b" " * 300_000, headers=JSON), 413)


def test_a_body_too_long_is_413_though_its_length_is_not_told(client):
    def endless():
        for _ in range(40):
            yield b" " * 10_000

    refused(client.post("/api/traces", content=endless(), headers=JSON), 413)


def test_a_busy_pool_is_503_and_says_when_to_come_back(client, pool):
    pool.error = Busy(2.2)
    answer = client.post("/api/traces", json={"code": ""})
    told = refused(answer, 503)
    assert answer.headers["retry-after"] == "3"
    assert "3" in told["detail"]


def test_a_pool_without_processes_is_503_too(client, pool):
    pool.error = Unavailable("closing")
    answer = client.post("/api/traces", json={"code": ""})
    refused(answer, 503)
    assert int(answer.headers["retry-after"]) >= 1


def test_a_fault_of_ours_is_500_without_its_reason(client, pool):
    pool.error = RuntimeError("a secret path")
    answer = client.post("/api/traces", json={"code": ""})
    refused(answer, 500)
    assert "secret" not in answer.text
    assert "content-security-policy" in answer.headers


def test_a_page_of_another_site_may_not_run_programs(client, pool):
    answer = client.post("/api/traces", json={"code": ""}, headers={"Sec-Fetch-Site": "cross-site"})
    refused(answer, 403)
    assert pool.sources == []


def test_another_method_is_405_and_says_which_is_allowed(client):
    answer = client.get("/api/traces")
    refused(answer, 405)
    assert answer.headers["allow"] == "POST"


def test_an_unknown_address_is_404(client):
    refused(client.get("/api/nothing"), 404)


def test_problems_are_told_in_the_readers_language(client):
    english = client.get("/api/nothing", headers={"Accept-Language": "en"})
    chinese = client.get("/api/nothing", headers={"Accept-Language": "zh-CN,zh;q=0.9,en;q=0.8"})
    assert english.json()["title"] != chinese.json()["title"]
    assert chinese.headers["content-language"] == "zh"


def test_one_run_too_many_of_one_client_is_429(pool):
    settings = Settings(runs_per_client=2)

    async def story() -> list[httpx.Response]:
        pool.gate = anyio.Event()
        app = create_app(settings, pool, CannedChecker())
        answers: list[httpx.Response] = []
        transport = httpx.ASGITransport(app)
        async with (
            app.router.lifespan_context(app),
            httpx.AsyncClient(transport=transport, base_url="http://x") as one,
        ):

            async def post() -> None:
                answers.append(await one.post("/api/traces", json={"code": ""}))

            async with anyio.create_task_group() as tasks:
                for _ in range(2):
                    tasks.start_soon(post)
                while len(pool.sources) < 2:
                    await anyio.sleep(0)
                await post()
                pool.gate.set()
            await post()
        return answers

    first, *others = anyio.run(story)
    refused(first, 429)
    assert int(first.headers["retry-after"]) >= 1
    assert [answer.status_code for answer in others] == [201, 201, 201]


def test_examples_come_in_either_language(client):
    english = client.get("/api/examples?lang=en").json()["examples"]
    chinese = client.get("/api/examples?lang=zh").json()["examples"]
    assert [e["code"] for e in english] == [e["code"] for e in chinese]
    assert len(english) == 5
    assert all(a["title"] != b["title"] for a, b in zip(english, chinese, strict=True))


def test_health_and_readiness(client, pool):
    assert client.get("/healthz").json() == {"status": "ok"}
    assert client.get("/readyz").json() == {"status": "ok"}
    client.app.state.ready = False
    refused(client.get("/readyz"), 503)


def test_the_pool_lives_as_long_as_the_application(client, pool):
    assert pool.started and not pool.closed
    client.__exit__(None, None, None)
    assert pool.closed
    client.__enter__()


def test_the_openapi_document_tells_request_answers_and_problems(client):
    document = client.get("/openapi.json").json()
    told = document["paths"]["/api/traces"]["post"]
    schema = told["requestBody"]["content"]["application/json"]["schema"]
    assert schema["required"] == ["code"]
    assert {"201", "400", "413", "422", "429", "503"} <= set(told["responses"])
    problem = told["responses"]["429"]["content"]["application/problem+json"]["schema"]
    assert problem["$ref"].rpartition("/")[2] in document["components"]["schemas"]
    assert "HTTPValidationError" not in document["components"]["schemas"]


def test_the_zipped_answer_is_the_same_json(client):
    with client.stream(
        "POST", "/api/traces", json={"code": ""}, headers={"Accept-Encoding": "gzip"}
    ) as answer:
        raw = b"".join(answer.iter_raw())
    assert json.loads(gzip.decompress(raw))["trace"]
