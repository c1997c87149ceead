"""The route that makes files to take away."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response

from app import intake
from app.documented import RUN_REFUSALS, body_of
from app.export import Chosen
from app.i18n import language_of
from app.models import ExportRequest
from app.takeaway import KINDS, file_of

router = APIRouter()
TAKEN = {"format", "level", "step"}
ANSWERS = {
    200: {
        "description": "The file, as an attachment.",
        "content": {media.split(";")[0]: {} for media in KINDS.values()},
    },
    **RUN_REFUSALS,
}


@router.post(
    "/api/exports",
    response_class=Response,
    responses=ANSWERS,
    openapi_extra=body_of(ExportRequest),
    tags=["traces"],
)
async def make_file(request: Request) -> Response:
    """Run a program in isolation; return the run as a file: a page that plays offline, its trace, its values.

    The page speaks the language of the request.
    """
    app = request.app.state
    intake.refuse_other_sites(request)
    asked = await intake.read_json(request, ExportRequest, app.settings.request_bytes)
    code = intake.check_code(asked.code, app.settings)
    options = asked.model_dump(exclude={"code", *TAKEN})
    chosen = Chosen(language_of(request), asked.level, asked.step)

    async def in_turn() -> bytes:
        async with app.clients.run_of(request):
            trace = await app.pool.run(code, options)
            return await file_of(asked.format, trace, chosen, app.renderer, app.settings.layout_seconds)

    body = await intake.while_wanted(request, in_turn())
    name = f'attachment; filename="gradstep.{asked.format}"'
    headers = {"Cache-Control": "no-store", "Content-Disposition": name}
    return Response(body, 200, headers, KINDS[asked.format])
