"""The HTML pages."""

from __future__ import annotations

from collections.abc import Iterable

from fastapi import APIRouter, Request
from starlette.responses import FileResponse, HTMLResponse

from app import comparisons, examples
from app.assets import STATIC
from app.i18n import language_of
from app.intake import check_code
from app.lessons import gallery, shelf
from app.problems import Problem
from app.reference import operations, problems, schemas
from app.templating import page

router = APIRouter(include_in_schema=False)
LONGEST_SEED = 10  # digits
READ = ["GET", "HEAD"]


@router.api_route("/", methods=READ)
def home(request: Request) -> HTMLResponse:
    """What this is, three examples, three comparisons, and the sandbox."""
    shown = [example for example in examples.EXAMPLES if example.slug in examples.ON_HOME_PAGE]
    pairs = told(request, comparisons.COMPARISONS)
    start = boot("home", shown[0].code)
    return page(
        request,
        "home.html",
        start,
        examples=told(request, shown),
        comparisons=pairs,
        first=first_lesson(request),
    )


def first_lesson(request: Request) -> dict[str, str] | None:
    """Return where the course begins, None where there is none."""
    lesson = next(iter(shelf.lessons()), None)
    return lesson and {"url": f"/lessons/{lesson.slug}", "title": lesson.text(language_of(request)).title}


@router.api_route("/sandbox", methods=READ)
def sandbox(
    request: Request, code: str | None = None, example: str | None = None, seed: str = "0"
) -> HTMLResponse:
    """The editor and the player, with the code that the address asks for."""
    chosen = examples.find(example or examples.EXAMPLES[0].slug) or gallery.find(example or "")
    if chosen is None:
        raise Problem(404)
    text = check_code(code if code is not None else chosen.code, request.app.state.settings)
    start = boot(
        "sandbox",
        text,
        example=None if code is not None else example,
        run=bool(code or example),
        seed=seed_of(seed),
        title=None if code is not None or example is None else chosen.title[language_of(request)],
        seconds=request.app.state.settings.limits.wall,
    )
    lists = {"examples": examples.EXAMPLES, "comparisons": comparisons.COMPARISONS}
    shown = {name: told(request, every) for name, every in lists.items()}
    return page(request, "sandbox.html", start, **shown)


@router.api_route("/compare", methods=READ)
def compare(
    request: Request,
    first: str | None = None,
    second: str | None = None,
    example: str | None = None,
    seed: str = "0",
) -> HTMLResponse:
    """Two programs side by side: those of the address, or of a ready-made comparison."""
    chosen = comparisons.find(example or comparisons.COMPARISONS[0].slug)
    if chosen is None:
        raise Problem(404)
    settings = request.app.state.settings
    own = first if first is not None else second
    texts = [chosen.first, chosen.second] if own is None else [first or own, second or own]
    texts = [check_code(text, settings) for text in texts]
    start = boot(
        "compare",
        texts[0],
        run=own is not None or example is not None,
        seed=seed_of(seed),
        first=texts[0],
        second=texts[1],
        title=chosen.title[language_of(request)] if own is None else None,
        seconds=settings.limits.wall,
    )
    return page(request, "compare.html", start, comparisons=told(request, comparisons.COMPARISONS))


@router.api_route("/docs", methods=READ)
def docs(request: Request) -> HTMLResponse:
    """The API, as its OpenAPI document describes it."""
    document, lang = request.app.openapi(), language_of(request)
    shown = {"operations": operations(document), "schemas": schemas(document), "problems": problems(lang)}
    return page(request, "docs.html", boot("docs", ""), examples=[], **shown)


@router.api_route("/favicon.ico", methods=READ)
def favicon() -> FileResponse:
    """The icon, for browsers that ask at this address."""
    icon = STATIC / "favicon.svg"
    if not icon.exists():
        raise Problem(404)
    return FileResponse(icon)


def boot(
    name: str, code: str, example: str | None = None, run: bool = False, seed: int = 0, **more: object
) -> dict:
    """Return what a page's script starts from."""
    return {"page": name, "code": code, "example": example, "run": run, "seed": seed, **more}


def seed_of(text: str) -> int:
    """Return the seed in an address, 0 where it is none."""
    return int(text) % 2**32 if text.isascii() and text.isdigit() and len(text) <= LONGEST_SEED else 0


def told(request: Request, shown: Iterable) -> list[dict]:
    """Return examples or comparisons in the reader's language."""
    lang = language_of(request)
    return [example.told_in(lang) for example in shown]
