"""Attributes as a running program may see them: what the rewritten accesses and the guarded built-ins do.

The engine's objects keep plain attribute names to themselves (`Tensor.array` is a raw array), so the object
decides: on an engine's object such a name is as good as missing, in Python's own words; on the learner's own
it is an attribute like any other.
"""

from __future__ import annotations

import functools
import string
import types
import typing
from abc import ABCMeta
from collections.abc import Callable, Iterator, MutableMapping
from typing import Any

from app.sandbox.child import names

Internal = Callable[[Any, str], bool]  # is this name internal to this object?
# list[int], List[int], Mine[int]: these pass attributes on to the class they stand for
ALIASES = (types.GenericAlias, type(typing.Generic[typing.TypeVar("T")]))
_MISSING = object()


class Access:
    """Guarded get, set and delete. Knows the classes that the program made: only those may it change."""

    def __init__(self, is_internal: Internal) -> None:
        self.is_internal = is_internal
        self.own: set[type] = set()

    # ----- what the rewritten accesses do; the gate has looked at the name -----
    def load(self, target: Any, name: str) -> Any:
        """Return `target.name`."""
        if name in names.GUARDED or name in names.LIVE or name == "__init__":
            found = self._special(target, name)
            if found is not _MISSING:
                return found
        self._refuse_internal(target, name)
        return getattr(target, name)

    def store(self, target: Any, name: str, value: Any) -> None:
        """Do `target.name = value`."""
        self._refuse_internal(target, name)
        self._refuse_foreign_class(target, name)
        setattr(target, name, value)

    def delete(self, target: Any, name: str) -> None:
        """Do `del target.name`."""
        self._refuse_internal(target, name)
        self._refuse_foreign_class(target, name)
        delattr(target, name)

    def _refuse_internal(self, target: Any, name: str) -> None:
        if self.hides(target, name):
            raise _no_attribute(target, name)

    def hides(self, target: Any, name: str) -> bool:
        """Return whether an attribute is none of the program's business, on this very object or class."""
        if isinstance(target, super):
            return self.hides(target.__self__, name) or self.hides(target.__thisclass__, name)
        while isinstance(target, ALIASES):
            target = target.__origin__
        lineage = target if isinstance(target, type) else type(target)
        match name:
            case "format" | "format_map":
                return issubclass(lineage, str)
            case "obj":
                return issubclass(lineage, BaseException)
            case "register":
                return isinstance(target, ABCMeta)
        return (name in names.MEMORY and is_of_numpy(lineage)) or self.is_internal(target, name)

    def _refuse_foreign_class(self, target: Any, name: str) -> None:
        while isinstance(target, ALIASES):
            target = target.__origin__
        if isinstance(target, type) and target not in self.own:
            raise TypeError(f"cannot set {name!r} attribute of immutable type {target.__name__!r}")

    def _special(self, target: Any, name: str) -> Any:
        """Return what an attribute with a meaning of its own is, or _MISSING for the plain thing."""
        match name:
            case "__class__":
                return kind_of(target)
            case "__dict__":
                return self.attributes(target)
            case "__init__" if not isinstance(target, type | super):
                raise AttributeError("__init__ is called on super() or on a class here")
            case "format" if issubclass(type(target), str):
                return lambda *args, **kwargs: self._formatted(target, args, kwargs)
            case "format_map" if issubclass(type(target), str):
                return lambda mapping: self._formatted(target, (), mapping)
        return _MISSING

    def _formatted(self, text: str, args: tuple, kwargs: Any) -> str:
        return Formatter(self).vformat("".join(str.__iter__(text)), args, kwargs)

    # ----- classes -----
    def adopt(self, made: type) -> type:
        """Take a class as the program's own, unless it reaches for what its bases keep to themselves.

        Methods of an internal name would be called by the engine with raw arrays; fields of one are read by
        patterns (`case Made(x)`) and by `asdict`, past any guard.
        """
        if is_of_numpy(made):
            raise TypeError("this type is not an acceptable base type")
        read = (*getattr(made, "__match_args__", ()), *getattr(made, "__dataclass_fields__", ()))
        for name in (*read, *(name for name in vars(made) if not names.is_special(name))):
            if self.hides(made, name) and name != "register":
                raise TypeError(f"the name {name!r} is taken by a class that {made.__name__!r} inherits from")
        self.own.add(made)
        return made

    # ----- the built-ins -----
    def getattr(self, target: Any, name: str, default: Any = _MISSING, /) -> Any:
        """Do what the built-in of this name does, within the rules."""
        try:
            _check(target, name)
            return self.load(target, name)
        except AttributeError:
            if default is _MISSING:
                raise
            return default

    def hasattr(self, target: Any, name: str, /) -> bool:
        """Do what the built-in of this name does, within the rules."""
        return self.getattr(target, name, _MISSING_TOO) is not _MISSING_TOO

    def setattr(self, target: Any, name: str, value: Any, /) -> None:
        """Do what the built-in of this name does, within the rules."""
        _check(target, name, writes=True)
        self.store(target, name, value)

    def delattr(self, target: Any, name: str, /) -> None:
        """Do what the built-in of this name does, within the rules."""
        _check(target, name, writes=True)
        self.delete(target, name)

    def vars(self, target: Any, /) -> Attributes:
        """Do what the built-in of this name does, within the rules."""
        return self.attributes(target)

    def dir(self, target: Any, /) -> list[str]:
        """Do what the built-in of this name does, within the rules."""
        return [n for n in dir(target) if not names.is_closed(n) and not self.hides(target, n)]

    def attributes(self, target: Any) -> Attributes:
        """Return the attributes of an object as a mapping: live, but under plain names only."""
        if isinstance(target, type):
            if target not in self.own:
                raise TypeError("vars() shows objects and the program's own classes here")
        elif not isinstance(getattr(target, "__dict__", None), dict):
            raise TypeError("vars() argument must have __dict__ attribute")
        return Attributes(self, target)


_MISSING_TOO = object()


class Slot:
    """One attribute of one object, for an access in any context: read, assigned, updated, deleted."""

    __slots__ = ("_sg_access", "_sg_target", "_sg_name")

    def __init__(self, access: Access, target: Any, name: str) -> None:
        self._sg_access, self._sg_target, self._sg_name = access, target, name

    @property
    def _sg_value(self) -> Any:
        return self._sg_access.load(self._sg_target, self._sg_name)

    @_sg_value.setter
    def _sg_value(self, value: Any) -> None:
        self._sg_access.store(self._sg_target, self._sg_name, value)

    @_sg_value.deleter
    def _sg_value(self) -> None:
        self._sg_access.delete(self._sg_target, self._sg_name)


class Attributes(MutableMapping):
    """What `vars(x)` and `x.__dict__` give: every read and write goes through guarded access."""

    __slots__ = ("_sg_access", "_sg_target")

    def __init__(self, access: Access, target: Any) -> None:
        if type(access) is not Access:  # a program can reach this class, but no Access
            raise TypeError("vars() makes these")
        self._sg_access, self._sg_target = access, target

    def _sg_open(self) -> dict[str, Any]:
        target, access = self._sg_target, self._sg_access
        found = dict(target.__dict__)
        return {n: v for n, v in found.items() if not names.is_special(n) and not access.hides(target, n)}

    def __getitem__(self, name: str) -> Any:
        return self._sg_open()[name]

    def __setitem__(self, name: str, value: Any) -> None:
        self._sg_access.setattr(self._sg_target, name, value)

    def __delitem__(self, name: str) -> None:
        self._sg_access.delattr(self._sg_target, name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._sg_open())

    def __len__(self) -> int:
        return len(self._sg_open())

    def __repr__(self) -> str:
        return repr(self._sg_open())

    def copy(self) -> dict[str, Any]:
        """Return a plain dict of them."""
        return self._sg_open()


class Formatter(string.Formatter):
    """`str.format` whose attribute look-ups are guarded like all others."""

    def __init__(self, access: Access) -> None:
        self.access = access

    def get_field(self, field_name: str, args: tuple, kwargs: Any) -> tuple[Any, Any]:
        """Return the object a replacement field names."""
        first, rest = string._string.formatter_field_name_split(field_name)
        found = self.get_value(first, args, kwargs)
        for is_attribute, key in rest:
            found = self.access.getattr(found, key) if is_attribute else found[key]
        return found, first


class _TypeOfTypes(type):
    """What makes `Kind` pass for `type`."""

    def __call__(cls, *args: Any) -> type:
        if len(args) != 1:
            raise TypeError("type() makes no classes here; use a class statement")
        return kind_of(args[0])

    def __instancecheck__(cls, value: Any) -> bool:
        return isinstance(value, type)

    def __subclasscheck__(cls, value: Any) -> bool:
        return issubclass(value, type)

    def __repr__(cls) -> str:
        return "<class 'type'>"


class Kind(metaclass=_TypeOfTypes):
    """The `type` of a program: tells what something is, and makes nothing."""

    def __class_getitem__(cls, item: Any) -> types.GenericAlias:
        return types.GenericAlias(cls, item)  # for hints such as type[int]


@functools.cache
def is_of_numpy(kind: type) -> bool:
    """Return whether a class comes from NumPy."""
    return any(base.__module__.partition(".")[0] == "numpy" for base in kind.__mro__)


def kind_of(value: Any) -> type:
    """Return the class of a value; of a class, the harmless stand-in."""
    return Kind if isinstance(value, type) else type(value)


def _check(target: Any, name: Any, writes: bool = False) -> None:
    """Refuse what no attribute name may be: not exactly a str, or closed to programs."""
    if type(name) is not str:
        raise TypeError(f"attribute name must be string, not {type(name).__name__!r}")
    if names.is_closed(name) or (writes and names.is_special(name)):
        raise _no_attribute(target, name)


def _no_attribute(target: Any, name: str) -> AttributeError:
    is_class = isinstance(target, type)
    subject = f"type object {target.__name__!r}" if is_class else f"{type(target).__name__!r} object"
    return AttributeError(f"{subject} has no attribute {name!r}", name=name, obj=None)
