"""The modules of the system: what small programs ask of them, and nothing of a machine behind them."""

from __future__ import annotations

import pytest

from app.sandbox.pool import Pool
from tests.sandbox import cases


def ran(source: str) -> dict:
    """Run a program behind both walls; return its trace."""
    return cases.run_one(Pool(size=1), source)


def printed(source: str) -> str:
    """Run a program that must finish; return what it printed."""
    trace = ran(source)
    assert trace["outcome"] == {"kind": "finished"}, trace["outcome"]
    return cases.printed(trace)


def test_there_is_no_command_line():
    source = """
import sys
print(sys.argv, sys.path, sys.version_info >= (3, 8))
sys.stdout.write("written\\n")
sys.stdout.flush()
"""
    assert printed(source) == "['main.py'] [] True\nwritten\n"


@pytest.mark.parametrize(
    "name", ["sys.modules", "sys._getframe", "io.open", "io.FileIO",
             "warnings.sys", "logging.os", "argparse.FileType", "gc.get_objects", 
             "contextlib.redirect_stdout", "abc.ABCMeta", "sys.exc_info"],
)  # fmt: skip
def test_what_reaches_further_is_not_there(name: str):
    module, _, attribute = name.partition(".")
    outcome = ran(f"import {module}\n{name}")["outcome"]
    assert outcome["kind"] in ("error", "refused") and outcome["at"][0] == 2
    assert outcome["message"].endswith("not available here") or "has no attribute" in outcome["message"]
    assert ran(f"from {module} import {attribute}")["outcome"]["kind"] in ("error", "refused")


def test_options_have_their_defaults():
    source = """
import argparse
parser = argparse.ArgumentParser(description="x")
parser.add_argument("--lr", type=float, default="0.5", metavar="LR", help="rate")
parser.add_argument("--batch-size", "-b", type=int, default=64)
parser.add_argument("--no-cuda", action="store_true")
parser.add_argument("-v", dest="loud", default=None)
args = parser.parse_args()
print(args, args.lr * 2, vars(args)["batch_size"], parser.parse_known_args()[1])
"""
    assert printed(source) == "Namespace(lr=0.5, batch_size=64, no_cuda=False, loud=None) 1.0 64 []\n"


def test_an_argument_that_must_be_given_ends_the_program_as_it_would_in_a_console():
    outcome = ran("import argparse\np = argparse.ArgumentParser()\np.add_argument('data')\np.parse_args()")[
        "outcome"
    ]
    assert outcome["type"] == "SystemExit"
    assert outcome["message"] == "error: the following arguments are required: data"


@pytest.mark.parametrize("name", ["__class__", "_sg_x", "a b"])
def test_options_take_plain_names_only(name: str):
    outcome = ran(f"import argparse\nargparse.Namespace(**{{{name!r}: 1}})")["outcome"]
    assert (outcome["type"], outcome["message"]) == ("ValueError", f"an option cannot be named {name!r}")


def test_logs_are_printed_as_python_writes_them():
    source = """
import logging
logging.info("not shown")
logging.warning("first %d", 1)
log = logging.getLogger(__name__)
log.setLevel(logging.DEBUG)
log.debug("second")
"""
    assert printed(source) == "WARNING:root:first 1\nDEBUG:__main__:second\n"
    formatted = (
        "import logging\nlogging.basicConfig(level=logging.INFO, format='%(levelname)s %(message)s')\n"
    )
    assert printed(formatted + "logging.info('x')\nlogging.debug('y')") == "INFO x\n"


def warned(source: str) -> list[tuple]:
    """Return the warnings a program shows."""
    trace = ran("import warnings\nimport torch\na = torch.ones(1)\n" + source)
    assert trace["outcome"] == {"kind": "finished"}, trace["outcome"]
    return [(row["category"], row["line"]) for row in trace["rows"] if row["kind"] == "warning"]


def test_filters_decide_which_warnings_are_shown():
    assert warned("torch.tensor(a)\nwarnings.warn('x')\n") == [("UserWarning", 4), ("UserWarning", 5)]
    assert warned("warnings.filterwarnings('ignore')\ntorch.tensor(a)\nwarnings.warn('x')\n") == []
    assert warned("warnings.simplefilter('ignore', UserWarning)\nwarnings.warn('x', FutureWarning)") == [
        ("FutureWarning", 5)
    ]
    assert warned(
        "with warnings.catch_warnings():\n    warnings.simplefilter('ignore')\n    torch.tensor(a)\n"
        "torch.tensor(a)\n"
    ) == [("UserWarning", 7)]


def test_recorded_warnings_are_a_list_and_not_shown():
    source = (
        "with warnings.catch_warnings(record=True) as w:\n    warnings.simplefilter('always')\n"
        "    torch.tensor(a)\nprint(len(w), w[0].category.__name__, w[0].lineno, w[0].filename)\n"
    )
    assert warned(source) == []
    assert (
        printed("import warnings\nimport torch\na = torch.ones(1)\n" + source) == "1 UserWarning 6 main.py\n"
    )


def test_a_warning_may_become_an_error():
    outcome = ran("import warnings\nwarnings.simplefilter('error')\nwarnings.warn('x')")["outcome"]
    assert (outcome["type"], outcome["message"], outcome["at"][0]) == ("UserWarning", "x", 3)


def test_what_numpy_warns_of_inside_the_engine_is_never_shown():
    assert (
        warned("warnings.simplefilter('always')\n(a / 0).log()\nwarnings.resetwarnings()\n(a * 0).log()")
        == []
    )


def test_context_managers_of_the_programs_own():
    source = """
from contextlib import contextmanager, nullcontext, suppress
@contextmanager
def told(x):
    print("in")
    yield x
    print("out")
with told(3) as y, nullcontext(), suppress(ZeroDivisionError):
    print(y, 1 / 0)
"""
    assert printed(source) == "in\nout\n"


def test_an_abstract_class_is_abstract():
    source = """
from abc import ABC, abstractmethod
class A(ABC):
    @abstractmethod
    def f(self): ...
class B(A):
    def f(self): return 1
print(B().f())
A()
"""
    assert "abstract" in ran(source)["outcome"]["message"]


def test_a_generator_without_a_seed_takes_the_seed_of_the_run_and_says_so():
    trace = ran("import random\nprint(random.Random().random() == random.random())\nrandom.Random(3)")
    assert cases.printed(trace) == "True\n"
    assert [row["generator"] for row in trace["rows"] if row["kind"] == "seeded"] == ["random"]


def test_star_imports_give_what_they_give_in_pytorch():
    source = """
from torch import *
from torch.nn import *
from math import *
x = ones(2, requires_grad=True)
(Linear(2, 1)(x).sum() + sum(x) + pi).backward()
print(x.grad.shape, functional.relu(x).shape, sqrt(4))
"""
    assert printed(source) == "torch.Size([2]) torch.Size([2]) 2.0\n"
    assert ran("from torch import *\nnn.Linear(1, 1)\n")["mended"][0]["texts"] == ["import torch.nn as nn"]


def test_a_star_gives_no_builtin_that_is_refused():
    outcome = ran("from torch import *\ncompile('1', 'x', 'eval')")["outcome"]
    assert (outcome["kind"], outcome["message"]) == ("refused", "compile() is not available here")


def test_what_is_saved_is_there_until_the_program_ends():
    source = """
import io
import torch
import torch.nn as nn
model = nn.Linear(2, 1)
torch.save(model.state_dict(), "m.pt")
torch.save({"loss": model(torch.ones(1, 2)).sum()}, "l.pt")
print(model.load_state_dict(torch.load("m.pt")), torch.load("l.pt")["loss"].requires_grad)
buffer = io.BytesIO()
torch.save(model, buffer)
buffer.seek(0)
print(torch.load(buffer, weights_only=False))
"""
    trace = ran(source)
    assert cases.printed(trace).splitlines() == [
        "<All keys matched successfully> True", "Linear(in_features=2, out_features=1, bias=True)"
    ]  # fmt: skip
    assert [row["call"] for row in trace["rows"] if row["kind"] == "stand_in"] == ["torch.save"]
    assert ran("import torch\ntorch.load('m.pt')")["outcome"]["type"] == "FileNotFoundError"


def test_compilers_and_profilers_say_once_that_they_do_nothing():
    source = """
import torch
f = torch.compile(lambda x: x * 2)
@torch.compile(mode="x")
def g(x): return x
with torch.autograd.profiler.profile() as prof:
    f(g(torch.ones(1)))
print(prof.key_averages().table(sort_by="x"))
"""
    trace = ran(source)
    calls = [row["call"] for row in trace["rows"] if row["kind"] == "stand_in"]
    assert calls == ["torch.compile", "torch.autograd.profiler.profile"]
    assert trace["outcome"] == {"kind": "finished"}


def test_types_print_as_pytorchs():
    source = """
import torch
from torch import nn, optim
x = torch.ones(1, requires_grad=True)
print(type(x), type(nn.Linear(1, 1)), type(nn.Parameter(x)), type(x.dtype), type(x.shape))
y = x * 2
print(type(optim.SGD([x], lr=1)), nn.MSELoss, type(y.grad_fn), type(y.grad_fn.next_functions[0][0]))
print(type(x.max(0)), nn.ReLU, type(torch.device("cpu")))
"""
    assert printed(source) == (
        "<class 'torch.Tensor'> <class 'torch.nn.modules.linear.Linear'> "
        "<class 'torch.nn.parameter.Parameter'> <class 'torch.dtype'> <class 'torch.Size'>\n"
        "<class 'torch.optim.sgd.SGD'> <class 'torch.nn.modules.loss.MSELoss'> <class 'MulBackward0'> "
        "<class 'AccumulateGrad'>\n"
        "<class 'torch.return_types.max'> <class 'torch.nn.modules.activation.ReLU'> <class 'torch.device'>\n"
    )
