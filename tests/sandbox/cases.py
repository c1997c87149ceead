"""Programs with what must become of them: reads the first line of attacks/*.txt, compares it with a trace.

`# expect: A | B ; remark` where A is one of `refused at compile[, line N]`, `error at run[, line N][: E/E]`,
`limit[, line N]: rows/elements`, `killed[, line N]: time`, `killed: memory`, `ok[, prints: text]`. For all of
them: no output and no message contains PWNED. The first line of legit/*.txt is `# prints: ` and the output.
"""

from __future__ import annotations

import ast
import asyncio
import json
import os
import re
import sys
from pathlib import Path
from typing import Any

from app.sandbox import protocol
from app.sandbox.assemble import Ending, assemble
from app.sandbox.child import run as child
from app.sandbox.launch import ROOT
from app.sandbox.limits import Limits
from app.sandbox.pool import Pool

HERE = Path(__file__).parent
EXPECT = re.compile(
    r"(refused at compile|error at run|limit|killed|ok)(?:, line (\d+))?(?:, prints)?(?:: (.*))?"
)
KINDS = {"refused at compile": "refused", "error at run": "error", "limit": "limit", "killed": "limit"}
CRASHES_TOO = {"memory": {"memory", "crash"}, "time": {"time"}}  # where the kernel may be faster than we are


def programs(folder: str) -> dict[str, str]:
    """Return the programs of a folder by name, exactly as they are stored."""
    return {path.stem: path.read_bytes().decode("utf-8") for path in sorted((HERE / folder).glob("*.txt"))}


def run_all(pool: Pool, sources: dict[str, str]) -> dict[str, dict]:
    """Run programs side by side and return their traces by name."""

    async def run() -> dict[str, dict]:
        async with pool:
            traces = await asyncio.gather(*(pool.run(source) for source in sources.values()))
        return {name: json.loads(trace) for name, trace in zip(sources, traces, strict=True)}

    return asyncio.run(run())


def without_the_process_wall(source: str, limits: Limits) -> dict:
    """Run a program behind the language wall alone, in a fork of this process that is not locked down."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            child.serve(child.Job(source), lambda data: protocol.write(writer, data), limits)
        finally:
            os._exit(70)
    os.close(writer)
    with open(reader, "rb") as stream:
        sent = stream.read()
    os.waitpid(pid, 0)
    return json.loads(assemble(source, {}, sent, Ending("exit"), limits))


def run_one(pool: Pool, source: str) -> dict:
    """Run one program in a pool of its own."""
    return run_all(pool, {"it": source})["it"]


def printed(trace: dict) -> str:
    """Return all that a program printed."""
    return "".join(row["text"] for row in trace["rows"] if row["kind"] == "printed")


def should_print(source: str) -> str:
    """Return the output that an ordinary program's first line gives."""
    return ast.literal_eval(source.split("\n", 1)[0].removeprefix("# prints: "))


def verdict(source: str, trace: dict) -> str:
    """Return what is wrong with a trace, or an empty text."""
    expected = source.split("\n", 1)[0].removeprefix("# expect: ").split(" ; ")[0]
    if through := escaped(trace):
        return through
    if any(fits(one.strip(), trace) for one in expected.split(" | ")):
        return ""
    return f"expected {expected}, but {trace['outcome']} after printing {printed(trace)[-80:]!r}"


def escaped(trace: dict) -> str:
    """Return how a trace shows that its program got through, or an empty text."""
    shown = "".join(row["text"] for row in trace["rows"] if row["kind"] == "echo")
    if "PWNED" in printed(trace) + shown or "PWNED" in json.dumps(trace["outcome"]):
        return f"it got through: {printed(trace)!r} {trace['outcome']}"
    if str(ROOT) in json.dumps(trace) or sys.prefix in json.dumps(trace):
        return "its trace says where on this machine it ran"
    return ""


def fits(expected: str, trace: dict) -> bool:
    """Return whether a trace ends in one of the ways a first line allows."""
    match = EXPECT.fullmatch(expected)
    assert match, f"no such expectation: {expected}"
    kind, line, detail = match.groups()
    outcome = trace["outcome"]
    if kind == "ok":
        return outcome["kind"] == "finished" and (detail or "") in printed(trace)
    if outcome["kind"] != KINDS[kind] or (line and (outcome["at"] or [None])[0] != int(line)):
        return False
    return detail is None or said(kind, outcome) & wanted(kind, detail) != set()


def said(kind: str, outcome: dict[str, Any]) -> set[str]:
    """Return what an outcome calls itself."""
    if kind == "error at run":
        return {outcome["type"]} | ({"ImportError"} if outcome["type"] == "ModuleNotFoundError" else set())
    return {outcome["limit"]}


def wanted(kind: str, detail: str) -> set[str]:
    """Return the names that fulfil an expectation."""
    return CRASHES_TOO[detail] if kind == "killed" else set(detail.split("/"))
