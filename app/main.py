"""The application: what is mounted where, and what lives as long as it does."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial

from fastapi import FastAPI
from starlette.middleware.gzip import GZipMiddleware

from app import problems
from app.assets import static_files
from app.headers import SecurityHeaders
from app.intake import Clients
from app.layout.render import Renderer
from app.lessons.played import Runs
from app.metrics import Metrics
from app.routes import api, errors, exports, gradients, lessons, pages
from app.sandbox.checks import Checker
from app.sandbox.pool import Pool
from app.settings import Settings, from_environment
from app.version import version_text
from app.visualise import visualise

DESCRIPTION = "Runs PyTorch programs in isolation and returns their backward pass step by step."
GZIP = {"minimum_size": 1024, "compresslevel": 5}


def create_app(
    settings: Settings | None = None, pool: Pool | None = None, checker: Checker | None = None
) -> FastAPI:
    """Return the application; without settings it reads them from the environment."""
    settings = settings or from_environment()
    app = FastAPI(
        title="gradstep",
        description=DESCRIPTION,
        version=version_text(),
        lifespan=living,
        docs_url=None,
        redoc_url=None,
    )
    app.state.settings = settings
    app.state.clients = Clients(settings.runs_per_client, settings.workers - 1)
    app.state.pool = pool or Pool(settings.limits, settings.workers)
    app.state.metrics = Metrics(app.state.pool)
    app.state.checkers = Clients(settings.runs_per_client, 1)
    app.state.checker = checker or Checker(settings.check_seconds, settings.check_workers)
    app.state.renderer = Renderer(settings.layout_workers)
    drawn = {
        "pool": app.state.pool,
        "renderer": app.state.renderer,
        "layout_seconds": settings.layout_seconds,
    }
    app.state.lesson_runs = Runs(partial(visualise, **drawn))
    app.state.ready = False
    app.add_middleware(GZipMiddleware, **GZIP)
    app.add_middleware(SecurityHeaders)
    app.mount("/static", static_files())
    app.include_router(pages.router)
    app.include_router(errors.router)
    app.include_router(lessons.router)
    app.include_router(api.router)
    app.include_router(gradients.router)
    app.include_router(exports.router)
    problems.install(app)
    return app


@asynccontextmanager
async def living(app: FastAPI) -> AsyncIterator[None]:
    """Keep the workers that run programs and lay out drawings while the application lives."""
    state = app.state
    try:
        await state.renderer.start()
        await asyncio.gather(state.pool.start(), state.checker.start())
        state.ready = True
        yield
    finally:
        state.ready = False
        await asyncio.gather(state.pool.close(), state.checker.close())
        await state.renderer.close()
