"""What is held in memory, told wrongly: bytes, and the rows after which they change."""

from __future__ import annotations

from tests.verify.corruptions.table import SKIP, corruption


def claim_of(trace: dict, k: int) -> int | None:
    """Return which claim is about a row."""
    return next((i for i, each in enumerate(trace["memory"]) if each[0] == k), None)


def altered(of: str, name: str, place: int) -> None:
    """Add the kind that tells other bytes of one sort."""

    def function(trace, row, k):
        i = claim_of(trace, k)
        if i is None:
            return SKIP
        trace["memory"][i][place] += 4
        return k

    function.__name__ = name
    corruption(of)(function)


altered("op_applied", "bytes_of_the_graph_altered", 1)
altered("saved_freed", "bytes_of_the_graph_left_altered", 1)
altered("grad_accumulated", "bytes_of_gradients_altered", 2)
altered("parameter_updated", "bytes_of_an_optimiser_altered", 3)


@corruption("op_applied")
def growth_of_the_graph_untold(trace, row, k):
    i = claim_of(trace, k)
    if i is None:
        return SKIP
    del trace["memory"][i]
    return k


@corruption("saved_freed")
def memory_given_back_too_late(trace, row, k):
    i = claim_of(trace, k)
    if i is None or claim_of(trace, k + 1) is not None or k + 1 >= len(trace["rows"]):
        return SKIP
    trace["memory"][i][0] += 1
    return k


@corruption("node_entered")
def memory_told_twice(trace, row, k):
    if claim_of(trace, k) is not None:
        return SKIP
    earlier = [each for each in trace["memory"] if each[0] < k]
    trace["memory"].insert(len(earlier), [k, *(earlier[-1][1:] if earlier else (0, 0, 0))])
    return k


@corruption()
def memory_told_of_a_row_that_is_not_there(trace, row, k):
    trace["memory"].append([len(trace["rows"]), 4, 4, 4])
    return None


@corruption()
def memory_told_out_of_order(trace, row, k):
    if len(trace["memory"]) < 2:
        return SKIP
    trace["memory"].reverse()
    return None
