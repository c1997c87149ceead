"""What became of each leaf's `.grad`: added to, emptied, used for an update. Judges nothing."""

from __future__ import annotations

from dataclasses import dataclass

from app.sandbox.child.doctor.case import Case

ADDED, EMPTIED, TOUCHED, USED = "added", "emptied", "touched", "used"
STEPS = {"sub_", "add_", "addcmul_", "addcdiv_", "copy_", "set_"}  # ways to write an update by hand


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happened to a leaf's `.grad` at a row; `by` is the number of the optimiser, if any."""

    row: int
    what: str
    by: int | None = None


def histories(case: Case) -> dict[str, list[Event]]:
    """Return what happened to each leaf that was updated at least once, in order."""
    found: dict[str, list[Event]] = {}
    views: dict[str, str] = {}  # the tensors that `.data` and `.detach()` gave, and of which leaf
    clipped: set[tuple] = set()
    which: int | None = None
    for k, row in enumerate(case.rows):
        match row["kind"]:
            case "grad_accumulated" | "sparse_accumulated":
                note(found, row["tensor"], k, ADDED)
            case "grad_norm_clipped" | "grad_value_clipped":
                clipped.add(tuple(row["at"] or ()))
            case "grad_set":
                empty = row["after"] is None or case.is_zero(row["after"])
                if empty or tuple(row["at"] or ()) not in clipped:
                    note(found, row["tensor"], k, EMPTIED if empty else TOUCHED)
            case "optimizer_step":
                which = row["which"]
            case "parameter_updated":
                note(found, row["tensor"], k, USED, which)
            case "detached":
                if case.wants(row["source"]):
                    views[row["tensor"]] = row["source"]
            case "data_replaced":
                note(found, row["tensor"], k, USED)
            case "op_applied":
                by_hand(case, found, views, k)
    return {leaf: events for leaf, events in found.items() if any(each.what == USED for each in events)}


def by_hand(case: Case, found: dict[str, list[Event]], views: dict[str, str], k: int) -> None:
    """Note an update that the program writes itself: `w -= lr * w.grad` under no_grad, or by `.data`."""
    row = case.rows[k]
    if not row["inplace"] or row["op"] not in STEPS or row["node"] is not None:
        return
    leaf = views.get(row["outputs"][0], row["outputs"][0])
    if case.tensors[leaf]["kind"] == "leaf" and found.get(leaf) and len(case.inputs(k)) > 1:
        note(found, leaf, k, USED)


def note(found: dict[str, list[Event]], leaf: str, row: int, what: str, by: int | None = None) -> None:
    """Add to a leaf's history."""
    found.setdefault(leaf, []).append(Event(row, what, by))
