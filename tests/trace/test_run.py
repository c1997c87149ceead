"""Running a snippet: its world, its outcome, and that nothing of it gets out."""

import pytest

from engine import events
from engine.modes import is_grad_enabled
from engine.trace.run import Refused, Run
from engine.trace.spans import SNIPPET

# ----- outcomes ---------------------------------------------------------------------------------


def test_a_program_that_ends_is_finished(run):
    trace = run("x = 1")
    assert (trace["outcome"], trace["rows"]) == ({"kind": "finished"}, [])
    assert (trace["version"], trace["mirrors"], trace["source"]) == (1, "PyTorch 2.13.0", "x = 1")


def test_an_exception_is_the_last_row_and_the_outcome(run):
    trace = run("print('a')\ndef f():\n    return 1 / 0\nf()")
    assert trace["outcome"] == {
        "kind": "error",
        "type": "ZeroDivisionError",
        "message": "division by zero",
        "at": [3, 11, 3, 16],
    }
    assert [row["kind"] for row in trace["rows"]] == ["printed", "error"]


@pytest.mark.parametrize(
    "name", ["SystemExit", "KeyboardInterrupt", "GeneratorExit", "RecursionError", "StopIteration"]
)
def test_no_exception_of_a_learner_escapes(run, name):
    assert run(f"raise {name}('no')")["outcome"]["type"] == name


def test_endless_recursion_is_an_error(run):
    assert run("def f(): return f()\nf()")["outcome"]["type"] == "RecursionError"


def test_an_exception_that_cannot_say_itself_is_told_all_the_same(run):
    source = "class Odd(Exception):\n    def __str__(self):\n        raise SystemExit\nraise Odd"
    assert run(source)["outcome"]["message"] == "<exception str() failed>"


def test_a_long_message_is_cut(run):
    assert len(run("raise ValueError('a' * 10_000)")["outcome"]["message"]) == 2_000


def test_running_out_of_memory_is_a_limit(run):
    assert run("x = 1\nraise MemoryError")["outcome"] == {
        "kind": "limit", "limit": "memory", "at": [2, 0, 2, 17],
        "message": "The run was stopped: it needed more memory than it may have.",
    }  # fmt: skip


@pytest.mark.parametrize(
    "source, line",
    [("x = = 1", 1), ("if x:\n", 1), ("x = 1\n  y = 2", 2), ("f(\n", 1), ("é = 'a", 1), ("return 1", 1)],
)
def test_a_text_that_is_no_program_is_refused(run, source, line):
    trace = run(source)
    assert (trace["outcome"]["kind"], trace["outcome"]["code"]) == ("refused", "syntax")
    assert trace["outcome"]["at"][0] == line
    (row,) = trace["rows"]
    assert (row["kind"], row["type"], row["message"]) == ("error", "SyntaxError", trace["outcome"]["message"])


@pytest.mark.parametrize("source", ["x = 1\0", "x = " + "(" * 250 + ")" * 250])
def test_what_the_parser_cannot_take_is_refused_too(run, source):
    assert run(source)["outcome"]["kind"] == "refused"


def test_a_gate_may_refuse_with_its_own_words(run):
    def gate(_):
        raise Refused("import", "the module 'os' is not available here", [1, 0, 1, 9])

    trace = run("import os", compile_=gate)
    assert trace["outcome"] == {
        "kind": "refused", "code": "import", "message": "the module 'os' is not available here",
        "at": [1, 0, 1, 9],
    }  # fmt: skip
    assert trace["rows"][0]["type"] == "NotAllowed"


def test_a_signal_handler_may_stop_a_run(validate):
    run = Run("import torch\nx = torch.ones(2)\nfor i in range(3):\n    stop(i)", builtins={
        "range": range, "__import__": lambda *_: __import__("engine.facade").facade.modules()["torch"],
        "stop": lambda i: i < 2 or run.stop("time", "The run was stopped after 5 seconds."),
    })  # fmt: skip
    trace = validate(run.trace())
    assert trace["rows"][-1]["kind"] == "limit" and trace["outcome"]["limit"] == "time"


# ----- the world ----------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "call, text",
    [
        ("print()", "\n"), ("print(1, 'a')", "1 a\n"), ("print(1, 2, sep='', end='')", "12"),
        ("print(1, end=None)", "1\n"), ("print(1, 2, sep=None)", "1 2\n"), ("print(1, flush=True)", "1\n"),
    ],
)  # fmt: skip
def test_what_is_printed_is_a_row(rows, call, text):
    (row,) = rows(call, "printed")
    assert (row["text"], row["at"]) == (text, [1, 0, 1, len(call)])


def test_printing_nothing_is_no_row(rows):
    assert rows("print(end='')") == []


def test_print_refuses_what_python_refuses(run):
    assert run("print(1, sep=3)")["outcome"]["message"] == "sep must be None or a string, not int"


def test_print_writes_nothing_to_the_console(run, capsys):
    run("print('a')")
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    "statement",
    ["import torch", "import torch.nn as nn", "from torch import nn", "import torch.nn.functional as F",
     "from torch.optim import SGD", "import math", "from collections import deque"],
)  # fmt: skip
def test_modules_are_found(run, statement):
    assert run(statement)["outcome"] == {"kind": "finished"}


def test_a_given_world_is_the_whole_world(run):
    assert run("import math", builtins={})["outcome"]["type"] == "ImportError"
    assert run("open('x')", builtins={"__import__": __import__})["outcome"]["type"] == "NameError"


def test_a_program_thinks_it_is_the_main_one(rows):
    assert rows("print(__name__)")[0]["text"] == "__main__\n"


# ----- one run and the next -------------------------------------------------------------------------
def test_the_same_seed_gives_the_same_trace(run):
    source = "import torch\nprint(torch.randn(3))"
    assert run(source) == run(source)
    assert run(source, seed=1) != run(source)


def test_nothing_is_left_for_the_next_run(run):
    run(
        "import torch\ntorch.set_grad_enabled(False)\ntorch.set_default_dtype(torch.float64)\n"
        "torch.manual_seed(7)"
    )
    trace = run("import torch\nx = torch.ones(1, requires_grad=True)\ny = x * 2")
    assert is_grad_enabled() and events.observer() is None
    assert trace["nodes"]["n1"]["seq"] == 0
    assert trace["tensors"]["t1"]["dtype"] == "float32"


def test_a_warning_of_the_engine_is_not_written_to_the_console(run, capsys):
    run("import torch\nx = torch.ones(1, requires_grad=True)\n(x * 2).grad")
    assert capsys.readouterr().err == ""


def test_a_compiler_of_ones_own_is_used(run):
    trace = run("print(1)", compile_=lambda source: compile(source + ";print(2)", SNIPPET, "exec"))
    assert [row["text"] for row in trace["rows"]] == ["1\n", "2\n"]
