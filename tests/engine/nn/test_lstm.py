"""In single precision a layer of LSTM is one operation, with the graph that PyTorch 2.13 gives it."""

import pytest

from engine import facade

torch = facade.modules()["torch"]


def layer(**options):
    torch.manual_seed(0)
    return torch.nn.LSTM(3, 2, **options)


def names(node):
    return [type(edge).__name__ if edge is not None else None for edge, _ in node.next_functions]


def test_a_layer_is_one_node_with_seven_inputs():
    out, (h, c) = layer()(torch.ones(4, 1, 3, requires_grad=True))
    assert type(out.grad_fn).__name__ == "MkldnnRnnLayerBackward0"
    assert names(out.grad_fn) == ["AccumulateGrad"] * 5 + [None, None]
    assert type(h.grad_fn).__name__ == type(c.grad_fn).__name__ == "StackBackward0"
    assert h.grad_fn.next_functions == ((out.grad_fn, 1),)
    assert c.grad_fn.next_functions == ((out.grad_fn, 2),)


def test_two_directions_are_two_nodes_and_a_cat():
    out, _ = layer(bidirectional=True)(torch.ones(4, 1, 3))
    assert names(out.grad_fn) == ["MkldnnRnnLayerBackward0"] * 2
    assert [node._saved_reverse for node, _ in out.grad_fn.next_functions] == [False, True]


@pytest.mark.parametrize(
    "options",
    [{"dtype": torch.float64}, {"proj_size": 1}],
    ids=["double", "projected"],
)
def test_elsewhere_it_is_made_of_single_operations(options):
    model = layer(**options)
    out, _ = model(torch.ones(4, 1, 3, dtype=options.get("dtype", torch.float32)))
    assert type(out.grad_fn).__name__ == "StackBackward0"


def test_batch_first_turns_the_output_by_a_transpose():
    out, _ = layer(batch_first=True)(torch.ones(2, 4, 3))
    assert type(out.grad_fn).__name__ == "TransposeBackward0"
    assert out.stride() == (2, 4, 1)


def test_given_states_are_selected_for_each_layer():
    h, c = torch.zeros(1, 1, 2, requires_grad=True), torch.zeros(1, 1, 2)
    out, _ = layer()(torch.ones(4, 1, 3), (h, c))
    assert names(out.grad_fn)[5:] == ["SelectBackward0", None]


@pytest.mark.parametrize("options", [{}, {"bidirectional": True}, {"num_layers": 2}, {"bias": False}])
def test_its_gradients_are_those_of_the_single_operations(options):
    whole, parts = layer(**options), layer(**options).double()
    x = torch.randn(4, 2, 3)
    a, b = x.clone().requires_grad_(), x.double().requires_grad_()
    for model, given in ((whole, a), (parts, b)):
        out, (h, c) = model(given)
        ((out**3).sum() + (h * 2).sum() - (c * c).sum()).backward()
    assert torch.allclose(a.grad, b.grad.float(), atol=1e-6)
    for p, q in zip(whole.parameters(), parts.parameters(), strict=True):
        assert torch.allclose(p.grad, q.grad.float(), atol=1e-5)


def test_a_gradient_of_a_gradient_goes_through_it():
    whole, parts = layer(), layer().double()
    found = []
    for model, kind in ((whole, torch.float32), (parts, torch.float64)):
        x = torch.tensor([[[0.5, -1.0, 2.0]], [[1.0, 0.3, -0.2]]], dtype=kind, requires_grad=True)
        (g,) = torch.autograd.grad(model(x)[0].sum(), x, create_graph=True)
        (g * g).sum().backward()
        found.append(x.grad.float())
    assert torch.allclose(*found, atol=1e-5)
