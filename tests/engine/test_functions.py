"""What learners call: names that PyTorch has and no others, named results, arguments that are no tensors."""

import pytest

from engine import facade, functions
from engine.functions.named import kind
from engine.tensor import Tensor

torch = facade.modules()["torch"]
V = torch.tensor([1.0, -2.0, 3.0])


@pytest.mark.parametrize(
    "name",
    "leaky_relu gelu nll_loss selu celu stack cat einsum sum_ log_softmax_ where_ cos_backward".split(),
)
def test_tensors_have_no_method_that_pytorchs_lack(name):
    assert not hasattr(Tensor, name)


@pytest.mark.parametrize(
    "name", "view expand repeat view_as type_as contiguous leaky_relu nll_loss tanh_backward".split()
)
def test_torch_has_no_function_that_pytorch_lacks(name):
    assert not hasattr(torch, name)


@pytest.mark.parametrize("name", "absolute arcsin clip multiply less_equal swapaxes moveaxis".split())
def test_other_names_of_an_operation_are_the_same_operation(name):
    assert getattr(torch, name) is getattr(torch, functions.ALIASES[name])


def test_results_with_names_print_as_pytorchs():
    found = V.max(0)
    assert (found.values.item(), found.indices.item()) == (3.0, 2)
    assert repr(found) == "torch.return_types.max(\nvalues=tensor(3.),\nindices=tensor(2))"
    values, indices = V.sort()
    assert (values.tolist(), indices.tolist()) == ([-2.0, 1.0, 3.0], [1, 0, 2])
    low, high = V.aminmax()
    assert (low.item(), high.item()) == (-2.0, 3.0)


def test_a_kind_of_named_result_is_made_once():
    assert kind("sort", ("values", "indices")) is kind("sort", ("values", "indices"))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: torch.mean([1.0]), r"mean\(\): argument 'input' \(position 1\) must be Tensor, not list"),
        (lambda: torch.exp(1.0), r"exp\(\): argument 'input' \(position 1\) must be Tensor, not float"),
        (lambda: V.dot(2), r"dot\(\): argument 'tensor' \(position 2\) must be Tensor, not int"),
        (lambda: torch.matmul(V, 1), r"matmul\(\): argument 'other' \(position 2\) must be Tensor, not int"),
    ],
)
def test_an_argument_that_is_no_tensor_is_refused_by_name(call, message):
    with pytest.raises(TypeError, match=message):
        call()


def test_an_operand_may_be_a_number_on_either_side():
    assert torch.pow(2, V.abs()).tolist() == [2.0, 4.0, 8.0]
    assert torch.remainder(7, V).tolist() == [0.0, -1.0, 1.0]
    assert torch.xlogy(2.0, torch.ones(1)).tolist() == [0.0]


def test_one_bool_tensor_cannot_be_subtracted():
    with pytest.raises(RuntimeError, match="with a bool tensor is not supported"):
        1 - (V > 0)
    with pytest.raises(RuntimeError, match="with two bool tensors is not supported"):
        (V > 0) - (V > 0)


def test_methods_that_change_the_shape_change_the_tensor_itself():
    m = torch.zeros(2, 3)
    assert m.t_() is m and m.shape == (3, 2) and m._version == 1
    assert m.unsqueeze_(0).shape == (1, 3, 2)
    assert m.squeeze_().shape == (3, 2)


def test_einsum_knows_ellipses_diagonals_and_what_is_left_to_sum():
    m = torch.arange(9.0).reshape(3, 3)
    assert torch.einsum("ii", m).item() == 12.0
    assert torch.einsum("ij->j", m).tolist() == [9.0, 12.0, 15.0]
    assert torch.einsum("...i,...i", m, m).tolist() == [5.0, 50.0, 149.0]
    assert torch.einsum("i,j,k->", V, V, V).item() == 8.0
