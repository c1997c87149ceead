"""What a refused request gets: a problem document (RFC 9457) or an error page, never a stack trace."""

from __future__ import annotations

import math
from http import HTTPStatus

import orjson
from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from app.headers import security_headers
from app.i18n import language_of, text
from app.sandbox.pool import Busy, Unavailable
from app.templating import page

UNHEARD = 499  # for the log: nobody reads it
LATER = 5  # seconds, where nobody can know
MEDIA_TYPE = "application/problem+json"
TOLD = (400, 403, 404, 405, 413, 422, 429, 500, 503)  # in page.error.<status>.title, .detail
FOR_PROGRAMS = ("/api/", "/healthz", "/readyz", "/metrics", "/openapi.json")


class Problem(Exception):
    """A request that is refused. `values` fill the holes of the text, `errors` say what is wrong where."""

    def __init__(
        self,
        status: int,
        retry_after: float | None = None,
        errors: list[dict] | None = None,
        **values: object,
    ) -> None:
        super().__init__(HTTPStatus(status).phrase)
        self.status = status
        self.retry_after = None if retry_after is None else max(1, math.ceil(retry_after))
        self.errors = errors
        self.values = values
        self.headers: dict[str, str] = {}


class Left(Exception):
    """Whoever asked has closed the connection: no refusal, and nobody to tell anything."""


def problem_of(error: Exception) -> Problem:
    """Return what to tell about an exception; what we did not foresee is our fault, and said as such."""
    match error:
        case Problem():
            return error
        case Busy():
            return Problem(503, retry_after=error.retry_after)
        case Unavailable():
            return Problem(503, retry_after=LATER)
        case RequestValidationError():
            told = [{"at": ".".join(map(str, e["loc"])), "message": e["msg"]} for e in error.errors()]
            return Problem(422, errors=told)
        case HTTPException():
            problem = Problem(error.status_code)
            problem.headers = dict(error.headers or {})
            return problem
    return Problem(500)


async def answer(request: Request, error: Exception) -> Response:
    """Answer a request that failed. The app's one exception handler."""
    problem = problem_of(error)
    request.app.state.metrics.refused.labels(problem.status).inc()
    lang = language_of(request)
    words = texts(lang, problem)
    if request.url.path.startswith(FOR_PROGRAMS):
        response = document(request, problem, words)
        response.headers["Content-Language"] = lang
    else:
        boot = {"page": "error", "code": "", "example": None, "run": False}
        extra = {"status": problem.status, "retry_after": problem.retry_after, "examples": []}
        response = page(request, "error.html", boot, problem.status, **words, **extra)
    response.headers.update({**security_headers(request.state.nonce), **problem.headers})
    if problem.retry_after is not None:
        response.headers["Retry-After"] = str(problem.retry_after)
    return response


def texts(lang: str, problem: Problem) -> dict[str, str]:
    """Return title and detail in a language."""
    if problem.status not in TOLD:
        phrase = HTTPStatus(problem.status).phrase
        return {"title": phrase, "detail": phrase}
    values = {"seconds": problem.retry_after, **problem.values}
    parts = ("title", "detail")
    return {part: text(lang, f"page.error.{problem.status}.{part}", **values) for part in parts}


def document(request: Request, problem: Problem, words: dict[str, str]) -> Response:
    """Return the problem document."""
    told = problem.status in TOLD
    body = {
        "type": f"/docs#problem-{problem.status}" if told else "about:blank",
        **words,
        "status": problem.status,
        "instance": request.url.path,
    }
    if problem.errors:
        body["errors"] = problem.errors
    return Response(orjson.dumps(body), problem.status, media_type=MEDIA_TYPE)


async def unheard(request: Request, error: Exception) -> Response:
    """Answer a request whose sender has gone."""
    return Response(status_code=UNHEARD)


def install(app: FastAPI) -> None:
    """Make `answer` the handler of everything that goes wrong."""
    app.add_exception_handler(Left, unheard)
    for kind in (Problem, Busy, Unavailable, RequestValidationError, HTTPException, Exception):
        app.add_exception_handler(kind, answer)
