"""Has a trace checked and puts the answer into its documented shape. Derives nothing itself."""

from __future__ import annotations

import logging

from pydantic import ValidationError

from app.models import CheckAnswer
from app.problems import Problem
from app.sandbox.checks import NOTHING, Checker
from app.sandbox.protocol import MAX_FRAME

LONGEST = MAX_FRAME  # bytes of a trace that can reach the process that checks
log = logging.getLogger("gradstep")


# Note: seal
async def seal(trace: bytes, checker: Checker) -> CheckAnswer:
    """Return what a check found. Its process has read a stranger's bytes: the answer must be of its shape."""
    told = await checker.check(trace)
    if told.get("stopped") == "json":
        raise Problem(400, errors=[{"at": "body", "message": "not JSON"}])
    try:
        return CheckAnswer.model_validate(told, strict=True)
    except ValidationError:
        log.exception("a check gave an answer of another shape")
        return CheckAnswer(**NOTHING, stopped="crash")
