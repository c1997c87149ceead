"""A row that is missing, doubled, or said to come from elsewhere."""

from __future__ import annotations

from tests.verify.corruptions.table import SKIP, corruption, double, drop

MUST = (
    "op_applied", "backward_began", "node_ready", "node_entered", "node_ran", "edge_flowed", "grad_summed",
    "grad_accumulated", "saved_freed", "module_entered", "module_left", "optimizer_step",
)  # fmt: skip
VIEWS = frozenset("expand view t permute transpose unsqueeze squeeze select slice alias".split())


def dropped(of: str) -> None:
    """Add the kind that leaves out a row which the next one needs."""

    @corruption(of)
    def kind(trace, row, k):
        if of == "op_applied" and row["node"] is None and row["op"] in VIEWS:
            return SKIP  # a view of data shows nothing that is not shown already: its absence goes unnoticed
        drop(trace, k)
        return {None, *range(k, min(k + 9, len(trace["rows"])))}

    rename(kind, f"{of}_left_out")


def doubled(of: str) -> None:
    """Add the kind that writes a row twice."""

    @corruption(of)
    def kind(trace, row, k):
        return double(trace, k)

    rename(kind, f"{of}_written_twice")


def rename(function, name: str) -> None:
    """Enter a kind under its own name."""
    from tests.verify.corruptions.table import KINDS

    KINDS[name] = KINDS.pop("kind")


for _kind in MUST:
    dropped(_kind)
for _kind in (
    "tensor_made", "node_ready", "node_entered", "node_ran", "edge_flowed", "grad_summed", "names_bound",
    "grad_accumulated", "saved_freed", "backward_ended", "parameter_updated", "reduced_to_shape",
    "grad_captured",
):  # fmt: skip
    doubled(_kind)


@corruption("tensor_made")
def tensor_made_left_out(trace, row, k):
    return {drop(trace, k), None}


@corruption("names_bound")
def names_bound_left_out(trace, row, k):
    if not row["names"] or row["unbound"] or trace["outcome"]["kind"] == "limit":
        return SKIP
    name, tensor = next(iter(row["names"].items()))
    again = [
        r for r in trace["rows"][k + 1 :] if r["kind"] == "names_bound" and r["names"].get(name) == tensor
    ]
    if again:
        return SKIP
    drop(trace, k)
    return {None, *range(k, len(trace["rows"]))}


@corruption("backward_ended")
def backward_ended_left_out(trace, row, k):
    if k + 1 == len(trace["rows"]):
        return SKIP
    drop(trace, k)
    return {k, k + 1}


@corruption("reduced_to_shape")
def reduced_to_shape_left_out(trace, row, k):
    drop(trace, k)
    return set(range(k, k + 6))


@corruption("parameter_updated")
def parameter_updated_left_out(trace, row, k):
    known = [
        r for r in trace["rows"][:k] if r["kind"] == "parameter_updated" and r["tensor"] == row["tensor"]
    ]
    if not known:
        return SKIP
    drop(trace, k)
    return set(range(k, len(trace["rows"])))


@corruption("grad_set")
def grad_set_left_out(trace, row, k):
    later = [
        i for i, r in enumerate(trace["rows"]) if i > k and r.get("tensor") == row["tensor"] and "before" in r
    ]
    if not later or row["before"] == row["after"]:
        return SKIP
    drop(trace, k)
    return set(range(k, later[0]))


@corruption("zero_grad")
def zero_grad_left_out(trace, row, k):
    if trace["rows"][k + 1]["kind"] != "grad_set":
        return SKIP
    return drop(trace, k)


@corruption("hook_registered")
def hook_registered_left_out(trace, row, k):
    if not any(r["kind"] == "hook_ran" and r["hook"] == row["hook"] for r in trace["rows"]):
        return SKIP
    same = [r for r in trace["rows"] if r["kind"] == "hook_registered" and r["hook"] == row["hook"]]
    if len(same) > 1:
        return SKIP
    drop(trace, k)
    return next(i for i, r in enumerate(trace["rows"]) if r["kind"] == "hook_ran")


@corruption("retain_grad")
def retain_grad_left_out(trace, row, k):
    drop(trace, k)
    kept = (
        i
        for i, r in enumerate(trace["rows"])
        if r["kind"] == "grad_retained" and r["tensor"] == row["tensor"]
    )
    return next(kept, SKIP)


@corruption("grad_retained")
def grad_retained_left_out(trace, row, k):
    drop(trace, k)
    return next((i for i in range(k, len(trace["rows"])) if trace["rows"][i]["kind"] == "node_ran"), SKIP)


@corruption("hook_ran")
def hook_ran_left_out(trace, row, k):
    if row["before"] == row["after"]:
        return SKIP
    drop(trace, k)
    return {k, k + 1}


@corruption("grad_mode")
def grad_mode_left_out(trace, row, k):
    drop(trace, k)
    return set(range(k - 1, len(trace["rows"]))) | {None}


@corruption("op_applied")
def operation_applied_twice(trace, row, k):
    if row["inplace"]:
        return SKIP
    return double(trace, k)


@corruption("error")
def error_left_out(trace, row, k):
    drop(trace, k)
    return None if not trace["rows"] else len(trace["rows"]) - 1


@corruption("error")
def row_after_the_error(trace, row, k):
    trace["rows"].append({"kind": "printed", "at": row["at"], "text": "still here\n"})
    return k + 1


@corruption("limit")
def limit_left_out(trace, row, k):
    drop(trace, k)
    return len(trace["rows"]) - 1


@corruption("node_ran")
def rule_left_out(trace, row, k):
    if not row["rules"]:
        return SKIP
    row["rules"].pop()
    return k


@corruption("node_ran")
def rule_written_twice(trace, row, k):
    if not row["rules"]:
        return SKIP
    row["rules"].append(dict(row["rules"][0]))
    return k


@corruption()
def row_of_an_unknown_kind(trace, row, k):
    trace["rows"].append({"kind": "wished", "at": None})
    return len(trace["rows"]) - 1


@corruption("edge_flowed")
def field_left_out(trace, row, k):
    del row["missing"]
    return k


@corruption("edge_flowed")
def field_too_many(trace, row, k):
    row["colour"] = "green"
    return k


@corruption()
def other_version(trace, row, k):
    trace["version"] = 2
    return None


@corruption()
def node_that_no_row_applied(trace, row, k):
    for entry in trace["nodes"].values():
        if "variable" in entry:
            entry["outputs"] = [entry["variable"]]
            return None
    return SKIP
