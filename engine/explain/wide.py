"""A whole program in float64: what it calls float32 or half is held in more bits, random draws stay the same.

Differences of nearby results need more digits than float32 has. Nothing in a program has to be rewritten for
that: while `in_float64` is on, arrays of float64 are what its float32 is held in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from engine import dtype as dtypes
from engine.random import Generator

DRAWS = ("uniform", "normal")  # by dtype: the wider has more bits, so other numbers
LAST = 3  # of the arguments after the shape: the dtype


@contextmanager
def in_float64() -> Iterator[None]:
    """Hold float32 and the halves in 64 bits inside the block."""
    wide, single = np.dtype(np.float64), dtypes.float32
    known, numbered = dtypes._OF_NUMPY, dtypes._BY_NUMBER
    before = known[wide], numbered[wide.num]
    drawn = {name: getattr(Generator, name) for name in (*DRAWS, "bernoulli")}
    held = {kind: kind.numpy for kind in (single, dtypes.float16, dtypes.bfloat16)}
    for kind in held:
        object.__setattr__(kind, "numpy", wide)
    rounding, dtypes.round_to_bfloat16 = dtypes.round_to_bfloat16, lambda array: array
    known[wide] = numbered[wide.num] = single
    for name in DRAWS:
        setattr(Generator, name, narrowly(drawn[name]))
    Generator.bernoulli = lambda self, p: drawn["bernoulli"](self, p.astype(np.float32))
    try:
        yield
    finally:
        for kind, numpy in held.items():
            object.__setattr__(kind, "numpy", numpy)
        dtypes.round_to_bfloat16 = rounding
        known[wide], numbered[wide.num] = before
        for name, draw in drawn.items():
            setattr(Generator, name, draw)


def narrowly(draw: Callable[..., np.ndarray]) -> Callable[..., np.ndarray]:
    """Return a distribution that draws what it would in float32, and gives it in float64."""

    def inside(self: Generator, shape: Any, *given: Any, dtype: Any = np.float32) -> np.ndarray:
        *given, dtype = given if len(given) == LAST else (*given, dtype)
        kind = np.dtype(np.float32) if np.dtype(dtype) == np.float64 else dtype
        return draw(self, shape, *given, dtype=kind).astype(dtype)

    return inside
