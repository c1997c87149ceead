"""The graph made false: where edges lead, what nodes and tensors are, what they belong to."""

from __future__ import annotations

from tests.verify.corruptions.table import SKIP, applied, corruption, other_node


def node_of_an_edge(trace, row):
    """Return (node id, entry, slot) of the first edge of the node a row applied."""
    entry = trace["nodes"].get(row["node"] or "", {"edges": []})
    slot = next((i for i, edge in enumerate(entry["edges"]) if edge is not None), None)
    return entry, slot


@corruption("op_applied")
def edge_that_leads_elsewhere(trace, row, k):
    entry, slot = node_of_an_edge(trace, row)
    leaves = [n for n, e in trace["nodes"].items() if "variable" in e]
    if slot is None:
        return SKIP
    wrong = [n for n in leaves if n != entry["edges"][slot][0]]
    if not wrong:
        return SKIP
    entry["edges"][slot] = [wrong[0], 0]
    return k


@corruption("op_applied")
def edge_that_is_cut(trace, row, k):
    entry, slot = node_of_an_edge(trace, row)
    if slot is None or "requires_grad_" in trace["source"]:
        return SKIP
    entry["edges"][slot] = None
    return k


@corruption("op_applied")
def edge_from_a_number(trace, row, k):
    entry, slot = node_of_an_edge(trace, row)
    if slot is None or None not in entry["edges"]:
        return SKIP
    entry["edges"][entry["edges"].index(None)] = list(entry["edges"][slot])
    return k


@corruption()
def edge_into_the_future(trace, row, k):
    nodes = [n for n, e in trace["nodes"].items() if e["seq"] is not None]
    for node in nodes:
        entry = trace["nodes"][node]
        later = [n for n in nodes if trace["nodes"][n]["seq"] > entry["seq"]]
        if later and entry["edges"] and entry["edges"][0] is not None:
            entry["edges"][0] = [later[0], 0]
            return None
    return SKIP


@corruption("edge_flowed")
def flow_to_another_node(trace, row, k):
    row["target"] = other_node(trace, row["target"])
    return k if row["target"] else SKIP


@corruption("edge_flowed")
def flow_from_another_node(trace, row, k):
    row["node"] = other_node(trace, row["node"])
    return k


@corruption("edge_flowed")
def flow_along_another_slot(trace, row, k):
    row["slot"] += 1
    return k


@corruption("edge_flowed")
def flow_into_another_input(trace, row, k):
    row["input_nr"] += 1
    return k


@corruption("grad_summed")
def sum_at_another_node(trace, row, k):
    row["node"] = other_node(trace, row["node"])
    return k


@corruption("backward_began")
def other_root_node(trace, row, k):
    row["root_nodes"][0] = other_node(trace, row["root_nodes"][0])
    return k


@corruption("backward_began")
def other_root(trace, row, k):
    other = next((t for t in trace["tensors"] if t != row["roots"][0]), None)
    if other is None:
        return SKIP
    row["roots"][0] = other
    return k


@corruption("backward_began")
def other_input(trace, row, k):
    other = next((t for t in trace["tensors"] if t not in row["inputs"]), None)
    if not row["inputs"] or other is None:
        return SKIP
    row["inputs"][0] = other
    return k


@corruption("grad_accumulated")
def gradient_for_another_leaf(trace, row, k):
    other = next((t for t in trace["tensors"] if t != row["tensor"]), None)
    if other is None:
        return SKIP
    row["tensor"] = other
    return k


@corruption("grad_retained")
def gradient_retained_by_another_tensor(trace, row, k):
    row["tensor"] = next(t for t in trace["tensors"] if t != row["tensor"])
    return k


@corruption("op_applied")
def other_argument(trace, row, k):
    place = next((what for _, what in row["args"] if "tensor" in what), None)
    other = next((t for t in trace["tensors"] if place and t != place["tensor"]), None)
    if other is None or row["node"] is None:
        return SKIP
    place["tensor"] = other
    return k


@corruption("op_applied")
def other_number_as_argument(trace, row, k):
    place = next((what for _, what in row["args"] if what.get("text", "").isdigit()), None)
    if place is None or row["node"] is None:
        return SKIP
    place["text"] += "1"
    return k


@corruption("op_applied")
def argument_left_out(trace, row, k):
    if row["node"] is None:
        return SKIP
    row["args"].pop()
    return k


@corruption("op_applied")
def other_operation(trace, row, k):
    names = {"add": "sub", "mul": "div", "sum": "mean", "exp": "log", "pow": "mul", "mm": "add"}
    if row["op"] not in names or row["node"] is None:
        return SKIP
    row["op"] = names[row["op"]]
    return k


@corruption("op_applied")
def operation_in_place_that_was_not(trace, row, k):
    row["inplace"] = not row["inplace"]
    return k


@corruption("op_applied")
def node_that_is_not_recorded(trace, row, k):
    if row["node"] is None:
        return SKIP
    row["node"] = None
    return k


@corruption("op_applied")
def other_node_for_an_operation(trace, row, k):
    made = [
        r["node"] for r in trace["rows"] if r["kind"] == "op_applied" and r["node"] not in (None, row["node"])
    ]
    if row["node"] is None or not made:
        return SKIP
    row["node"] = made[0]
    return k


# ----- the tables -----------------------------------------------------------------------------------
def entries(trace: dict, table: str, **fields):
    """Return the entries of a table that have these fields."""
    return {k: e for k, e in trace[table].items() if all(e[n] == v for n, v in fields.items())}


@corruption()
def name_of_a_node(trace, row, k):
    for entry in trace["nodes"].values():
        if entry["op"] == "mul":
            entry["name"] = "DivBackward0"
            return None
    return SKIP


@corruption()
def number_of_a_node_given_twice(trace, row, k):
    numbered = [e for e in trace["nodes"].values() if e["seq"] is not None]
    if len(numbered) < 2:
        return SKIP
    numbered[1]["seq"] = numbered[0]["seq"]
    return {
        None,
        *(applied(trace, n) for n, e in trace["nodes"].items() if e is numbered[1] or e is numbered[0]),
    }


@corruption()
def result_that_is_called_data(trace, row, k):
    for entry in entries(trace, "tensors", kind="result").values():
        entry["kind"] = "data"
        return {None, *range(len(trace["rows"]))}
    return SKIP


@corruption()
def leaf_that_is_called_data(trace, row, k):
    if "requires_grad_" in trace["source"]:
        return SKIP
    for node in trace["nodes"].values():
        if "variable" in node:
            trace["tensors"][node["variable"]]["kind"] = "data"
            return None
    return SKIP


@corruption()
def shape_of_a_tensor(trace, row, k):
    for k, row in enumerate(trace["rows"]):
        if row["kind"] == "tensor_made":
            trace["tensors"][row["tensor"]]["shape"].append(1)
            return k
    return SKIP


@corruption()
def node_of_a_tensor(trace, row, k):
    for tensor, entry in trace["tensors"].items():
        others = [n for n in trace["nodes"] if n != entry["node"] and trace["nodes"][n]["outputs"]]
        if entry["node"] is not None and others and trace["nodes"][entry["node"]]["outputs"] == [tensor]:
            entry["node"] = others[0]
            return None
    return SKIP


@corruption()
def tensor_made_a_parameter(trace, row, k):
    if "nn" in trace["source"]:
        return SKIP
    for k, row in enumerate(trace["rows"]):
        if row["kind"] == "tensor_made":
            trace["tensors"][row["tensor"]]["parameter"] = True
            return k
    return SKIP


@corruption()
def leaf_of_an_accumulator(trace, row, k):
    leaves = [e for e in trace["nodes"].values() if "variable" in e]
    if len(leaves) < 2:
        return SKIP
    leaves[0]["variable"], leaves[1]["variable"] = leaves[1]["variable"], leaves[0]["variable"]
    return {None, *range(len(trace["rows"]))}
