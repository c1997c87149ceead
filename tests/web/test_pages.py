"""The pages: what they hold, in which language, under which policy."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest

from app.assets import STATIC
from app.examples import EXAMPLES, ON_HOME_PAGE
from app.sandbox.limits import Limits
from app.settings import Settings

PAGES = ["/", "/sandbox", "/docs", "/nothing-here"]


def island(html: str, id: str) -> dict:
    """Return the data in a page's JSON island."""
    found = re.search(rf'<script type="application/json" id="{id}">(.*?)</script>', html, re.S)
    return json.loads(found[1])


@pytest.mark.parametrize("path", PAGES)
def test_a_page_runs_no_script_without_a_nonce_or_an_address(client, path):
    answer = client.get(path)
    policy = answer.headers["content-security-policy"]
    nonce = re.search(r"'nonce-([^']+)'", policy)[1]
    assert "script-src 'self' 'nonce-" in policy and "frame-ancestors 'none'" in policy
    for attributes, inside in re.findall(r"<script([^>]*)>(.*?)</script>", answer.text, re.S):
        data = 'type="application/json"' in attributes
        assert data or f'nonce="{nonce}"' in attributes or ("src=" in attributes and not inside.strip())
    assert not re.search(r"\son\w+=|javascript:", answer.text)


@pytest.mark.parametrize("query, seed", [("", 0), ("?seed=7", 7), ("?seed=x", 0), ("?seed=-1", 0)])
def test_the_sandbox_starts_from_the_seed_of_its_address(client, query, seed):
    assert island(client.get(f"/sandbox{query}").text, "boot")["seed"] == seed


def test_every_answer_has_its_own_nonce(client):
    policies = {client.get("/").headers["content-security-policy"] for _ in range(3)}
    assert len(policies) == 3


@pytest.mark.parametrize("path", [*PAGES, "/static/package.json", "/healthz"])
def test_every_answer_keeps_to_itself(client, path):
    headers = client.get(path).headers
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "same-origin"
    assert "content-security-policy" in headers


@pytest.mark.parametrize("path", PAGES)
def test_a_page_loads_only_files_that_exist_from_here(client, path):
    html = client.get(path).text
    for address in re.findall(r'<(?:script|link|img)[^>]+(?:src|href)="([^"]+)"', html):
        assert address.startswith("/"), address
        assert client.get(address).status_code == 200, address


def test_the_import_map_leads_to_every_module(client):
    html = client.get("/sandbox").text
    names = json.loads(re.search(r'<script type="importmap"[^>]*>(.*?)</script>', html, re.S)[1])["imports"]
    modules = {f"#js/{file.relative_to(STATIC / 'js').as_posix()}" for file in (STATIC / "js").rglob("*.js")}
    assert modules <= set(names)
    for address in names.values():
        assert client.get(address).status_code == 200


def test_the_home_page_offers_three_examples_and_the_sandbox(client):
    html = client.get("/").text
    offered = [slug for slug in (example.slug for example in EXAMPLES) if f"example={slug}" in html]
    assert offered == list(ON_HOME_PAGE)
    assert 'href="/sandbox"' in html


def test_the_sandbox_opens_with_the_code_of_the_address(client):
    code = 'print("</script><b>&")\n'
    html = client.get("/sandbox", params={"code": code}).text
    boot = island(html, "boot")
    assert (boot["code"], boot["run"], boot["page"]) == (code, True, "sandbox")
    assert "</script><b>" not in html


def test_the_sandbox_opens_with_an_example(client):
    boot = island(client.get("/sandbox?example=two-paths").text, "boot")
    assert boot["code"] == EXAMPLES[1].code and boot["example"] == "two-paths" and boot["run"]


def test_the_sandbox_opens_with_something_to_run(client):
    boot = island(client.get("/sandbox").text, "boot")
    assert boot["code"] == EXAMPLES[0].code and not boot["run"]


def test_an_unknown_example_is_a_page_not_found(client):
    answer = client.get("/sandbox?example=nothing")
    assert answer.status_code == 404
    assert answer.headers["content-type"].startswith("text/html")


def test_an_address_with_too_much_code_is_413(client):
    client.app.state.settings = Settings(limits=replace(Limits(), source=10))
    assert client.get("/sandbox", params={"code": "#" * 10}).status_code == 200
    answer = client.get("/sandbox", params={"code": "#" * 11})
    assert answer.status_code == 413 and "10" in answer.text


@pytest.mark.parametrize(
    ("headers", "lang"),
    [
        ({}, "en"),
        ({"Accept-Language": "zh-TW,zh;q=0.9,en;q=0.5"}, "zh-Hans"),
        ({"Accept-Language": "fr,en;q=0.4,zh;q=0.8"}, "zh-Hans"),
        ({"Accept-Language": "fr"}, "en"),
        ({"Accept-Language": "zh;q=0, en"}, "en"),
        ({"Accept-Language": ";;q=,zh;q=x"}, "zh-Hans"),
        ({"Cookie": "lang=zh", "Accept-Language": "en"}, "zh-Hans"),
        ({"Cookie": "lang=xx", "Accept-Language": "zh"}, "zh-Hans"),
    ],
)
def test_a_page_speaks_the_readers_language(client, headers, lang):
    answer = client.get("/", headers={"Accept-Language": "", **headers})
    assert f'<html lang="{lang}"' in answer.text
    assert answer.headers["content-language"] == lang
    assert "Accept-Language" in answer.headers["vary"] and "Cookie" in answer.headers["vary"]


def test_a_chosen_language_is_kept(client):
    assert '<html lang="zh-Hans"' in client.get("/?lang=zh").text
    assert '<html lang="zh-Hans"' in client.get("/", headers={"Accept-Language": "en"}).text


def test_the_language_switch_stays_on_the_page(client):
    html = client.get("/sandbox", params={"code": "x = 1"}).text
    assert "/sandbox?code=x+%3D+1&amp;lang=zh" in html


def test_the_dictionary_on_the_page_is_the_readers(client):
    words = island(client.get("/sandbox?lang=zh").text, "i18n")
    assert words["lang"] == "zh" and len(words) > 20


def test_a_page_not_found_is_a_page(client):
    answer = client.get("/nothing-here")
    assert answer.status_code == 404
    assert answer.headers["content-type"].startswith("text/html")


def test_a_page_cannot_be_written_to(client):
    answer = client.post("/sandbox")
    assert answer.status_code == 405 and "GET" in answer.headers["allow"]


def test_a_page_can_be_asked_for_its_head(client):
    assert client.head("/").status_code == 200


def test_the_api_is_described_on_a_page(client):
    html = client.get("/docs").text
    for word in ("/api/traces", "/api/examples", "TraceRequest", "problem-429", "/openapi.json"):
        assert word in html
