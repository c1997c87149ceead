"""The JSON interface to one number of a gradient: why it is what it is, and what a small change would do."""

from __future__ import annotations

from typing import TypeVar

from fastapi import APIRouter, Request

from app import intake
from app.documented import RUN_REFUSALS, body_of
from app.gradients import OfProgram, SlopeAnswer, SlopeRequest, WhyAnswer, WhyRequest
from app.questions import answered

router = APIRouter()
A = TypeVar("A", WhyAnswer, SlopeAnswer)


@router.post(
    "/api/gradients/why",
    response_model=WhyAnswer,
    responses=RUN_REFUSALS,
    openapi_extra=body_of(WhyRequest),
    tags=["gradients"],
)
async def explain_number(request: Request) -> WhyAnswer:
    """Take one element of a gradient apart: the paths from the root, each a product of local derivatives.

    The program is run again, in isolation, up to the end of that backward call.
    """
    return await ask(request, WhyRequest, "why", WhyAnswer)


@router.post(
    "/api/gradients/slope",
    response_model=SlopeAnswer,
    responses=RUN_REFUSALS,
    openapi_extra=body_of(SlopeRequest),
    tags=["gradients"],
)
async def estimate_slope(request: Request) -> SlopeAnswer:
    """Estimate by finite differences, in float64, how a call's output changes with one number.

    The program is run again a few times, in isolation, up to that backward call.
    """
    return await ask(request, SlopeRequest, "slope", SlopeAnswer)


async def ask(request: Request, model: type[OfProgram], about: str, shape: type[A]) -> A:
    """Take a question, wait for its turn, and have it answered while its sender is there."""
    app = request.app.state
    intake.refuse_other_sites(request)
    asked = await intake.read_json(request, model, app.settings.request_bytes)
    code = intake.check_code(asked.code, app.settings)

    async def in_turn() -> A:
        async with app.clients.run_of(request):
            return await answered(app.pool, code, asked, about, shape)

    return await intake.while_wanted(request, in_turn())
