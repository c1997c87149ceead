"""A law for writing in place into memory that an operand looks into: each step sees those before it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from engine.verify.laws.table import asks

READ_TOGETHER = 64  # bytes of a dense row, whose constant operand is read once


def places(memory: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """Return the address of every element as it is met in an operation of this shape."""
    at = np.array(memory.__array_interface__["data"][0])
    for size, step in zip(memory.shape, memory.strides):
        at = at[..., None] + np.arange(size) * step
    return np.broadcast_to(at, shape)


def looks_elsewhere(written: Any, other: Any) -> bool:
    """Say whether two memories meet, though not element by element."""
    if not (isinstance(written, np.ndarray) and isinstance(other, np.ndarray)):
        return False
    if not np.may_share_memory(written, other) or not np.shares_memory(written, other):
        return False
    return other.shape != written.shape or bool(
        (places(written, written.shape) != places(other, other.shape)).any()
    )


def even(rows: np.ndarray) -> bool:
    """Say whether every row goes through memory in equal steps."""
    moves = np.diff(rows, axis=1)
    return not moves.size or bool((moves == moves[:, :1]).all())


class InTurn:
    """A pointwise law applied step by step: what a step writes, a later one reads."""

    def __init__(self, law: Callable, written: np.ndarray, others: dict[str, np.ndarray]) -> None:
        self.law = law
        self.asks = asks(law)
        shape = written.shape
        self.at = places(written, shape)
        self.others = {name: places(memory, shape) for name, memory in others.items()}
        self.size = written.itemsize

    def __hash__(self) -> int:
        return hash(self.law)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, InTurn) and other.law is self.law

    def steps(self) -> list[np.ndarray]:
        """Return the elements (flat numbers) that are read before any of them is written, step after step."""
        shape = self.at.shape
        strides = [np.abs(np.diff(self.at, axis=d)).max(initial=0) for d in range(len(shape))]
        order = sorted(range(len(shape)), key=lambda d: -strides[d])
        walks = [a.transpose(order) for a in (self.at, *self.others.values())]
        sizes, length = [shape[d] for d in order], 1
        while sizes and all(even(walk.reshape(-1, length * sizes[-1])) for walk in walks):
            length *= sizes.pop()
        rows = np.arange(self.at.size).reshape(shape).transpose(order).reshape(-1, length)
        return [step for row in rows for step in self.cut(row)]

    def cut(self, row: np.ndarray) -> list[np.ndarray]:
        """Cut a row into steps: blocks if everything in it is dense or constant, single elements else."""
        walks = [np.diff(a.ravel()[row]) for a in (self.at, *self.others.values())]
        constant = sum(len(w) > 0 and not w.any() for w in walks[1:])
        dense = all(len(w) and ((w == self.size).all() or not w.any()) for w in walks) and constant <= 1
        block = READ_TOGETHER // self.size if dense else 1
        whole = len(row) // block * block if dense else 0
        blocks = [row[i : i + block] for i in range(0, whole, block)]
        return [*blocks, *([i] for i in row[whole:])]

    def __call__(self, /, **given: Any) -> np.ndarray:
        shape = self.at.shape
        result = np.array(np.broadcast_to(given["self"], shape)).ravel()
        number = {int(a): i for i, a in enumerate(self.at.ravel())}
        arrays = {n: np.broadcast_to(v, shape).ravel() for n, v in given.items() if isinstance(v, np.ndarray)}
        kept: dict[tuple[str, int], Any] = {}  # what blocks have read: constants as the row began
        for step in self.steps():
            parts = dict(given)
            for name, values in arrays.items():
                parts[name] = result[step] if name == "self" else values[step]
                for k, i in enumerate(step if name in self.others else ()):
                    address = int(self.others[name].flat[i])
                    now = result[number[address]] if address in number else values[i]
                    parts[name][k] = kept.setdefault((name, address), now) if len(step) > 1 else now
            result[step] = self.law(**parts)
        return result.reshape(shape)
