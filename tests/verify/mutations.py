"""One random change in an honest trace. `python -m tests.verify.mutations 3000` tells what goes unnoticed."""

from __future__ import annotations

import copy
import json
import random
import re
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np

from engine.trace.run import trace_source
from engine.verify.check import check
from tests.engine.programs import program
from tests.verify.traces import HONEST, trace_of

ID = re.compile(r"[tnvm][1-9]\d*")
TABLES = {"t": "tensors", "n": "nodes", "m": "modules", "v": "values"}
PARTS = {"rows": 60, "structure": 9, "nodes": 12, "tensors": 8, "values": 8, "modules": 2, "outcome": 1}
PLAIN_WORDS = ("text", "op", "hook", "message")  # fields in which an id is only a word
MOST = 120_000  # characters of a trace that is changed: checking larger ones only takes longer


def texts(seeds: int = 40) -> dict[str, str]:
    """Return honest traces as JSON, by name."""
    made = {name: json.dumps(trace_of(name)) for name in HONEST}
    made |= {f"random {seed}": json.dumps(trace_source(program(seed))) for seed in range(seeds)}
    return {name: text for name, text in made.items() if len(text) < MOST}


def leaves(thing: Any, path: tuple = ()) -> Iterator[tuple[tuple, Any]]:
    """Yield what stands in a thing, with the way to it."""
    if isinstance(thing, (dict, list)):
        for key in thing if isinstance(thing, dict) else range(len(thing)):
            yield from leaves(thing[key], (*path, key))
    else:
        yield path, thing


def changed(trace: dict, path: tuple, old: Any, pick: random.Random) -> Any:
    """Return something else of the same kind, or None."""
    if old is None or isinstance(old, bool):
        return None if old is None else not old
    if isinstance(old, int):
        return pick.choice([old + 1, old - 1]) if old else 1
    if isinstance(old, float):
        new = pick.choice([old * 1.01 + 0.001, -old - 0.5])
        return None if np.float32(new) == np.float32(old) else new  # the same number, otherwise written
    if not ID.fullmatch(old) or path[-1] in PLAIN_WORDS:
        return old + "x"
    table = trace[TABLES[old[0]]]
    others = [key for key in table if key != old]
    alike = [key for key in others if old[0] == "v" and table[key]["shape"] == table[old]["shape"]]
    return pick.choice(alike or others) if others else None


def restructured(trace: dict, pick: random.Random) -> str | None:
    """Drop a row, double it, or swap it with the next one; say what was done."""
    rows = trace["rows"]
    k, how = pick.randrange(len(rows)), pick.choice(("dropped", "doubled", "swapped"))
    told = f"row {k} {how}: {rows[k]['kind']}"
    if how == "dropped":
        del rows[k]
    elif how == "doubled":
        rows.insert(k, copy.deepcopy(rows[k]))
    elif k + 1 < len(rows) and rows[k] != rows[k + 1]:
        rows[k], rows[k + 1] = rows[k + 1], rows[k]
    else:
        return None
    return told


def mutated(trace: dict, pick: random.Random) -> str | None:
    """Change one thing in a trace; say what, or None if nothing could be changed there."""
    part = pick.choices(list(PARTS), list(PARTS.values()))[0]
    if part == "structure":
        return restructured(trace, pick) if trace["rows"] else None
    path, old = pick.choice(list(leaves(trace[part])) or [((), None)])
    new = changed(trace, path, old, pick)
    if new is None or new == old:
        return None
    place = trace[part]
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = new
    kind = f" ({trace['rows'][path[0]]['kind']})" if part == "rows" else ""
    return f"{part}.{'.'.join(map(str, path))}{kind}: {old!r} -> {new!r}"


def unnoticed(number: int, seed: int) -> list[str]:
    """Return which of so many random changes are accepted."""
    pick, traces, found, tried = random.Random(seed), texts(), [], 0
    while tried < number:
        name = pick.choice(sorted(traces))
        trace = json.loads(traces[name])
        told = mutated(trace, pick)
        if told is not None:
            tried += 1
            found += [f"{name}: {told}"] if check(trace).holds else []
    return found


if __name__ == "__main__":
    count = int(sys.argv[1])
    missed = unnoticed(count, int(sys.argv[2]) if len(sys.argv) > 2 else 0)
    print(f"{len(missed)} of {count} random changes are accepted ({100 * len(missed) / count:.2f} %)")
    print("\n".join(missed))
