"""What lessons ask of a trace: each fact is right by hand, and nothing else can be said."""

from __future__ import annotations

import pytest

from app.lessons.facts import FACTS, NotAFact, evaluate, told
from app.lessons.moments import row_of
from tests.lessons.programs import run_of

MOMENTUM = """\
import torch
p = torch.nn.Parameter(torch.tensor([1.0, 2.0]))
opt = torch.optim.SGD([p], lr=0.5, momentum=0.9)
(p * p).sum().backward()
opt.step()
q = torch.ones(2)
q.add_(1)
import warnings
warnings.warn("careful")
p.data.nope
"""


def fact(expression: str, address: str = "end", source: str | None = None):
    """Return a fact at a step."""
    run = run_of(source) if source else run_of()
    return evaluate(run, expression, row_of(run, address))


@pytest.mark.parametrize(
    ("expression", "address", "expected"),
    [
        ("value(y)", "bound y", 6.0),
        ("grad(w)", "backward", None),
        ("grad(w)", "grad w", 25.0),  # d(4w² + w)/dw at 3
        ("grad(w)", "grad w #2", 50.0),
        ("shape(w)", "end", []),
        ("is_leaf(w) and not is_leaf(y)", "end", True),
        ("requires_grad(loss)", "end", True),
        ("grad_fn(loss)", "end", "AddBackward0"),
        ("grad_fn(w)", "end", None),
        ("saved(t)", "bound t", ["other", "self"]),
        ("saved(t)", "backward ended", []),
        ("waits(w)", "backward", 2),
        ("waits(w)", "flowed AddBackward0 → w", 1),
        ("buffer(w)", "flowed AddBackward0 → w", 1.0),
        ("received(w)", "entered w", 25.0),
        ("flow(AddBackward0, w)", "flowed AddBackward0 → w", 1.0),
        ("memory('graph')", "bound t", 4),  # y, kept twice by its square and counted once
        ("memory('graph')", "backward ended", 0),
        ("memory('grads')", "grad w", 4),
        ("queue()", "backward", []),
        ("next_node()", "backward", "AddBackward0"),
        ("count('grad w')", "grad w", 1),
        ("total('grad w')", "grad w", 3),
        ("line('backward')", "start", 7),
        ("then('grad w #2', grad(w)) - grad(w)", "grad w", 25.0),
        ("field('grad w', 'arriving')", "end", 25.0),
        ("field('grad w', 'how')", "end", "stored"),
        ("printed()", "end", "1 tensor(50.)"),
        ("output(1)", "end", "0 tensor(25.)"),
        ("norm([3.0, 4.0])", "start", 5.0),
        ("1 < count('backward') < 3", "end", True),
    ],
)
def test_a_fact_is_what_it_is_by_hand(expression: str, address: str, expected):
    assert fact(expression, address) == expected


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("state(p, 'momentum_buffer')", [2.0, 4.0]),
        ("version(q)", 1),
        ("warning()", "careful"),
        ("'nope' in error()", True),
        ("value(p)", [0.0, 0.0]),
    ],
)
def test_optimizers_versions_and_messages_are_facts_too(expression: str, expected):
    assert fact(expression, "end", MOMENTUM) == expected


def test_every_fact_stands_in_the_list_at_the_top_of_its_file():
    import app.lessons.facts as module

    assert [name for name in FACTS if f"{name}(" not in module.__doc__] == []


@pytest.mark.parametrize(
    "expression",
    [
        "__import__('os')",
        "value(w).real",
        "[each for each in [1]]",
        "lambda: 1",
        "value(nothing)",
        "1 +",
        "f'{1}'",
    ],
)
def test_nothing_else_can_be_said(expression: str):
    with pytest.raises(NotAFact):
        fact(expression)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (6.0, "6"),
        (-0.25, "-0.25"),
        ([2.0, 4.0], "[2, 4]"),
        (1 / 3, "0.3333…"),
        (2 / 3, "0.6666…"),
        (123456.789, "123456…"),
        (1.23456789e-7, "1.234…e-7"),
        (None, "None"),
        (float("nan"), "nan"),
    ],
)
def test_a_number_is_shortened_honestly(value, expected: str):
    assert told(value) == expected
