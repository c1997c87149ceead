"""Calls everything that `import torch` offers with a learner's own objects, which look at what they get.

Nothing of NumPy (array, scalar, dtype) must be handed to such an object, be returned or be raised.
"""

from __future__ import annotations

import contextvars
import itertools
import types
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from app.sandbox.child import names
from engine import facade

pytestmark = pytest.mark.filterwarnings("ignore")
TORCH = facade.modules()["torch"]
ANSWERS = {
    "len": 2,
    "int": 1,
    "float": 1.0,
    "bool": True,
    "contains": True,
    "hash": 1,
    "repr": "spy",
    "str": "spy",
}
LEFT_OUT = {"__init__", "__post_init__", "__next__"}


class Leaks:
    """Where a value of NumPy was seen: in which call, and by which method."""

    def __init__(self) -> None:
        self.call = ""
        self.found: set[str] = set()

    def look(self, where: str, value: Any, depth: int = 0) -> None:
        """Note a value of NumPy, or one inside a container."""
        kind = value if isinstance(value, type) else type(value)
        if kind.__module__.partition(".")[0] == "numpy":
            self.found.add(f"{self.call} -> {where}: {kind.__name__}")
        elif depth < 3 and isinstance(value, (list, tuple, set)):
            for each in value:
                self.look(where, each, depth + 1)
        elif depth < 3 and isinstance(value, dict):
            for each in value.values():
                self.look(where, each, depth + 1)


def spy(leaks: Leaks) -> tuple[type, type]:
    """Return two classes that define every method a program may; the second claims to be a tensor."""

    def method(name: str) -> Callable:
        def called(self: Any, *args: Any, **kwargs: Any) -> Any:
            leaks.look(name, (*args, *kwargs.values()))
            if name == "__iter__":
                return iter([1.0, 2.0])
            if name == "__getitem__":
                if args[0] not in (0, 1):
                    raise IndexError
                return 1.0
            return ANSWERS.get(name.strip("_"), self)

        return called

    plain = type("Spy", (), {name: method(name) for name in names.DEFINABLE - LEFT_OUT})
    claims = {"array": plain(), "data": plain(), "shape": (2,), "ndim": 1, "size": 2, "dtype": TORCH.float32}
    claims |= {"exotic": None, "requires": False, "node": None, "grad_fn": None, "grad": None}
    return plain, type("Fake", (plain,), claims)


def arguments(leaks: Leaks, made: type) -> Iterator[tuple]:
    """Yield argument lists with a learner's object in every place."""

    def callback(*args: Any, **kwargs: Any) -> Any:
        leaks.look("callback", (*args, *kwargs.values()))
        return made()

    x = TORCH.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    i = TORCH.tensor([1, 0])
    s = made()
    yield from [
        (s,),
        (x, s),
        (s, x),
        (x, x, s),
        (x, s, s),
        (i, s),
        ([s, s],),
        ([x, s],),
        (x, [s]),
        (x, (s, 1)),
    ]
    yield from [(made,), (x, made), (callback, x), (x, callback), (s, s, s), (1, s), (s, 1), (2, 3, s)]
    yield from [(), (x,), (i,), (2,), (2, 2), ("x",), (x, i), (x, 0), (x, 1, 0)]


def attempt(leaks: Leaks, name: str, function: Callable, args: tuple) -> None:
    """Call a function and look at whatever comes out of it."""
    leaks.call = f"{name}({', '.join(type(arg).__name__ for arg in args)})"
    try:
        result = function(*args)
        leaks.look("result", result)
        if isinstance(result, types.GeneratorType):
            leaks.look("result", list(itertools.islice(result, 3)))
    except Exception as error:
        leaks.look("error", error.args)


def offered() -> dict[str, Callable]:
    """Return every function and class of the module tree, each once."""
    found: dict[int, tuple[str, Callable]] = {}
    for module, namespace in facade.modules().items():
        for name, value in vars(namespace).items():
            if callable(value) and not name.startswith("__"):
                found.setdefault(id(value), (f"{module}.{name}", value))
    return dict(found.values())


def test_no_function_hands_out_a_raw_array():
    leaks = Leaks()
    for name, function in offered().items():
        for made in spy(leaks):
            for args in arguments(leaks, made):
                contextvars.copy_context().run(attempt, leaks, name, function, args)
    assert not leaks.found, "\n".join(sorted(leaks.found))


def test_no_method_of_a_tensor_hands_out_a_raw_array():
    leaks = Leaks()
    public = [name for name in dir(TORCH.Tensor) if not name.startswith("__") or name in names.DEFINABLE]
    for name in public:
        if facade.is_internal(TORCH.Tensor, name):
            continue
        for made in spy(leaks):
            for args in arguments(leaks, made):
                for target in (TORCH.ones(2, 2, requires_grad=True), TORCH.tensor([1, 0]), TORCH.tensor(2.0)):
                    contextvars.copy_context().run(on_method, leaks, target, name, args)
    assert not leaks.found, "\n".join(sorted(leaks.found))


def on_method(leaks: Leaks, target: Any, name: str, args: tuple) -> None:
    """Call a method of a tensor, or read and write a property."""
    leaks.call = f"Tensor.{name}"
    try:
        found = getattr(target, name)
    except Exception:
        return
    leaks.look("value", found)
    if callable(found):
        attempt(leaks, f"Tensor.{name}", found, args)
    elif len(args) == 1:
        attempt(leaks, f"Tensor.{name} =", lambda value: setattr(target, name, value), args)
        attempt(leaks, f"Tensor.{name} = ...; +", lambda: target + target, ())
