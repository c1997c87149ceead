"""What a node holds as a tuple is, once somebody asks by name, what it would have saved anyway."""

import pytest

from engine import facade
from engine.ops.table import TABLE
from engine.pointwise import takes_one, takes_two
from engine.saved import SavedTensor
from engine.work import Work
from tests.engine.samples import SAMPLES, arguments

torch = facade.modules()["torch"]
POINTWISE = [
    name
    for name, samples in SAMPLES.items()
    if samples and TABLE[name].rules and (takes_one(TABLE[name]) or takes_two(TABLE[name]))
]


def described(value):
    """Return a saved value so that two of them can be compared."""
    if type(value) is SavedTensor:
        held = value.tensor
        kept = held if value.output_nr is None else held.array.tobytes()
        return kept, type(held), value.version, value.output_nr, value.unpack_hook
    return value


@pytest.mark.parametrize("name", POINTWISE)
def test_by_name_a_tuple_is_what_save_makes(name):
    row = TABLE[name]
    args = tuple(arguments(row, SAMPLES[name][0]))
    args += row.left_out(len(args))
    output = torch.ones(2)
    for mask in range(1, 1 << len(row.inputs)):
        work = Work(row, mask)
        if work.pack is not None:
            saved, held = work.save(args, (output,)), work.pack(args, (output,))
            named = work.named(held)
            assert list(named) == list(saved)
            assert [described(v) for v in named.values()] == [described(v) for v in saved.values()]


def test_a_number_that_is_an_operand_is_shown_as_a_tensor_and_is_freed():
    x = torch.ones(3, requires_grad=True)
    node = (x * 1.5).grad_fn
    assert type(node.held) is tuple
    assert node._saved_other.item() == 1.5
    y = x * 1.5
    y.sum().backward()
    with pytest.raises(RuntimeError, match="after they have already been freed"):
        _ = y.grad_fn._saved_other


@pytest.mark.parametrize("when", ["before", "after"])
def test_of_a_tensor_that_is_written_the_version_counts_that_it_had_when_saved(when):
    x = torch.ones(3, requires_grad=True)
    y = x * 2
    if when == "before":
        y.detach().add_(1)
    out = torch.sin(y).sum()
    if when == "before":
        out.backward()
        assert x.grad is not None
    else:
        y.detach().add_(1)
        with pytest.raises(RuntimeError, match="is at version 1; expected version 0 instead"):
            out.backward()


def test_where_hooks_pack_nothing_is_held_as_a_tuple():
    x = torch.ones(3, requires_grad=True)
    packed = []
    with torch.autograd.graph.saved_tensors_hooks(lambda t: packed.append(t) or t, lambda t: t):
        y = torch.sin(x)
    assert packed[0] is x
    assert type(y.grad_fn.held) is dict


def test_an_inference_tensor_is_refused_as_ever():
    with torch.inference_mode():
        x = torch.ones(3)
    with pytest.raises(RuntimeError, match="Inference tensors cannot be saved for backward"):
        torch.ones(3, requires_grad=True) * x
