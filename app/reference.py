"""The OpenAPI document as lists that a page can loop over. Serves nothing, describes nothing itself."""

from __future__ import annotations

import json
from collections.abc import Iterator

from app.i18n import text
from app.problems import TOLD


def operations(document: dict) -> list[dict]:
    """Return each operation: method, path, words, parameters, body and answers."""
    paths = document["paths"].items()
    return [operation(path, method, told) for path, methods in paths for method, told in methods.items()]


def operation(path: str, method: str, told: dict) -> dict:
    """Return one operation."""
    body = list(contents(told.get("requestBody", {})))
    return {
        "method": method.upper(),
        "path": path,
        "id": told["operationId"],
        "description": told.get("description", told.get("summary", "")),
        "parameters": [
            {"name": one["name"], "where": one["in"], "description": one.get("description", "")}
            for one in told.get("parameters", ())
        ],
        "body": body,
        "responses": [
            {"status": status, "description": answer["description"], "contents": list(contents(answer))}
            for status, answer in told["responses"].items()
        ],
    }


def contents(holder: dict) -> Iterator[dict]:
    """Yield each media type with the name of its schema, or the schema's text."""
    for media_type, content in holder.get("content", {}).items():
        schema = content.get("schema", {})
        name = schema.get("$ref", "").rpartition("/")[2]
        yield {"type": media_type, "name": name, "schema": "" if name else pretty(schema)}


def schemas(document: dict) -> list[dict]:
    """Return each named schema as text."""
    named = document.get("components", {}).get("schemas", {})
    return [{"name": name, "text": pretty(schema)} for name, schema in named.items()]


def problems(lang: str) -> list[dict]:
    """Return what each problem means."""
    return [
        {
            "status": status,
            "title": text(lang, f"page.error.{status}.title"),
            "detail": text(lang, f"page.error.{status}.detail", seconds="n", limit="n"),
        }
        for status in TOLD
    ]


def pretty(schema: dict) -> str:
    """Return JSON for reading."""
    return json.dumps(schema, indent=2, ensure_ascii=False)
