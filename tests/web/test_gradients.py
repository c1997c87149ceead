"""POST /api/gradients/…: what a question may be, and that only an answer of its shape goes on."""

from __future__ import annotations

import pytest

from app.sandbox.pool import Busy
from tests.web.test_api import refused

WHY = {"code": "x", "row": 3, "call": 0, "element": [1]}
SLOPE = {"code": "x", "made": 0, "call": 0, "element": [1]}
BOTH = {"/api/gradients/why": WHY, "/api/gradients/slope": SLOPE}
CHANGE = {"made": 0, "element": [0], "value": 3.5}


@pytest.mark.parametrize("path", BOTH)
def test_a_question_goes_to_the_pool_with_the_programs_own_options(path, client, pool):
    body = {**BOTH[path], "seed": 4, "leaves": {"x": 1.0}, "changes": [CHANGE]}
    answer = client.post(path, json=body)
    assert answer.status_code == 200 and answer.json()["found"] is False
    told = pool.options[-1]
    assert pool.sources == ["x"] and told["seed"] == 4 and told["leaves"] == {"x": 1.0}
    assert told["changes"] == [{**CHANGE, "output": 0}]
    assert told["ask"]["about"] == path.rpartition("/")[2] and told["ask"]["element"] == [1]
    assert "code" not in told["ask"] and "seed" not in told["ask"]


WRONG = {
    "element": (None, 1, [-1], [1.5], ["0"], [10**7], [0] * 17, [True]),
    "call": (None, -1, "0", 1.5, 10**6, True),
    "row": (None, -1, "1", 10**9),
    "input_nr": (-1, 10**5, None),
    "made": (None, -1, "1", 10**9),
    "output": (-1, 10**5, [0]),
    "points": (-1, 26, 1e9),
    "written": (None, 1, "yes"),
    "reach": (0, -1.0, 1e9, "1", None),
    "changes": (None, {}, [{}], [{**CHANGE, "value": 1e39}], [{**CHANGE, "made": -1}], [CHANGE] * 17),
    "extra": (1,),
}


@pytest.mark.parametrize("path", BOTH)
@pytest.mark.parametrize("field", WRONG)
def test_a_question_of_another_shape_is_refused(path, field, client, pool):
    for wrong in WRONG[field]:
        told = refused(client.post(path, json={**BOTH[path], field: wrong}), 422)
        assert told["errors"], (field, wrong)
    assert pool.sources == []


def test_changes_of_a_trace_go_to_the_run_if_they_are_numbers_at_a_place(client, pool):
    assert client.post("/api/traces", json={"code": "", "changes": [CHANGE]}).status_code == 201
    assert pool.options[-1]["changes"] == [{**CHANGE, "output": 0}]
    for wrong in WRONG["changes"]:
        refused(client.post("/api/traces", json={"code": "", "changes": wrong}), 422)
    for text in ("NaN", "1e999", '"x"'):
        body = f'{{"code": "", "changes": [{{"made": 0, "element": [], "value": {text}}}]}}'
        headers = {"Content-Type": "application/json"}
        assert client.post("/api/traces", content=body, headers=headers).status_code in (400, 422)


@pytest.mark.parametrize(
    "told", [None, [], {}, "x", {"found": 1}, {"found": True, "evil": 1}, {"number": "1e9"}]
)
@pytest.mark.parametrize("path", BOTH)
def test_an_answer_of_another_shape_does_not_go_on(path, told, client, pool):
    pool.told = told
    answer = client.post(path, json=BOTH[path])
    assert answer.status_code == 200
    assert answer.json()["found"] is False and answer.json()["stopped"] == "crash"


@pytest.mark.parametrize("path", BOTH)
def test_questions_are_refused_as_runs_are(path, client, pool):
    refused(client.post(path, json=BOTH[path], headers={"Sec-Fetch-Site": "cross-site"}), 403)
    refused(client.post(path, content=b"{"), 400)
    refused(client.post(path, json={**BOTH[path], "code": "x" * 70_000}), 413)
    pool.error = Busy(3)
    answer = client.post(path, json=BOTH[path])
    refused(answer, 503)
    assert answer.headers["retry-after"] == "3"


@pytest.mark.parametrize("path", BOTH)
def test_the_openapi_document_tells_the_question_and_the_answer(path, client):
    told = client.get("/openapi.json").json()["paths"][path]["post"]
    schema = told["requestBody"]["content"]["application/json"]["schema"]
    assert set(BOTH[path]) <= set(schema["properties"]) and "$ref" not in str(schema)
    assert {"200", "400", "403", "413", "422", "429", "503"} <= set(told["responses"])
