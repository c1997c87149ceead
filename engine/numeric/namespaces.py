"""The names of `numpy` and its submodules as a learner gets them. Only lists."""

from __future__ import annotations

import typing
from typing import Any

import numpy as np

from engine.absent import in_module
from engine.numeric import functions, making, methods, operators, printing, random, sizes, walking
from engine.numeric.failures import AxisError, LinAlgError
from engine.numeric.kinds import ABSTRACT, ALIASES, SCALARS, absent, dtype, ndarray

CONSTANTS = ("pi", "e", "euler_gamma", "inf", "nan")
MODULES = ("numpy", "numpy.random", "numpy.linalg", "numpy.testing", "numpy.exceptions", "numpy.typing")


def names() -> dict[str, dict[str, Any]]:
    """Return what each module offers, by the module's name."""
    written = (making, walking, printing)
    own = {
        name: value for module in written for name, value in vars(module).items() if _offered(module, value)
    }
    classes = SCALARS | {kind.__name__: kind for kind in ABSTRACT}
    classes |= {name: SCALARS[meaning] for name, meaning in ALIASES.items()}
    constants = {name: float(getattr(np, name)) for name in CONSTANTS} | {"newaxis": None, "True_": None}
    constants |= {"True_": SCALARS["bool"](True), "False_": SCALARS["bool"](False), "little_endian": True}
    brackets = {name: walking.Bracketed(name) for name in walking.BRACKETED}
    brackets |= {name: walking.IndexExpression() for name in ("s_", "index_exp")}
    return {
        "numpy": functions.table() | own | classes | constants | brackets | _written_here(),
        "numpy.random": random.names(),
        "numpy.linalg": {name: _linalg(name) for name in functions.LINALG} | {"LinAlgError": LinAlgError},
        "numpy.testing": {name: functions.function(name, within="testing.") for name in functions.TESTING},
        "numpy.exceptions": {"AxisError": AxisError},
        "numpy.typing": {"NDArray": ndarray, "ArrayLike": typing.Any, "DTypeLike": typing.Any},
    }


def _linalg(name: str) -> Any:
    return functions.function(name, functions.LINALG_SIZED.get(name, sizes.broadcast), "linalg.")


def _written_here() -> dict[str, Any]:
    return {
        "ndarray": ndarray, "dtype": dtype, "ufunc": functions.ufunc, "asanyarray": making.asarray,
        "__version__": np.__version__,
    }  # fmt: skip


def _offered(module: Any, value: Any) -> bool:
    """Return whether something a file defines is a name of NumPy's."""
    name = getattr(value, "__name__", "_")
    return (
        getattr(value, "__module__", "") == module.__name__ and not name.startswith("_") and hasattr(np, name)
    )


def missing(module: str, name: str) -> str:
    """Return why a module of the learner's has no such name; of NumPy's there is more to say."""
    subject = f"module '{module}'"
    return absent(module, name, subject) if module in MODULES else in_module(module, name)


def internals() -> dict[type, frozenset[str]]:
    """Return the attributes that no program may touch; `array` is what the engine asks a tensor for."""
    return {ndarray: frozenset({"array"})}


assert methods and operators
