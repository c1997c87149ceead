"""The course over HTTP: contents, a lesson with its facts filled in, its run with a mark for caches."""

from __future__ import annotations

import asyncio
import json
import re
from html import unescape

import pytest
from starlette.testclient import TestClient

from app.lesson_command import check_folders
from app.lessons import shelf
from app.lessons.confusions import answered
from app.lessons.facts import FACTS
from app.main import create_app
from app.routes.lessons import EXAMPLE
from app.settings import Settings

COURSE = shelf.lessons()


@pytest.fixture(scope="module")
def client():
    """The whole application, running programs as it does for readers."""
    with TestClient(create_app(Settings(workers=2))) as client:
        yield client


def island(page: str, name: str) -> dict:
    """Return the JSON of a page's island."""
    return json.loads(re.search(rf'id="{name}">(.*?)</script>', page, re.DOTALL)[1])


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_contents_list_every_lesson_in_the_readers_language(client, lang: str):
    page = client.get(f"/lessons?lang={lang}").text
    for lesson in COURSE:
        assert f'href="/lessons/{lesson.slug}"' in page
        assert lesson.text(lang).title in page


@pytest.mark.parametrize("lesson", COURSE, ids=[lesson.slug for lesson in COURSE])
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_lesson_shows_every_section_with_its_facts(client, lesson, lang: str):
    answer = client.get(f"/lessons/{lesson.slug}?lang={lang}")
    boot = island(answer.text, "boot")
    assert answer.status_code == 200
    assert len(boot["sections"]) == len(lesson.text(lang).sections)
    assert "{=" not in answer.text and "{!" not in answer.text


def test_a_run_is_made_once_and_known_by_its_mark(client):
    first = client.get(f"/lessons/{COURSE[0].slug}/snippet.py")
    again = client.get(
        f"/lessons/{COURSE[0].slug}/snippet.py", headers={"If-None-Match": first.headers["etag"]}
    )
    assert set(first.json()) >= {"trace", "drawing"}
    assert (again.status_code, again.content) == (304, b"")


@pytest.mark.parametrize("path", ["/lessons/no-such", "/lessons/no-such/snippet.py", "/lessons/{}/no.py"])
def test_what_there_is_not_is_not_found(client, path: str):
    assert client.get(path.format(COURSE[0].slug)).status_code == 404


def test_a_teachers_own_lessons_stand_before_the_course(tmp_path):
    import shutil

    shutil.copytree(COURSE[0].folder, tmp_path / "01-my-own")
    with TestClient(create_app(Settings(workers=1, lessons=str(tmp_path)))) as client:
        slugs = re.findall(r'data-lesson="([^"]+)"', client.get("/lessons").text)
        assert slugs[:2] == ["my-own", COURSE[0].slug]
        assert client.get("/lessons/my-own").status_code == 200


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("path", ["/glossary", "/gallery", "/teachers", "/search?q=retain_graph"])
def test_the_pages_around_the_course_are_told_in_both_languages(client, path: str, lang: str):
    answer = client.get(f"{path}{'&' if '?' in path else '?'}lang={lang}")
    assert answer.status_code == 200
    assert not re.findall(r">(?:search|gallery|glossary|teachers|lessons)\.\w+<", answer.text)


def test_every_question_that_people_ask_is_answered_by_a_lesson():
    for each in answered(COURSE, "en"):
        assert each["lessons"], each["key"]
    known = {each["key"] for each in answered(COURSE, "en")}
    assert {key for lesson in COURSE for key in lesson.answers} <= known


@pytest.mark.parametrize(
    ("asked", "url"),
    [
        ("broadcasting", "/lessons/broadcasting#p="),
        ("ready queue", "/glossary#ready-queue"),
        ("second time", "/errors/second-time"),
        ("GAN", "/gallery#gan"),
    ],
)
def test_what_is_looked_up_is_found(client, asked: str, url: str):
    assert f'href="{url}' in client.get("/search", params={"q": asked, "lang": "en"}).text


def test_what_is_looked_up_is_shown_as_text(client):
    page = client.get("/search", params={"q": "<script>alert(1)</script>"}).text
    assert "<script>alert" not in page


def test_a_program_of_the_gallery_opens_in_the_sandbox(client):
    assert "straight through" in client.get("/sandbox?example=straight-through").text


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_page_for_authors_shows_a_whole_lesson_that_holds(client, lang: str):
    shown = unescape(client.get(f"/lessons/write?lang={lang}").text)
    for name in ("snippet.py", f"{lang}.md"):
        assert (EXAMPLE / name).read_text(encoding="utf-8") in shown
    count, problems = asyncio.run(check_folders([EXAMPLE], Settings()))
    assert (count, problems) == (1, [])


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_page_for_authors_names_every_fact_and_no_other(client, lang: str):
    text = (EXAMPLE.parents[1] / f"writing.{lang}.md").read_text(encoding="utf-8")
    assert set(re.findall(r"`(?:\{[=!] )?([a-z_]+)\(", text)) - {"then"} == set(FACTS)
