"""Words, flags and spans made false: formulas, names, causes, what calls say."""

from __future__ import annotations

from tests.verify.corruptions.table import SKIP, corruption, other_node


@corruption("node_ran")
def formula_of_a_rule(trace, row, k):
    if not row["rules"]:
        return SKIP
    row["rules"][0]["formula"] = row["rules"][0]["formula"].replace("grad", "2 * grad", 1)
    return k


@corruption("node_ran")
def input_of_a_rule(trace, row, k):
    if not row["rules"]:
        return SKIP
    row["rules"][0]["input"] = "nothing"
    return k


@corruption("node_ran")
def slot_of_a_rule(trace, row, k):
    if not row["rules"]:
        return SKIP
    row["rules"][0]["slot"] += 1
    return k


@corruption("node_ran")
def formula_of_a_node(trace, row, k):
    if not row["rules"]:
        return SKIP
    entry, rule = trace["nodes"][row["node"]], row["rules"][0]
    entry["formulas"][rule["input"]] = f"-({rule['formula']})"
    ran = (i for i, r in enumerate(trace["rows"]) if r["kind"] == "node_ran" and r["node"] == row["node"])
    return next(i for i in ran if any(r["input"] == rule["input"] for r in trace["rows"][i]["rules"]))


@corruption("node_ran")
def formula_of_a_node_and_its_rules(trace, row, k):
    return told_everywhere(trace, row, lambda text: f"-({text})")


@corruption("node_ran")
def factor_in_a_formula(trace, row, k):
    return told_everywhere(trace, row, lambda text: text.replace("grad", "(grad * 1.01)", 1))


@corruption("node_ran")
def words_of_a_formula(trace, row, k):
    return told_everywhere(trace, row, lambda text: text.replace("grad", "the gradient", 1))


def told_everywhere(trace, row, how):
    """Change a formula in the table and in all rows, where its result is not 0 and it has not run before."""
    rule = next(iter(row["rules"]), None)
    if rule is None or not any(map(bool, flat(trace["values"][rule["result"]].get("data", [])))):
        return SKIP
    rows = [r for r in trace["rows"] if r["kind"] == "node_ran" and r["node"] == row["node"]]
    false = how(rule["formula"])
    if rows[0] is not row or false == rule["formula"]:
        return SKIP
    trace["nodes"][row["node"]]["formulas"][rule["input"]] = false
    for each in (each for r in rows for each in r["rules"] if each["input"] == rule["input"]):
        each["formula"] = false
    return {None, trace["rows"].index(row)}


def flat(data):
    """Yield the numbers of nested lists."""
    if not isinstance(data, list):
        yield data
    else:
        for each in data:
            yield from flat(each)


@corruption("parameter_updated")
def formula_of_an_update(trace, row, k):
    row["formula"] = row["formula"].replace("p - ", "p + ")
    return k


@corruption("optimizer_step")
def type_of_an_optimiser(trace, row, k):
    row["type"] = "Rprop"
    return k


@corruption("optimizer_step")
def name_of_an_optimiser(trace, row, k):
    row["optimizer"] = "somebody_else"
    return k


@corruption("backward_began")
def gradient_said_to_be_given(trace, row, k):
    if not row["implicit"]:
        return SKIP
    row["implicit"] = False
    return k


@corruption("backward_began")
def graph_said_to_be_kept(trace, row, k):
    row["retain_graph"] = not row["retain_graph"]
    return k


@corruption("backward_began")
def graph_said_to_be_made(trace, row, k):
    row["create_graph"] = not row["create_graph"]
    return k


@corruption("backward_began")
def other_api(trace, row, k):
    row["api"] = "Tensor.forward"
    return k


@corruption("zero_grad")
def grads_said_to_become_zeros(trace, row, k):
    row["set_to_none"] = not row["set_to_none"]
    return k


@corruption("grad_mode")
def recording_said_to_be_otherwise(trace, row, k):
    row["enabled"] = not row["enabled"]
    return k


@corruption("grad_accumulated")
def way_of_accumulating(trace, row, k):
    row["how"] = "added in place" if row["how"] != "added in place" else "stored"
    return k


@corruption("grad_set")
def cause_of_a_grad(trace, row, k):
    row["cause"] = "sub_" if row["cause"] == "zero_grad" else "zero_grad"
    return k


@corruption("saved_freed")
def name_of_what_was_freed(trace, row, k):
    row["names"][0] = "nothing"
    return k


@corruption("saved_freed")
def freed_less_than_was_saved(trace, row, k):
    if len(row["names"]) < 2:
        return SKIP
    row["names"].pop()
    return k


@corruption("hook_ran")
def name_of_a_hook(trace, row, k):
    row["hook"] = "nobody"
    return k


@corruption("hook_ran")
def moment_of_a_hook(trace, row, k):
    row["when"] = "some day"
    return k


@corruption("op_applied")
def module_of_an_operation(trace, row, k):
    modules = [m for m in trace["modules"] if m != row["module"]]
    if not modules:
        return SKIP
    row["module"] = modules[0]
    return k


@corruption("module_left")
def other_module_left(trace, row, k):
    modules = [m for m in trace["modules"] if m != row["module"]]
    if not modules:
        return SKIP
    row["module"] = modules[0]
    return k


@corruption("module_entered")
def other_module_entered(trace, row, k):
    modules = [m for m in trace["modules"] if m != row["module"]]
    if not modules:
        return SKIP
    row["module"] = modules[0]
    return k


# ----- places and names -----------------------------------------------------------------------------
@corruption("op_applied")
def span_of_an_operation(trace, row, k):
    row["at"] = [row["at"][0], row["at"][1], row["at"][2], row["at"][3] + 1]
    return k


@corruption("node_entered")
def span_of_a_node(trace, row, k):
    row["at"] = next((r["at"] for r in trace["rows"] if r["at"] != row["at"]), None)
    return k


@corruption("tensor_made")
def span_outside_of_the_source(trace, row, k):
    row["at"] = [999, 0, 999, 5]
    return k


@corruption("names_bound")
def span_of_another_name(trace, row, k):
    other = next(
        (r for r in trace["rows"] if r["kind"] == "names_bound" and not set(r["names"]) & set(row["names"])),
        None,
    )
    if other is None or not row["names"]:
        return SKIP
    line, start, last, end = other["at"]
    shown = trace["source"].splitlines()[line - 1][start:end]
    if "(" in shown or any(name.split(".")[0] in shown for name in row["names"]):
        return SKIP
    row["at"] = other["at"]
    return k


@corruption("names_bound")
def name_bound_to_another_tensor(trace, row, k):
    for name, tensor in row["names"].items():
        other = next(
            (t for t in trace["tensors"] if t != tensor and name not in trace["tensors"][t]["names"]), None
        )
        if other is not None:
            row["names"][name] = other
            return k
    return SKIP


@corruption("names_bound")
def other_name(trace, row, k):
    if not row["names"]:
        return SKIP
    row["names"] = {"nobody": next(iter(row["names"].values()))}
    return k


@corruption("names_bound")
def name_said_to_be_gone(trace, row, k):
    row["unbound"].append("nobody")
    return k


@corruption()
def name_of_a_tensor(trace, row, k):
    if trace["outcome"]["kind"] == "limit":
        return SKIP
    next(iter(trace["tensors"].values()))["names"].append("nobody")
    return None


@corruption()
def place_of_a_tensor(trace, row, k):
    for k, row in enumerate(trace["rows"]):
        if row["kind"] == "tensor_made":
            other = next((r["at"] for r in trace["rows"] if r["at"] != row["at"]), None)
            trace["tensors"][row["tensor"]]["at"] = other
            return k if other else SKIP
    return SKIP


@corruption()
def place_of_a_node(trace, row, k):
    for k, row in enumerate(trace["rows"]):
        if row["kind"] == "op_applied" and row["node"] is not None:
            trace["nodes"][row["node"]]["at"] = None
            return k
    return SKIP


@corruption()
def path_of_a_module(trace, row, k):
    for entry in trace["modules"].values():
        entry["path"] = "nobody.fc1"
        return None
    return SKIP


# ----- errors and endings ---------------------------------------------------------------------------
@corruption("error")
def row_that_caused_an_error(trace, row, k):
    if row["cause"] is None:
        return SKIP
    row["cause"]["by"] -= 1
    return k


@corruption("error")
def cause_of_an_error(trace, row, k):
    if row["cause"] is None:
        return SKIP
    row["cause"] = {"what": "freed" if row["cause"]["what"] == "changed" else "changed",
                    "tensor": "t1", "by": row["cause"]["by"], "at": row["cause"]["at"]}  # fmt: skip
    if row["cause"]["what"] == "freed":
        del row["cause"]["tensor"]
    return k


@corruption("error")
def cause_left_out_of_an_error(trace, row, k):
    if row["cause"] is None or row["cause"]["what"] != "freed":
        return SKIP
    row["cause"] = None
    return k


@corruption("error")
def node_of_an_error(trace, row, k):
    if row["node"] is None:
        return SKIP
    row["node"] = other_node(trace, row["node"])
    return k


@corruption("error")
def message_of_an_error(trace, row, k):
    row["message"] += "!"
    return k


@corruption()
def outcome_of_another_kind(trace, row, k):
    if trace["outcome"]["kind"] == "finished":
        trace["outcome"] = {"kind": "limit", "limit": "time", "message": "It took too long.", "at": None}
    else:
        trace["outcome"] = {"kind": "finished"}
    return len(trace["rows"]) - 1


@corruption("node_ran")
def reason_for_skipping_altered(trace, row, k):
    if not row["skipped"]:
        return SKIP
    row["skipped"][0][1] = "undefined" if row["skipped"][0][1] != "undefined" else "not required"
    return k


@corruption("node_ran")
def skipped_input_left_out(trace, row, k):
    if not row["skipped"]:
        return SKIP
    row["skipped"].pop()
    return k
