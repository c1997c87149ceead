"""Sparse gradients told wrongly."""

from __future__ import annotations

from tests.verify.corruptions.table import corruption


@corruption("sparse_accumulated")
def another_number_of_entries(trace, row, k):
    row["entries"] += 1
    return k


@corruption("sparse_accumulated")
def rows_at_other_indices(trace, row, k):
    row["indices"] = row["rows"]
    return k


@corruption("sparse_accumulated")
def rows_of_another_leaf(trace, row, k):
    row["tensor"] = next(t for t in trace["tensors"] if t != row["tensor"])
    return k


@corruption("coalesced")
def coalesced_without_adding(trace, row, k):
    row["new_indices"], row["new_rows"] = row["indices"], row["rows"]
    return k
