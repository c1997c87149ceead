"""What is timed is the same work for everybody: all engines that are installed return the same gradients."""

from __future__ import annotations

import numpy as np
import pytest

from tests.bench import engines

# Large enough for any mistake in it; the others differ from these in their length only.
WORK = [work for work in engines.WORK if work not in ("scalar_network", "chain_10000")]
EVERYBODY = [name for name in engines.found() if name not in ("floor", "micrograd", "torch")]
PAIRS = [(name, work) for work in WORK for name in EVERYBODY]


def numbers(grads: list) -> list[np.ndarray]:
    """Return gradients as arrays, whoever computed them."""
    return [np.array(each.tolist() if hasattr(each, "tolist") else each, np.float64) for each in grads]


@pytest.mark.parametrize(("engine", "work"), PAIRS)
def test_an_engine_computes_the_gradients_that_the_floor_computes_by_hand(engine, work):
    want, got = (numbers(engines.run_of(name, work)()) for name in ("floor", engine))
    assert len(want) == len(got)
    for theirs, ours in zip(want, got):
        assert theirs.shape == ours.shape
        np.testing.assert_allclose(ours, theirs, rtol=1e-4, atol=1e-6)


def test_the_floor_of_the_network_of_scalars_computes_what_the_network_of_tensors_computes():
    scalars, tensors = (
        numbers(engines.run_of("floor", work)()) for work in ("scalar_network", "tensor_network")
    )
    w1, b1, w2, b2, w3, b3 = tensors
    by_unit = [np.concatenate([np.vstack([w, b]).T.reshape(-1) for w, b in ((w1, b1), (w2, b2), (w3, b3))])]
    np.testing.assert_allclose(np.array(scalars), by_unit[0], rtol=1e-4, atol=1e-6)


def test_the_scalar_expression_has_20_operations():
    from engine import events

    applied = []
    run = engines.run_of("gradstep", "expression")
    with events.observed_by(lambda fact: applied.append(fact) if type(fact) is events.OpApplied else None):
        run()
    assert len(applied) == 20


@pytest.mark.parametrize("work", engines.WORK)
def test_a_program_is_a_text_of_its_own(work):
    names: dict = {}
    exec(compile(engines.snippet(work), "<test>", "exec"), names)
    assert work in names
