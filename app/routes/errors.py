"""The pages that explain error messages."""

from __future__ import annotations

from urllib.parse import urlencode

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from app.explain import explanations, find, recognised
from app.problems import Problem
from app.templating import page

router = APIRouter(include_in_schema=False)
READ = ["GET", "HEAD"]
BOOT = {"code": "", "example": None, "run": False}


@router.api_route("/errors", methods=READ)
def errors(request: Request, message: str = "") -> Response:
    """All errors that are explained here; `?message=…` leads to the one it is."""
    known = recognised(message) if message else None
    if known is not None:
        return RedirectResponse(known.url, 303)
    shown = sorted(explanations(), key=lambda each: each.title.lower())
    return page(request, "errors.html", {"page": "errors", **BOOT}, shown=shown, message=message, examples=[])


@router.api_route("/errors/{slug}", methods=READ)
def error(request: Request, slug: str) -> HTMLResponse:
    """What one error means, why it comes and what to do."""
    known = find(slug)
    if known is None:
        raise Problem(404)
    tries = {name: f"/sandbox?{urlencode({'code': getattr(known, name)})}" for name in ("program", "fixed")}
    boot = {"page": "errors", **BOOT}
    return page(request, "explanation.html", boot, known=known, tries=tries, examples=[])
