"""The same fault with other names, sizes and optimisers is found; the same program without it is not."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.sandbox.doctor.programs import changed, codes, examined

NAMES = st.lists(
    st.sampled_from("a b2 theta weights W model_1 épsilon 权重 lhs net preds".split()),
    min_size=5, max_size=5, unique=True,
)  # fmt: skip
SIZES = st.integers(2, 7)
OPTIMIZERS = st.sampled_from(
    ["SGD({0}, lr=0.01)", "Adam({0}, lr=0.01)", "AdamW({0})", "RMSprop({0}, lr=0.01)"]
)
few = settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow])

TRAINED = """\
import torch
from torch import nn
torch.manual_seed({seed})
{model} = nn.Sequential(nn.Linear({m}, 4), nn.Tanh(), nn.Linear(4, 1))
{opt} = torch.optim.{optimizer}
{x}, {y} = torch.randn({n}, {m}), torch.randn({n}{tail})
for {i} in range({rounds}):
{first}    loss = {loss}
{second}    loss.backward()
{third}    {opt}.step()
{last}"""
ZERO = "    {0}.zero_grad()\n"


def program(names: list[str], n: int, m: int, optimizer: str, **more: str) -> str:
    """Return a training loop; `more` are the lines in its gaps, the loss, the shape of the targets."""
    model, opt, x, y, i = names
    loss = more.get("loss", "nn.functional.mse_loss({0}({1}), {2})").format(model, x, y)
    gaps = {gap: more.get(gap, "").format(opt) for gap in ("first", "second", "third", "last")}
    return TRAINED.format(
        **{
            "model": model,
            "opt": opt,
            "x": x,
            "y": y,
            "i": i,
            "n": n,
            "m": m,
            "seed": n,
            "rounds": 2 + m % 3,
        },
        **{
            "optimizer": optimizer.format(f"{model}.parameters()"),
            "tail": more.get("tail", ", 1"),
            "loss": loss,
        },
        **gaps,
    )


def mended(source: str, code: str) -> str:
    """Check that a program has one fault and no other, and none once it is changed; return that program."""
    findings = examined(source)[1]
    assert codes(findings) == [code]
    after = changed(source, findings[0])
    assert codes(examined(after)[1]) == []
    return after


@few
@given(NAMES, SIZES, SIZES, OPTIMIZERS)
def test_a_loop_that_never_empties_its_gradients(names, n, m, optimizer):
    wrong = program(names, n, m, optimizer)
    assert mended(wrong, "accumulating") == program(names, n, m, optimizer, second=ZERO)


@few
@given(NAMES, SIZES, SIZES, OPTIMIZERS, st.sampled_from(["first", "second", "last"]))
def test_a_loop_that_empties_them_anywhere_else_is_right(names, n, m, optimizer, where):
    gap = {where: ZERO}
    assert codes(examined(program(names, n, m, optimizer, **gap))[1]) == []


@few
@given(NAMES, SIZES, SIZES, OPTIMIZERS)
def test_a_loop_that_empties_them_too_early(names, n, m, optimizer):
    wrong = program(names, n, m, optimizer, third=ZERO)
    assert mended(wrong, "emptied") == program(names, n, m, optimizer, second=ZERO)


@few
@given(NAMES, SIZES, SIZES, st.sampled_from(["mse_loss", "l1_loss", "smooth_l1_loss"]))
def test_targets_of_one_dimension(names, n, m, loss):
    written = {"loss": "nn.functional." + loss + "({0}({1}), {2})", "second": ZERO}
    wrong = program(names, n, m, "SGD({0}, lr=0.01)", tail="", **written)
    assert f"{names[0]}({names[2]}).squeeze(-1)" in mended(wrong, "broadcast")


@few
@given(NAMES, SIZES, SIZES, st.sampled_from(["{0}({1}).squeeze(1)", "{0}({1}).view(-1)", "{0}({1})[:, 0]"]))
def test_targets_and_predictions_of_one_dimension_are_right(names, n, m, written):
    loss = "((" + written + " - {2}) ** 2).mean()"
    assert codes(examined(program(names, n, m, "Adam({0})", tail="", loss=loss, second=ZERO))[1]) == []


@few
@given(NAMES, SIZES, st.sampled_from(["exp", "sigmoid", "tanh", "sqrt", "softmax"]), st.integers(1, 3))
def test_a_value_that_is_overwritten(names, n, op, by):
    x, y = names[:2]
    call = f"{x}.{op}(0)" if op == "softmax" else f"{x}.{op}()"
    head = f"import torch\n{x} = torch.ones({n}, requires_grad=True)\n{y} = {call}\n"
    tail = f"({y} * {y}).sum().backward()\n"
    assert mended(head + f"{y} *= {by}\n" + tail, "changed") == head + f"{y} = {y} * {by}\n" + tail
    assert codes(examined(head + tail + f"{y} *= {by}\n")[1]) == []


@few
@given(NAMES, SIZES, st.sampled_from(["* 0.1", "/ 3", "+ 1", "- 2"]))
def test_a_leaf_that_was_scaled_when_it_was_made(names, n, tail):
    w = names[0]
    rest = f"({w} ** 2).sum().backward()\nprint({w}.grad)\n"
    wrong = f"import torch\n{w} = torch.ones({n}, requires_grad=True) {tail}\n" + rest
    assert f"(torch.ones({n}) {tail}).requires_grad_()" in mended(wrong, "not_a_leaf.made")
    right = f"import torch\n{w} = (torch.ones({n}) {tail}).requires_grad_()\n" + rest
    assert codes(examined(right)[1]) == []
