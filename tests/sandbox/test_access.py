"""Guarded attributes: the engine's objects keep theirs, everybody else's are plain."""

from __future__ import annotations

from typing import Any

import pytest

from app.sandbox.child import builtins, modules
from app.sandbox.child.access import Access
from app.sandbox.child.guard import gate
from app.sandbox.limits import Limits
from engine.trace.echo import ECHO


class Engine:
    """Stands for an engine's class with one internal attribute."""

    kind = "public"

    def __init__(self) -> None:
        self.array = "raw"
        self.grad = None


def is_internal(target: Any, name: str) -> bool:
    lineage = target if isinstance(target, type) else type(target)
    return name == "array" and issubclass(lineage, Engine)


def run(source: str, **names: Any) -> dict[str, Any]:
    """Run a program as a child would, without an engine."""
    access = Access(is_internal)
    importable = modules.standard(access, 0)
    world = {"__builtins__": builtins.table(access, importable), "__name__": "__main__", **names}
    world["__builtins__"][ECHO] = lambda value: None
    exec(gate(source, Limits(), frozenset({"array"})), world)
    return world


def test_an_internal_name_is_missing_in_pythons_own_words():
    with pytest.raises(AttributeError, match="^'Engine' object has no attribute 'array'$"):
        run("x.array", x=Engine())
    with pytest.raises(AttributeError, match="^type object 'Engine' has no attribute 'array'$"):
        run("X.array", X=Engine)


def test_the_same_name_is_plain_on_the_programs_own_objects():
    world = run(
        "class A: pass\na = A()\na.array = [1]\na.array += [2]\nb = a.array\n"
        "del a.array\nc = hasattr(a, 'array')"
    )
    assert world["b"] == [1, 2] and world["c"] is False


def test_public_attributes_of_the_engine_can_be_set():
    x = Engine()
    run("x.grad = 1\nx.grad += 1", x=x)
    assert x.grad == 2


def test_a_store_into_the_engines_class_is_refused():
    with pytest.raises(TypeError, match="immutable type 'Engine'"):
        run("X.kind = 1", X=Engine)
    with pytest.raises(TypeError, match="immutable type 'Engine'"):
        run("setattr(X, 'kind', 1)", X=Engine)


def test_a_store_into_a_class_of_the_program_is_plain():
    assert run("class A(X): pass\nA.kind = 3\nb = A.kind", X=Engine)["b"] == 3


def test_the_built_ins_follow_the_same_rule():
    world = run(
        "a = hasattr(x, 'array'), getattr(x, 'array', 0), 'array' in dir(x), "
        "'array' in vars(x), 'grad' in vars(x)",
        x=Engine(),
    )
    assert world["a"] == (False, 0, False, False, True)
    for source in ("setattr(x, 'array', 1)", "delattr(x, 'array')", "vars(x)['array'] = 1"):
        with pytest.raises(AttributeError):
            run(source, x=Engine())


def test_a_method_of_an_internal_name_cannot_be_slipped_in():
    with pytest.raises(TypeError, match="the name 'array' is taken"):
        run("class A(X):\n    def array(self): pass", X=Engine)


@pytest.mark.parametrize("name", ["__class__", "__len__", "__name__", "__doc__"])
def test_getattr_gives_the_harmless_special_names(name: str):
    assert run(f"a = hasattr(X, {name!r}) or hasattr([], {name!r})", X=Engine)["a"]


@pytest.mark.parametrize(
    "name", ["__mro__", "__globals__", "__reduce_ex__", "__subclasses__", "mro", "gi_frame"]
)
def test_getattr_does_not_give_the_others(name: str):
    with pytest.raises(AttributeError):
        run(f"getattr(X, {name!r})", X=Engine)
    assert run(f"a = hasattr(X, {name!r})", X=Engine)["a"] is False


def test_an_attribute_is_evaluated_once_in_an_update():
    world = run(
        "calls = []\ndef f():\n    calls.append(1)\n    return a\nclass A: pass\na = A()\na.n = 1\nf().n += 5"
    )
    assert world["a"].n == 6 and world["calls"] == [1]


def test_errors_of_plain_objects_are_pythons():
    with pytest.raises(AttributeError, match="^'NoneType' object has no attribute 'array'$"):
        run("None.array")
    with pytest.raises(AttributeError, match="^'int' object has no attribute 'array'$"):
        run("x = 1\nx.array = 2")


def test_an_attribute_error_does_not_hand_out_its_object():
    source = "try:\n    x.nothing\nexcept AttributeError as e:\n    a = hasattr(e, 'obj')"
    assert run(source, x=Engine())["a"] is False


def test_type_tells_and_makes_nothing():
    world = run("a = type(1), type(int), isinstance(int, type), type(type)")
    assert world["a"][0] is int and world["a"][1] is world["a"][3] and world["a"][2] is True
    with pytest.raises(TypeError):
        run("type('A', (), {})")
    with pytest.raises(TypeError, match="metaclasses"):
        run("class M(type): pass")
