"""Versions and nodes after a write in place, told wrongly."""

from __future__ import annotations

from tests.verify.corruptions.table import SKIP, corruption, double, other_node


@corruption("version_bumped")
def version_counted_twice(trace, row, k):
    return double(trace, k)


@corruption("version_bumped")
def version_leaps(trace, row, k):
    row["after"] += 1
    return k


@corruption("version_bumped")
def version_goes_back(trace, row, k):
    if not any(r["kind"] == "version_bumped" and r["tensor"] == row["tensor"] for r in trace["rows"][:k]):
        return SKIP
    row["before"], row["after"] = 0, 1
    return k


@corruption("version_bumped")
def version_of_a_tensor_that_was_not_written(trace, row, k):
    row["tensor"] = next(t for t in trace["tensors"] if t != row["tensor"])
    return k


@corruption("rebased")
def moved_from_another_node(trace, row, k):
    if row["before"] is None:
        return SKIP
    others = [n for n in trace["nodes"] if n not in (row["before"], row["after"])]
    row["before"] = others[0]
    return k


@corruption("rebased")
def moved_nowhere(trace, row, k):
    row["after"] = row["before"] or other_node(trace, row["after"])
    return k
