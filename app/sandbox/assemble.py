"""The whole trace from what a child has sent, and from how it ended. Pure: bytes in, bytes out.

The child ran a stranger's program: its bytes are taken apart strictly, checked against the outline of a trace
and put together anew. Whatever is wrong with them, what comes out is a valid trace.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

import orjson

from app.sandbox import protocol
from app.sandbox.findings import are_findings
from app.sandbox.limits import Limits, sentence

TABLES = {"tensors": "t", "nodes": "n", "modules": "m", "values": "v"}
OUTCOMES = {
    "finished": (),
    "error": ("type", "message"),
    "limit": ("limit", "message"),
    "refused": ("code", "message"),
}
SPARE_ROWS = 8  # rows that a recorder may write past its limit: the limit's own, a few bindings
MOST_MENDS, MOST_LINES, MOST_TEXTS, LONGEST_TEXT = 32, 4_000, 64, 500  # of the list of what was mended
SPAN = [int, int, int, int]
FORMULA = {
    "typed": (str,), "leaves": (list,), "result": (str,), "shape": (list, type(None)), "ones": (bool,),
    "problem": (dict, type(None)),
}  # fmt: skip
MOST_LEAVES, LONGEST = 64, 2_000  # of a formula, and characters of a text about it


@dataclass(frozen=True, slots=True)
class Ending:
    """How a child ended, as its parent saw it.

    `line` is where it was stuck or crashed and `first` when its first row came (monotonic), if that is known.
    """

    how: str  # "exit" or a key of limits.SENTENCES, or "cancelled"
    line: int | None = None
    milliseconds: float = 0.0
    first: float | None = None


@dataclass(slots=True)
class Parts:
    """What has arrived of a trace."""

    rows: list[dict] = field(default_factory=list)
    tables: dict[str, dict] = field(default_factory=lambda: {name: {} for name in TABLES})
    outcome: dict | None = None
    cut: str | None = None
    source: str | None = None  # the text that ran, if it is not the one that was sent
    mended: list[dict] = field(default_factory=list)
    expression: dict | None = None  # the formula that the text stands for
    calls: list[dict] = field(default_factory=list)  # which rows belong to which call
    findings: list[dict] = field(default_factory=list)  # what is wrong with the run
    memory: list[list[int]] | None = None  # bytes held, where they change


def assemble(source: str, head: dict[str, Any], stream: bytes, ending: Ending, limits: Limits) -> bytes:
    """Return the JSON of the trace. `head` are its first fields, which the parent knows itself."""
    return assembled(source, head, stream, ending, limits)[0]


def assembled(
    source: str, head: dict[str, Any], stream: bytes, ending: Ending, limits: Limits
) -> tuple[bytes, dict[str, Any]]:
    """Return the JSON of the trace, and its outcome."""
    source = source.encode("utf-8", "replace").decode()
    parts = read(stream, limits)
    try:
        return finished(source, head, parts, ending, limits), parts.outcome
    except orjson.JSONEncodeError:  # nested without end, say: nothing of it can be trusted
        parts = Parts()
        return finished(source, head, parts, Ending("crash"), limits), parts.outcome


def finished(source: str, head: dict[str, Any], parts: Parts, ending: Ending, limits: Limits) -> bytes:
    """Return the JSON of a trace from its parts, cut short if its end is missing."""
    source = source if parts.source is None else parts.source
    if parts.outcome is None:
        cut_short(parts, source, ending, limits)
    told: dict[str, Any] = {"mended": parts.mended} if parts.mended else {}
    if parts.expression is not None:
        told["expression"] = parts.expression
    if parts.calls:
        told["calls"] = parts.calls
    found = {"findings": parts.findings} if parts.findings else {}
    held_then = {} if parts.memory is None else {"memory": parts.memory}
    tables = {**parts.tables, "rows": parts.rows, **held_then, "outcome": parts.outcome}
    trace = {**head, "source": source, **told, **tables, **found}
    return orjson.dumps(trace)


# ----- reading -----
def read(stream: bytes, limits: Limits) -> Parts:
    """Take a child's frames apart, up to the first that is not as agreed."""
    parts = Parts()
    try:
        for kind, payload in protocol.split(stream):
            value = orjson.loads(payload)
            if kind == protocol.LAST and type(value) is dict and set(value) == {"cut"}:
                parts.cut = value["cut"]
            elif kind == protocol.TEXT and parts.source is None and not parts.rows:
                take_text(parts, value, limits)
            elif kind in (protocol.ROWS, protocol.LAST):
                take(parts, value, limits, last=kind == protocol.LAST)
            else:
                raise protocol.ProtocolError(f"unexpected frame {kind!r}")
            if kind == protocol.LAST:
                break
    except (protocol.ProtocolError, orjson.JSONDecodeError):
        parts.cut = "crash"
    return parts


def take_text(parts: Parts, value: Any, limits: Limits) -> None:
    """Take the text that a child runs in place of the one it was sent, and what it mended."""
    formula = value.pop("expression", None) if type(value) is dict else None
    if type(value) is not dict or set(value) != {"source", "mended"} or type(value["source"]) is not str:
        raise protocol.ProtocolError("not a text")
    if formula is not None and not is_formula(formula):
        raise protocol.ProtocolError("not a formula")
    mends = value["mended"]
    if len(value["source"]) > 2 * limits.source or type(mends) is not list or len(mends) > MOST_MENDS:
        raise protocol.ProtocolError("too much text")
    if not all(is_mend(mend) for mend in mends):
        raise protocol.ProtocolError("not a list of mends")
    parts.source, parts.mended = value["source"].encode("utf-8", "replace").decode(), mends
    parts.expression = formula


def is_mend(value: Any) -> bool:
    """Return whether a value says what was mended: a kind, pasted lines, texts."""
    if type(value) is not dict or set(value) != {"kind", "lines", "texts"}:
        return False
    lists = type(value["lines"]) is list and type(value["texts"]) is list and type(value["kind"]) is str
    if not lists or len(value["lines"]) > MOST_LINES or len(value["texts"]) > MOST_TEXTS:
        return False
    texts = all(type(text) is str and len(text) <= LONGEST_TEXT for text in value["texts"])
    return texts and all(type(n) is int for n in value["lines"])


def is_formula(value: Any) -> bool:
    """Return whether a value tells of a formula: what was typed, its leaves, its result, what is wrong."""
    if type(value) is not dict or set(value) != set(FORMULA):
        return False
    if any(type(value[name]) not in kinds for name, kinds in FORMULA.items()):
        return False
    leaves, problem = value["leaves"], value["problem"]
    if len(leaves) > MOST_LEAVES or not all(is_leaf(leaf) for leaf in leaves):
        return False
    if problem is not None and set(problem) != {"kind", "about", "better"}:
        return False
    said = [value["typed"], *(problem or {}).values()]
    return all(type(text) is str and len(text) < LONGEST for text in said) and is_shape(value["shape"] or [])


def is_leaf(value: Any) -> bool:
    """Return whether a value tells of one leaf of a formula."""
    if type(value) is not dict or set(value) != {"name", "shape", "value", "at"}:
        return False
    named = type(value["name"]) is str and re.fullmatch(r"[A-Za-z]\w{0,999}", value["name"], re.ASCII)
    if not named or not is_shape(value["shape"]) or not is_span(value["at"]):
        return False
    level = [value["value"]]
    for size in value["shape"]:
        if not all(type(each) is list and len(each) == size for each in level):
            return False
        level = [number for each in level for number in each]
    return all(type(number) in (int, float) for number in level)


def is_shape(value: Any) -> bool:
    """Return whether a value is the shape of a number, a vector or a matrix."""
    return type(value) is list and len(value) < 3 and all(type(n) is int and 0 < n <= 64 for n in value)


def take(parts: Parts, value: Any, limits: Limits, last: bool) -> None:
    """Add one frame. The last one has whole tables, apart from the values, which never change."""
    fields = {*TABLES, "rows", "outcome"} if last else {*TABLES, "rows"}
    made = value.pop("calls", []) if type(value) is dict and last else []
    findings = value.pop("findings", []) if last and type(value) is dict else []
    memory = value.pop("memory", None) if type(value) is dict and last else None
    if type(value) is not dict or set(value) != fields or type(value["rows"]) is not list:
        raise protocol.ProtocolError("unexpected fields")
    for row in value["rows"]:
        if type(row) is not dict or type(row.get("kind")) is not str or not is_span(row.get("at")):
            raise protocol.ProtocolError("not a row")
    if len(parts.rows) + len(value["rows"]) > limits.rows + SPARE_ROWS:
        raise protocol.ProtocolError("too many rows")
    if not are_findings(findings, len(parts.rows) + len(value["rows"])):
        raise protocol.ProtocolError("not a list of findings")
    for name, letter in TABLES.items():
        entries = value[name]
        if type(entries) is not dict or not all(is_entry(*entry, letter) for entry in entries.items()):
            raise protocol.ProtocolError(f"not a table of {name}")
    parts.outcome = outcome(value["outcome"]) if last else None
    parts.calls = calls(made, len(parts.rows) + len(value["rows"])) if last else []
    parts.rows += value["rows"]
    parts.findings = findings
    if memory is not None:
        parts.memory = held(memory, len(parts.rows))
    for name in TABLES:
        if last and name != "values":
            parts.tables[name] = value[name]
        else:
            parts.tables[name].update(value[name])


def calls(value: Any, rows: int) -> list[dict]:
    """Return which of so many rows belong to which call, or raise ProtocolError."""
    if type(value) is not list or len(value) > rows or not all(is_call(call, rows) for call in value):
        raise protocol.ProtocolError("not a list of calls")
    return value


def is_call(value: Any, rows: int) -> bool:
    """Return whether a value tells of a call: what was called, where, and its first and last row."""
    if type(value) is not dict or set(value) != {"function", "at", "first", "last"}:
        return False
    if type(value["function"]) is not str or len(value["function"]) > LONGEST or not is_span(value["at"]):
        return False
    first, last = value["first"], value["last"]
    return type(first) is int and type(last) is int and 0 <= first <= last < rows


def held(value: Any, rows: int) -> list[list[int]]:
    """Return how many bytes are held after which rows, or raise ProtocolError."""
    lists = type(value) is list and len(value) <= rows and all(type(each) is list for each in value)
    if not lists or not all([type(n) for n in each] == [int] * 4 and min(each) >= 0 for each in value):
        raise protocol.ProtocolError("not a list of bytes held")
    return value


def outcome(value: Any) -> dict:
    """Return an outcome as the trace knows it, or raise ProtocolError."""
    if type(value) is not dict or type(value.get("kind")) is not str or value["kind"] not in OUTCOMES:
        raise protocol.ProtocolError("not an outcome")
    wanted = OUTCOMES[value["kind"]]
    if any(type(value.get(name)) is not str for name in wanted) or (wanted and not is_span(value.get("at"))):
        raise protocol.ProtocolError("not an outcome")
    return {name: value[name] for name in ("kind", *wanted, *(("at",) if wanted else ()))}


def is_entry(key: str, entry: Any, letter: str) -> bool:
    """Return whether a table's entry is an object under an id of its kind."""
    return re.fullmatch(rf"{letter}[0-9]{{1,9}}", key) is not None and type(entry) is dict


def is_span(value: Any) -> bool:
    """Return whether a value is a place in the source, or none."""
    return value is None or (type(value) is list and [type(n) for n in value] == SPAN)


# ----- ending -----
def cut_short(parts: Parts, source: str, ending: Ending, limits: Limits) -> None:
    """End what has arrived with the row of the limit that cut it."""
    why = parts.cut or ending.how
    why = why if type(why) is str and why in ("time", "stuck", "memory", "trace", "violation") else "crash"
    message, at = sentence(why, limits), line_span(source, ending.line)
    if at is None and why in ("time", "trace") and parts.rows:
        at = parts.rows[-1]["at"]
    limit = "time" if why == "stuck" else why
    parts.rows.append({"kind": "limit", "at": at, "limit": limit, "message": message})
    parts.outcome = {"kind": "limit", "limit": limit, "message": message, "at": at}


def line_span(source: str, line: int | None) -> list[int] | None:
    """Return the span of a whole line, without its indent."""
    lines = re.split(r"\r\n|\r|\n", source)
    if line is None or not 1 <= line <= len(lines):
        return None
    text = lines[line - 1]
    start, end = len(text) - len(text.lstrip()), len(text.rstrip().encode("utf-16-le", "surrogatepass")) // 2
    return [line, start, line, max(start, end)]
