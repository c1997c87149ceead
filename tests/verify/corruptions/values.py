"""A row that says another value, or a value that is not written as the format says."""

from __future__ import annotations

import copy

from tests.verify.corruptions.table import SKIP, corruption, first_seen, other_value, swap_value


@corruption("op_applied")
def another_result(trace, row, k):
    return swap_value(trace, row["values"], 0, k) if row["values"] else SKIP


@corruption("edge_flowed")
def another_gradient_on_an_edge(trace, row, k):
    return swap_value(trace, row, "grad", k)


@corruption("node_entered")
def another_gradient_at_a_node(trace, row, k):
    return swap_value(trace, row["grads"], 0, k)


@corruption("node_ran")
def another_gradient_of_a_rule(trace, row, k):
    slot = next((i for i, g in enumerate(row["grads"]) if g is not None), None)
    return SKIP if slot is None else swap_value(trace, row["grads"], slot, k)


@corruption("node_ran")
def another_result_of_a_rule(trace, row, k):
    return swap_value(trace, row["rules"][0], "result", k) if row["rules"] else SKIP


@corruption("node_ran")
def another_gradient_in_a_rules_terms(trace, row, k):
    return swap_value(trace, row["rules"][0]["terms"], "grad", k) if row["rules"] else SKIP


@corruption("node_ran")
def another_saved_tensor_in_a_rules_terms(trace, row, k):
    for rule in row["rules"]:
        for name, v in rule["terms"].items():
            if name != "grad" and v in trace["values"] and other_value(trace, v, k):
                return swap_value(trace, rule["terms"], name, k)
    return SKIP


@corruption("node_ran")
def another_number_in_a_rules_terms(trace, row, k):
    for rule in row["rules"]:
        for name, text in rule["terms"].items():
            if text.isdigit():
                rule["terms"][name] = str(int(text) + 1)
                return k
    return SKIP


@corruption("node_ran")
def another_shape_in_a_rules_terms(trace, row, k):
    for rule in row["rules"]:
        if rule["terms"].get("self_sym_sizes", "()") != "()":
            rule["terms"]["self_sym_sizes"] = "(7, 7)"
            return k
    return SKIP


@corruption("node_ran")
def term_left_out_of_a_rule(trace, row, k):
    for rule in row["rules"]:
        if len(rule["terms"]) > 1 and " with " not in rule["formula"]:
            rule["terms"].popitem()
            return k
    return SKIP


@corruption("op_applied")
def another_saved_tensor(trace, row, k):
    return swap_value(trace, row["saved"][0], 2, k) if row["saved"] else SKIP


@corruption("op_applied")
def saved_tensor_left_out(trace, row, k):
    if not row["saved"] or row["saved"][0][0] not in ("self", "other", "result"):
        return SKIP
    row["saved"].pop(0)
    return k


@corruption("grad_summed")
def another_waiting_gradient(trace, row, k):
    return swap_value(trace, row, "before", k)


@corruption("grad_summed")
def another_added_gradient(trace, row, k):
    return swap_value(trace, row, "added", k)


@corruption("grad_summed")
def another_sum(trace, row, k):
    return swap_value(trace, row, "after", k)


@corruption("grad_accumulated")
def another_grad_before(trace, row, k):
    return swap_value(trace, row, "before", k) if row["before"] else SKIP


@corruption("grad_accumulated")
def grad_that_was_empty(trace, row, k):
    if row["before"] is None:
        return SKIP
    row["before"] = None
    return k


@corruption("grad_accumulated")
def another_arriving_gradient(trace, row, k):
    return swap_value(trace, row, "arriving", k)


@corruption("grad_accumulated")
def another_grad_after(trace, row, k):
    return swap_value(trace, row, "after", k)


@corruption("reduced_to_shape")
def another_gradient_before_reducing(trace, row, k):
    return swap_value(trace, row, "before", k)


@corruption("grad_captured")
def another_captured_gradient(trace, row, k):
    return swap_value(trace, row, "grad", k)


@corruption("hook_ran")
def another_gradient_before_a_hook(trace, row, k):
    return swap_value(trace, row, "before", k)


@corruption("parameter_updated")
def another_parameter_before(trace, row, k):
    return swap_value(trace, row, "before", k)


@corruption("parameter_updated")
def another_gradient_in_an_update(trace, row, k):
    return swap_value(trace, row, "grad", k)


@corruption("parameter_updated")
def another_state_before(trace, row, k):
    name = next((n for n in ("buf_before", "m_before", "s_before") if n in row["terms"]), None)
    return SKIP if name is None else swap_value(trace, row["terms"], name, k)


@corruption("grad_set")
def another_grad_before_it_is_set(trace, row, k):
    return swap_value(trace, row, "before", k) if row["before"] else SKIP


@corruption("grad_set")
def grad_that_zero_grad_left(trace, row, k):
    if row["cause"] != "zero_grad" or row["after"] is not None:
        return SKIP
    row["after"] = row["before"]
    return k


@corruption("grad_captured")
def captured_nothing(trace, row, k):
    row["grad"] = None
    return k


@corruption("edge_flowed")
def nothing_on_an_edge(trace, row, k):
    if row["grad"] is None:
        return SKIP
    row["grad"] = None
    return k


# ----- the table of values --------------------------------------------------------------------------
@corruption()
def value_of_another_shape(trace, row, k):
    for v, entry in trace["values"].items():
        if entry["shape"] and entry["shape"][0] > 1:
            entry["shape"] = [entry["shape"][0] - 1, *entry["shape"][1:]]
            return first_seen(trace, v)
    return SKIP


@corruption()
def value_of_another_dtype(trace, row, k):
    for v, entry in trace["values"].items():
        if entry["dtype"] == "float32" and trace["rows"][first_seen(trace, v)]["kind"] == "op_applied":
            entry["dtype"] = "float64"
            return first_seen(trace, v)
    return SKIP


@corruption()
def number_that_no_float32_holds(trace, row, k):
    for v, entry in trace["values"].items():
        if entry["dtype"] == "float32" and entry["shape"] == []:
            entry["data"] = 1e39
            return first_seen(trace, v)
    return SKIP


@corruption()
def text_in_place_of_a_number(trace, row, k):
    for v, entry in trace["values"].items():
        if entry["shape"] == []:
            entry["data"] = "one"
            return first_seen(trace, v)
    return SKIP


@corruption()
def value_written_twice(trace, row, k):
    trace["values"][f"v{len(trace['values']) + 1}"] = copy.deepcopy(trace["values"].get("v1", {}))
    return None if len(trace["values"]) > 1 else SKIP


@corruption()
def value_that_is_missing(trace, row, k):
    if not trace["values"]:
        return SKIP
    v, _ = trace["values"].popitem()
    return SKIP if first_seen(trace, v) is None else first_seen(trace, v)


@corruption()
def statistic_of_a_large_tensor(trace, row, k):
    for v, entry in trace["values"].items():
        if "summary" in entry and trace["rows"][first_seen(trace, v)]["kind"] in ("op_applied", "node_ran"):
            entry["summary"]["mean"] += entry["summary"]["max"] - entry["summary"]["min"]
            return first_seen(trace, v)
    return SKIP


@corruption()
def cell_of_a_large_tensor(trace, row, k):
    for v, entry in trace["values"].items():
        made = trace["rows"][first_seen(trace, v) or 0]
        if "summary" in entry and made["kind"] == "op_applied" and made["op"] in ("relu", "mul", "t"):
            entry["summary"]["cells"]["data"][0][0] = (
                entry["summary"]["min"] / 2 + entry["summary"]["max"] / 2
            )
            return first_seen(trace, v)
    return SKIP


@corruption()
def shade_of_a_large_tensor(trace, row, k):
    for v, entry in trace["values"].items():
        picture = entry.get("summary", {}).get("picture", {})
        other = next((letter for letter in picture.get("levels", "") if letter != picture["levels"][0]), None)
        if other is not None:
            picture["levels"] = other + picture["levels"][1:]
            return first_seen(trace, v)
    return SKIP
