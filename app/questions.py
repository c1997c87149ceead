"""Has a question about a gradient answered, and puts the answer into its documented shape. Runs nothing."""

from __future__ import annotations

import logging
from typing import TypeVar

import orjson
from pydantic import ValidationError

from app.gradients import OfProgram, SlopeAnswer, WhyAnswer
from app.sandbox.pool import Pool

OF_RUN = {"code", "seed", "leaves", "changes"}
A = TypeVar("A", WhyAnswer, SlopeAnswer)
log = logging.getLogger("gradstep")


# Note: questions
async def answered(pool: Pool, code: str, asked: OfProgram, about: str, shape: type[A]) -> A:
    """Return the answer to a question. A stranger's process gave it: it must be of its shape."""
    options = asked.model_dump(include=OF_RUN - {"code"})
    told = await pool.ask(code, options, {"about": about, **asked.model_dump(exclude=OF_RUN)})
    try:
        return shape.model_validate_json(orjson.dumps(told), strict=True)
    except ValidationError:
        log.exception("an answer was of another shape")
        return shape(found=False, stopped="crash")
