"""Every kind of corruption that must be refused. Importing this fills the table. Only a list."""

from tests.verify.corruptions import (
    aliases,
    edges,
    leaving,
    memory,
    numbers,
    order,
    rebasing,
    rows,
    saving,
    sightings,
    sparse,
    statements,
    updates,
    values,
    warnings,
    words,
)

__all__ = [
    "aliases",
    "edges",
    "leaving",
    "memory",
    "numbers",
    "order",
    "rebasing",
    "rows",
    "saving",
    "sightings",
    "sparse",
    "statements",
    "updates",
    "values",
    "warnings",
    "words",
]
