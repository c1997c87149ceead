"""Requests made from the OpenAPI document, and such as break it: every answer is one that it tells of."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis import GenerationMode

from app.main import create_app
from app.settings import Settings
from tests.serving import served

UNTOLD = "the rows of a matrix must be equally long"  # which JSON Schema has no words for
QUICK = {"limit_wall": 1, "check_seconds": 1, "runs_per_client": 99}
PATHS = [
    (path, method.upper())
    for path, told in create_app(Settings()).openapi()["paths"].items()
    for method in told
]


@pytest.fixture(scope="module")
def document() -> Iterator[schemathesis.schemas.BaseSchema]:
    """The document of a server with its real sandbox, in which a run ends soon."""
    with served(**QUICK) as (address, _):
        yield schemathesis.openapi.from_url(f"{address}/openapi.json")


@pytest.mark.parametrize(("path", "method"), PATHS)
def test_every_answer_to_a_right_request_is_as_the_document_tells(path: str, method: str, document):
    send(document[path][method], GenerationMode.POSITIVE)


def test_every_answer_to_a_wrong_request_is_as_the_document_tells(document):
    send(document["/api/traces"]["POST"], GenerationMode.NEGATIVE)  # others cannot be wrong


def send(operation: schemathesis.schemas.APIOperation, mode: GenerationMode) -> None:
    """Send requests of an operation; any answer that its document does not tell of raises."""

    @settings(max_examples=30, suppress_health_check=list(HealthCheck))
    @given(operation.as_strategy(generation_mode=mode))
    def sent(case: schemathesis.Case) -> None:
        answer = case.call(timeout=30)
        if UNTOLD not in answer.text:
            case.validate_response(answer)

    sent()
