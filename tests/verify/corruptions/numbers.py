"""One number of one value made false, where it is claimed first."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from tests.verify.corruptions.table import SKIP, alter, corruption, first_seen

PLUS_ONE, OPPOSITE = (lambda x: x + 1.0), (lambda x: -x)


def falsify(trace: dict, v: str | None, k: int, how: Callable[[float], float] = PLUS_ONE) -> Any:
    """Change a number of a value that row k claims first."""
    if v is None or first_seen(trace, v) != k or not alter(trace, v, how):
        return SKIP
    return k


def new_gradient(trace: dict, row: dict, k: int) -> str | None:
    """Return a gradient that a rule has made and that is no term of a rule as well."""
    terms = {v for rule in row["rules"] for v in rule["terms"].values()}
    made = [rule["result"] for rule in row["rules"]]
    return next((v for v in made if v not in terms and first_seen(trace, v) == k), None)


@corruption("op_applied")
def result_of_an_operation(trace, row, k):
    return falsify(trace, row["values"][0], k) if row["values"] else SKIP


@corruption("op_applied")
def sign_of_a_result(trace, row, k):
    return falsify(trace, row["values"][0], k, OPPOSITE) if row["values"] else SKIP


@corruption("op_applied")
def result_off_by_a_thousandth(trace, row, k):
    def nearly(x: float) -> float:
        return math.ldexp(round(math.ldexp(x * 1.001, 12)), -12)

    return falsify(trace, row["values"][0], k, nearly) if row["values"] else SKIP


@corruption("op_applied")
def result_that_is_no_number(trace, row, k):
    v = row["values"][0] if row["values"] else None
    if v is None or first_seen(trace, v) != k or trace["values"][v].get("shape") != []:
        return SKIP
    trace["values"][v]["data"] = "nan"
    return k


@corruption("node_ran")
def gradient_of_a_rule(trace, row, k):
    return falsify(trace, new_gradient(trace, row, k), k)


@corruption("node_ran")
def sign_of_a_gradient(trace, row, k):
    return falsify(trace, new_gradient(trace, row, k), k, OPPOSITE)


@corruption("grad_summed")
def sum_at_a_node(trace, row, k):
    return falsify(trace, row["after"], k)


@corruption("reduced_to_shape")
def sum_over_what_was_broadcast(trace, row, k):
    return falsify(trace, row["after"], k)


@corruption("grad_accumulated")
def accumulated_gradient(trace, row, k):
    return falsify(trace, row["after"], k)


@corruption("grad_retained")
def retained_gradient(trace, row, k):
    return falsify(trace, row["after"], k)


@corruption("parameter_updated")
def updated_parameter(trace, row, k):
    return falsify(trace, row["after"], k)


@corruption("parameter_updated")
def state_of_an_optimiser(trace, row, k):
    names = [n for n in ("buf", "m", "v", "s", "w", "a") if isinstance(row["terms"].get(n), str)]
    return falsify(trace, row["terms"][names[0]], k) if names else SKIP


@corruption("parameter_updated")
def learning_rate(trace, row, k):
    row["terms"]["lr"] *= 1.5
    return k


@corruption("parameter_updated")
def number_of_the_step(trace, row, k):
    if "t" not in row["terms"]:
        return SKIP
    row["terms"]["t"] += 1
    return k


@corruption("backward_began")
def first_gradient_that_is_not_one(trace, row, k):
    return falsify(trace, row["grads"][0], k) if row["implicit"] else SKIP


@corruption("tensor_made")
def number_that_the_program_writes_otherwise(trace, row, k):
    line, start, last, end = row["at"]
    text = trace["source"].splitlines()[line - 1][start:end]
    if line != last or not text.startswith("torch.tensor(["):
        return SKIP
    return falsify(trace, row["value"], k)


@corruption("printed")
def printed_number(trace, row, k):
    line = trace["source"].splitlines()[row["at"][0] - 1]
    if "print(x.grad" not in line or "tensor([" not in row["text"]:
        return SKIP
    row["text"] = row["text"].replace("tensor([", "tensor([7", 1)
    return k


@corruption("backward_began")
def number_of_a_call(trace, row, k):
    row["call"] += 1
    return k


@corruption("edge_flowed")
def count_of_what_is_missing(trace, row, k):
    row["missing"] += 1
    return k


@corruption("backward_began")
def count_of_edges_at_the_start(trace, row, k):
    row["missing"][next(reversed(row["missing"]))] += 1
    return k


@corruption("backward_began")
def node_left_out_of_the_count(trace, row, k):
    if len(row["missing"]) < 2:
        return SKIP
    row["missing"].popitem()
    return k
