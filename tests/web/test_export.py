"""A run as a file: one page with everything inside, the trace as it came, its values as a table."""

from __future__ import annotations

import base64
import csv
import gzip
import io
import json
import re
from html.parser import HTMLParser

import orjson
import pytest

from app.assets import STATIC
from app.export import Chosen, hash_of, modules, page_of, styles
from app.i18n import LANGUAGES, dictionary
from app.takeaway import KINDS, UNREADABLE, values_of
from app.values_table import table
from tests.layout.test_dot import two_paths
from tests.web.test_api import refused

MOST = 400_000  # bytes of the page of a small program
HOSTILE = "</script><script>alert(1)</script><!--<script>\u2028\x00]]>"
XML_NAMES = ("http://www.w3.org/2000/svg",)  # a name, never fetched


def answer(source: str = "") -> bytes:
    """Return what a page is made of, for a program that somebody wrote."""
    trace = {**two_paths().trace, "source": source}
    return orjson.dumps({"trace": trace, "drawing": {"layouts": {}, "scenes": [], "scene_at": []}})


class Islands(HTMLParser):
    """The scripts of a page as a browser sees them, and every attribute that may hold an address."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.scripts: list[tuple[dict, str]] = []
        self.addresses: list[str] = []
        self.metas: list[dict] = []
        self._open = False
        self.feed(html)

    def handle_starttag(self, tag: str, attributes: list) -> None:
        told = dict(attributes)
        self._open = tag == "script"
        if self._open:
            self.scripts.append((told, ""))
        if tag == "meta":
            self.metas.append(told)
        self.addresses += [
            told[name] for name in ("href", "src", "action", "srcset", "data") if told.get(name)
        ]

    def handle_endtag(self, tag: str) -> None:
        self._open = False

    def handle_data(self, data: str) -> None:
        if self._open:
            told, text = self.scripts[-1]
            self.scripts[-1] = (told, text + data)

    def island(self, name: str) -> str:
        """Return the text of the script of that id."""
        return next(text for told, text in self.scripts if told.get("id") == name)


def unpacked(islands: Islands) -> dict:
    """Return what a page unpacks when it is opened."""
    return json.loads(gzip.decompress(base64.b64decode(islands.island("packed"))))


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_page_is_under_400_kB_and_has_its_language_inside(lang):
    html = page_of(answer("x = 1"), Chosen(lang)).decode()
    assert len(html.encode()) < MOST
    assert f'<html lang="{LANGUAGES[lang][0]}">' in html
    assert unpacked(Islands(html))["words"] == {**dictionary(lang), "lang": lang}


def test_nothing_in_a_page_is_somewhere_else():
    html = page_of(answer("x = 1"), Chosen()).decode()
    islands = Islands(html)
    assert all(address.startswith(("#", "data:")) for address in islands.addresses)
    everything = html + unpacked(islands)["map"]
    found = {url for url in re.findall(r"(?:https?|wss?):(?://|%2F%2F)[^\s\"'`)\\]+", everything, re.I)}
    assert found == set(XML_NAMES)
    assert not re.search(r"@import|url\((?!#)", html)


def test_a_policy_in_the_page_lets_only_its_own_scripts_run_and_nothing_load():
    islands = Islands(page_of(answer(), Chosen()).decode())
    (policy,) = (meta["content"] for meta in islands.metas if "http-equiv" in meta)
    rules = dict(part.strip().split(" ", 1) for part in policy.split(";"))
    assert rules["default-src"] == "'none'" and "connect-src" not in rules
    run = [text for told, text in islands.scripts if "type" not in told]
    mapped = unpacked(islands)["map"]
    wanted = {f"'sha256-{hash_of(text)}'" for text in (*run, mapped)}
    assert set(rules["script-src"].split()) == {*wanted, "data:"} and len(run) == 2


def test_the_import_map_holds_every_module_that_another_one_asks_for():
    islands = Islands(page_of(answer(), Chosen()).decode())
    told = unpacked(islands)
    named = json.loads(told["map"])["imports"]
    assert told["start"] in named and set(named) == set(modules())
    wanted = set()
    for text in modules().values():
        wanted |= set(re.findall(r'^(?:import|export)\b[^;]*?from "(#[^"]+)"', text, re.M))
    assert wanted <= set(named)
    assert all(not re.search(r"[\n\t#]", url.removeprefix("data:")) for url in named.values())


def test_no_program_breaks_out_of_its_place():
    plain = Islands(page_of(answer("x"), Chosen()).decode())
    html = page_of(answer(HOSTILE), Chosen(name=HOSTILE)).decode()
    islands = Islands(html)
    assert [told for told, _ in islands.scripts] == [told for told, _ in plain.scripts]
    assert "<" not in islands.island("run") and "<" not in islands.island("boot")
    assert json.loads(islands.island("run"))["trace"]["source"] == HOSTILE
    assert json.loads(islands.island("boot"))["name"] == HOSTILE


def test_a_trace_that_is_no_text_at_all_stays_inside_its_island():
    html = page_of(b'\xff\xfe</script><img src="//x">', Chosen()).decode()
    assert '<img src="//x">' not in html


def test_scripts_that_stand_in_the_page_hold_nothing_that_ends_them():
    for name in ("theme.js", "unpack.js"):
        text = (STATIC / "js" / name).read_text(encoding="utf-8").lower()
        assert "</script" not in text and "<!--" not in text
    assert "</style" not in styles().lower()


def test_the_same_run_is_the_same_file_to_the_byte():
    assert page_of(answer("x"), Chosen("zh")) == page_of(answer("x"), Chosen("zh"))


# ----- the route ----------------------------------------------------------------------------------
@pytest.mark.parametrize("kind", KINDS)
def test_a_file_comes_as_an_attachment_that_no_browser_opens_by_itself(client, pool, kind):
    asked = {"code": "x = 1", "seed": 7, "format": kind, "level": "story", "step": 3}
    told = client.post("/api/exports", json=asked)
    assert told.status_code == 200 and told.headers["content-type"] == KINDS[kind]
    assert told.headers["content-disposition"] == f'attachment; filename="gradstep.{kind}"'
    assert told.headers["x-content-type-options"] == "nosniff"
    assert told.headers["cache-control"] == "no-store"
    assert (pool.sources, pool.options) == (["x = 1"], [{"seed": 7, "leaves": {}, "changes": []}])


def test_a_page_begins_where_it_was_asked_to_and_in_the_language_of_the_request(client):
    asked = {"code": "x = 1", "level": "engine", "step": 4}
    html = client.post("/api/exports?lang=zh", json=asked).text
    boot = json.loads(Islands(html).island("boot"))
    assert (boot["level"], boot["step"]) == ("engine", 4) and '<html lang="zh-Hans">' in html


def test_the_json_is_the_trace_as_it_came(client, pool):
    assert client.post("/api/exports", json={"code": "", "format": "json"}).content == pool.trace + b"\n"


@pytest.mark.parametrize(
    ("asked", "status"),
    [({"code": "x", "format": "exe"}, 422), ({"code": "x", "step": -1}, 422), ({"code": "x" * 70_000}, 413)],
)
def test_what_cannot_be_made_is_refused_before_anything_runs(client, pool, asked, status):
    refused(client.post("/api/exports", json=asked), status)
    assert pool.sources == []


def test_a_page_of_another_site_gets_no_file(client, pool):
    answer = client.post("/api/exports", json={"code": "x"}, headers={"Sec-Fetch-Site": "cross-site"})
    refused(answer, 403)
    assert pool.sources == []


# ----- values -------------------------------------------------------------------------------------
def test_every_value_and_gradient_is_a_line_in_the_order_of_the_run():
    trace = two_paths().trace
    lines = list(csv.DictReader(io.StringIO(table(trace))))
    steps = [int(line["step"]) for line in lines]
    assert steps == sorted(steps) and lines
    for line in lines:
        row = trace["rows"][int(line["step"]) - 1]
        assert row["kind"] == line["event"]
        if line["what"] == "grad" and row["after"]:
            assert json.loads(line["numbers"]) == trace["values"][row["after"]]["data"]
    made = sum(len(row["outputs"]) for row in trace["rows"] if row["kind"] == "op_applied")
    assert sum(line["event"] == "op_applied" for line in lines) == made


@pytest.mark.parametrize("trace", [b"", b"[]", b'{"rows": [{"kind": "op_applied"}]}'])
def test_a_trace_with_a_hole_is_a_table_that_says_so(trace):
    assert UNREADABLE in values_of(trace).decode("utf-8-sig")
