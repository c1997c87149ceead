"""What tests of the trace share: running a program, with every trace held against the schema."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from jsonschema import Draft202012Validator

from engine.trace.run import trace_source
from engine.trace.schema import json_schema

VALID = Draft202012Validator(json_schema())


@pytest.fixture(scope="session")
def validate() -> Callable[[dict], dict]:
    """Return what checks a trace against the schema and hands it on."""

    def check(trace: dict) -> dict:
        VALID.validate(trace)
        return trace

    return check


@pytest.fixture
def run(validate) -> Callable[..., dict]:
    """Return what runs a program and gives its valid trace."""
    return lambda source, **world: validate(trace_source(source, **world))


@pytest.fixture
def rows(run) -> Callable[..., list[dict]]:
    """Return what runs a program and gives the rows of some kinds."""

    def select(source: str, *kinds: str, **world) -> list[dict]:
        return [row for row in run(source, **world)["rows"] if not kinds or row["kind"] in kinds]

    return select
