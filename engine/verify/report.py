"""What checking found: how many numbers were derived again, which were not, what is wrong. Judges nothing."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass, field
from typing import Any

MOST = 25  # problems that are told; the first is the one that matters


@dataclass(frozen=True, slots=True)
class Problem:
    """One claim that does not hold. `row` is None where no row makes the claim."""

    row: int | None
    claim: str
    expected: str
    found: str
    text: str


@dataclass(slots=True)
class Report:
    """`checked` of `of` numbers were derived again; `given` says why the others were not."""

    checked: int = 0
    given: Counter[str] = field(default_factory=Counter)
    problems: list[Problem] = field(default_factory=list)

    @property
    def of(self) -> int:
        """Return how many numbers the trace claims."""
        return self.checked + self.given.total()

    @property
    def holds(self) -> bool:
        """Say whether nothing is wrong."""
        return not self.problems

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
            "given": dict(self.given.most_common()),
            "problems": [asdict(problem) for problem in self.problems],
        }
