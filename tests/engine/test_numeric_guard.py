"""No object of NumPy's is reachable from the guarded numpy: not as a result, attribute, argument or error."""

from __future__ import annotations

import contextlib
import contextvars
import copy
import functools
import types
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy
import pytest

from engine import facade
from engine.numeric import border, failures, kinds

MODULES = facade.modules()
OURS, TORCH = MODULES["numpy"], MODULES["torch"]
TITLES = [title for title in MODULES if title.partition(".")[0] == "numpy"]
OF_TYPES = (types.CodeType, types.FrameType, types.TracebackType, types.BuiltinFunctionType)
PLAIN = (bool, int, float, complex, str, bytes, type(None))


def of_numpy(value: Any) -> bool:
    """Return whether something is NumPy's own: an object, a class, a module, a function."""
    if isinstance(value, types.ModuleType):
        return not isinstance(value, facade.Namespace)
    kind = value if isinstance(value, type) else type(value)
    origin = types.FunctionType.__module__ if value is None else getattr(value, "__module__", None) or ""
    return any(base.__module__.partition(".")[0] == "numpy" for base in kind.__mro__) or (
        isinstance(origin, str) and origin.partition(".")[0] == "numpy"
    )


def things() -> dict[str, Any]:
    """Return one of each kind of object that a learner can hold."""
    np = OURS
    array = np.array([[2.0, 1.0], [1.0, 3.0]])
    found = {f"{kind} array": np.ones(2, dtype=kind) for kind in kinds.SCALARS}
    found |= {f"{kind} scalar": np.ones(2, dtype=kind)[0] for kind in kinds.SCALARS}
    return found | {
        "array": array, "0-d": np.array(1.5), "dtype": array.dtype, "ufunc": np.exp, "flat": array.flat,
        "flags": array.flags, "state": np.random.RandomState(0), "generator": np.random.default_rng(0),
        "finfo": np.finfo(float), "iinfo": np.iinfo(int), "nditer": np.nditer(array),
        "svd": np.linalg.svd(array),
        "vectorize": np.vectorize(abs), "errstate": np.errstate(all="ignore"),
        "print": np.printoptions(precision=2),
        "iterator": iter(array), "ndenumerate": np.ndenumerate(array), "options": np.get_printoptions(),
        "of a tensor": TORCH.ones(2).numpy(), "r_": np.r_, "s_": np.s_,
        "seed": np.random.default_rng(0).spawn(1),
        "state of one": np.random.RandomState(0).get_state(),
    }  # fmt: skip


def children(value: Any) -> Iterator[tuple[str, Any]]:
    """Yield what can be had from a value by public attributes, and what lies in it."""
    if isinstance(value, (list, tuple)):
        yield from ((f"[{i}]", each) for i, each in enumerate(value[:20]))
    elif isinstance(value, dict):
        yield from ((f"[{key!r}]", each) for key, each in value.items())
    for name in dir(value):
        if not name.startswith("__") and not facade.is_internal(value, name):
            with contextlib.suppress(Exception), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                yield f".{name}", getattr(value, name)


def walked(start: dict[str, Any], depth: int = 4) -> dict[str, Any]:
    """Return everything in reach, by the way to it."""
    todo, seen, found = list(start.items()), {}, {}
    while todo:
        path, value = todo.pop(0)
        if id(value) in seen:
            continue
        seen[id(value)], found[path] = value, value
        if (
            not isinstance(value, (int, float, complex, str, bytes))
            and path.count(".") + path.count("[") < depth
        ):
            todo += [(path + step, child) for step, child in children(value)]
        elif isinstance(value, kinds.generic):
            todo += [(path + step, child) for step, child in children(value) if path.count(".") < 1]
    return found


# ----- attributes ------------------------------------------------------------------------------------------
def test_no_attribute_leads_to_an_object_of_numpys():
    found = walked(things() | {title: MODULES[title] for title in TITLES})
    assert len(found) > 2_000
    assert not [path for path, value in found.items() if of_numpy(value) or isinstance(value, OF_TYPES[:3])]


def test_what_is_held_is_no_attribute_at_all():
    for name, value in things().items():
        for kind in (value, *type(value).__mro__):
            assert not any(hasattr(kind, each) for each in ("held", "_held", "__wrapped__")), name
        assert not [each for each in getattr(value, "__dict__", {}).values() if of_numpy(each)], name


def test_nobody_derives_from_the_classes():
    for kind in (OURS.ndarray, OURS.float64, OURS.generic, OURS.dtype, OURS.bool_):
        with pytest.raises(TypeError, match="is not an acceptable base type"):
            type("Mine", (kind,), {})


def test_copies_hold_no_more_than_the_originals():
    for name, value in things().items():
        if name in ("iterator", "ndenumerate"):
            continue
        memo: dict[int, Any] = {}
        for made in (copy.copy(value), copy.deepcopy(value, memo)):
            assert type(made) is type(value) and not of_numpy(made), name


# ----- results and errors -------------------------------------------------------------------------
ARGUMENTS: dict[str, tuple] = {
    "nothing": (), "an array": ("A",), "two arrays": ("A", "A"), "array and number": ("A", 1),
    "a number": (3,),
    "a list": ([1, 2],), "two lists": ([1.0, 2.0], [3.0, 4.0]), "a tensor": ("T",),
    "tensor and array": ("T", "V"),
    "two numbers": (1, 2), "a shape": ((2, 2),), "array and shape": ("A", (4,)),
    "vector and vector": ("V", "V"),
    "word and arrays": ("ij,j->i", "A", "V"), "a list of arrays": (["A", "A"],),
    "array, two numbers": ("A", 0, 1),
    "three vectors": ("V", "V", "V"), "text": ("x",), "a mask": ("B",), "mask and two": ("B", "V", "V"),
    "integers": ("I",), "integers and number": ("I", 2), "three arrays": ("A", [0, 1], "V"),
    "a type": (float,),
    "two types": ("f4", "i8"), "none": (None,), "array, none": ("A", None), "places": ([1, 0], (2, 2)),
}  # fmt: skip


def brought(text: Any) -> Any:
    """Return an argument for its letter."""
    np = OURS
    values = {
        "A": lambda: np.array([[2.0, 1.0], [1.0, 3.0]]), "V": lambda: np.array([1.0, 2.0]),
        "T": lambda: TORCH.tensor([1.0, 2.0]), "B": lambda: np.array([True, False]),
        "I": lambda: np.array([1, 0]),
    }  # fmt: skip
    if isinstance(text, list):
        return [brought(each) for each in text]
    return values[text]() if isinstance(text, str) and text in values else text


@functools.cache
def callables() -> dict[str, Callable]:
    """Return everything that can be called by name: functions, methods, ways of ufuncs, classes."""
    found = {
        f"{t}.{n}": v for t in TITLES for n, v in vars(MODULES[t]).items() if callable(v) and n[0] != "_"
    }
    for name, value in things().items():
        if (
            "scalar" not in name
            and "array" not in name
            or name in ("array", "float32 scalar", "int64 scalar")
        ):
            for method in dir(value):
                if not method.startswith("__") and not facade.is_internal(value, method):
                    member = getattr(value, method, None)
                    found |= {f"{name}.{method}": member} if callable(member) else {}
    for name in ("add", "maximum", "divmod", "matmul"):
        ufunc = getattr(OURS, name)
        found |= {f"{name}.{way}": getattr(ufunc, way) for way in ("reduce", "accumulate", "outer", "at")}
    return found


def answer(function: Callable, args: tuple) -> Any:
    """Return what a call gives, or the exception it raises; what it sets is forgotten."""

    def call() -> Any:
        try:
            return function(*map(brought, args))
        except Exception as error:
            return error

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return contextvars.copy_context().run(call)


def parts(value: Any) -> list[Any]:
    """Return a value and, of a list, tuple or dict, everything in it."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, (list, tuple)) else ()
    return [value, *(part for each in inner for part in parts(each))]


def checked_error(error: Exception) -> bool:
    """Return whether an exception is a plain one that carries words, or what a learner put into it."""
    known = type(error).__module__ == "builtins" or type(error) in failures.OURS.values()
    words = not any(of_numpy(part) for part in error.args)
    return known and words and error.__cause__ is None


@pytest.mark.parametrize("name", sorted(callables()))
def test_whatever_is_called_answers_with_ours(name: str):
    function = callables()[name]
    for args in ARGUMENTS.values():
        found = answer(function, args)
        if isinstance(found, Exception):
            assert checked_error(found), (name, args, found)
            continue
        assert not [part for part in parts(found) if of_numpy(part)], (name, args)


def test_an_error_inside_numpy_is_said_anew_without_its_context():
    for use in (
        lambda: OURS.ones(2).sum(axis=3),
        lambda: OURS.linalg.inv(OURS.zeros((2, 2))),
        lambda: OURS.ones(2)[7],
    ):
        with pytest.raises(Exception) as caught:
            use()
        assert caught.value.__context__ is None and not of_numpy(caught.value)


# ----- a learner's own objects --------------------------------------------------------------------
class Spy:
    """Asked for anything that NumPy asks an object for, it writes down who asked with what."""

    heard: list[tuple[str, tuple]] = []


def _listening(name: str) -> Callable:
    def hear(self: Spy, *args: Any, **named: Any) -> Any:
        Spy.heard.append((name, (*args, *named.values())))
        if name == "__getitem__" and args[0] not in (0, 1):
            raise IndexError
        if name in ("__len__", "__index__", "__int__"):
            return 1
        if name == "__float__":
            return 1.0
        return NotImplemented if name.startswith("__r") or name in ("__lt__", "__gt__", "__eq__") else 1.0

    return hear


for _name in (
    "array array_ufunc array_function array_wrap array_finalize array_interface array_struct float int index "
    "len getitem complex bool add radd mul rmul sub rsub truediv rtruediv pow rpow matmul rmatmul lt gt eq "
    "lshift"
).split():
    setattr(Spy, f"__{_name}__", _listening(f"__{_name}__"))
Spy.__hash__ = object.__hash__


@pytest.mark.parametrize("name", sorted(callables()))
def test_an_object_of_a_learners_is_never_handed_to_numpy(name: str):
    function = callables()[name]
    spy = Spy()
    Spy.heard.clear()
    for args in ((spy,), ("V", spy), (spy, "V"), ([spy, 1.0],), ("V", "V", spy), ((spy,),)):
        answer(function, args)
    assert not [each for each in Spy.heard if each[0].startswith("__array")]
    assert not [each for each in Spy.heard if any(of_numpy(arg) for arg in each[1])]


def test_operators_with_a_learners_object_are_pythons_own():
    spy = Spy()
    for use in (lambda: OURS.ones(2) + spy, lambda: spy * OURS.ones(2), lambda: OURS.float32(1) < spy):
        Spy.heard.clear()
        answer(use, ())
        assert not [each for each in Spy.heard if any(of_numpy(arg) for arg in each[1])]


class Fake(Spy):
    """Claims to be one of the objects here: whatever they may hold, it has under any name."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return Spy()


@functools.cache
def members() -> dict[str, Callable]:
    """Return every method and property of every class here, to be called with another `self`."""
    found: dict[str, Callable] = {}
    for value in things().values():
        for kind in type(value).__mro__:
            for name, member in vars(kind).items() if kind.__module__.startswith("engine.numeric") else ():
                title = f"{kind.__name__}.{name}"
                if isinstance(member, property):
                    found[title] = member.fget
                    if member.fset is not None:
                        found[f"{title}="] = member.fset
                elif isinstance(member, types.FunctionType) and name not in ("__copy__", "__deepcopy__"):
                    found[title] = member
    return found


@pytest.mark.parametrize("title", sorted(members()))
def test_a_method_does_nothing_for_an_object_that_is_none_of_ours(title: str):
    fake = Fake()
    for args in ((), ("V",), (0,), (0, "V"), ("V", "V"), (float,)):
        Spy.heard.clear()
        found = answer(members()[title], (fake, *args))
        assert not of_numpy(found) and not [each for each in Spy.heard if any(of_numpy(a) for a in each[1])]
        assert not vars(fake)


def test_callbacks_are_handed_ours():
    seen: list[Any] = []

    def look(*values: Any) -> float:
        seen.extend(values)
        return 1.0

    array = OURS.ones((2, 2))
    OURS.vectorize(look)(array)
    OURS.apply_along_axis(look, 0, array)
    OURS.fromfunction(look, (2, 2))
    OURS.array2string(array, formatter={"float_kind": lambda value: str(look(value))})
    with OURS.printoptions(formatter={"all": lambda value: str(look(value))}):
        repr(array)
    assert len(seen) > 10 and not [value for value in seen if of_numpy(value)]


def test_lists_that_lie_are_read_as_they_are():
    class Lying(list):
        def __iter__(self) -> Iterator:
            return iter([object()])

        def __len__(self) -> int:
            return 10**9

    assert OURS.array(Lying([1, 2])).tolist() == [1, 2]


# ----- memory -------------------------------------------------------------------------------------
BOMBS = """
np.zeros(10**12)|np.ones((10**6, 10**6))|np.full(10**9, 1)|np.eye(10**6)|np.arange(10**11)
np.linspace(0, 1, 10**11)
np.outer(v, v)|v[:, None] * v|v[:, None] @ v[None]|np.add.outer(v, v)|np.kron(v, v)|np.tile(v, 10**5)
np.repeat(v, 10**6)
np.einsum('i,j->ij', v, v)|np.tensordot(v, v, 0)|np.meshgrid(v, v)|np.diag(v)|np.indices((10**4, 10**4))
np.tri(10**6)
np.random.rand(10**6, 10**6)|np.random.default_rng(0).normal(size=10**9)|np.random.permutation(10**9)
np.mgrid[0:10**9]
np.pad(v, 10**11)|np.broadcast_to(v, (10**6, 10**5))|np.array(range(10**9))|np.array([v] * 1000)|np.vander(v)
np.ones((3, 10**5))[np.zeros(10**5, dtype=int)]|np.bincount([10**10])|np.zeros_like(v, shape=10**12)
np.resize(v, 10**10)
np.concatenate([v] * 1000)|np.random.choice(10**9, 3, replace=False)|np.logspace(0, 1, 10**10)
np.ndarray(10**12)
""".strip().replace("\n", "|").split("|")  # fmt: skip


@pytest.mark.parametrize("text", BOMBS)
def test_a_result_too_large_is_refused_before_it_is_made(text: str):
    with pytest.raises(MemoryError, match="Unable to allocate"):
        eval(text, {"np": OURS, "v": OURS.ones(10**5)})


def test_memory_that_nobody_wrote_to_is_never_shown():
    for _ in range(10):
        del_me = [OURS.full(3000, 7.5) for _ in range(5)]
        del del_me
        mask = OURS.zeros(3000, dtype=bool)
        for made in (
            OURS.empty(3000),
            OURS.empty_like(mask),
            OURS.ndarray(3000),
            OURS.add(OURS.ones(3000), 1, where=mask),
        ):
            assert not made.any()
    for use in (
        lambda: OURS.ones(3).clip(0, 1, where=False),
        lambda: OURS.pad(OURS.ones(2), 9, mode="empty"),
    ):
        with pytest.raises((TypeError, ValueError), match="not available here"):
            use()


def test_only_kinds_of_numbers_come_out():
    for kind in (object, "O", "S5", "U3", "V8", "M8[s]", ">f4", "f4,f4"):
        with pytest.raises(TypeError):
            OURS.zeros(2, dtype=kind)
    for values in ([None], [2**80], ["a"], [object()], [{}]):
        with pytest.raises(TypeError):
            OURS.array(values)


def test_the_border_lets_nothing_else_out():
    for value in (numpy.array([None]), numpy.array(["a"]), numpy.longdouble(1), numpy.exp, numpy, len):
        with pytest.raises(TypeError):
            border.outside(value)
