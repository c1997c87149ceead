"""The JSON interface."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response

from app import examples, intake
from app.documented import RUN_REFUSALS, body_of, refusals
from app.i18n import LANGUAGES, language_of
from app.metrics import CONTENT_TYPE, may_see
from app.models import (
    CheckAnswer,
    Drawing,
    ExamplesAnswer,
    Fold,
    Health,
    ProblemAnswer,
    TraceAnswer,
    TraceRequest,
)
from app.problems import Problem
from app.seal import LONGEST, seal
from app.visualise import redraw, visualise

router = APIRouter()


TRACE_REQUEST = body_of(TraceRequest)
TRACE_ANSWERS = {
    201: {"model": TraceAnswer, "description": "The run. If the program fails, that is how its trace ends."},
    **RUN_REFUSALS,
    "default": {"model": ProblemAnswer, "description": "Any other problem."},
}

CHECK_SCHEMA = {"description": "A trace, or the whole answer of POST /api/traces; else nothing holds."}
CHECK_REQUEST = {"requestBody": {"required": True, "content": {"application/json": {"schema": CHECK_SCHEMA}}}}
CHECK_ANSWERS = refusals(
    _400="The body is not JSON.",
    _403="A page of another site sent the request.",
    _413="The trace is too long to be checked.",
    _429="Too many traces of this client are being checked; Retry-After says when to come back.",
    _503="All workers and the queue are taken; Retry-After says when to come back.",
)

DRAWING_ANSWERS = {
    200: {"model": Drawing, "description": "Where everything in the trace is drawn."},
    **refusals(
        _403="A page of another site sent the request.",
        _413="The trace is too long to be drawn again.",
        _422="There is no such way to group.",
        _429="Too many traces of this client are being drawn; Retry-After says when to come back.",
    ),
    "default": {"model": ProblemAnswer, "description": "Any other problem."},
}

NOT_READY = refusals(_503="Not ready to run programs.")
METRICS = {
    200: {"description": "Numbers in Prometheus' text format.", "content": {"text/plain": {}}},
    **refusals(_404="The settings do not let this client see them."),
}
LANGUAGE = {"name": "lang", "in": "query", "required": False, "schema": {"type": "string"}}
EITHER = f"{' or '.join(LANGUAGES)}. Without it: what the browser prefers."
IN_LANGUAGE = {"parameters": [{**LANGUAGE, "description": EITHER}]}


@router.post(
    "/api/traces",
    status_code=201,
    response_class=Response,
    responses=TRACE_ANSWERS,
    openapi_extra=TRACE_REQUEST,
    tags=["traces"],
)
async def make_trace(request: Request) -> Response:
    """Run a program in isolation; return every step of it and where to draw them.

    Who closes the connection ends the run, and gives its place to the next.
    """
    app = request.app.state
    intake.refuse_other_sites(request)
    asked = await intake.read_json(request, TraceRequest, app.settings.request_bytes)
    code = intake.check_code(asked.code, app.settings)
    options = asked.model_dump(exclude={"code"})

    async def in_turn() -> bytes:
        async with app.clients.run_of(request):
            return await visualise(code, app.pool, app.renderer, app.settings.layout_seconds, options)

    body = await intake.while_wanted(request, in_turn())
    return Response(body, 201, {"Cache-Control": "no-store"}, "application/json")


@router.post(
    "/api/traces/drawing",
    response_class=Response,
    responses=DRAWING_ANSWERS,
    openapi_extra=CHECK_REQUEST,
    tags=["traces"],
)
async def draw_trace(request: Request, fold: Fold = "auto") -> Response:
    """Lay out the graph of a trace, its elements grouped in another way."""
    app = request.app.state
    intake.refuse_other_sites(request)
    trace = await intake.read_body(request, min(app.settings.check_bytes, LONGEST))
    async with app.checkers.run_of(request):
        body = await redraw(trace, fold, app.renderer, app.settings.layout_seconds)
    return Response(body, 200, {"Cache-Control": "no-store"}, "application/json")


@router.post(
    "/api/traces/check",
    response_model=CheckAnswer,
    responses=CHECK_ANSWERS,
    openapi_extra=CHECK_REQUEST,
    tags=["traces"],
)
async def check_trace(request: Request) -> CheckAnswer:
    """Derive every number of a trace again, in isolation; say how many, and what does not hold."""
    app = request.app.state
    intake.refuse_other_sites(request)
    trace = await intake.read_body(request, min(app.settings.check_bytes, LONGEST))
    async with app.checkers.run_of(request):
        answer = await intake.while_wanted(request, seal(trace, app.checker))
    app.metrics.checked(answer.stopped, len(answer.problems))
    return answer


@router.get("/api/examples", response_model=ExamplesAnswer, openapi_extra=IN_LANGUAGE, tags=["examples"])
async def list_examples(request: Request, response: Response) -> dict:
    """Return the programs to start from, told in the reader's language."""
    chosen = language_of(request)
    response.headers.update({"Vary": "Accept-Language, Cookie", "Content-Language": chosen})
    return {"examples": [example.told_in(chosen) for example in examples.EXAMPLES]}


@router.get("/healthz", response_model=Health, tags=["operation"])
async def healthy() -> dict:
    """Say that the process answers."""
    return {"status": "ok"}


@router.get("/readyz", response_model=Health, responses=NOT_READY, tags=["operation"])
async def ready(request: Request) -> dict:
    """Say whether programs can be run."""
    if not request.app.state.ready:
        raise Problem(503, retry_after=1)
    return {"status": "ok"}


@router.get("/metrics", response_class=Response, responses=METRICS, tags=["operation"])
async def metrics(request: Request) -> Response:
    """Give the numbers of this server to Prometheus: runs by outcome, the queue, times."""
    app = request.app.state
    if not may_see(request, app.settings.metrics):
        raise Problem(404)
    return Response(app.metrics.text(), headers={"Cache-Control": "no-store"}, media_type=CONTENT_TYPE)
