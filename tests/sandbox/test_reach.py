"""Walks everything a program can reach by attributes from `import torch`, through guarded access as it would.

Only Python's and the engine's own values may come out: no NumPy value, no real module, no code or frame.
"""

from __future__ import annotations

import builtins
import types
from typing import Any

import pytest

from app.sandbox.child import builtins as table
from app.sandbox.child import modules, names, stand_ins
from app.sandbox.child.access import Access
from engine import facade
from engine.autograd import begin_program

ACCESS = Access(facade.is_internal)
FORBIDDEN = (types.CodeType, types.FrameType, types.TracebackType, types.MappingProxyType, types.CellType)
PLAIN = (int, float, complex, str, bytes, bool, type(None))
pytestmark = pytest.mark.filterwarnings("ignore:The .grad attribute")
MOST = 20_000
CLOSED = ("__globals__", "__code__", "__self__", "__func__", "__closure__", "__mro__", *names.INSPECTING)

SAMPLES = """
import torch
import torch.nn as nn
x = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
y = (x * 2).sum()
view = x[0]
handle = x.register_hook(lambda g: g)
layer = nn.Linear(2, 1)
out = layer(x)
optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
generator = torch.Generator()
guard = torch.no_grad()
class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        contexts.append(ctx)
        ctx.save_for_backward(a)
        return a * 2
    @staticmethod
    def backward(ctx, grad):
        return grad * 2
contexts = []
z = Double.apply(x).sum()
z.backward()
errors = []
wrongs = [lambda: x @ torch.ones(3), lambda: torch.ones('x'), lambda: x[9], lambda: x.nothing]
for wrong in wrongs + [lambda: y.backward(x)]:
    try:
        wrong()
    except Exception as error:
        errors.append(error)
"""


def start() -> dict[str, Any]:
    """Return where a program starts: the modules, and one of each kind of object."""
    begin_program()  # whatever this process did before
    absent, _ = stand_ins.modules(modules.Namespace)
    importable = modules.standard(ACCESS, 0) | absent | facade.modules()
    world: dict[str, Any] = {}
    world["__builtins__"] = {**vars(builtins), "__import__": table.importer(importable)}
    exec(SAMPLES, world)
    found = {name: value for name, value in world.items() if not name.startswith("__")}
    return found | {f"import {name}": module for name, module in importable.items()}


def children(value: Any) -> list[tuple[str, Any]]:
    """Return what a program can get from a value without calling anything."""
    found = []
    if isinstance(value, (list, tuple, set, frozenset)):
        found += [(f"[{i}]", each) for i, each in enumerate(value)][:50]
    elif isinstance(value, dict):
        found += [(f"[{key!r}]", each) for key, each in value.items()][:50]
    for name in ACCESS.dir(value):
        try:
            found.append((f".{name}", ACCESS.getattr(value, name)))
        except Exception:  # a property that cannot be read now
            continue
    try:
        found += [(f".__dict__[{name!r}]", each) for name, each in ACCESS.vars(value).items()]
    except TypeError:
        pass
    return found


def wrong(value: Any) -> bool:
    """Return whether a value must not be reachable."""
    if isinstance(value, FORBIDDEN):
        return True
    if isinstance(value, types.ModuleType):
        return not isinstance(value, facade.Namespace)
    kind = value if isinstance(value, type) else type(value)
    return kind.__module__.partition(".")[0] == "numpy"


@pytest.fixture(scope="module")
def reached() -> dict[str, Any]:
    """Return every value that can be reached, by the shortest way to it."""
    todo = list(start().items())
    seen: dict[int, Any] = {}
    found: dict[str, Any] = {}
    while todo and len(found) < MOST:
        path, value = todo.pop(0)
        if id(value) in seen or isinstance(value, PLAIN):
            continue
        seen[id(value)] = value  # kept, so that no id is used twice
        found[path] = value
        if not wrong(value) and path.count(".") + path.count("[") < 4:
            todo += [(path + step, child) for step, child in children(value)]
    return found


def test_no_numpy_value_no_real_module_and_no_code_is_in_reach(reached: dict[str, Any]):
    leaks = [path for path, value in reached.items() if wrong(value)]
    assert not leaks, f"a program can reach {leaks[:20]}"


def test_the_walk_went_far(reached: dict[str, Any]):
    kinds = {type(value).__name__ for value in reached.values()}
    assert len(reached) > 500 and {"Tensor", "Parameter", "Linear", "SGD"} <= kinds


def test_every_internal_name_is_hidden_on_its_objects(reached: dict[str, Any]):
    kinds = [value if isinstance(value, type) else type(value) for value in reached.values()]
    one_of_each = dict(zip(kinds, reached.items()))
    for path, value in one_of_each.values():
        for name in facade.internal_names():
            if facade.is_internal(value, name):
                assert not ACCESS.hasattr(value, name), f"{path}.{name}"


def test_closed_names_are_closed_on_everything(reached: dict[str, Any]):
    for path, value in list(reached.items())[:2000]:
        for name in CLOSED:
            assert not ACCESS.hasattr(value, name), f"{path}.{name}"
