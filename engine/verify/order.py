"""Ids are given in the order in which things appear, so a row that is missing or misplaced leaves a gap."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from engine.verify.structure import ROWS
from engine.verify.world import World


class Order:
    """Follows the highest number of each sort that rows have mentioned."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.highest = dict.fromkeys("tnv", 0)
        self.seen: set[str] = set()

    def before(self, row: dict) -> None:
        """Hold what a row mentions first against what was mentioned so far."""
        world = self.world
        new = [each for each in dict.fromkeys(mentioned(row)) if each not in self.seen]
        self.seen.update(new)
        for each in new:
            if each in world.unreadable:
                world.refuse(f"value {each}", "a value", f"one that {world.unreadable[each]}")
        values = sorted(int(each[1:]) for each in new if each[0] == "v")
        if values and values != list(range(self.highest["v"] + 1, self.highest["v"] + 1 + len(values))):
            world.refuse("values", f"new values from v{self.highest['v'] + 1} on", [f"v{n}" for n in values])
        tensors = [int(each[1:]) for each in new if each[0] == "t"]
        if tensors and min(tensors) <= self.highest["t"]:
            world.refuse(
                "tensors", f"new tensors from t{self.highest['t'] + 1} on", [f"t{n}" for n in tensors]
            )
        for letter, numbers in (("v", values), ("t", tensors)):
            self.highest[letter] = max([self.highest[letter], *numbers])
        world.newest = self.highest["v"]
        for each in new:
            if each[0] == "t":
                self.first_seen(each, row)

    def first_seen(self, tensor: str, row: dict) -> None:
        """A tensor's entry says where it was first seen: nowhere, if only a name or an edge led to it.

        A pack hook sees the result that it keeps before the row that makes it: that row's place counts.
        """
        at = self.world.tensors[tensor]["at"]
        if row["kind"] == "names_bound":
            own = at is not None and row["at"] is not None and row["at"][0] == at[0]  # the very statement
            if at is not None and (own or not self.made_later(tensor, at)):
                self.world.refuse("names", f"a row at {at} that made {tensor}", "none before this one")
        elif at is not None and at != row["at"] and not self.made_later(tensor, at):
            self.world.refuse(f"{tensor}.at", at, row["at"])

    def made_later(self, tensor: str, at: list) -> bool:
        """Say whether a row still to come makes a tensor at this place."""
        later = (row for row in self.world.rows[self.world.k :] if row["kind"] == "op_applied")
        return any(tensor in row["outputs"] and row["at"] == at and not row["inplace"] for row in later)

    def ended(self) -> None:
        """Every value must have appeared."""
        world = self.world
        if self.highest["v"] != len(world.trace["values"]) and not world.cut_short:
            world.refuse(
                "values", f"{self.highest['v']} values, which rows mention", len(world.trace["values"]), None
            )
        accumulate = {e["variable"] for n, e in world.nodes.items() if "variable" in e and n in self.seen}
        for tensor, entry in world.tensors.items():
            if entry["at"] is not None and tensor not in self.seen | accumulate and not world.cut_short:
                world.refuse(f"tensors.{tensor}", f"a row at {entry['at']} that made it", "none", None)
        first: dict[tuple, str] = {}
        for key, value in world.values.items():
            if value.whole:
                same = (value.dtype, value.shape, value.array.tobytes())
                if same in first:
                    world.refuse(f"values.{key}", f"another value than {first[same]}", value, None)
                first.setdefault(same, key)


def mentioned(row: dict) -> Iterator[str]:
    """Yield the ids in a row as they stand. Names and texts may look like ids, but are none."""
    for name, kind in FIELDS[row["kind"]]:
        yield from within(row[name], kind)
    for tensor, value in row.get("seen", {}).items():
        yield from (tensor, value)


def within(thing: Any, kind: str) -> Iterator[str]:
    """Yield the ids in a field of a kind."""
    if thing is None:
        return
    match kind:
        case "t" | "n" | "v" | "t?" | "n?" | "v?" | "owner":
            yield thing
        case "t%":
            yield from thing.values()
        case "counts":
            yield from thing
        case "term%":
            yield from (text for text in thing.values() if isinstance(text, str))
        case "argument*":
            yield from (what["tensor"] for _, what in thing if "tensor" in what)
        case "saved*":
            yield from (each for _, *ids in thing for each in ids if each is not None)
        case "shared*":
            yield from (each for pair in thing for each in pair)
        case "kept*":
            yield from (each for _, _, *ids in thing for each in ids if each is not None)
        case "rule*":
            for rule in thing:
                yield from (text for text in rule["terms"].values() if is_value(text))
                yield rule["result"]
        case "cause?":
            yield from [thing["tensor"]] if "tensor" in thing else []
        case "t*" | "n*" | "v*" | "v?*":
            yield from (each for each in thing if each is not None)


def is_value(text: str) -> bool:
    """Say whether a term is the id of a value; plain arguments are written as in Python, which no id is."""
    return text[:1] == "v" and text[1:].isdigit()


FIELDS = {kind: [tuple(each.split(":")) for each in spec.split()] for kind, spec in ROWS.items()}
