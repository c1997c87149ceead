"""The built-ins of a program: a table of harmless ones, and ours in place of those that are not."""

from __future__ import annotations

import builtins
import typing
from collections.abc import Mapping
from typing import Any

from app.sandbox.child.access import ALIASES, Access, Kind, Slot
from app.sandbox.child.guard import SLOT

HARMLESS = """abs all any ascii bin bool bytearray bytes callable chr classmethod complex dict divmod
enumerate filter float format frozenset hash hex id int isinstance issubclass iter len list map max min
next object oct ord pow property range repr reversed round set slice sorted staticmethod str sum super
tuple zip Ellipsis NotImplemented""".split()
ERRORS = [
    name
    for name, value in vars(builtins).items()
    if isinstance(value, type) and issubclass(value, BaseException) and not name.endswith("Group")
]


def table(access: Access, modules: Mapping[str, Any]) -> dict[str, Any]:
    """Return the built-ins of one run; `print` is the recorder's."""
    found = {name: getattr(builtins, name) for name in HARMLESS + ERRORS}
    return found | {
        SLOT: lambda target, name: Slot(access, target, name),
        "__import__": importer(modules),
        "__build_class__": class_builder(access),
        "__name__": "builtins",
        "getattr": access.getattr,
        "hasattr": access.hasattr,
        "setattr": access.setattr,
        "delattr": access.delattr,
        "vars": access.vars,
        "dir": access.dir,
        "type": Kind,
    }


def importer(modules: Mapping[str, Any]) -> Any:
    """Return the `__import__` of a program: a look-up, in Python's own words where it fails."""

    def import_(name: str, scope: Any = None, local: Any = None, wanted: Any = (), level: int = 0) -> Any:
        if level or name not in modules:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        if not wanted:
            return modules[name.partition(".")[0]]
        for item in (
            wanted if wanted != ("*",) else ()
        ):  # the interpreter itself would go on to look into sys.modules
            if not hasattr(modules[name], item):
                raise ImportError(f"cannot import name {item!r} from {name!r}", name=name)
        return modules[name]

    return import_


def class_builder(access: Access) -> Any:
    """Return the `__build_class__` of a program: no metaclasses, and it remembers whose class it is."""

    def build(body: Any, name: str, *bases: Any, **keywords: Any) -> type:
        if keywords:
            raise TypeError("class keywords are not supported here")
        for base in bases:
            if isinstance(base, type):
                if base is Kind or issubclass(base, type | super):
                    raise TypeError("metaclasses are not supported here")
            elif not isinstance(base, ALIASES) and base is not typing.NamedTuple:
                raise TypeError(f"a base must be a class, not {type(base).__name__!r}")
        return access.adopt(builtins.__build_class__(body, name, *bases))

    return build
