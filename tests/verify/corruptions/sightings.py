"""What comes into view without a row that made it, told wrongly."""

from __future__ import annotations

import re

from tests.verify.corruptions.table import SKIP, corruption

CERTAIN = re.compile(r"\w+,? = (?:torch\.autograd\.grad\(.*\)|\w+\.grad)")


def certain(trace, row):
    """Say whether the statement of a row tells what it binds."""
    line = "" if row["at"] is None else trace["source"].splitlines()[row["at"][0] - 1]
    return CERTAIN.fullmatch(line.strip()) is not None and "def " not in trace["source"]


@corruption("names_bound")
def seen_with_another_value(trace, row, k):
    if not row.get("seen") or not certain(trace, row):
        return SKIP
    ((tensor, v),) = row["seen"].items()
    told = trace["values"][v]
    earlier = [key for key in trace["values"] if int(key[1:]) < int(v[1:])]
    other = [key for key in earlier if all(trace["values"][key][n] == told[n] for n in ("dtype", "shape"))]
    if not other:
        return SKIP
    row["seen"][tensor] = other[0]
    return k


@corruption("names_bound")
def seen_with_a_value_of_another_shape(trace, row, k):
    for tensor, v in row.get("seen", {}).items():
        for key, value in trace["values"].items():
            if value["shape"] != trace["tensors"][tensor]["shape"] and int(key[1:]) < int(v[1:]):
                row["seen"][tensor] = key
                return k
    return SKIP


@corruption("names_bound")
def seen_though_it_is_not_named(trace, row, k):
    other = [t for t in trace["tensors"] if t not in row["names"].values()]
    if not row.get("seen") or not other:
        return SKIP
    v = next(iter(row["seen"].values()))
    row["seen"] = {**row["seen"], other[0]: v}
    return k


@corruption("names_bound")
def nothing_seen(trace, row, k):
    if "seen" in row:
        return SKIP
    row["seen"] = {}
    return k
