"""Same seed, same numbers: sequences of calls recorded from PyTorch, and what a generator promises."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.random import DEFAULT_SEED, Generator, default_generator, drawing_from, fused

DRAWS = json.loads((Path(__file__).parent / "data" / "draws.json").read_text())


def _draw(generator: Generator, name: str, given: dict[str, Any]) -> list[float]:
    given = dict(given)
    if isinstance(given.get("p"), list):
        given["p"] = np.array(given["p"], given.pop("dtype", "float32"))
    if "shape" in given:
        given["shape"] = tuple(given["shape"])
    return getattr(generator, name)(**given).ravel().tolist()


def _seeded(seed: int) -> Generator:
    return Generator().manual_seed(seed)


@pytest.mark.parametrize("row", DRAWS, ids=lambda row: f"seed {row['seed']}")
def test_calls_in_a_row_draw_what_pytorch_draws(row: dict[str, Any]):
    generator = _seeded(row["seed"])
    for name, given, drawn in row["calls"]:
        assert _draw(generator, name, given) == drawn, (name, given)


def test_seed_zero_gives_the_numbers_everybody_knows():
    assert _seeded(0).uniform((2,)).tolist() == pytest.approx([0.49625659, 0.76822180])
    assert _seeded(0).normal((2,)).tolist() == pytest.approx([1.54099607, -0.29342890])
    assert _seeded(3).randperm(6).tolist() == [4, 0, 3, 2, 1, 5]


def test_only_the_lower_half_of_a_seed_counts_but_all_of_it_is_remembered():
    long, short = _seeded(2**40 + 7), _seeded(7)
    assert long.initial_seed() == 2**40 + 7
    assert long.uniform((5,)).tolist() == short.uniform((5,)).tolist()


def test_a_negative_seed_counts_down_from_the_top():
    assert _seeded(-1).initial_seed() == 2**64 - 1


@pytest.mark.parametrize("seed", [2**64, -(2**63) - 1])
def test_a_seed_of_more_than_64_bits_is_refused(seed: int):
    with pytest.raises(ValueError, match="^Overflow when unpacking long long$"):
        _seeded(seed)


def test_a_seed_must_be_whole():
    with pytest.raises(RuntimeError, match="^manual_seed expected a long, but got float$"):
        _seeded(1.5)


def test_an_unforeseen_seed_is_returned_and_used():
    generator = Generator()
    seed = generator.seed()
    assert generator.initial_seed() == seed
    assert generator.uniform((3,)).tolist() == _seeded(seed).uniform((3,)).tolist()


def test_a_fresh_generator_starts_where_pytorchs_does():
    assert Generator().initial_seed() == DEFAULT_SEED
    assert Generator().uniform((1,)).tolist() == pytest.approx([0.2673], abs=5e-5)


def test_a_state_brings_back_the_kept_normal_number_too():
    generator = _seeded(5)
    generator.normal((3,))
    state = generator.get_state()
    first = generator.normal((4,)).tolist()
    assert generator.set_state(state).normal((4,)).tolist() == first


def test_a_state_is_not_moved_by_later_draws():
    generator = _seeded(5)
    state = generator.get_state()
    generator.uniform((2000,))
    assert Generator().set_state(state).uniform((1,)) == _seeded(5).uniform((1,))


def test_one_normal_call_of_two_equals_two_calls_of_one():
    together, apart = _seeded(1), _seeded(1)
    assert together.normal((2,)).tolist() == [apart.normal((1,)).item(), apart.normal((1,)).item()]


def test_the_default_generator_lasts_and_can_be_replaced_for_a_block():
    ours = Generator()
    with drawing_from(ours):
        assert default_generator() is ours
    assert default_generator() is default_generator() is not ours


def test_nothing_is_drawn_for_an_empty_shape_or_order():
    generator = _seeded(2)
    generator.uniform((0, 3)), generator.normal((0,)), generator.randperm(0), generator.randperm(1)
    assert generator.uniform((1,)) == _seeded(2).uniform((1,))


def test_shapes_and_kinds_are_as_asked():
    generator = Generator()
    assert generator.uniform((2, 3)).shape == (2, 3)
    assert generator.uniform(()).shape == generator.normal(()).shape == ()
    assert generator.normal((4, 5), dtype=np.float64).dtype == np.float64
    assert generator.normal((4, 5)).dtype == np.float32
    assert generator.randint(0, 3, (2, 2)).dtype == generator.randperm(4).dtype == np.int64


def test_dropout_keeps_the_expected_value():
    noise = _seeded(0).dropout_noise(0.25, (10000,))
    assert set(noise.tolist()) == {0.0, float(np.float32(1) / np.float32(0.75))}
    assert noise.mean() == pytest.approx(1, abs=0.02)


def test_multinomial_never_draws_what_has_no_chance():
    generator = _seeded(0)
    for replacement in (False, True):
        drawn = [generator.multinomial(np.array([0.0, 1, 3, 0]), 2, replacement) for _ in range(100)]
        assert {int(i) for pair in drawn for i in pair} == {1, 2}


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda g: g.uniform((1,), 2, 1),
            "uniform_ expects to return a [from, to) range, but found from=2 > to=1",
        ),
        (lambda g: g.normal((1,), 0, -1), "normal expects std >= 0.0, but found std -1"),
        (
            lambda g: g.randint(3, 3, (1,)),
            "random_ expects 'from' to be less than 'to', but got from=3 >= to=3",
        ),
        (lambda g: g.bernoulli_(1.5, (1,)), "bernoulli_ expects p to be in [0, 1], but got p=1.5"),
        (lambda g: g.exponential((1,), 0.0), "exponential_ expects lambda > 0.0, but found lambda=0"),
        (
            lambda g: g.multinomial(np.zeros(2), 1),
            "invalid multinomial distribution (sum of probabilities <= 0)",
        ),
        (lambda g: g.multinomial(np.ones(2), 0), "cannot sample n_sample <= 0 samples"),
        (
            lambda g: g.multinomial(np.ones(2), 3),
            "cannot sample n_sample > prob_dist.size(-1) samples without replacement",
        ),
        (
            lambda g: g.multinomial(np.array([-1.0, 2.0]), 1),
            "probability tensor contains either `inf`, `nan` or element < 0",
        ),
    ],
)
def test_impossible_wishes_are_refused_in_pytorchs_words(call: Any, message: str):
    with pytest.raises(RuntimeError) as refusal:
        call(Generator())
    assert str(refusal.value) == message


def test_a_fused_product_and_sum_rounds_once():
    x = np.array([1 + 2.0**-30, 1 / 3, 0.1])
    twice = x * x[0] - 1
    once = fused(x, x[0], -1.0)
    assert once[0] == 2.0**-29 + 2.0**-60 != twice[0]
    assert math.isclose(once[1], twice[1])


def test_many_normal_numbers_are_normal():
    x = _seeded(0).normal((40000,)).astype(np.float64)
    assert abs(x.mean()) < 0.02 and x.std() == pytest.approx(1, abs=0.02)
