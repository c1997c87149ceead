"""First values: filled in place, unrecorded, stated as the operation PyTorch runs."""

from __future__ import annotations

import pytest

from engine import create, events, methods, nn
from engine.nn import init

assert methods

IN_PLACE = {
    "uniform": lambda t: init.uniform_(t),
    "normal": lambda t: init.kaiming_normal_(t),
    "fill": lambda t: init.constant_(t, 0.5),
    "zero": lambda t: init.zeros_(t),
}


@pytest.mark.parametrize("name", IN_PLACE)
def test_a_parameter_is_filled_without_a_node_and_the_write_is_stated(name: str):
    weight = nn.Parameter(create.ones(3, 2))
    seen: list = []
    with events.observed_by(seen.append):
        assert IN_PLACE[name](weight) is weight
    assert weight.is_leaf and weight.requires_grad and weight._version == 1
    (fact,) = seen
    assert fact.op.name == name and fact.inplace and fact.outputs == (weight,)


def test_a_layer_hides_how_it_was_filled():
    seen: list = []
    with events.observed_by(seen.append):
        layer = nn.GRU(2, 3)
    assert [fact.tensor for fact in seen] == list(layer.parameters())


def test_orthogonal_rows_are_orthogonal():
    tensor = init.orthogonal_(create.empty(2, 4), gain=2.0)
    assert (tensor @ tensor.t()).array.round(5).tolist() == [[4.0, 0.0], [0.0, 4.0]]


def test_truncated_numbers_stay_within_their_bounds():
    create.manual_seed(0)
    for bounds in ((-1.0, 1.0), (2.0, 3.0)):
        values = init.trunc_normal_(create.empty(500), 0.0, 1.0, *bounds).array
        assert bounds[0] <= values.min() and values.max() <= bounds[1]
