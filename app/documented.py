"""What the OpenAPI document says of a route beside its model: bodies and refusals."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel

from app.problems import MEDIA_TYPE


def refusals(**reasons: str) -> dict:
    """Document the problems a route may answer with: status → when."""
    content = {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/ProblemAnswer"}}}
    return {int(status[1:]): {"description": why, "content": content} for status, why in reasons.items()}


def body_of(model: type[BaseModel]) -> dict:
    """Document the body of a route; the schema has its parts in place, as it stands alone."""
    schema = model.model_json_schema()
    content = {"application/json": {"schema": filled(schema, schema.pop("$defs", {}))}}
    return {"requestBody": {"required": True, "content": content}}


def filled(schema: Any, parts: dict) -> Any:
    """Return a schema with the parts that it refers to."""
    if isinstance(schema, list):
        return [filled(each, parts) for each in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        return filled(parts[schema["$ref"].rpartition("/")[2]], parts)
    return {key: filled(value, parts) for key, value in schema.items()}


# of every route that runs a program which its request holds
RUN_REFUSALS = refusals(
    _400="The body is not JSON.",
    _403="A page of another site sent the request.",
    _413="The body or the program is too long.",
    _422="The body is not of the right shape.",
    _429="Too many programs of this client are running; Retry-After says when to come back.",
    _503="All workers and the queue are taken; Retry-After says when to come back.",
)
