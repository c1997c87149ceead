"""What an optimiser keeps, learning rates, and clipping: each told wrongly."""

from __future__ import annotations

from tests.verify.corruptions.table import SKIP, alter, corruption, first_seen, other_value, swap_value


def kept(row: dict, name: str) -> list | None:
    """Return what a row says of one state."""
    return next((each for each in row["state"] if each[0] == name), None)


@corruption("parameter_updated")
def state_before_swapped(trace, row, k):
    for each in row["state"]:
        other = other_value(trace, each[2], k)
        if each[2] is not None and other is not None:
            each[2] = other
            return k
    return SKIP


@corruption("parameter_updated")
def state_after_swapped(trace, row, k):
    for each in row["state"]:
        other = other_value(trace, each[3], k)
        if other is not None:
            each[3] = other
            return k
    return SKIP


@corruption("parameter_updated")
def state_out_of_nothing(trace, row, k):
    each = kept(row, "exp_avg")
    if each is None or each[2] is not None or k == 0:
        return SKIP
    each[2] = row["before"]
    return k


@corruption("parameter_updated")
def number_of_a_step_altered(trace, row, k):
    each = kept(row, "step")
    if each is None or first_seen(trace, each[3]) != k or not alter(trace, each[3], lambda x: x + 4):
        return SKIP
    return k


@corruption("lr_scheduled")
def rate_before_altered(trace, row, k):
    row["before"] *= 2
    return k


@corruption("lr_scheduled")
def rate_after_altered(trace, row, k):
    row["after"] *= 0.5
    return k


@corruption("lr_scheduled")
def factor_of_a_rate_altered(trace, row, k):
    if "gamma" not in row["terms"]:
        return SKIP
    row["terms"]["gamma"] *= 1.5
    return k


@corruption("parameter_updated")
def moved_at_another_rate_than_planned(trace, row, k):
    for i in range(k, 0, -1):
        if trace["rows"][i - 1]["kind"] == "lr_scheduled":
            row["terms"]["lr"] *= 1.25
            return k
    return SKIP


@corruption("grad_norm_clipped")
def total_norm_swapped(trace, row, k):
    return swap_value(trace, row, "total", k)


@corruption("grad_norm_clipped")
def clip_factor_swapped(trace, row, k):
    return swap_value(trace, row, "factor", k)


@corruption("grad_norm_clipped")
def allowed_norm_altered(trace, row, k):
    row["max_norm"] *= 1.5
    return k


@corruption("grad_norm_clipped")
def clipped_gradient_swapped(trace, row, k):
    return swap_value(trace, row["after"], 0, k)


@corruption("grad_value_clipped")
def gradient_before_clipping_swapped(trace, row, k):
    return swap_value(trace, row["before"], 0, k)


@corruption("grad_value_clipped")
def bound_of_clipping_altered(trace, row, k):
    row["clip_value"] *= 0.5
    return k
