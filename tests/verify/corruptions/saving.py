"""Saved tensors that go through hooks, and checkpoints, told wrongly."""

from __future__ import annotations

from tests.verify.corruptions.table import SKIP, corruption, drop


@corruption("checkpoint_ended")
def another_count_left_out(trace, row, k):
    if row["tensors"] is None:
        return SKIP
    row["tensors"] += 1
    return k


@corruption("checkpoint_ended")
def more_bytes_left_out(trace, row, k):
    if row["bytes"] is None:
        return SKIP
    row["bytes"] *= 10
    return k


@corruption("checkpoint_began")
def checkpoint_began_left_out(trace, row, k):
    drop(trace, k)
    return set(range(k, len(trace["rows"])))


@corruption("recompute_ended")
def stopped_at_another_moment(trace, row, k):
    row["early"] = not row["early"]
    return k


@corruption("recompute_ended")
def another_function_again(trace, row, k):
    row["function"] = "brick"
    return k


@corruption("saved_packed")
def packed_tensor_left_out(trace, row, k):
    if row["packed"] is not None:
        return SKIP
    drop(trace, k)
    return set(range(k, len(trace["rows"])))
