"""What checking found: how many numbers were derived again, which were not, what is wrong. Judges nothing."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass, field
from typing import Any

MOST = 25  # problems that are told; the first is the one that matters
REASONS = {
    "operation": "no law is known here",
    "large": "too large to be written whole",
    "unwritten": "an argument is not written out",
    "unknown": "something it needs is not known",
    "trouble": "the law does not fit what it is given",
    "results": "another number of results",
    "places": "places that nothing tells",
    "assigned": "an assigned gradient that no row has made",
    "own": "the program's own rule",
    "optimiser": "an optimiser without a law",
    "hook": "what a hook after a node returned",
    "packed": "a saved tensor that was packed or made inside",
}  # why a number is taken as it stands


@dataclass(frozen=True, slots=True)
class Problem:
    """One claim that does not hold. `row` is None where no row makes the claim."""

    row: int | None
    claim: str
    expected: str
    found: str
    text: str


@dataclass(frozen=True, slots=True)
class Gap:
    """Why numbers of one kind of row are taken as they stand. `subject` is an operation, a node or a type."""

    kind: str
    reason: str
    subject: str = ""
    detail: str = ""

    @property
    def text(self) -> str:
        """Return it in one line."""
        parts = (self.kind, self.subject, REASONS[self.reason], self.detail)
        return ": ".join(part for part in parts if part)


@dataclass(slots=True)
class Report:
    """`checked` of `of` numbers were derived again; `given` says why the others were not, `first` where."""

    checked: int = 0
    given: Counter[Gap] = field(default_factory=Counter)
    first: dict[Gap, int] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    rows: int = 0  # rows that have been looked at and hold

    @property
    def of(self) -> int:
        """Return how many numbers the trace claims."""
        return self.checked + self.given.total()

    @property
    def holds(self) -> bool:
        """Say whether nothing is wrong."""
        return not self.problems

    def leave(self, gap: Gap, row: int, count: int) -> None:
        """Note numbers that are taken as they stand."""
        if count:
            self.given[gap] += count
            self.first.setdefault(gap, row)

    def refuse(self, row: int | None, claim: str, expected: Any, found: Any) -> None:
        """Note a claim that does not hold."""
        if len(self.problems) < MOST:
            where = "the trace" if row is None else f"row {row}"
            text = f"{where}: {claim}: expected {expected}, found {found}"
            self.problems.append(Problem(row, claim, str(expected), str(found), text))

    def as_dict(self) -> dict[str, Any]:
        """Return the report as JSON-ready data."""
        return {
            "checked": self.checked,
            "of": self.of,
            "rows": self.rows,
            "given": [
                {**asdict(gap), "count": count, "row": self.first[gap]}
                for gap, count in self.given.most_common()
            ],
            "problems": [asdict(problem) for problem in self.problems],
        }
