"""The laws against every sample of every operation: its result, its rule, and the rule of its rule.

The engine and the laws share no code, so that they agree says something of both.
"""

from __future__ import annotations

import types

import numpy as np
import pytest

from engine import events, facade
from engine.apply import apply
from engine.ops.table import TABLE
from engine.tensor import Tensor, make
from engine.trace.run import trace_source
from engine.verify.check import check
from engine.verify.derive import law_of
from engine.verify.laws.drawn import DRAWN
from engine.verify.laws.table import FORWARD, PULLS, Stepped, call
from tests.engine.samples import SAMPLES, arguments

SOURCE = """\
import torch
import lab
total, leaves = lab.made({name!r}, {index})
grads = torch.autograd.grad(total, leaves, create_graph=True, allow_unused=True)
try:
    lab.squares(grads).backward()
except RuntimeError as refusal:
    print(refusal)
"""
PASSING = {"floor_divide", "remainder.Base", "heaviside"}  # rows without a derivative
FREE = {"linalg_svd", "linalg_qr", "linalg_eigh"}  # the signs of their vectors are nobody's law
CASES = [
    (name, i) for name, entries in SAMPLES.items() for i in range(len(entries)) if name not in PASSING | FREE
]


def stated(tensor: Tensor) -> Tensor:
    """Let whoever watches see a tensor being made."""
    events.emit(events.TensorMade(tensor))
    return tensor


def anew(thing: object) -> object:
    """Return an argument with every tensor made anew, under the eyes of the observer."""
    if isinstance(thing, tuple):
        return tuple(map(anew, thing))
    if not isinstance(thing, Tensor):
        return thing
    copy = make(thing.array.copy())
    return stated(copy.requires_grad_() if thing.requires else copy)


def made(name: str, index: int) -> tuple:
    """Apply an operation to a sample; return a weighted sum of its results, and the leaves."""
    op = TABLE[name]
    args = [anew(each) for each in arguments(op, SAMPLES[name][index])]
    outputs, total = apply(op, *args), None
    for n, output in enumerate((outputs if isinstance(outputs, tuple) else (outputs,))[: op.flows]):
        if output.node is not None:
            weights = np.cos(np.arange(output.array.size) + n + 1.0).reshape(output.array.shape)
            part = (output * stated(make(weights))).sum()
            total = part if total is None else total + part
    flat = [each for arg in args for each in (arg if isinstance(arg, tuple) else (arg,))]
    return total, [each for each in flat if isinstance(each, Tensor) and each.requires]


def squares(grads: tuple) -> Tensor:
    """Return the sum of the squares of all gradients that can be differentiated again."""
    parts = [(grad * grad).sum() for grad in grads if grad is not None and grad.node is not None]
    if not parts:
        raise RuntimeError("nothing to differentiate again")
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    return total


@pytest.mark.parametrize(("name", "index"), CASES)
def test_a_law_gives_what_the_engine_gives(name: str, index: int):
    lab = types.ModuleType("lab")
    lab.made, lab.squares = made, squares
    trace = trace_source(SOURCE.format(name=name, index=index), modules={**facade.modules(), "lab": lab})
    assert trace["outcome"]["kind"] == "finished", trace["outcome"]
    report = check(trace)
    assert report.holds, report.problems[0].text
    applied = next(row["op"] for row in trace["rows"] if row["kind"] == "op_applied")
    missing = [gap for gap in report.given if (gap.reason, gap.subject) == ("operation", applied)]
    if not name.endswith("_backward") and TABLE[name].name not in DRAWN and not name.startswith("_conv"):
        assert not missing, f"no law for {applied}: add one in engine/verify/laws"


def test_moved_numbers_come_back_to_where_they_were():
    pull = PULLS["DiagonalBackward0"]["self"]
    known = {"gs": [np.array([1.0, 2.0])], "self_sym_sizes": (2, 3), "offset": 0, "dim1": 0, "dim2": 1}
    assert call(pull, known).tolist() == [[1.0, 0.0, 0.0], [0.0, 2.0, 0.0]]


def test_a_number_that_was_moved_twice_gets_both_gradients():
    known = {
        "gs": [np.array([1.0, 2.0, 4.0])],
        "self_sym_sizes": (2,),
        "dim": 0,
        "index": np.array([1, 1, 0]),
    }
    assert call(PULLS["IndexSelectBackward0"]["self"], known).tolist() == [4.0, 3.0]


def test_a_step_in_every_direction_is_exact():
    def both(self):
        return self[0] * self[1] ** 2

    pull = Stepped(both, "self")
    assert pull(gs=[np.array(2.0)], self=np.array([3.0, 5.0])).tolist() == [50.0, 60.0]


def test_a_law_that_lacks_something_says_what():
    with pytest.raises(Exception, match="other is not known"):
        law_of(FORWARD["mul"], "mul", {"self": np.array(1.0)}).results()
