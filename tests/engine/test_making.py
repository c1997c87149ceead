"""New tensors from old ones, drawn, searched for, counted: printed as PyTorch printed them (recorded)."""

import json
from pathlib import Path

import pytest

from engine import facade

torch = facade.modules()["torch"]
ROWS = json.loads((Path(__file__).parent / "data" / "making.json").read_text())
PRINTED = [row for row in ROWS if "printed" in row]
REFUSED = [row for row in ROWS if "error" in row]


def evaluate(text: str):
    torch.manual_seed(0)
    tensors = {
        "x": torch.ones(2, 3, dtype=torch.float64),
        "whole": torch.tensor([1, 2, 3]),
        "ends": torch.tensor([1.0, 3, 5]),
        "chances": torch.tensor([0.2, 0.5, 0.9], requires_grad=True),
    }
    return eval(text, {"torch": torch, **tensors})


@pytest.mark.parametrize("row", PRINTED, ids=[row["text"] for row in PRINTED])
def test_prints_what_pytorch_prints(row):
    assert str(evaluate(row["text"])) == row["printed"]


@pytest.mark.parametrize("row", REFUSED, ids=[row["text"] for row in REFUSED])
def test_refuses_with_the_words_of_pytorch(row):
    with pytest.raises(Exception) as caught:
        evaluate(row["text"])
    assert (type(caught.value).__name__, str(caught.value)) == (row["error"], row["message"])


def test_no_gradient_passes_what_is_drawn():
    chances = torch.tensor([0.2, 0.5], requires_grad=True)
    torch.bernoulli(chances).sum().backward()
    assert chances.grad.tolist() == [0.0, 0.0]
    with pytest.raises(RuntimeError, match="derivative for aten::bernoulli is not implemented"):
        chances.bernoulli(0.5).sum().backward()


@pytest.mark.parametrize("sign", ["+=", "-=", "*=", "/=", "//=", "%=", "**=", "&=", "|=", "^="])
def test_an_augmented_assignment_writes_into_the_tensor(sign):
    scope = {"x": torch.tensor([6, 3]) if sign in ("&=", "|=", "^=") else torch.tensor([6.0, 3.0])}
    before = scope["x"]
    exec(f"x {sign} 2", scope)
    assert scope["x"] is before and before._version == 1
