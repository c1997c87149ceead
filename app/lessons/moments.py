"""Steps by meaning: `grad w #2` is the row at which `w.grad` is set for the second time.

An address is a kind, mostly a subject, and `#n` if the first is not meant:

    start · end · error · warning            before the first row, the last row, the row that ends badly
    made x · bound x                         a tensor appears, a name is given to it
    applied mul · applied MulBackward0       an operation runs forward
    line 4                                   the run comes to line 4
    backward · backward ended · step         backward() begins, ends; optimizer.step()
    ready N · entered N · ran N · freed N    what the engine does with a node
    flowed N · flowed N → M                  a gradient leaves N (for M)
    summed N                                 a second gradient is added to what waits at N
    grad x · zeroed x · updated x            x.grad is written, emptied; x itself is updated
    printed                                  something is printed

A node N is called by its class (`MulBackward0`), by its operation (`mul`), by the variable that holds its
result (`y`), by the leaf it accumulates into (`w`), or by class and variable: `MulBackward0(y)`. Any other
kind of row may be named by its own name: `hook_ran w`, `grad_norm_clipped`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from app.lessons.run import BEFORE, Row, Run

ADDRESS = re.compile(r"\s*(?P<words>[^#]*?)\s*(?:#\s*(?P<count>\d+))?\s*")
ARROW = re.compile(r"\s*(?:→|->)\s*")
KINDS = {
    "ready": "node_ready",
    "entered": "node_entered",
    "ran": "node_ran",
    "freed": "saved_freed",
    "summed": "grad_summed",
    "updated": "parameter_updated",
    "step": "optimizer_step",
    "backward ended": "backward_ended",
    "backward": "backward_began",
}
GRADS = {"grad_accumulated", "grad_set", "grad_retained", "grad_norm_clipped", "grad_value_clipped"}


class NoSuchStep(ValueError):
    """An address that names no step of the trace, with the sentence that says so."""


def row_of(run: Run, address: str) -> int:
    """Return the number of the row that an address names. Raises NoSuchStep."""
    found = ADDRESS.fullmatch(address)
    words, count = " ".join(found["words"].split()), int(found["count"] or 1)
    if words == "start":
        return BEFORE
    rows = list(rows_of(run, words))
    if count > len(rows):
        times = "never happens" if not rows else f"happens {len(rows)} times"
        raise NoSuchStep(f"`{words}` {times} in this program, so there is no `{address.strip()}`")
    return rows[count - 1]


def rows_of(run: Run, words: str) -> list[int]:
    """Return the rows that the words of an address name, in order. Raises NoSuchStep for an unknown kind."""
    if words == "end":
        return [run.last]
    kind, subject = split(words)
    if kind == "line":
        return list(visits(run, subject))
    fits = matcher(run, kind, subject)
    return [k for k, row in enumerate(run.rows) if fits(row)]


def split(words: str) -> tuple[str, str]:
    """Return kind and subject of an address."""
    for kind in sorted(KINDS, key=len, reverse=True):
        if words == kind or words.startswith(kind + " "):
            return kind, words.removeprefix(kind).strip()
    kind, _, subject = words.partition(" ")
    return kind, subject.strip()


def matcher(run: Run, kind: str, subject: str) -> Callable[[Row], bool]:
    """Return the test that a row must pass. Raises NoSuchStep for a kind that no trace has."""
    if kind in MATCHERS:
        return MATCHERS[kind](run, subject)
    wanted = KINDS.get(kind, kind)
    known = {row["kind"] for row in run.rows} | {"error", "warning", "printed", *KINDS}
    if kind not in known and "_" not in kind:
        raise NoSuchStep(f"`{kind}` is no kind of step; app/lessons/moments.py lists them")
    nodes, tensors = standing_for(run, subject)

    def fits(row: Row) -> bool:
        if row["kind"] != wanted:
            return False
        about = {row.get("node"), row.get("tensor"), *listed(row)}
        return not subject or bool(about & (nodes | tensors)) or subject in row.values()

    return fits


def standing_for(run: Run, subject: str) -> tuple[set[str], set[str]]:
    """Return the nodes and the tensors that a subject may mean."""
    if not subject:
        return set(), set()
    return set(run.nodes_called(subject)), set(run.tensors_called(subject))


def made(run: Run, subject: str) -> Callable[[Row], bool]:
    """`made x`: the tensor that is called x appears."""
    tensors = set(run.tensors_called(subject))
    kinds = {"tensor_made", "detached"}
    return lambda row: (
        (row["kind"] in kinds and row["tensor"] in tensors)
        or (row["kind"] == "op_applied" and not row["inplace"] and bool(tensors & set(row["outputs"])))
    )


def bound(run: Run, subject: str) -> Callable[[Row], bool]:
    """`bound x`: the name x is given."""
    return lambda row: row["kind"] == "names_bound" and subject in row["names"]


def applied(run: Run, subject: str) -> Callable[[Row], bool]:
    """`applied mul`: an operation runs forward."""
    nodes = set(run.nodes_called(subject))
    return lambda row: row["kind"] == "op_applied" and (row["op"] == subject or row["node"] in nodes)


def flowed(run: Run, subject: str) -> Callable[[Row], bool]:
    """`flowed N → M`: a gradient leaves N for M."""
    source, target = (ARROW.split(subject) + [""])[:2]
    sources, targets = (set(run.nodes_called(name)) if name else None for name in (source, target))
    return lambda row: (
        row["kind"] == "edge_flowed"
        and (sources is None or row["node"] in sources)
        and (targets is None or row["target"] in targets)
    )


def grad(run: Run, subject: str) -> Callable[[Row], bool]:
    """`grad x`: x.grad is written, by whomever."""
    tensors = set(run.tensors_called(subject))
    return lambda row: row["kind"] in GRADS and bool(tensors & {row.get("tensor"), *listed(row)})


def zeroed(run: Run, subject: str) -> Callable[[Row], bool]:
    """`zeroed x`: x.grad is emptied."""
    tensors = set(run.tensors_called(subject))
    causes = {"zero_grad", "zero_", "assigned"}
    return lambda row: (
        row["kind"] == "grad_set"
        and row["cause"] in causes
        and (not subject or row["tensor"] in tensors)
        and not any(flat(run.numbers(row["after"])))
    )


def visits(run: Run, subject: str) -> Iterator[int]:
    """`line 4`: the first row of each time that the run comes to that line."""
    number, before = int(subject) if subject.isdigit() else 0, None
    for k, row in enumerate(run.rows):
        if row["at"] is not None:
            if row["at"][0] == number and before != number:
                yield k
            before = row["at"][0]


def listed(row: Row) -> list[str]:
    """Return the tensors that a row lists."""
    tensors = row.get("tensors")
    return [each for each in tensors if isinstance(each, str)] if isinstance(tensors, list) else []


def flat(data) -> list:
    """Return nested lists as one; nothing for None."""
    if data is None:
        return []
    return [each for part in data for each in flat(part)] if isinstance(data, list) else [data]


MATCHERS = {
    "made": made,
    "bound": bound,
    "applied": applied,
    "flowed": flowed,
    "grad": grad,
    "zeroed": zeroed,
}
