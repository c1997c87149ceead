"""Length-prefixed frames on a pipe, and the strict reading of what an untrusted process wrote.

Two layers share the format. A worker speaks to the pool in READY, CHUNK and ENDED frames; the chunks
together are the child's own stream of TEXT, ROWS and LAST frames. So a child cannot forge its worker's words.
"""

from __future__ import annotations

import json
import mmap
import os
import re
import struct
from collections.abc import Iterator
from typing import Any, NoReturn

import orjson

HEADER = struct.Struct(">cI")  # kind, length of the payload

JOB, CANCEL = b"J", b"X"  # pool -> worker
READY, CHUNK, ENDED = b"R", b"C", b"E"  # worker -> pool
TEXT, ROWS, LAST = b"t", b"r", b"l"  # child -> pool, inside chunks

# an escaped backslash, a whole pair, or (as a group) a half that stands alone
SURROGATES = re.compile(rb"\\\\|\\ud[89ab][0-9a-f]{2}\\ud[c-f][0-9a-f]{2}|(\\ud[89a-f][0-9a-f]{2})")

MAX_FRAME = 64 << 20
PLENTY = 128 << 20  # bytes of address space: more than orjson needs for any part of a trace


class ProtocolError(ValueError):
    """The other side wrote something that is no frame, or no strict JSON."""


def frame(kind: bytes, payload: bytes = b"") -> bytes:
    """Return one frame."""
    return HEADER.pack(kind, len(payload)) + payload


def message(kind: bytes, value: Any) -> bytes:
    """Return one frame that carries a JSON value."""
    return frame(kind, dump(value))


def dump(value: Any) -> bytes:
    """Return strict JSON in ASCII; raises ValueError for nan and infinities."""
    data = json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":")).encode("ascii")
    if b"\\ud" in data:  # half of a surrogate pair is no text that any encoding could carry
        data = SURROGATES.sub(lambda found: b"\\ufffd" if found[1] else found[0], data)
    return data


def dump_part(part: dict[str, Any]) -> bytes:
    """Return strict JSON of a part of a trace, in UTF-8: as `dump`, but in a tenth of the time.

    orjson writes null for nan, which no table of values has otherwise, and cannot say that memory is short.
    """
    try:
        mmap.mmap(-1, PLENTY).close()  # not one page of it is touched
        values = orjson.dumps(part["values"])
        rest = orjson.dumps({name: value for name, value in part.items() if name != "values"})
    except (OSError, MemoryError, TypeError):  # no such room; half a surrogate pair or a large int
        return dump(part)
    if b"null" in values:
        raise ValueError("a value has a number that JSON does not know")
    return b'{"values":' + values + b"," + rest[1:]


def load(payload: bytes) -> Any:
    """Return the value of strict JSON in UTF-8, whatever was written: ProtocolError or a value."""
    try:
        return json.loads(payload.decode("utf-8"), parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise ProtocolError(f"not strict JSON: {type(error).__name__}") from None


def _refuse_constant(text: str) -> NoReturn:
    raise ValueError(text)


def split(stream: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Yield the whole frames at the start of a stream; a cut or oversized last frame is left out."""
    start = 0
    while start + HEADER.size <= len(stream):
        kind, length = HEADER.unpack_from(stream, start)
        end = start + HEADER.size + length
        if end > len(stream):
            return
        yield kind, stream[start + HEADER.size : end]
        start = end


def has_rows(stream: bytes | bytearray) -> bool:
    """Return whether a child's stream has come to its rows, or to its end."""
    start = 0
    while start < len(stream):
        if stream[start : start + 1] != TEXT:
            return True
        if start + HEADER.size > len(stream):
            return False
        start += HEADER.size + HEADER.unpack_from(stream, start)[1]
    return False


# ----- blocking ends, for workers -----
def read(fd: int) -> tuple[bytes, bytes] | None:
    """Return the next frame, or None at the end of the stream. Blocks."""
    header = _exactly(fd, HEADER.size)
    if header is None:
        return None
    kind, length = HEADER.unpack(header)
    if length > MAX_FRAME:
        raise ProtocolError(f"a frame of {length} bytes")
    payload = _exactly(fd, length)
    return None if payload is None else (kind, payload)


def _exactly(fd: int, count: int) -> bytes | None:
    parts = []
    while count:
        part = os.read(fd, min(count, 1 << 20))
        if not part:
            return None
        parts.append(part)
        count -= len(part)
    return b"".join(parts)


def write(fd: int, data: bytes) -> None:
    """Write all of `data`. Blocks."""
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]
