"""The order made false: of the queue, of nodes, of the rows around one node."""

from __future__ import annotations

from tests.verify.corruptions.table import SKIP, corruption, other_node


@corruption("node_ready")
def queue_in_another_order(trace, row, k):
    if len(row["queue"]) < 2:
        return SKIP
    row["queue"].reverse()
    return k


@corruption("node_entered")
def queue_in_another_order_after_a_node_was_taken(trace, row, k):
    if len(row["queue"]) < 2:
        return SKIP
    row["queue"].reverse()
    return k


@corruption("node_ready")
def queue_without_a_node(trace, row, k):
    row["queue"].pop()
    return k


@corruption("node_entered")
def queue_that_still_holds_the_node(trace, row, k):
    row["queue"].insert(0, row["node"])
    return k


@corruption("node_entered")
def node_that_is_not_on_top(trace, row, k):
    if not row["queue"]:
        return SKIP
    row["node"] = row["queue"][-1]
    return k


@corruption("node_ready")
def other_node_that_is_ready(trace, row, k):
    row["node"] = other_node(trace, row["node"])
    return k if row["node"] else SKIP


@corruption("node_ran")
def other_node_that_ran(trace, row, k):
    row["node"] = other_node(trace, row["node"])
    return k if row["node"] else SKIP


def exchange(trace, k, *kinds):
    """Exchange row k with the next one, which must be of one of these kinds."""
    rows = trace["rows"]
    if k + 1 >= len(rows) or rows[k + 1]["kind"] not in kinds:
        return SKIP
    rows[k], rows[k + 1] = rows[k + 1], rows[k]
    return k


@corruption("edge_flowed")
def ready_before_the_gradient_flows(trace, row, k):
    return exchange(trace, k, "node_ready")


@corruption("edge_flowed")
def summed_before_the_gradient_flows(trace, row, k):
    return exchange(trace, k, "grad_summed")


@corruption("grad_summed")
def ready_before_the_sum(trace, row, k):
    return exchange(trace, k, "node_ready")


@corruption("node_entered")
def ran_before_it_was_entered(trace, row, k):
    return exchange(trace, k, "node_ran")


@corruption("node_ran")
def flowed_before_it_ran(trace, row, k):
    return exchange(trace, k, "edge_flowed")


@corruption("node_ran")
def freed_before_it_ran(trace, row, k):
    return exchange(trace, k, "saved_freed")


@corruption("saved_freed")
def freed_after_the_gradient_flowed(trace, row, k):
    return exchange(trace, k, "edge_flowed")


@corruption("grad_accumulated")
def ran_before_it_accumulated(trace, row, k):
    return exchange(trace, k, "node_ran")


@corruption("backward_began")
def ready_before_backward_began(trace, row, k):
    return exchange(trace, k, "node_ready")


@corruption("op_applied")
def name_bound_before_the_operation(trace, row, k):
    if k + 1 >= len(trace["rows"]) or row["outputs"][0] not in trace["rows"][k + 1].get("names", {}).values():
        return SKIP
    return exchange(trace, k, "names_bound")


@corruption("optimizer_step")
def updated_before_the_step(trace, row, k):
    return exchange(trace, k, "parameter_updated")


@corruption("op_applied")
def operations_in_another_order(trace, row, k):
    following = trace["rows"][k + 1] if k + 1 < len(trace["rows"]) else {}
    if following.get("kind") != "op_applied" or None in (row["node"], following["node"]):
        return SKIP
    return {exchange(trace, k, "op_applied"), k + 1}


@corruption()
def nodes_run_in_order_of_making(trace, row, k):
    """Two nodes that wait together are run in the other order, whole blocks exchanged."""
    rows = trace["rows"]
    entered = [k for k, row in enumerate(rows) if row["kind"] == "node_entered"]
    for first, second, third in zip(entered, entered[1:], entered[2:]):
        together = rows[second]["node"] in rows[first]["queue"]
        if together and all(r["kind"] != "backward_ended" for r in rows[first:third]):
            rows[first:third] = rows[second:third] + rows[first:second]
            return first
    return SKIP
