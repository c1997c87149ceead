"""Steps are found by meaning: addresses, their counting, and what is said to one that does not exist."""

from __future__ import annotations

import pytest

from app.lessons.moments import NoSuchStep, row_of, rows_of
from tests.lessons.programs import run_of


def kind(address: str) -> str:
    """Return the kind of the row an address names."""
    return run_of().rows[row_of(run_of(), address)]["kind"]


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("made w", "tensor_made"),
        ("bound loss #2", "names_bound"),
        ("applied mul", "op_applied"),
        ("applied MulBackward0(y)", "op_applied"),
        ("backward", "backward_began"),
        ("backward ended #2", "backward_ended"),
        ("ready w", "node_ready"),
        ("entered AddBackward0", "node_entered"),
        ("ran loss", "node_ran"),
        ("freed MulBackward0", "saved_freed"),
        ("flowed AddBackward0 → w", "edge_flowed"),
        ("summed w", "grad_summed"),
        ("grad w #2", "grad_accumulated"),
        ("zeroed w", "grad_set"),
        ("printed #2", "printed"),
        ("grad_accumulated w", "grad_accumulated"),
    ],
)
def test_an_address_names_a_row_of_its_kind(address: str, expected: str):
    assert kind(address) == expected


def test_counting_goes_on_across_the_passes_of_a_loop():
    first, second = row_of(run_of(), "grad w"), row_of(run_of(), "grad w #2")
    assert first < row_of(run_of(), "backward #2") < second


def test_start_is_before_everything_and_end_is_the_last_row():
    assert row_of(run_of(), "start") == -1
    assert row_of(run_of(), "end") == len(run_of().rows) - 1


def test_a_line_is_met_once_for_each_time_the_run_comes_to_it():
    assert len(rows_of(run_of(), "line 7")) == 2


def test_an_arrow_tells_the_edges_of_a_node_apart():
    flows = {name: rows_of(run_of(), f"flowed AddBackward0 → {name}") for name in ("w", "MulBackward0")}
    assert flows["w"] and flows["MulBackward0"] and not set(flows["w"]) & set(flows["MulBackward0"])


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("grad w #4", "happens 3 times"),
        ("ran SinBackward0", "never happens"),
        ("somehow w", "no kind of step"),
    ],
)
def test_an_address_of_nothing_is_refused_in_words(address: str, words: str):
    with pytest.raises(NoSuchStep, match=words):
        row_of(run_of(), address)
