"""The course: its table of contents, its lessons, and the runs that they play."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from urllib.parse import urlencode

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse, Response

from app import i18n
from app.explain import explanations
from app.i18n import language_of
from app.lessons import facts, gallery, glossary, moments, prose, search, shelf
from app.lessons.confusions import answered
from app.lessons.model import Lesson, Text
from app.lessons.played import Runs
from app.lessons.told import section_told
from app.problems import Problem
from app.templating import page

router = APIRouter(include_in_schema=False)
READ = ["GET", "HEAD"]
PAGES = Path(shelf.__file__).parent / "pages"
EXAMPLE = PAGES / "example" / "01-slope-of-a-square"
UNTRUE = (facts.NotAFact, moments.NoSuchStep, prose.Untrue, ValueError, LookupError)
log = logging.getLogger("gradstep.lessons")


def shelved(request: Request) -> tuple[Lesson, ...]:
    """Return the lessons of this server."""
    return shelf.lessons(*folders(request))


def folders(request: Request) -> list[Path]:
    """Return where lessons are: a teacher's own first."""
    own = request.app.state.settings.lessons
    return [shelf.CONTENT] if own == "none" else [Path(own), shelf.CONTENT]


@router.api_route("/lessons", methods=READ)
def contents(request: Request) -> HTMLResponse:
    """The table of contents."""
    lang, lessons = language_of(request), shelved(request)
    titles = {lesson.slug: lesson.text(lang).title for lesson in lessons}
    shown = [
        {
            "slug": lesson.slug,
            "number": lesson.number,
            "minutes": lesson.minutes,
            "title": lesson.text(lang).title,
            "summary": lesson.text(lang).summary,
            "needs": [{"slug": need, "title": titles[need]} for need in lesson.needs if need in titles],
            "questions": [s.checkpoint.id for s in lesson.text(lang).sections if s.checkpoint],
        }
        for lesson in lessons
    ]
    return page(request, "lessons.html", {"page": "lessons", "lessons": shown}, lessons=shown, asked="")


@router.api_route("/lessons/write", methods=READ)
def writing(request: Request) -> HTMLResponse:
    """How to write a lesson, with a whole one as an example."""
    lang = language_of(request)
    before, mark, after = written("writing", lang).partition("<h2>")  # the example comes between
    names = (f"{EXAMPLE.name}/{name}" for name in ("snippet.py", f"{lang}.md"))
    files = [{"name": name, "text": (EXAMPLE.parent / name).read_text(encoding="utf-8")} for name in names]
    shown = {"before": before, "after": mark + after, "files": files}
    return page(request, "writing.html", {"page": "writing"}, **shown)


@router.api_route("/lessons/{slug}", methods=READ)
async def lesson(request: Request, slug: str) -> HTMLResponse:
    """One lesson: its text, with everything in it that the trace says, and the player."""
    lang, lessons = language_of(request), shelved(request)
    chosen = next((each for each in lessons if each.slug == slug), None)
    if chosen is None:
        raise Problem(404)
    text, runs = chosen.text(lang), request.app.state.lesson_runs
    sections = await told(chosen, text, runs)
    programs = [
        {
            "name": name,
            "run": f"/lessons/{slug}/{name}",
            "sandbox": f"/sandbox?{urlencode({'code': source})}",
            "code": source,
        }
        for name, source in chosen.programs.items()
    ]
    at = lessons.index(chosen)
    boot = {"page": "lesson", "slug": slug, "sections": sections, "programs": programs}
    return page(
        request,
        "lesson.html",
        boot,
        lesson={"number": chosen.number, "title": text.title, "summary": text.summary},
        translated=text is chosen.texts.get(lang),
        before=linked(lessons[at - 1], lang) if at else None,
        after=linked(lessons[at + 1], lang) if at + 1 < len(lessons) else None,
        sections=sections,
    )


@router.api_route("/lessons/{slug}/{program}", methods=READ)
async def run(request: Request, slug: str, program: str) -> Response:
    """The run of a lesson's program, as POST /api/traces answers it; made once."""
    chosen = shelf.find(slug, *folders(request))
    if chosen is None or program not in chosen.programs:
        raise Problem(404)
    played = await request.app.state.lesson_runs.of(chosen.programs[program])
    headers = {"Cache-Control": "no-cache", "ETag": played.etag}
    if request.headers.get("if-none-match") == played.etag:
        return Response(status_code=304, headers=headers)
    return Response(played.body, headers=headers, media_type="application/json")


@router.api_route("/search", methods=READ)
def searched(request: Request, q: str = "") -> HTMLResponse:
    """What is written about some words: in lessons, glossary, errors and gallery."""
    lang, asked = language_of(request), q.strip()[: search.LONGEST]
    errors = (
        search.Page("error", known.url, known.title, " ".join([known.means[lang], *known.why[lang]]))
        for known in explanations()
    )
    pages = chain(
        search.of_lessons(shelved(request), lang), search.of_terms(lang), errors, search.of_gallery(lang)
    )
    found = search.look_up(asked, pages)
    kinds = {each.kind: i18n.text(lang, f"search.kind.{each.kind}") for each in found}
    return page(request, "search.html", {"page": "search"}, found=found, asked=asked, kinds=kinds)


@router.api_route("/gallery", methods=READ)
def programs(request: Request) -> HTMLResponse:
    """Programs from small to large, and what to look at in them."""
    return page(request, "gallery.html", {"page": "gallery"}, pieces=gallery.pieces())


@router.api_route("/teachers", methods=READ)
def teachers(request: Request) -> HTMLResponse:
    """For teachers: which lesson where, how to run it, and which question is answered in which."""
    lang = language_of(request)
    before, mark, after = written("teachers", lang).partition("<h2>")  # the table of questions comes between
    shown = {"before": before, "after": mark + after, "confusions": answered(shelved(request), lang)}
    return page(request, "teachers.html", {"page": "teachers"}, **shown)


def written(name: str, lang: str) -> str:
    """Return the HTML of a page that is written as Markdown."""
    text = (PAGES / f"{name}.{lang}.md").read_text(encoding="utf-8")
    return prose.Writer(lambda kind, _: {}).page(text)


@router.api_route("/glossary", methods=READ)
def terms(request: Request) -> HTMLResponse:
    """Every term of the page and of the lessons."""
    lang = language_of(request)
    titles = {lesson.slug: lesson.text(lang).title for lesson in shelved(request)}
    boot = {"page": "glossary"}
    return page(request, "glossary.html", boot, terms=glossary.in_order(lang), titles=titles)


def linked(lesson: Lesson, lang: str) -> dict[str, str]:
    """Return what a link to a lesson shows."""
    return {"url": f"/lessons/{lesson.slug}", "title": lesson.text(lang).title}


async def told(lesson: Lesson, text: Text, runs: Runs) -> list[dict]:
    """Return a text's sections; one that its trace does not bear out is left out, and logged."""
    played = {name: (await runs.of(source)).run for name, source in lesson.programs.items()}

    def each() -> Iterator[dict]:
        for section in text.sections:
            try:
                yield section_told(section, played)
            except UNTRUE as trouble:
                log.warning("%s, “%s” is left out: %s", text.file, section.title, trouble)

    return list(each())
