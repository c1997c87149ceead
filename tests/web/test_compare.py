"""Two programs side by side: the page, what its address asks for, and what the ready-made pairs show."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

import pytest
from starlette.testclient import TestClient

from app.comparisons import COMPARISONS, find
from app.i18n import LANGUAGES
from app.main import create_app
from app.sandbox.limits import Limits
from app.settings import Settings
from tests.web.conftest import CannedPool

BOOT = re.compile(r'id="boot">(.*?)</script>', re.DOTALL)
SLUGS = [one.slug for one in COMPARISONS]


@pytest.fixture(scope="module")
def server() -> Iterator[TestClient]:
    """The application as it is served."""
    with TestClient(create_app(Settings())) as running:
        yield running


def boot(answer) -> dict:
    """What a page's script starts from."""
    return json.loads(BOOT.search(answer.text)[1])


def run(server: TestClient, code: str) -> tuple[str, str]:
    """Return how a program ends and what it prints."""
    trace = server.post("/api/traces", json={"code": code}).json()["trace"]
    printed = "".join(row["text"] for row in trace["rows"] if row["kind"] == "printed")
    return trace["outcome"]["kind"], printed


def test_the_pairs_show_what_they_say(server):
    ends = {slug: [run(server, find(slug).first), run(server, find(slug).second)] for slug in SLUGS}
    assert ends == {
        "zero-grad": [("finished", "0 2.0\n1 2.5\n2 2.75\n"), ("finished", "0 2.0\n1 3.5\n2 4.75\n")],
        "retain-graph": [("finished", "tensor([4., 8.])\n"), ("error", "")],
        "detach": [("finished", "tensor(27.)\n"), ("finished", "tensor(9.)\n")],
    }


@pytest.mark.parametrize("one", COMPARISONS, ids=SLUGS)
def test_a_pair_differs_in_one_line_and_is_told_in_every_language(one):
    lines = [text.splitlines() for text in (one.first, one.second)]
    assert sum(a != b for a, b in zip(*lines, strict=True)) == 1
    assert set(one.title) == set(one.summary) == set(LANGUAGES)


def test_without_anything_asked_the_first_pair_stands_there(client):
    told = boot(client.get("/compare"))
    assert told["first"] == COMPARISONS[0].first and not told["run"]


def test_the_address_names_a_pair_or_two_programs_or_one(client):
    told = boot(client.get("/compare?example=detach&lang=zh"))
    assert told["run"] and told["second"] == find("detach").second
    assert told["title"] == find("detach").title["zh"]
    told = boot(client.get("/compare", params={"first": "a = 1", "second": "a = 2", "seed": "7"}))
    assert (told["first"], told["second"], told["seed"], told["title"]) == ("a = 1", "a = 2", 7, None)
    told = boot(client.get("/compare", params={"first": "a = 1"}))
    assert told["first"] == told["second"] == "a = 1"


def test_what_is_not_there_or_too_long_is_refused(client):
    assert client.get("/compare?example=nothing").status_code == 404
    with TestClient(create_app(Settings(limits=Limits(source=100)), CannedPool())) as strict:
        assert strict.get("/compare", params={"second": "x" * 101}).status_code == 413


@pytest.mark.parametrize("page", ["/", "/sandbox", "/compare"])
def test_every_pair_is_reached_from_the_start_page_and_the_sandbox(client, page):
    text = client.get(page).text
    assert [slug for slug in SLUGS if f'href="/compare?example={slug}"' not in text] == []


def test_what_the_player_draws_is_styled_here_as_on_its_own_page(server):
    links = re.compile(r'rel="stylesheet" href="/static/(css/\w+\.css)')
    alone, beside = (set(links.findall(server.get(path).text)) for path in ("/sandbox", "/compare"))
    assert "css/groups.css" in alone and alone <= beside
