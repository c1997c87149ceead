"""The list of faults that are looked for. To add one: its function, a line here, words in the dictionary."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from app.sandbox.child.doctor.accumulating import accumulating, emptied
from app.sandbox.child.doctor.calls import scheduler_first, uncalled
from app.sandbox.child.doctor.case import Case, Finding
from app.sandbox.child.doctor.cutting import cut_off, no_graph
from app.sandbox.child.doctor.graphs import changed, freed
from app.sandbox.child.doctor.leaves import not_a_leaf, optimised
from app.sandbox.child.doctor.losses import broadcast, history, twice
from app.sandbox.child.doctor.messages import message
from app.sandbox.child.doctor.numbers import always_zero, not_finite
from app.sandbox.child.doctor.unreached import in_a_list, strangers, unused

# Note: doctor
MOST = 8  # findings of one run
ENDINGS = ("finished", "error", "rows")  # of a run that can be judged; a limit by its name

FAULTS: tuple[Callable[[Case], Iterator[Finding]], ...] = (
    changed, freed, no_graph, message, not_a_leaf, optimised, cut_off, uncalled, emptied, accumulating,
    in_a_list, strangers, unused, broadcast, twice, not_finite, always_zero, history, scheduler_first,
)  # fmt: skip


def diagnose(trace: dict[str, Any], held: dict[int, list[str]]) -> list[dict[str, Any]]:
    """Return what is wrong with a run. `held`: the tensors of each optimiser by its number."""
    outcome = trace["outcome"]
    if outcome.get("limit", outcome["kind"]) not in ENDINGS:
        return []
    case = Case(trace, held)
    found = [finding for fault in FAULTS for finding in fault(case)]
    return [finding.told(case.program) for finding in found[:MOST]]
