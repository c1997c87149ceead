"""A program that sets no seed is told the one it got, once for each generator, where it first draws."""

from __future__ import annotations

import pytest

from engine.trace.run import trace_source


def seeded(source: str, seed: int = 0) -> list[tuple[int, str, int]]:
    """Return (line, generator, seed) of every such row."""
    rows = trace_source("import torch\nimport numpy as np\n" + source, seed=seed)["rows"]
    return [(row["at"][0], row["generator"], row["seed"]) for row in rows if row["kind"] == "seeded"]


@pytest.mark.parametrize(
    "source, expected",
    [
        ("x = torch.randn(2)\ny = torch.randn(2)", [(3, "torch", 0)]),
        ("m = torch.nn.Linear(2, 1)", [(3, "torch", 0)]),
        ("x = torch.ones(2)\nx = torch.dropout(x, 0.5, True)", [(4, "torch", 0)]),
        ("a = np.random.rand(2)\nb = np.random.default_rng().random()", [(3, "numpy", 0)]),
        ("b = np.random.default_rng().random()", [(3, "numpy", 0)]),
        ("a = np.random.rand()\nx = torch.rand(1)", [(3, "numpy", 0), (4, "torch", 0)]),
    ],
)
def test_the_first_unseeded_draw_is_told(source: str, expected: list):
    assert seeded(source) == expected


@pytest.mark.parametrize(
    "source",
    [
        "torch.manual_seed(1)\nx = torch.randn(2)\nm = torch.nn.Linear(2, 1)",
        "x = torch.rand(2, generator=torch.Generator().manual_seed(3))",
        "np.random.seed(0)\na = np.random.rand()",
        "a = np.random.default_rng(4).random()",
        "x = torch.ones(2)",
    ],
)
def test_a_program_with_its_own_seed_is_told_nothing(source: str):
    assert seeded(source) == []


def test_another_seed_gives_other_numbers_and_the_same_seed_the_same():
    source = "import torch\nprint(torch.rand(1).item())"
    first, other, again = (trace_source(source, seed=seed) for seed in (0, 7, 0))
    assert first == again != other
    assert seeded("x = torch.rand(1)", 7) == [(3, "torch", 7)]


def test_seeding_anew_without_a_number_is_the_same_in_every_run():
    source = "import torch\nprint(torch.seed(), torch.rand(1))"
    assert trace_source(source) == trace_source(source)
