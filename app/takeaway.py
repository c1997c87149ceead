"""What a run can be taken away as: a page, its trace, its values. Runs nothing; knows no HTTP, no files."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

import orjson

from app.export import Chosen, page_of
from app.values_table import COLUMNS, table
from app.visualise import DEFAULT, MALFORMED, redraw

if TYPE_CHECKING:
    from app.layout.render import Renderer

# kind, which is also the ending of the file's name: its media type
KINDS = {"html": "text/html; charset=utf-8", "json": "application/json", "csv": "text/csv; charset=utf-8"}
BYTES = "utf-8-sig"  # spreadsheets take a text without this mark for one of another alphabet
UNREADABLE = "the trace has a hole and could not be read"
log = logging.getLogger("gradstep")


async def file_of(kind: str, trace: bytes, chosen: Chosen, renderer: Renderer, seconds: float) -> bytes:
    """Return a run as a file of a kind; the JSON is the trace as it came. `seconds`: for the drawing."""
    if kind == "json":
        return trace + b"\n"
    if kind == "csv":
        return await asyncio.to_thread(values_of, trace)
    drawing = await redraw(trace, DEFAULT, renderer, seconds)
    return await asyncio.to_thread(page_of, b'{"trace":' + trace + b',"drawing":' + drawing + b"}", chosen)


def values_of(trace: bytes) -> bytes:
    """Return the values of a trace; of one that a stranger's process left broken, a line that says so."""
    try:
        return table(orjson.loads(trace)).encode(BYTES)
    except MALFORMED:
        log.exception("the values of a trace could not be written")
        return f"{','.join(COLUMNS)}\r\n{UNREADABLE}\r\n".encode(BYTES)
