"""Tensors that appear without a row that made them: `.grad`, what a hook gets, `detach()`, a number.

They may hold only what the trace has already shown. Which of it, the first operation on them tells.
"""

from __future__ import annotations

import bisect
import itertools
import math
import re
from collections.abc import Iterator

import numpy as np

from engine.verify.arguments import arguments
from engine.verify.derive import Underivable, law_of, parsed
from engine.verify.laws.table import FORWARD, PICKS
from engine.verify.numbers import Value, kind_of
from engine.verify.world import DOUBTS, Held, World, same

GRAD = re.compile(r"(\w+)\.grad\b")
NAME = re.compile(r"[^\W\d]\w*")
NUMBER = re.compile(r"(?<![\w.])(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
SCOPES = re.compile(r"\b(?:def|lambda|class)\b")  # a name may mean another tensor inside
REPLACED = re.compile(r"\.set_\(")  # gives a tensor other memory, and leaves no row
MOST = 2000  # guesses at what the unseen tensors of one operation hold
FEW = 100  # values of the trace that are tried: the first ones, which are data, and the last ones
ALL = 50_000  # and in the whole trace


class Unseen:
    """Finds what unseen tensors hold."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.guesses = 0
        self.scoped = SCOPES.search(world.trace["source"]) is not None
        self.replaced = REPLACED.search(world.trace["source"]) is not None

    def guess(self, row: dict, name: str, before: dict[str, Held | None]) -> dict[str, Held]:
        """Find what unseen arguments must hold: of all they may hold, what the results agree with.

        What was guessed before is guessed anew if it does not lead to the results.
        """
        world, function = self.world, FORWARD.get(name)
        missing = [tensor for tensor, memory in before.items() if memory is None]
        doubtful = [tensor for tensor in before if tensor in world.doubts]
        if not missing:
            open_ = doubtful or self.replaced or world.program.unseen_writes
            if not open_ or function is None or agrees(world, row, name, before):
                return {}
            if self.replaced:
                missing, doubtful = list(before), []
        if len(missing) == 1 and (certain := self.certain(row, missing[0])) is not None:
            return {missing[0]: certain}
        choices = [self.choices(row, tensor) for tensor in missing]
        choices += [[before[tensor], *world.doubts[tensor]] for tensor in doubtful]
        tried = min(MOST, ALL - self.guesses)
        for rounding in (False, True) if function is not None else (False,):
            for chosen in itertools.islice(
                itertools.product(*choices), tried if not rounding else tried // 8
            ):
                self.guesses += 1
                found = dict(zip([*missing, *doubtful], chosen))
                if function is None or agrees(world, row, name, {**before, **found}, rounding):
                    world.guessed.update(missing)
                    world.doubts.update((t, few[:DOUBTS]) for t, few in zip(missing, choices))
                    return found
        whole = math.prod(map(len, choices)) <= tried // 8  # else there are more than could be tried
        likely = self.likeliest(row) if whole and len(missing) == 1 else []
        if len(likely) == 1 and fits(likely[0], world.tensors[missing[0]]):
            return {missing[0]: likely[0]}  # nothing agrees: it can be judged by this
        if world.program.unseen_writes:
            before.update(dict.fromkeys(before))  # whatever they held, NumPy may have written it since
            return {}
        return self.beyond_doubt(row, name, before, dict(zip(missing, choices)))

    def certain(self, row: dict, tensor: str) -> Held | None:
        """Return the `.grad` that an unseen tensor is, if the text has no other name: `0.1 * w.grad`."""
        world = self.world
        text = "" if row["at"] is None else world.program.text(row["at"])
        owners = set(GRAD.findall(text))
        if len(owners) != 1 or set(NAME.findall(NUMBER.sub(" ", text))) != {*owners, "grad"}:
            return None
        if self.scoped:
            return None
        memory = world.grad_memory.get(world.bound.get(*owners))
        return memory if memory is not None and fits(memory, world.tensors[tensor]) else None

    def likeliest(self, row: dict) -> list[Held]:
        """Return what an unseen tensor most likely is: what a hook was given, or `x.grad` in the text."""
        world = self.world
        if world.inflight:
            return [memory_of(world.values[v]) for v in world.inflight]
        text = "" if row["at"] is None else world.program.text(row["at"])
        owners = [world.bound.get(name) for name in set(GRAD.findall(text))]
        return [world.grad_memory[t] for t in owners if t in world.grad_memory]

    def beyond_doubt(self, row: dict, name: str, before: dict, choices: dict[str, list]) -> dict[str, Held]:
        """If the results do not depend on what an unseen tensor holds, take anything to judge them."""
        if len(choices) != 1:
            return {}
        (tensor, (memory, *_)), made = *choices.items(), []
        if not isinstance(memory, np.ndarray):
            return {}
        for other in (memory, np.ones_like(memory) + memory):
            try:
                known = arguments(row, {**before, tensor: other})
                made.append(np.asarray(law_of(FORWARD[name], name, known).results()[0]))
            except (Underivable, KeyError):
                return {}
        return {tensor: memory} if np.array_equal(*made, equal_nan=True) else {}

    def choices(self, row: dict, tensor: str) -> list[Held]:
        """Return what an unseen tensor may hold; if its saved value is told, what holds that."""
        world, first = self.world, self.world.value(row["values"][0]) if row["values"] else None
        told = [world.values[v] for _, t, v in row["saved"] if t == tensor and v is not None]
        if row["op"] == "stack" and first.whole:
            part = part_of(row, tensor, first.array)
            if part is not None and world.shown(part):  # it stands in the result
                return [part]
        found = list(distinct(candidates(world, tensor, row)))
        if not told or tensor in row["outputs"]:
            return found
        if row["inplace"]:  # what is saved may share the memory that has just been written
            written = world.holds.get(row["outputs"][0])
            found.sort(key=lambda memory: (not same(memory, told[0]), memory is not written))
            return [*found, memory_of(told[0])]
        return [memory for memory in found if same(memory, told[0])] or [memory_of(told[0])]


def part_of(row: dict, tensor: str, stacked: np.ndarray) -> np.ndarray | None:
    """Return which part of a stack is a tensor's."""
    dims = [parsed(what["text"]) for name, what in row["args"] if name == "dim" and "text" in what]
    tensors = [what["tensor"] for _, what in row["args"] if "tensor" in what]
    dim = dims[0] if dims and type(dims[0]) is int else 0
    if tensors.count(tensor) != 1 or not -stacked.ndim <= dim < stacked.ndim:
        return None
    i = tensors.index(tensor)
    return np.take(stacked, i, dim) if i < stacked.shape[dim] else None


def distinct(memories: Iterator[Held]) -> Iterator[Held]:
    """Yield memories, of those that hold the same numbers the first one."""
    seen = set()
    for memory in memories:
        key = memory.id if isinstance(memory, Value) else memory.tobytes()
        if key not in seen:
            seen.add(key)
            yield memory


def agrees(world: World, row: dict, name: str, before: dict[str, Held | None], rounding: bool = True) -> bool:
    """Say whether an operation's results follow from its arguments, perhaps but for much rounding."""
    values = [world.values[v] for v in row["values"]][: PICKS.get(name) or None]
    try:
        wrong = law_of(FORWARD[name], name, arguments(row, before)).wrong(values, rounding=rounding)
    except Underivable:
        return False
    return not any(wrong)


def memory_of(value: Value) -> Held:
    """Return a value as memory of its own."""
    return value.array.copy() if value.whole else value


def fits(memory: Held, entry: dict) -> bool:
    """Say whether memory is of a tensor's shape and dtype."""
    held = memory.kind if isinstance(memory, Value) else memory.dtype
    return list(memory.shape) == entry["shape"] and held == kind_of(entry["dtype"])


def candidates(world: World, tensor: str, row: dict) -> Iterator[Held]:
    """Yield what an unseen tensor may hold, the likeliest first: each is of its shape and dtype."""
    entry, seen = world.tensors[tensor], set()
    kind, shape = kind_of(entry["dtype"]), tuple(entry["shape"])

    yield from (memory for memory in reversed(world.grad_memory.values()) if fits(memory, entry))
    for v in world.lately():
        value = world.values[v]
        if v not in seen and fits(value, entry):
            yield memory_of(value)
        elif v not in seen and value.whole and value.array.size and value.array.ndim == len(shape) + 1:
            yield from (
                np.array(part) for part in value.array if fits(np.asarray(part), entry)
            )  # of many at once
        seen.add(v)
    yield from (
        world.holds[other]
        for other in reversed(world.live)
        if other != tensor and fits(world.holds[other], entry)
    )
    fitting = world.fitting.get((kind, shape), [])
    known = fitting[: bisect.bisect_right(fitting, world.newest, key=lambda value: int(value.id[1:]))]
    for value in known if len(known) <= 2 * FEW else (*known[:FEW], *known[-FEW:]):
        if value.id not in seen:
            yield memory_of(value)
    if np.prod(shape) == 1:
        yield from (np.full(shape, number, kind) for number in written(world, row))
    yield np.zeros(shape, kind)  # what layers start from


def written(world: World, row: dict) -> set[float]:
    """Return the numbers that stand in the row's lines."""
    if row["at"] is None:
        return set()
    first, _, last, _ = row["at"]
    text = "\n".join(world.program.lines[first - 1 : last])
    return {float(number) for number in NUMBER.findall(text)}
