"""The standard modules as a program sees them: chosen names in read-only namespaces, never the modules.

What reaches attributes by a name the program chooses, or evaluates text, is left out or made anew
(`functools.wraps` copies attributes, `singledispatch` evaluates annotations, `typing.Type` leads to `type`).
"""

from __future__ import annotations
import __future__

import collections
import collections.abc
import copy
import dataclasses
import functools
import itertools
import math
import random
import sys
import time
import types
import typing
from collections.abc import Callable, Mapping
from typing import Any

from app.sandbox.child import names, system
from app.sandbox.child.access import Access, Kind
from engine.events import Seeded, emit

EPOCH = 1_767_225_600.0  # 2026-01-01: where the program's clock starts, in every run alike
TICK = 0.000_001  # seconds that pass with each look at the clock


class Namespace:
    """A module as a program sees it: these names, read-only."""

    __slots__ = ("_sg_title", "_sg_names")

    def __new__(cls, title: str, found: Mapping[str, Any]) -> Namespace:
        made = object.__new__(cls)
        object.__setattr__(made, "_sg_title", title)
        object.__setattr__(made, "_sg_names", dict(found))
        return made

    def __getattr__(self, name: str) -> Any:
        if name == "__all__":  # the interpreter asks, for `import *`; to programs the name is closed
            return sorted(self._sg_names)
        try:
            return self._sg_names[name]
        except KeyError:
            if hasattr(sys.modules.get(self._sg_title), name):
                why = f"{self._sg_title}.{name} is part of Python, but it is not available here"
            else:
                why = f"module {self._sg_title!r} has no attribute {name!r}"
            raise AttributeError(why) from None

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"the module {self._sg_title!r} cannot be changed")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"the module {self._sg_title!r} cannot be changed")

    def __dir__(self) -> list[str]:
        return sorted(self._sg_names)

    def __repr__(self) -> str:
        return f"<module {self._sg_title!r}>"


def standard(access: Access, seed: int, write: Callable[[str], None] = len) -> dict[str, Namespace]:
    """Return every standard module of one run, by name; `write` prints a text."""
    clock = Clock()
    abstract = Namespace("collections.abc", public(collections.abc, collections.abc.__all__))
    found = {
        "math": public(math),
        "random": random_names(seed),
        "collections": collection_names(access) | {"abc": abstract},
        "itertools": public(itertools),
        "functools": function_names(access),
        "typing": public(typing, TYPING) | {"Type": Kind, "TYPE_CHECKING": False},
        "dataclasses": dataclass_names(access),
        "time": clock.names(),
        "timeit": {"default_timer": clock.look},
        "copy": {"copy": copy.copy, "deepcopy": lambda value, memo=None: copy.deepcopy(value)},
        "__future__": {name: getattr(__future__, name) for name in names.FUTURE},
    }
    made = {name: Namespace(name, chosen) for name, chosen in found.items()} | {"collections.abc": abstract}
    return made | system.names(Namespace, write, clock.names()["asctime"])


def public(module: Any, chosen: Any = None) -> dict[str, Any]:
    """Return a module's public names, or the chosen ones of them."""
    return {name: getattr(module, name) for name in chosen or dir(module) if not name.startswith("_")}


# ----- random: one seeded generator -----
RANDOM = """betavariate choice choices expovariate gammavariate gauss getrandbits getstate lognormvariate
normalvariate paretovariate randbytes randint random randrange sample seed setstate shuffle triangular
uniform vonmisesvariate weibullvariate""".split()


def random_names(seed: int) -> dict[str, Any]:
    """Return the names of `random`, bound to one generator of this run; what has no seed takes the run's."""
    untold: list[int] = []

    class Random(random.Random):
        """Python's generator, which never asks the system for a seed."""

        def seed(self, a: Any = None, version: int = 2) -> None:
            """Seed the generator; without a seed, with that of the run, which is said once."""
            if a is None and untold:
                emit(Seeded("random", untold.pop()))
            super().seed(seed if a is None else a, version)

    generator = Random()
    untold.append(seed)

    def telling(name: str) -> Callable:
        method, sets = getattr(generator, name), name in ("seed", "setstate")

        def draw(*args: Any, **named: Any) -> Any:
            if untold and name != "getstate":
                untold.clear()
                if not sets:
                    emit(Seeded("random", seed))
            return method(*args, **named)

        draw.__name__ = draw.__qualname__ = name
        return draw

    return {name: telling(name) for name in RANDOM} | {"Random": Random}


# ----- time: a clock that costs nothing -----
class Clock:
    """Time as the program sees it: the same in every run; sleeping moves it on and takes no time."""

    def __init__(self) -> None:
        self.passed = 0.0

    def look(self) -> float:
        """Return the seconds since the program began, a tick later each time."""
        self.passed += TICK
        return self.passed

    def now(self) -> float:
        """Return the seconds since 1970."""
        return EPOCH + self.look()

    def sleep(self, seconds: float) -> None:
        """Move the clock on."""
        if seconds < 0:
            raise ValueError("sleep length must be non-negative")
        self.passed += float(seconds)

    def names(self) -> dict[str, Any]:
        """Return the names of `time`."""
        since = {name: self.look for name in ("perf_counter", "monotonic", "process_time", "thread_time")}
        since |= {f"{name}_ns": lambda: int(self.look() * 1e9) for name in since}
        moment = lambda seconds=None: time.gmtime(self.now() if seconds is None else seconds)  # noqa: E731
        return since | {
            "time": self.now,
            "time_ns": lambda: int(self.now() * 1e9),
            "sleep": self.sleep,
            "gmtime": moment,
            "localtime": moment,
            "strftime": lambda form, when=None: time.strftime(form, moment() if when is None else when),
            "asctime": lambda when=None: time.asctime(moment() if when is None else when),
            "ctime": lambda seconds=None: time.asctime(moment(seconds)),
        }


# ----- collections -----
COLLECTIONS = "ChainMap Counter OrderedDict defaultdict deque".split()


def collection_names(access: Access) -> dict[str, Any]:
    """Return the names of `collections`."""

    def namedtuple(typename: str, field_names: Any, *, rename: bool = False, defaults: Any = None) -> type:
        fields = field_names if isinstance(field_names, str) else [str(name) for name in field_names]
        made = collections.namedtuple(typename, fields, rename=rename, defaults=defaults, module="__main__")
        return access.adopt(made)

    return public(collections, COLLECTIONS) | {"namedtuple": namedtuple}


# ----- functools -----
def function_names(access: Access) -> dict[str, Any]:
    """Return the names of `functools`."""

    def lru_cache(maxsize: Any = 128, typed: bool = False) -> Callable:
        if callable(maxsize):
            return lru_cache()(maxsize)
        return lambda function: functools.lru_cache(maxsize, bool(typed))(plain(function))

    def total_ordering(made: type) -> type:
        _own(access, made)
        return functools.total_ordering(made)

    return {
        "reduce": functools.reduce,
        "partial": functools.partial,
        "cmp_to_key": functools.cmp_to_key,
        "wraps": wraps,
        "update_wrapper": lambda wrapper, wrapped, *_: wraps(wrapped)(wrapper),
        "lru_cache": lru_cache,
        "cache": lambda function: lru_cache(None)(function),
        "total_ordering": total_ordering,
    }


def wraps(wrapped: Callable, *_: Any) -> Callable[[Callable], Callable]:
    """Let a function take over another's name and documentation, and nothing else of it."""

    def decorate(wrapper: Callable) -> Callable:
        for name in ("__name__", "__qualname__", "__doc__"):
            text = getattr(wrapped, name, None)
            if isinstance(wrapper, types.FunctionType) and type(text) is str:
                setattr(wrapper, name, text)
        return wrapper

    return decorate


def plain(function: Callable) -> Callable:
    """Return a function of ours that calls another: it has no attributes of the other's to copy."""
    if not callable(function):
        raise TypeError("the first argument must be callable")
    return wraps(function)(lambda *args, **kwargs: function(*args, **kwargs))


# ----- dataclasses -----
DATACLASSES = """asdict astuple field fields is_dataclass replace FrozenInstanceError InitVar KW_ONLY MISSING
""".split()


def dataclass_names(access: Access) -> dict[str, Any]:
    """Return the names of `dataclasses`."""

    def dataclass(made: type | None = None, /, **options: bool) -> Any:
        if made is None:
            return lambda made: dataclass(made, **options)
        _own(access, made)
        return access.adopt(dataclasses.dataclass(**options)(made))  # with slots it is another class

    return public(dataclasses, DATACLASSES) | {"dataclass": dataclass}


def _own(access: Access, made: Any) -> None:
    if made not in access.own:
        raise TypeError("this decorator is for classes that the program defines")


# ----- typing: for hints, which nobody evaluates -----
TYPING = """AbstractSet Any AnyStr Callable ClassVar Collection Container Counter DefaultDict Deque Dict Final
FrozenSet Generator Generic Hashable Iterable Iterator List Literal Mapping MutableMapping MutableSequence
MutableSet NamedTuple NewType NoReturn Optional OrderedDict ParamSpec Reversible Sequence Set Sized Text
Tuple TypeVar Union cast final overload""".split()
