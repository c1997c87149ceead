"""Gradients that are nan, infinite or always zero: the first operation that made them so."""

from __future__ import annotations

from collections.abc import Iterator

from app.sandbox.child.doctor.case import Case, Finding, Pass
from app.sandbox.child.doctor.updates import USED, histories

FLAT = {
    "relu",
    "clamp",
    "clamp_min",
    "clamp_max",
    "round",
    "floor",
    "ceil",
    "trunc",
    "sign",
    "threshold",
    "hardtanh",
}
STEPPED = {"round", "floor", "ceil", "trunc", "sign"}
SATURATED = {"sigmoid", "tanh", "softmax", "log_softmax"}
LEAST = 2  # updates after which a gradient that was always zero is worth a word


def not_finite(case: Case) -> Iterator[Finding]:
    """A nan or an inf has arrived in a leaf: where it came from, forward or backward."""
    for pass_ in case.passes:
        root = case.makers.get(pass_.roots[0])
        lost = root is not None and "nan" in map(case.odd, case.rows[root].get("values", ()))
        arrived = [k for k in case.of("grad_accumulated") if pass_.first < k <= pass_.last]
        k = next((k for k in arrived if case.odd(case.rows[k]["after"])), pass_.first if lost else None)
        if k is None:
            continue
        row = case.rows[k]
        found = in_forward(case, pass_) or in_backward(case, pass_, k)
        if found is not None:
            tensor = row["tensor"] if k != pass_.first else pass_.roots[0]
            found.terms |= {
                "kind": case.odd(row["after"]) if k != pass_.first else "nan",
                "leaf": case.name(tensor, k) + (".grad" if k != pass_.first else ""),
            }
            found.links.append(case.link(k))
            yield found
        return


def in_forward(case: Case, pass_: Pass) -> Finding | None:
    """The first operation of the pass's graph whose result is not finite although all it was given is."""
    graph = set(case.rows[pass_.first]["missing"])
    bad: set[str] = set()
    for k in case.of("op_applied", "tensor_made", "parameter_updated"):
        row = case.rows[k]
        if k > pass_.first:
            break
        if row["kind"] != "op_applied":
            if case.odd(row["value"] if row["kind"] == "tensor_made" else row["after"]):
                bad.add(row["tensor"])
            continue
        kinds = [case.odd(value) for value in row["values"]]
        if any(kinds):
            if row["node"] in graph and "nan" in kinds and not bad & set(case.inputs(k)):
                return forward_finding(case, k, "nan")
            bad |= {output for output, kind in zip(row["outputs"], kinds, strict=False) if kind}
    root = case.rows[pass_.first]["roots"][0]
    made = case.makers.get(root)
    if made is None or not any(case.odd(value) for value in case.rows[made].get("values", ())):
        return None
    first = first_infinite(case, graph, pass_.first)
    return forward_finding(case, first, "inf") if first is not None else None


def first_infinite(case: Case, graph: set[str], end: int) -> int | None:
    """Return the first operation of a graph that made an inf of finite numbers."""
    for k in case.of("op_applied"):
        row = case.rows[k]
        if k < end and row["node"] in graph and any(case.odd(value) for value in row["values"]):
            made = [case.makers.get(tensor) for tensor in case.inputs(k)]
            given = [case.rows[i] for i in made if i is not None]
            values = [v for row in given for v in (row.get("values") or [row.get("value")])]
            if not any(case.odd(value) for value in values):
                return k
    return None


def forward_finding(case: Case, k: int, made: str) -> Finding:
    """Say which operation made the first number that is none."""
    row = case.rows[k]
    node = case.nodes[row["node"]]
    return Finding(
        "not_finite", k, row["at"], variant="forward", node=row["node"], tensor=row["outputs"][0],
        terms={"op": row["op"], "node": node["name"], "made": made, "line": line_of(row["at"])},
        values={"value": row["values"][0]},
    )  # fmt: skip


def in_backward(case: Case, pass_: Pass, end: int) -> Finding | None:
    """The first node that was given finite gradients and passed on one that is not."""
    given: dict[str, list] = {}
    for k in range(pass_.first, end + 1):
        row = case.rows[k]
        if row["kind"] == "node_entered":
            given[row["node"]] = row["grads"]
        elif row["kind"] == "node_ran" and not any(case.odd(each) for each in given.get(row["node"], ())):
            kinds = [case.odd(each) for each in row["grads"]]
            if any(kinds):
                node = case.nodes[row["node"]]
                at = node["at"] or row["at"]
                result = next(each for each, kind in zip(row["grads"], kinds, strict=True) if kind)
                return Finding(
                    "not_finite", k, at, variant="backward", node=row["node"],
                    terms={"node": node["name"], "made": next(filter(None, kinds)), "line": line_of(at)},
                    values={"value": result},
                )  # fmt: skip
    return None


def line_of(at: list[int] | None) -> str:
    """Return the line of a place."""
    return str(at[0]) if at else "?"


def always_zero(case: Case) -> Iterator[Finding]:
    """Every gradient that a parameter got is exactly zero, so its updates change nothing."""
    culprits: dict[str, list[str]] = {}
    for leaf, events in histories(case).items():
        rows = case.accumulated.get(leaf, [])
        used = [each for each in events if each.what == USED]
        kinds = {case.rows[k]["kind"] for k in rows}
        if len(used) < LEAST or len(rows) < LEAST or kinds != {"grad_accumulated"}:
            continue
        if all(case.is_zero(case.rows[k]["arriving"]) for k in rows):
            node = first_zero(case, rows[0])
            if node is not None:
                culprits.setdefault(node, []).append(leaf)
    for node, leaves in culprits.items():
        fact = case.nodes[node]
        k = case.accumulated[leaves[0]][0]
        names = [case.name(leaf) for leaf in leaves]
        variant = "steps" if fact["op"] in STEPPED else "dead" if fact["op"] in FLAT else "saturated"
        yield Finding(
            "zero", k, fact["at"], variant=variant, node=node, tensor=leaves[0],
            terms={
                "node": fact["name"], "line": line_of(fact["at"]),
                "count": str(len(case.accumulated[leaves[0]])),
                "names": ", ".join(names[:3]) + (", …" if len(names) > 3 else ""),
            },
        )  # fmt: skip


def first_zero(case: Case, end: int) -> str | None:
    """Return the first node that made nothing but zeros of a gradient that was not, if it is one that can."""
    pass_ = next((each for each in case.passes if each.first < end <= each.last), None)
    given: dict[str, list] = {}
    for k in range(pass_.first, end) if pass_ else ():
        row = case.rows[k]
        if row["kind"] == "node_entered":
            given[row["node"]] = row["grads"]
        elif row["kind"] == "node_ran" and any(each is not None for each in row["grads"]):
            came = [each for each in given.get(row["node"], ()) if each is not None]
            went = [each for each in row["grads"] if each is not None]
            if came and not all(map(case.is_zero, came)) and all(map(case.is_zero, went)):
                op = case.nodes[row["node"]]["op"]
                return row["node"] if op in FLAT | SATURATED | {"nll_loss"} else None
    return None
