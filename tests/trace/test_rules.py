"""A node's local rules as a reader sees them."""

import pytest

from engine.tensor import Tensor
from engine.trace.rules import decided, text_of


@pytest.mark.parametrize(
    "formula, plain, shown",
    [
        ("grad if alpha == 1 else grad * alpha", {"alpha": 1}, "grad"),
        ("grad if alpha == 1 else grad * alpha", {"alpha": 2}, "grad * alpha"),
        ("grad if alpha != 1 else -grad", {"alpha": 1}, "-grad"),
        ("a if mask is None else b", {"mask": None}, "a"),
        ("a if keepdim else b", {"keepdim": True}, "a"),
        ("a if not keepdim else b", {"keepdim": True}, "b"),
        ("(a if k else b) * c", {"k": False}, "b * c"),
        ("a if k else b", {}, "a if k else b"),
        (
            "grad if accumulate else grad, 0 at [indices]",
            {"accumulate": 1},
            "grad if accumulate else grad, 0 at [indices]",
        ),
        ("a if k > 1 else b", {"k": 1}, "b"),
        ("a if k == inf else b", {"k": float("inf")}, "a"),
        ("a if k is None or m is None else b", {"k": ..., "m": None}, "a"),
        ("a if k is None else b", {"k": ...}, "b"),
        ("a if k == 1 else b", {"k": ...}, "a if k == 1 else b"),
        ("a if k == (1,) else b", {"k": 2}, "a if k == (1,) else b"),
        ("(a if k else b * c * e) with c = a if k else d, e = 2", {"k": 0}, "b * c * e with c = d, e = 2"),
        ("(a if k else b * e) with c = 1, e = 2", {"k": 0}, "b * e with e = 2"),
        ("(a if k else b * e) with c = 1, e = c + d, d = 3", {"k": 0}, "b * e with c = 1, e = c + d, d = 3"),
        ("(a if k else b * t) with t = 2", {"k": 1}, "a"),
    ],
)
def test_a_branch_is_left_out_if_plain_values_decide_it(formula, plain, shown):
    assert decided(formula, tuple(plain.items())) == shown


class Odd(int):
    """A learner's number."""

    def __repr__(self):
        raise RuntimeError("asked")


@pytest.mark.parametrize(
    "value, text",
    [
        (2, "2"), (0.1, "0.1"), (None, "None"), ("mean", "'mean'"), (True, "True"), ((2, 3), "(2, 3)"),
        ((2,), "(2,)"), ([1, None], "[1, None]"), (slice(1, None), "1:"), (slice(None, None, 2), "::2"),
        (..., "..."),
        ((0, slice(None)), "(0, :)"), (10**4000, "a large int"), (object(), "object"),
        (list(range(99)), f"[{', '.join(map(str, range(16)))}, ...]"),
    ],
)  # fmt: skip
def test_a_plain_argument_is_written_as_a_reader_would(value, text):
    assert text_of(value) == text


def test_a_learners_number_is_not_asked_how_it_prints():
    assert text_of(Odd(3)) == "Odd"


def test_a_dtype_and_a_tensor_are_named():
    from engine import facade

    torch = facade.modules()["torch"]
    assert text_of(torch.float32) == "torch.float32"
    assert isinstance(torch.ones(2), Tensor) and text_of(torch.ones(2)) == "tensor of shape [2]"
