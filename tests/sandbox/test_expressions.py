"""Formulas: each becomes the program it stands for, with fair numbers; no program is ever taken for one."""

from __future__ import annotations

import ast
import gzip
import json
import math
import re
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.sandbox.child.expressions.express import SENTENCES, expressed
from app.sandbox.child.expressions.functions import FUNCTIONS
from app.sandbox.child.expressions.tokens import LONGEST
from app.sandbox.pool import Pool
from engine.trace.run import trace_source
from tests.sandbox import cases
from tests.sandbox.test_mending import KINDS, PASTED, RIGHT

PROGRAMS = Path(__file__).parents[1] / "oracle" / "programs.jsonl.gz"

# typed → the lines of the program after its leaves
LINES = {
    "(x*y + sin(x))**2": "result = (x*y + torch.sin(x))**2",
    "L = tanh(w1*x1 + w2*x2 + b)": "L = torch.tanh(w1*x1 + w2*x2 + b)",
    "softmax(W @ x)[0]": "result = torch.softmax(W @ x, dim=-1)[0]",
    "x^2 + 3x": "result = x**2 + 3*x",
    "2(x+1)(x-1)": "result = 2*(x+1)*(x-1)",
    "x y + 3 x": "result = x*y + 3*x",
    "x(x + 1)": "result = x*(x + 1)",
    "2πr²": "result = 2*torch.pi*r**2",
    "x × y ÷ z − 1": "result = x * y / z - 1",
    "√x + √(y + 1)": "result = torch.sqrt(x) + torch.sqrt(y + 1)",
    "|x - 3| + |y||z|": "result = torch.abs(x - 3) + torch.abs(y)*torch.abs(z)",
    "sin²(x) + cos^2(x)": "result = torch.sin(x)**2 + torch.cos(x)**2",
    "sin x + ln(y)": "result = torch.sin(x) + torch.log(y)",
    "θ₁ + λ²": "result = theta1 + lam**2",
    "σ(w*x + b)": "result = torch.sigmoid(w*x + b)",
    "（x＋y）^2": "result = (x+y)**2",
    "e^(-x²/2)": "result = torch.e**(-x**2/2)",
    "x⁻¹": "result = x**-1",
    "f(x, y) = x*y + sin(x)": "f = x*y + torch.sin(x)",
    "max(x, y) - max(x, 0)": "result = torch.maximum(x, y) - torch.clamp(x, min=0)",
    "exp(2)*x": "result = torch.exp(torch.tensor(2.0))*x",
    "h = x*y  # a remark\ny2 = h + x; y2": "h = x*y\ny2 = h + x",
    "result*2": "out = result*2",
    "x @ y": "result = x @ y",
    "x^2 + y^2 - 2xy": "result = x**2 + y**2 - 2*x*y",
    "x*y + xy²": "result = x*y + x*y**2",
    "2lr + 3theta": "result = 2*l*r + 3*theta",
    "2lr + lr*x": "result = 2*lr + lr*x",
    "lr*x": "result = lr*x",
    "xy = x*y; xy + x": "xy = x*y\nresult = xy + x",
    "||x - y|| + |y[0]|": "result = torch.linalg.norm(x - y) + torch.abs(y[0])",
    "||x| - 1|": "result = torch.abs(torch.abs(x) - 1)",
    "softplus(x) + erf(y)": "result = torch.nn.functional.softplus(x) + torch.erf(y)",
    "+".join(["x*y"] * 99): "result = " + "+".join(["x*y"] * 99),
}
SHAPES = {
    "x*y": {"x": (), "y": ()},
    "A*sin(w*t)": {"A": (), "w": (), "t": ()},
    "softmax(W @ x)[0]": {"W": (2, 3), "x": (3,)},
    "W @ x + b": {"W": (2, 3), "x": (3,), "b": (2,)},
    "x @ y": {"x": (3,), "y": (3,)},
    "x @ W": {"x": (2,), "W": (2, 3)},
    "A @ B": {"A": (2, 3), "B": (3, 4)},
    "A @ A": {"A": (3, 3)},
    "dot(a, b)": {"a": (3,), "b": (3,)},
    "norm(x - y)": {"x": (3,), "y": (3,)},
    "mean((w*x + b - y)**2)": {"w": (3,), "x": (3,), "b": (), "y": (3,)},
    "x[3] + x[1]*y": {"x": (4,), "y": ()},
    "A[1, 2] * c": {"A": (2, 3), "c": ()},
    "W2 @ tanh(W1 @ x + b1) + b2": {"W2": (2, 3), "W1": (3, 4), "x": (4,), "b1": (3,), "b2": (2,)},
    "s = x*y\nsum(s)": {"x": (3,), "y": (3,)},
    "softmax(Q @ K.T) @ V": {"Q": (2, 3), "K": (4, 3), "V": (4, 4)},
    "trace(A @ B)": {"A": (2, 3), "B": (3, 2)},
    "det(A)": {"A": (3, 3)},
    "sum(A)": {"A": (2, 3)},
    "logsumexp(x) - x[0]": {"x": (3,)},
    "x = [1, 2, 3]; dot(x, w)": {"x": (3,), "w": (3,)},
}
NO_FORMULAS = """x | loss | 3 | 1 + 2 | hello world | why does this fail | y = model(x) | len(x)
x.grad | x.sum() | loss = criterion(output, target) | a.backward() | x = torch.ones(2) | print x | x == y
[i for i in x] | "x" + y | x, y | x if y else z | not x | lambda x: x | x[1:] | x // y | x % y | x < y | f(x)
x += y | input*2 | 3 + 4j | 0x1F + x | 1_000*x | def f(x): | x -> y | RuntimeError: a leaf | sum([1, 2]) | (x
x* | )x( | x y z | import math | x**2 + foo(y) | y = y + x | x = 2*z; x = 3*z | np*2 | x; y | -x | {x}*y | π
`x*y` | x | sigma | 2 3 | self*2""".replace("\n", " | ").split(" | ")
NO_FORMULAS += ["x = 3\ny = x**2", "x | y", "x\n\ny", ";"]
TROUBLES = {
    "sine(x) + y": ("near", "sine", "sin", [1, 0, 1, 4]),
    "x^2 + foo(3x)": ("function", "foo", "", [1, 6, 1, 9]),
    "y = x\n1/2y": ("quotient", "2y", "", [2, 2, 2, 4]),
    "sin 2x": ("unclear", "sin 2x", "sin(…)", [1, 0, 1, 6]),
    "sin(x, y)": ("arguments", "sin", "2", [1, 0, 1, 3]),
    "abs(x) + |y|*max(x, y, z)": ("arguments", "max", "3", [1, 13, 1, 16]),
}


def lines_of(source: str) -> str:
    """Return a program's lines after its leaves, without the last."""
    return "\n".join(source.split("\n\n")[2].split("\n")[:-1])


@pytest.mark.parametrize("typed", LINES)
def test_a_formula_becomes_the_program_it_stands_for(typed: str):
    found = expressed(typed)
    assert found and found.refusal is None and lines_of(found.source) == LINES[typed]
    assert found.source.split("\n")[-1].startswith(f"{found.facts['result']}.backward(")


@pytest.mark.parametrize("typed", SHAPES)
def test_the_use_of_a_name_tells_its_shape(typed: str):
    found = expressed(typed)
    assert {leaf["name"]: tuple(leaf["shape"]) for leaf in found.facts["leaves"]} == SHAPES[typed]
    assert found.facts["problem"] is None


@pytest.mark.parametrize("text", NO_FORMULAS)
def test_what_may_be_a_program_or_prose_is_no_formula(text: str):
    assert expressed(text) is None


@pytest.mark.parametrize("name", RIGHT)
def test_no_program_is_taken_for_a_formula(name: str):
    assert expressed(RIGHT[name]) is None


def test_no_attack_and_no_recorded_program_is_taken_for_a_formula():
    with gzip.open(PROGRAMS, "rt", encoding="utf-8") as lines:
        recorded = [json.loads(line) for line in lines]
    texts = [text for each in recorded for text in each.values() if isinstance(text, str) and "torch" in text]
    assert texts
    for text in [*texts, *cases.programs("attacks").values()]:
        assert expressed(text) is None


@pytest.mark.parametrize("pasted", PASTED, ids=lambda pasted: pasted.about)
def test_nothing_that_is_mended_is_taken_for_a_formula(pasted):
    assert expressed(pasted.text) is None and expressed(pasted.program) is None


@given(st.sampled_from(sorted(RIGHT)), st.data())
@settings(max_examples=300, deadline=None)
def test_a_part_of_a_program_with_torch_in_it_is_no_formula(name: str, data: st.DataObject):
    lines = RIGHT[name].split("\n")
    start = data.draw(st.integers(0, len(lines) - 1))
    part = "\n".join(lines[start : start + data.draw(st.integers(1, 12))])
    if "torch" in part or ".backward" in part or "print" in part or "import" in part:
        assert "#" in part or expressed(part) is None


@pytest.mark.parametrize("typed", TROUBLES)
def test_a_trouble_is_told_with_its_place(typed: str):
    found = expressed(typed)
    kind, about, better, place = TROUBLES[typed]
    assert found.refusal == (SENTENCES[kind].format(about=about, better=better), place)
    assert found.source == typed and found.facts is None


@pytest.mark.parametrize("kind", SENTENCES)
def test_every_trouble_is_told_in_the_readers_language(kind: str):
    told = KINDS[f"refusal.formula_{kind}"]
    assert re.sub(r"\{\w+\}", "_", told) == re.sub(r"\{\w+\}", "_", SENTENCES[kind])


# ----- numbers -----
SMOOTH = [typed for typed in [*LINES, *SHAPES] if "det" not in typed] + """log(x - 2) | relu(x - 2) | |x - 2|
sqrt(x - y) | 1/(x - 2) | tanh(10x) | exp(x*y) | asin(x) | x**y | atan2(y, x) | std(x) | var(x) | prod(x)
log_softmax(x)[1] | pow(x, 2) + pow(2, x) | min(x) + max(y) | sigmoid(w*x) * relu(b) | log10(x) + log2(x)
expm1(x) + log1p(x) + square(x) | acos(x) | sinh(x)*cosh(y)
tan(x) + atan(y)""".replace("\n", " | ").split(" | ")  # fmt: skip
SMOOTH = [typed for typed in SMOOTH if typed.count("|") % 2 == 0]


class Plain(ast.NodeTransformer):
    """Spells the program's last value with NumPy alone, which differentiates nothing."""

    TORCH = {
        "clamp": lambda x, min: np.maximum(x, min),
        "softmax": lambda x, dim: FUNCTIONS["softmax"].compute(x),
        "log_softmax": lambda x, dim: FUNCTIONS["log_softmax"].compute(x),
        "logsumexp": lambda x, dim: np.log(np.exp(x).sum(-1)),
        "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
        "relu": lambda x: np.maximum(x, 0),
        "tensor": lambda x, requires_grad=False: np.array(x, dtype=float),
        "std": lambda x: np.std(x, ddof=1),
        "var": lambda x: np.var(x, ddof=1),
        "erf": FUNCTIONS["erf"].compute,
        "asin": np.arcsin, "acos": np.arccos, "atan": np.arctan, "atan2": np.arctan2,
    }  # fmt: skip


def value_of(source: str, leaves: dict) -> float:
    """Return the sum of a program's result, computed with NumPy in double precision."""

    class Torch:
        linalg = np.linalg
        nn = SimpleNamespace(functional=SimpleNamespace(softplus=FUNCTIONS["softplus"].compute))

        def __getattr__(self, name: str):
            return Plain.TORCH.get(name) or getattr(np, name)

    names = {"torch": Torch(), **{name: np.array(value, dtype=float) for name, value in leaves.items()}}
    *body, last = source.split("\n\n")[2].split("\n")
    exec("\n".join(body), names)
    return float(np.sum(names[last.partition(".")[0]]))


@pytest.mark.parametrize("typed", SMOOTH)
def test_the_gradients_shown_are_those_of_the_formula(typed: str):
    found = expressed(typed)
    leaves = {leaf["name"]: leaf["value"] for leaf in found.facts["leaves"]}
    trace = trace_source(found.source)
    assert trace["outcome"] == {"kind": "finished"}, trace["outcome"]
    shown = {
        trace["tensors"][row["tensor"]]["names"][0]: trace["values"][row["after"]]["data"]
        for row in trace["rows"]
        if row["kind"] == "grad_accumulated"
    }
    assert set(shown) == set(leaves)
    for name, value in leaves.items():
        flat = np.array(value, dtype=float)
        for at in np.ndindex(flat.shape):
            step = np.zeros(flat.shape)
            step[at] = 1e-5
            above = value_of(found.source, {**leaves, name: flat + step})
            below = value_of(found.source, {**leaves, name: flat - step})
            assert np.array(shown[name])[at] == pytest.approx((above - below) / 2e-5, rel=2e-3, abs=2e-4)


@pytest.mark.parametrize("typed", SMOOTH)
def test_first_values_are_distinct_and_neither_zero_nor_one(typed: str):
    found = expressed(typed)
    values = [float(v) for leaf in found.facts["leaves"] for v in np.ravel(leaf["value"])]
    if "[1, 2, 3]" not in typed:
        assert len(set(values)) == len(values) and not {0.0, 1.0, -1.0} & set(values)
    assert all(math.isfinite(value) for value in values)


def test_a_value_from_a_field_takes_the_place_of_ours_and_may_have_another_shape():
    found = expressed("x*y", {"x": [1, 2.5], "z": 3, "y": "evil"})
    told = {leaf["name"]: (leaf["value"], leaf["shape"]) for leaf in found.facts["leaves"]}
    assert told == {"x": ([1, 2.5], [2]), "y": (2.0, [])}
    assert "x = torch.tensor([1.0, 2.5], requires_grad=True)" in found.source
    assert found.source.endswith("result.backward(gradient=torch.ones_like(result))")


@pytest.mark.parametrize("typed", ["(x*y + sin(x))**2", "W @ x", "x = 3; sin(x)"])
def test_the_place_of_each_value_is_where_the_program_says_it(typed: str):
    found = expressed(typed)
    for leaf in found.facts["leaves"]:
        line, start, _, end = leaf["at"]
        assert np.array_equal(ast.literal_eval(found.source.split("\n")[line - 1][start:end]), leaf["value"])


def test_shapes_that_cannot_be_are_told_and_the_program_says_what_pytorch_says():
    found = expressed("softmax(W @ x)", {"x": [1.0, 2.0]})
    assert found.facts["problem"] == {"kind": "shapes", "about": "W @ x", "better": "(2×3), (2)"}
    assert trace_source(found.source)["outcome"]["kind"] == "error"


# ----- hostile texts -----
SIGNS = st.sampled_from(
    """x y W b 2 3.5 1e9 + - * / ^ ** @ ( ) [ ] , ; = | √ ² ⁻ π θ sin exp softmax max dot norm e .T \n foo
× ÷ − （ ） # sum( sqrt( [0] f(x)= 1e 9**9**9 . _ ^^ 0""".split(" ")
)  # fmt: skip


@given(st.lists(SIGNS, max_size=40), st.sampled_from(["", " "]))
@settings(max_examples=1500, deadline=None)
def test_no_signs_break_the_reading_of_formulas(signs: list[str], between: str):
    found = expressed(between.join(signs))
    if found and found.refusal is None:
        compile(found.source, "<formula>", "exec")


@given(st.text(max_size=80))
@settings(max_examples=300, deadline=None)
def test_no_text_at_all_breaks_the_reading_of_formulas(text: str):
    expressed(text)


@pytest.mark.parametrize(
    "text",
    [
        "(" * 500 + "x" + ")" * 500, "-" * 900 + "x*y", "x**" * 300 + "x", "x" + "[0]" * 300 + "*2",
        "x*" + "9" * 900, "sin(" * 200 + "x" + ")" * 200, "x+" * 499 + "x", "x*y" * LONGEST, "9**9**9**9*x",
        "a1=x+x\n" + "\n".join(f"a{i + 1}=a{i}+a{i}" for i in range(1, 22)), "x^" * 300 + "2", "|" * 900,
    ],
)  # fmt: skip
def test_a_huge_formula_is_answered_at_once(text: str):
    expressed(text)


def test_the_trace_tells_the_formula_and_a_pool_takes_the_values():
    pool = Pool(size=1)
    trace = cases.run_one(pool, "x^2 + 3x")
    assert trace["outcome"] == {"kind": "finished"} and trace["expression"]["typed"] == "x^2 + 3x"
    assert trace["source"].startswith("import torch\n") and "mended" not in trace


def test_a_formula_without_a_program_is_refused_at_its_place():
    trace = cases.run_one(Pool(size=1), "sine(x) + y")
    assert trace["outcome"]["kind"] == "refused" and trace["outcome"]["code"] == "syntax"
    assert trace["outcome"]["at"] == [1, 0, 1, 4] and "did you mean sin?" in trace["outcome"]["message"]
