"""Programs with a fault, as one types them in several ways, and what the doctor says of each.

`# expect: code.variant` stands above each in faults/*.txt; below `# ----- by hand` stands the same program
put right by a person. `, words` says that there is no mechanical change, `, note` that it may be meant so.
correct/*.txt are right as they are.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.sandbox.child.doctor.diagnose import diagnose
from app.sandbox.child.doctor.edits import applied
from app.sandbox.child.doctor.program import Program
from engine.trace.run import Limits, Run

HERE = Path(__file__).parent
BY_HAND, BETWEEN = "# ----- by hand\n", re.compile(r"^# -----.*\n", re.MULTILINE)
KEPT = set("torch nn F np math optim loader".split())  # names that are not the program's own


@dataclass(frozen=True, slots=True)
class Fault:
    """A program, the code of its fault, and the program put right, if a change can do that."""

    name: str
    code: str
    wrong: str
    right: str | None
    note: bool


def faults() -> list[Fault]:
    """Return the programs with a fault."""
    found = []
    for path in sorted((HERE / "faults").glob("*.txt")):
        first, _, rest = path.read_text(encoding="utf-8").partition("\n")
        wrong, _, right = rest.partition(BY_HAND)
        code, *how = first.removeprefix("# expect: ").split(", ")
        assert bool(right) != ("words" in how), path
        found.append(Fault(path.stem, code, wrong, right or None, "note" in how))
    return found


def correct() -> dict[str, str]:
    """Return the programs without a fault, by file and number."""
    found = {}
    for path in sorted((HERE / "correct").glob("*.txt")):
        parts = BETWEEN.split(path.read_text(encoding="utf-8"))
        found |= {f"{path.stem}_{i}": part for i, part in enumerate(parts, 1) if part.strip()}
    return found


def examined(source: str) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Run a program; return its trace and what is wrong with it."""
    run = Run(source, limits=Limits(rows=20_000))
    trace = run.trace()
    return trace, diagnose(trace, run.recorder.writer.steps.held)


def codes(findings: list[dict[str, Any]]) -> list[str]:
    """Return which faults were found."""
    return [".".join(filter(None, (each["code"], each["variant"]))) for each in findings]


def changed(source: str, finding: dict[str, Any]) -> str:
    """Return a program with the change that a finding offers."""
    return applied(source, Program(source).lines, finding["fix"])


# ----- the same program, typed otherwise -----
def renamed(source: str) -> str:
    """Give every variable another name."""
    bound = (
        set(re.findall(r"^\s*(?:for )?([a-z]\w*)(?= in | [-+*]?= |, \w+ = )", source, re.MULTILINE)) - KEPT
    )
    bound = {name for name in bound if not re.search(rf"[.]{name}\b|\b{name}=", source)}
    return re.sub(r"(?<![.\w])([a-z]\w*)\b(?!=)", lambda m: f"{m[1]}_né" if m[1] in bound else m[1], source)


def in_a_function(source: str) -> str:
    """Put everything but imports and definitions into a function."""
    lines = source.splitlines(keepends=True)
    top = [line for line in lines if line.startswith(("import ", "from "))]
    rest = [line for line in lines if line not in top]
    return (
        "".join(top)
        + "def main():\n"
        + "".join(f"    {line}" if line.strip() else line for line in rest)
        + "main()\n"
    )


def commented(source: str) -> str:
    """Add remarks and empty lines."""
    return re.sub(r"(?<=[^:,(\[])\n(?=\S)", "  # 注 §\n\n", source)


def crlf(source: str) -> str:
    """End lines as Windows does."""
    return source.replace("\n", "\r\n")


STYLES = {"plain": str, "renamed": renamed, "function": in_a_function, "remarks": commented, "crlf": crlf}
