"""Random numbers in the sandbox: the program is told the seed it got; another is asked for in the job."""

from __future__ import annotations

import asyncio
import json

import pytest

from app.sandbox.pool import Pool
from tests.sandbox import cases

THREE = (
    "import random\nimport numpy as np\nimport torch\nprint(random.random(), np.random.rand(), torch.rand(1))"
)


def run(source: str, *seeds: int) -> list[bytes]:
    """Return the traces of a program, one for each seed, each from a pool of its own."""

    async def one(seed: int) -> bytes:
        async with Pool(size=1) as pool:
            return await pool.run(source, {"seed": seed})

    return [asyncio.run(one(seed)) for seed in seeds]


def told(trace: bytes) -> list[tuple[str, int]]:
    """Return the seeds a program was told."""
    rows = json.loads(trace)["rows"]
    return [(row["generator"], row["seed"]) for row in rows if row["kind"] == "seeded"]


def test_two_runs_are_the_same_byte_for_byte_across_restarts_and_another_seed_is_another_run():
    first, again, other = run(THREE, 0, 0, 5)
    assert first == again and first != other
    assert told(first) == [("random", 0), ("numpy", 0), ("torch", 0)]
    assert told(other) == [("random", 5), ("numpy", 5), ("torch", 5)]


@pytest.mark.parametrize("seeding", ["random.seed(1)", "random.setstate(random.getstate())"])
def test_random_with_a_seed_of_its_own_is_told_nothing(seeding: str):
    trace = cases.run_one(
        Pool(size=1), f"import random\n{seeding}\nprint(random.random(), random.choice([1]))"
    )
    assert not [row for row in trace["rows"] if row["kind"] == "seeded"]
