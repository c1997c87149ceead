"""What a node shows as `_saved_...`: PyTorch's attributes, whichever inputs ask for a gradient."""

import pytest

from engine import facade

torch = facade.modules()["torch"]
F = torch.nn.functional


def leaf(*shape, asks=True):
    return torch.ones(shape).requires_grad_(asks)


def saved(node):
    return {name.removeprefix("_saved_") for name in dir(node) if name.startswith("_saved_")}


@pytest.mark.parametrize("asks", [(True, False), (False, True), (True, True)])
@pytest.mark.parametrize(
    "function, shapes, names",
    [
        (
            F.conv1d,
            [(1, 2, 4), (1, 2, 2)],
            "bias_sym_sizes_opt dilation groups input output_padding padding stride transposed weight",
        ),
        (lambda a, b: torch.cat([a, b]), [(2,), (2,)], "dim"),
        (lambda a, b: a.slice_scatter(b, 0, 0, 1), [(2, 2), (1, 2)], "dim end start step"),
        (lambda a, b: a.select_scatter(b, 0, 0), [(2, 2), (2,)], "dim index"),
        (lambda a, b: a.index_put((torch.tensor([0]),), b), [(2,), (1,)], "accumulate indices"),
        (
            lambda a, b: F.layer_norm(a, (2,), b),
            [(2, 2), (2,)],
            "bias input normalized_shape result1 result2 weight",
        ),
    ],
)
def test_a_node_shows_what_pytorch_saves_and_nothing_else(function, shapes, names, asks):
    made = function(*(leaf(*shape, asks=each) for shape, each in zip(shapes, asks, strict=True)))
    assert saved(made.grad_fn) == set(names.split())


@pytest.mark.parametrize(
    "function, name",
    [
        (torch.copysign, "result"),
        (F.binary_cross_entropy_with_logits, "target"),
        (lambda a, b: torch.lerp(torch.zeros(2), a, b), "weight"),
        (lambda a, b: torch.linalg.solve(torch.eye(2), b + 0 * a), "result"),
    ],
)
@pytest.mark.parametrize("asks", [(True, False), (False, True)])
def test_what_one_rule_for_all_inputs_reads_is_saved_whoever_asks(function, name, asks):
    made = function(*(leaf(2, asks=each) for each in asks))
    assert isinstance(getattr(made.grad_fn, f"_saved_{name}"), torch.Tensor)
