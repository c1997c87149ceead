"""What is written out for speed does exactly what the plain way does: same bits, same graph, same errors."""

import builtins
import contextlib
import io
import warnings

import numpy as np
import pytest

import engine.methods  # noqa: F401 - gives Tensor its operators
from engine import autograd, events, facade, pointwise, straight
from engine.apply import apply
from engine.node import Node
from engine.ops.table import TABLE
from engine.ops.twins import twins
from engine.stretch import Stretch
from engine.tensor import Tensor, make
from engine.trace.run import importer
from tests.engine.programs import program
from tests.engine.samples import SAMPLES, arguments
from tests.engine.test_rules import DRAWN, NO_RULE, leaves, weighted

MODULES = facade.modules()
torch = MODULES["torch"]
CASES = [
    (name, i)
    for name, entries in SAMPLES.items()
    for i in range(len(entries))
    if TABLE[name].rules and name not in NO_RULE | DRAWN
]


def gradients(name, i, dtype):
    """Return the gradients of one sample, bit by bit, or what refused them."""
    args = arguments(TABLE[name], SAMPLES[name][i])
    found = leaves(args)
    for leaf in found:
        leaf.array = leaf.array.astype(dtype)
    try:
        weighted(TABLE[name], args).backward()
    except RuntimeError as error:  # these arguments cannot be had in this dtype
        return str(error)
    grads = [leaf.grad_tensor.array for leaf in found if leaf.grad_tensor is not None]
    return [(g.dtype, g.shape, g.strides, g.tobytes()) for g in grads]


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize(("name", "i"), CASES, ids=[f"{n}-{i}" for n, i in CASES])
def test_rules_on_bare_arrays_give_the_same_bits_as_on_tensors(name, i, dtype, monkeypatch):
    bare = gradients(name, i, dtype)
    monkeypatch.setattr(straight, "on_arrays", lambda *_: (None, False))
    assert bare == gradients(name, i, dtype)


def test_many_rules_have_a_twin_and_rules_that_call_methods_have_none():
    found = [twin for op in TABLE.values() if op.rules for _, twin, *_ in twins(op)]
    assert sum(twin is not None for twin in found) > 150
    assert [twin for _, twin, *_ in twins(TABLE["prod"])] == [None]
    assert all(twin for _, twin, *_ in twins(TABLE["mm"]))


def described(value):
    """Return a part of a fact without what differs between two runs."""
    if isinstance(value, (tuple, list)):
        return [described(part) for part in value]
    if isinstance(value, dict):
        return [(described(key), part) for key, part in value.items()]
    if isinstance(value, Node):
        return value.type_name, value.seq
    array = value.array if isinstance(value, Tensor) else value
    return array.tobytes() if isinstance(array, np.ndarray) else repr(array)[:40].partition(" at 0x")[0]


class Watch:
    """Describes every fact at once; if it `folds`, it is given several nodes of a pass in one."""

    def __init__(self, folds=None):
        self.facts = []
        if folds is not None:
            self.folds = folds

    def __call__(self, fact):
        kind = type(fact)
        if kind is Stretch:
            assert len(fact.steps) <= self.folds
            for each in fact.unfolded():
                self(each)
        else:
            self.facts.append(
                (kind.__name__, [described(getattr(fact, f)) for f in events.field_names(kind)])
            )


def happened(seed, note):
    """Run a random program; return what it prints and every fact it states."""
    out = io.StringIO()

    with contextlib.redirect_stdout(out), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with events.observed_by(note):
            autograd.begin_program()
            try:
                exec(
                    compile(program(seed), "p", "exec"),
                    {"__builtins__": {**vars(builtins), "__import__": importer(MODULES)}},
                )
            except RuntimeError as error:
                print(error, file=out)
    return out.getvalue(), note and note.facts


@pytest.mark.parametrize("seed", range(0, 200, 4))
def test_the_straight_loop_is_the_generator_watched_or_not(seed, monkeypatch):
    printed, facts = happened(seed, Watch())
    assert happened(seed, None)[0] == printed
    assert happened(seed, Watch(folds=1)) == happened(seed, Watch(folds=3)) == (printed, facts)
    assert happened(seed, Watch(folds=10**6)) == (printed, facts)
    monkeypatch.setattr(straight, "fits", lambda call: False)
    assert happened(seed, Watch()) == (printed, facts)


def test_a_rule_that_runs_on_arrays_states_nothing_of_its_inside():
    seen = []
    x = torch.tensor([0.5, 2.0], requires_grad=True)
    with events.observed_by(lambda fact: seen.append(type(fact).__name__)):
        torch.pow(x, torch.tensor([2.0, 0.0])).sum().backward()
    assert seen.count("OpApplied") == 2 + 0
    assert seen.count("NodeRan") == 3


VALUES = [[0.5, -1.5, 2.0], 0.25, [[1.0, -2.0, 0.5]]]


def made(data, dtype, wants):
    tensor = make(np.array(data, dtype))
    return tensor.requires_grad_() if wants else tensor


def seen(out):
    """Return everything about a result that could differ."""
    node = out.node
    saved = None if node is None else {k: type(v).__name__ for k, v in node.saved.items()}
    edges = None if node is None else [e and (type(e[0]).__name__, e[1]) for e in node.next_edges]
    kind = None if node is None else (type(node).__name__, node.outputs_info, saved, edges)
    return out.array.dtype, out.array.shape, out.array.tobytes(), out.requires, kind


def outcome(call, *args):
    try:
        return seen(call(*args))
    except (RuntimeError, TypeError, IndexError, ValueError, ArithmeticError) as error:
        return type(error), str(error)


NUMBER = [op for op in TABLE.values() if pointwise.takes_number(op)]
TWO = [op for op in TABLE.values() if pointwise.takes_two(op)]
ONE = [op for op in TABLE.values() if pointwise.takes_one(op) and op.overload not in DRAWN | {"bernoulli.p"}]


@pytest.mark.parametrize("op", TWO, ids=repr)
def test_an_operation_on_two_tensors_is_apply(op):
    number = [2, 0.5, True, 0.0, -0.0, 1e300, 2**70, 10**400, float("nan")]
    for a in VALUES:
        for b in [*VALUES, *number]:
            for kinds in ((np.float32, np.float32), (np.float32, np.float64), (np.int64, np.float32)):
                for wants in ((True, False), (False, True), (True, True), (False, False)):
                    x = made(a, kinds[0], wants[0] and kinds[0] != np.int64)
                    y = b if b in number else made(b, kinds[1], wants[1])
                    assert outcome(pointwise.two(op), x, y) == outcome(apply, op, x, y)


@pytest.mark.parametrize("op", NUMBER, ids=repr)
@pytest.mark.parametrize("b", [2, 0.5, 3, 0, -1, 1.7, True, -0.0, 1e300, 2**70])
def test_an_operation_on_a_tensor_and_a_number_is_apply(op, b):
    for a in VALUES:
        for kind in (np.float32, np.float64, np.int64):
            for wants in (True, False):
                x = made(a, kind, wants and kind != np.int64)
                assert outcome(pointwise.two(op), x, b) == outcome(apply, op, x, b)


@pytest.mark.parametrize("op", ONE, ids=repr)
def test_an_operation_on_one_tensor_is_apply(op):
    for a in VALUES:
        for kind in (np.float32, np.float64, np.int64, np.bool_):
            for wants in (True, False):
                x = made(a, kind, wants and kind in (np.float32, np.float64))
                for tensor in (x, x.view(-1)):
                    got, want = outcome(pointwise.one(op), tensor), outcome(apply, op, tensor)
                    assert got == want


def test_a_broadcast_and_a_refusal_are_the_same_too():
    x, y = torch.ones(2, 3, requires_grad=True), torch.ones(4)
    with pytest.raises(RuntimeError, match=r"The size of tensor a \(3\) must match"):
        x * y
    assert isinstance((x * torch.ones(3)).node.next_edges[0], tuple)
    assert isinstance(x * 2, Tensor)
