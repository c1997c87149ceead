"""Every rule of the table against finite differences, to first and second order, and its formula readable."""

import ast
import re

import numpy as np
import pytest

import engine.methods  # noqa: F401 - gives Tensor its operators
from engine import autograd
from engine.apply import apply
from engine.ops.table import TABLE
from engine.tensor import Tensor, make
from tests.engine.samples import SAMPLES, arguments

STEP = 1e-6
NO_RULE = {
    "bernoulli.p",
    "floor_divide",
    "floor_divide.Scalar",
    "floor_divide.inplace",
    "floor_divide.inplace.Scalar",
    "remainder.Base",
    "heaviside",
    "hardsigmoid_backward",
    "multi_margin_loss_backward",
    "multilabel_margin_loss_backward",
    "_ctc_loss_backward",
    "_embedding_bag_backward",
    "_embedding_bag_weights_backward",
    "asinh.inplace",
    "acosh.inplace",
    "atanh.inplace",
    "cdist_backward",
    "pdist_backward",
}  # nor in PyTorch
COMPARED = {  # their results are bools until they are written: see test_operations.py
    f"{name}.inplace{operand}" for name in ("eq", "ne", "lt", "le", "gt", "ge") for operand in ("", ".Tensor")
}
DRAWN = {
    "uniform",
    "normal",
    "random",
    "bernoulli",
    "bernoulli.each",
    "exponential",
}  # random: see test_draws.py
SYMMETRIC = {"linalg_eigh"}  # reads one triangle, and its rule speaks of both: see test_operations.py
OF_SOFTMAX = {"_ctc_loss"}  # its rule takes what it is given for logarithms that a softmax has made
ROUGH = {"div.rounded", "sgn", "sign"}  # piecewise constant: the rule is zero, as is the difference
ONCE_ONLY = {  # PyTorch has no second derivative of these, or (the last) takes the norm for a constant in it
    "hardsigmoid",
    "multi_margin_loss",
    "multilabel_margin_loss",
    "_ctc_loss",
    "embedding_bag",
    "cdist",
    "pdist",
    "_weight_norm_interface",
}
CASES = [
    (name, i)
    for name, entries in SAMPLES.items()
    for i in range(len(entries))
    if name not in SYMMETRIC | OF_SOFTMAX
]


def leaves(args):
    flat = [a for arg in args for a in (arg if isinstance(arg, tuple) else (arg,))]
    return [a for a in flat if isinstance(a, Tensor) and a.requires]


def outputs(op, args):
    out = apply(op, *args)
    found = out if isinstance(out, tuple) else (out,)
    return [o for o in found[: op.flows] if o.array.dtype.kind == "f"]


def weighted(op, args):
    """Return a scalar that depends on every output element with a weight of its own."""
    total = 0.0
    for n, out in enumerate(outputs(op, args)):
        weights = np.cos(np.arange(out.array.size) + n + 1.0).reshape(out.array.shape)
        total = total + (out * make(weights)).sum()
    return total


def swayed(grad):
    """Return a scalar that depends on every element of a gradient with a weight of its own."""
    return (grad * make(np.sin(np.arange(grad.array.size) + 2.0).reshape(grad.array.shape))).sum()


def numeric(function, leaf):
    """Return the central difference of `function` with respect to each element of `leaf`."""
    grad = np.zeros_like(leaf.array)
    for at in np.ndindex(leaf.array.shape):
        kept = leaf.array[at]
        leaf.array[at] = kept + STEP
        high = function().array.item()
        leaf.array[at] = kept - STEP
        low = function().array.item()
        leaf.array[at] = kept
        grad[at] = (high - low) / (2 * STEP)
    return grad


def test_every_differentiable_row_has_a_sample():
    missing = {name for name, op in TABLE.items() if op.rules} - set(SAMPLES) - NO_RULE - DRAWN - COMPARED
    assert not missing, f"add entries to tests/engine/samples.py for {sorted(missing)}"


@pytest.mark.parametrize("name", [n for n, op in TABLE.items() if op.rules])
def test_every_formula_is_readable(name):
    for text in TABLE[name].formulas.values():
        assert text and "lambda" not in text and "\n" not in text and "F." not in text
        if " if " in text:
            ast.parse(re.split(r" with (?=\w+ = )", text)[0], mode="eval")


@pytest.mark.parametrize(("name", "index"), CASES)
def test_the_rule_agrees_with_finite_differences(name, index):
    op = TABLE[name]
    args = arguments(op, SAMPLES[name][index])
    wanted = leaves(args)
    assert wanted
    grads = autograd.grad(weighted(op, args), wanted, allow_unused=True)
    for leaf, grad in zip(wanted, grads, strict=True):
        expected = numeric(lambda: weighted(op, args), leaf)
        found = np.zeros_like(expected) if grad is None else grad.array
        np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize(("name", "index"), [c for c in CASES if c[0] not in ROUGH | ONCE_ONLY])
def test_the_rule_itself_can_be_differentiated(name, index):
    op = TABLE[name]
    args = arguments(op, SAMPLES[name][index])
    wanted = leaves(args)

    def slope():
        grads = autograd.grad(weighted(op, args), wanted, create_graph=True, allow_unused=True)
        parts = (swayed(g) for g in grads if g is not None)
        return sum(parts, make(np.float64(0.0)))

    total = slope()
    if not total.requires_grad:
        return
    grads = autograd.grad(total, wanted, allow_unused=True)
    for leaf, grad in zip(wanted, grads, strict=True):
        expected = numeric(slope, leaf)
        found = np.zeros_like(expected) if grad is None else grad.array
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)
