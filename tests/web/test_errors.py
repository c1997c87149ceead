"""The pages that explain errors, and that messages old and new are recognised. PyTorch's words decide."""

from __future__ import annotations

import html
import json

import pytest

from app import explain
from app.sandbox.pool import Pool
from tests.sandbox import cases

ALL = explain.explanations()
SHAPES = "RuntimeError: mat1 and mat2 shapes cannot be multiplied (2x3 and 2x3)"
SLUGS = [each.slug for each in ALL]


@pytest.fixture(scope="module")
def traces() -> dict[str, dict]:
    """Every program of every page, run as the server runs it."""
    programs = {f"{each.slug} program": each.program for each in ALL}
    programs |= {f"{each.slug} fixed": each.fixed for each in ALL}
    return cases.run_all(Pool(size=2, waiting=len(programs)), programs)


def said(trace: dict) -> list[str]:
    """Return the messages of a trace as Python would print them."""
    found = [f"{r['category']}: {r['message']}" for r in trace["rows"] if r["kind"] == "warning"]
    outcome = trace["outcome"]
    return [*found, f"{outcome['type']}: {outcome['message']}"] if outcome["kind"] == "error" else found


def test_the_errors_people_meet_most_are_all_there():
    assert len(ALL) >= 25


@pytest.mark.parametrize("known", ALL, ids=SLUGS)
def test_the_program_of_a_page_fails_with_its_message(known: explain.Explanation, traces: dict):
    assert known.message in said(traces[f"{known.slug} program"])


@pytest.mark.parametrize("known", ALL, ids=SLUGS)
def test_the_mended_program_runs_without_a_word(known: explain.Explanation, traces: dict):
    trace = traces[f"{known.slug} fixed"]
    assert trace["outcome"] == {"kind": "finished"}
    assert said(trace) == []


@pytest.mark.parametrize("known", ALL, ids=SLUGS)
def test_every_wording_leads_to_its_own_page(known: explain.Explanation):
    for message in (known.message, *known.older):
        broken = message.replace(" ", "\n   ", 3)
        assert explain.recognised(message) is known and explain.recognised(broken) is known, message


@pytest.mark.parametrize("known", ALL, ids=SLUGS)
def test_a_page_says_everything_in_both_languages(known: explain.Explanation, client):
    for lang in ("en", "zh"):
        answer = client.get(f"{known.url}?lang={lang}")
        assert answer.status_code == 200
        text = html.unescape(answer.text)
        for sentence in (known.means[lang], *known.why[lang], *known.fix[lang]):
            assert sentence in text, sentence
    assert len(known.why["en"]) == len(known.why["zh"]) and len(known.fix["en"]) == len(known.fix["zh"])


def test_a_pasted_message_leads_to_its_page(client):
    message = "RuntimeError: element 0 of variables does not require grad and does not have a grad_fn"
    answer = client.get("/errors", params={"message": message}, follow_redirects=False)
    assert answer.status_code == 303 and answer.headers["location"] == "/errors/does-not-require-grad"


def test_an_unknown_message_is_said_to_be_unknown(client):
    answer = client.get("/errors", params={"message": "<b>KeyError: 3</b>"})
    assert answer.status_code == 200 and "&lt;b&gt;KeyError" in answer.text
    assert client.get("/errors/no-such-error").status_code == 404


def test_the_answer_names_the_errors_of_a_run_and_those_pasted_with_it(client, pool):
    trace = json.loads(pool.trace)
    trace["mended"] = [{"kind": "traceback", "lines": [4], "texts": [SHAPES]}]  # fmt: skip
    trace["outcome"] = {
        "kind": "error",
        "type": "TypeError",
        "message": "'bool' object is not callable",
        "at": None,
    }
    pool.trace = json.dumps(trace).encode()
    errors = client.post("/api/traces", json={"code": ""}).json()["errors"]
    assert [(each["slug"], each["where"]) for each in errors] == [
        ("matrix-shapes", "pasted"),
        ("bool-not-callable", "outcome"),
    ]
