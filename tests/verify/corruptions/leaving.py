"""Where numbers leave the graph, told wrongly."""

from __future__ import annotations

from tests.verify.corruptions.table import SKIP, corruption, double, swap_value


@corruption("detached")
def detached_value_swapped(trace, row, k):
    return swap_value(trace, row, "value", k)


@corruption("detached")
def detached_in_a_way_there_is_not(trace, row, k):
    row["how"] = "severed"
    return k


@corruption("detached")
def detached_from_itself(trace, row, k):
    if row["tensor"] == row["source"]:
        return SKIP
    row["how"] = "detach_"
    return k


@corruption("detached")
def detached_written_twice(trace, row, k):
    return double(trace, k)


@corruption("data_replaced")
def data_before_swapped(trace, row, k):
    return swap_value(trace, row, "before", k)


@corruption("data_replaced")
def data_after_swapped(trace, row, k):
    return swap_value(trace, row, "after", k)


@corruption("value_read")
def another_value_read(trace, row, k):
    return swap_value(trace, row, "value", k)


@corruption("value_read")
def read_in_a_way_there_is_not(trace, row, k):
    row["how"] = "guess"
    return k
