"""Statements of the module run once and in their order, and print says whole lines."""

from __future__ import annotations

import copy

from engine.verify.program import Program
from tests.verify.corruptions.table import SKIP, corruption


@corruption("printed")
def word_behind_the_end_of_a_line(trace, row, k):
    row["text"] += "x"
    return k


@corruption("printed")
def print_that_runs_once_left_out(trace, row, k):
    if trace["outcome"]["kind"] != "finished" or tuple(row["at"]) not in Program(trace["source"]).once:
        return SKIP
    del trace["rows"][k]
    return {None, *range(k, len(trace["rows"]))}  # what points at rows behind it may be seen first


@corruption("printed")
def print_that_runs_once_told_twice(trace, row, k):
    if tuple(row["at"]) not in Program(trace["source"]).once:
        return SKIP
    trace["rows"].insert(k + 1, copy.deepcopy(row))
    return k + 1


@corruption("printed")
def print_of_an_earlier_statement(trace, row, k):
    where = Program(trace["source"]).statement
    earlier = next((r for r in trace["rows"][:k] if where.get(tuple(r["at"] or ()), 99) < 99), None)
    if earlier is None or where.get(tuple(row["at"]), 0) <= where[tuple(earlier["at"])]:
        return SKIP
    row["at"] = earlier["at"]
    return k


@corruption("op_applied")
def operation_that_nobody_knows(trace, row, k):
    row["op"] += "x"
    return k
