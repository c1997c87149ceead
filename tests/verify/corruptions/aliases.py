"""What other tensors show after a write, told wrongly."""

from __future__ import annotations

from tests.verify.corruptions.table import SKIP, corruption, double, drop, swap_value


@corruption("aliases_changed")
def alias_shows_another_value(trace, row, k):
    return SKIP if row["by"] == "numpy" else swap_value(trace, row["tensors"][0], 1, k)


@corruption("aliases_changed")
def change_of_aliases_untold(trace, row, k):
    return SKIP if row["by"] != "tensor" else drop(trace, k)


@corruption("aliases_changed")
def change_of_aliases_told_twice(trace, row, k):
    return double(trace, k)


@corruption("aliases_changed")
def one_alias_left_out(trace, row, k):
    if len(row["tensors"]) < 2:
        return SKIP
    row["tensors"].pop()
    return k


@corruption("aliases_changed")
def written_by_another_hand(trace, row, k):
    row["by"] = "gradients" if row["by"] != "gradients" else "grad"
    return k


@corruption("aliases_changed")
def written_through_another_tensor(trace, row, k):
    if row["by"] != "tensor":
        return SKIP
    row["written"] = next(t for t in trace["tensors"] if t != row["written"])
    return k
