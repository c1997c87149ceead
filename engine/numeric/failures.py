"""NumPy's exceptions as plain ones: the same name and words, and none of the objects they carry along."""

from __future__ import annotations

import builtins
from typing import Any


class AxisError(ValueError, IndexError):
    """An axis that the array does not have."""


class LinAlgError(ValueError):
    """A matrix for which there is no answer."""


class UFuncTypeError(TypeError):
    """Kinds of numbers for which an operation is not defined."""


OURS = {kind.__name__: kind for kind in (AxisError, LinAlgError, UFuncTypeError)}


def plainly(error: Exception) -> Exception:
    """Return an exception of the nearest public class that carries the message and nothing else."""
    words = "".join((str(error),))
    for kind in type(error).__mro__:
        if kind.__name__ in OURS:
            return OURS[kind.__name__](words)
        if getattr(builtins, kind.__name__, None) is kind:
            try:
                return kind(words)
            except TypeError:  # UnicodeError and its like want more than a message
                continue
    return RuntimeError(words)


# ----- NumPy's reductions of a tensor: they call its method with arguments it does not have --------------
_COMBINATIONS = {
    "std": ("ddof=int, dtype=NoneType", "ddof, dtype"),
    "var": ("ddof=int, dtype=NoneType", "ddof, dtype"),
    "any": ("", ""),
    "all": ("", ""),
}
_SIGNATURES = {
    "any": ("()", "(tuple of ints dim = None, bool keepdim = False)", "(int dim, bool keepdim = False)"),
    "std": (
        "(tuple of ints dim, bool unbiased = True, bool keepdim = False)",
        "(tuple of ints dim = None, *, Number correction = None, bool keepdim = False)",
        "(bool unbiased = True)",
    ),
}
REDUCTIONS = {"amax": "max", "amin": "min"} | {name: name for name in ("sum", "mean", "prod", "max", "min")}
REDUCTIONS |= {name: name for name in _COMBINATIONS}


def reduction_of_tensor(name: str, axis: Any) -> TypeError:
    """Return what PyTorch says when NumPy's function of that name is given a tensor."""
    name = REDUCTIONS[name]
    if name in ("sum", "mean") or (axis is not None and name not in _COMBINATIONS):
        return TypeError(f"{name}() got an unexpected keyword argument 'axis'")
    if name not in _COMBINATIONS:
        return TypeError(f"{name}(): argument 'dim' must be int, not NoneType")
    got, wrong = (f"{part}, " if part else "" for part in _COMBINATIONS[name])
    first, second, third = _SIGNATURES["std" if name in ("std", "var") else "any"]
    why = f"      didn't match because some of the keywords were incorrect: {wrong}out, axis\n"
    last = why if name in ("any", "all") else ""
    return TypeError(
        f"{name}() received an invalid combination of arguments - got ({got}out=NoneType, "
        f"axis={type(axis).__name__}, ), but expected one of:\n"
        f" * {first}\n * {second}\n{why} * {third}\n{last}"
    )
