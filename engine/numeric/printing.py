"""How arrays are written, what division by zero does, and the limits of the kinds of numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from engine.numeric.border import FAULTS, compute, faults, inside, outside
from engine.numeric.hidden import hide
from engine.numeric.kinds import dtype_of, real_dtype

OPTIONS = """precision threshold edgeitems linewidth suppress nanstr infstr sign floatmode""".split()
REACTIONS = ("ignore", "warn", "raise", "print")


# ----- writing ---------------------------------------------------------------------------------------------
def _brought_in(options: dict[str, Any], more: tuple = ()) -> dict[str, Any]:
    """Return print options as NumPy gets them; a learner's formatter gets our scalars."""
    given = {}
    for name, value in options.items():
        if name == "formatter":
            value = value and {inside(k): _guarded(f) for k, f in dict.items(value)}
        elif name in OPTIONS or name in more:
            value = inside(value)
        else:
            raise TypeError(f"the print option {name!r} is not available here")
        given[name] = value
    return given


def _guarded(format: Callable) -> Callable:
    return lambda value: str(format(outside(value)))


def _positional(args: tuple, named: dict[str, Any], names: tuple | list) -> dict[str, Any]:
    return {**dict(zip(names, args, strict=False)), **named}


def set_printoptions(*args: Any, **named: Any) -> None:
    """Change how arrays are written."""
    compute(np.set_printoptions, (), _brought_in(_positional(args, named, OPTIONS)))


def get_printoptions() -> dict[str, Any]:
    """Return how arrays are written."""
    return {name: value for name, value in np.get_printoptions().items() if name in OPTIONS}


class printoptions:  # noqa: N801 - NumPy's name
    """Change how arrays are written inside the block."""

    __slots__ = ("held",)

    def __init__(self, *args: Any, **wanted: Any) -> None:
        _hold_options(self, [_positional(args, wanted, OPTIONS)])

    def __enter__(self) -> dict[str, Any]:
        wanted, *_ = _options(self)
        _hold_options(self, [wanted, np.get_printoptions()])
        set_printoptions(**wanted)
        return get_printoptions()

    def __exit__(self, *_: object) -> None:
        np.set_printoptions(**_options(self)[1])


_options, _hold_options = hide(printoptions)


def array2string(a: Any, max_line_width: Any = None, **named: Any) -> str:
    """Write an array."""
    more = ("separator", "prefix", "suffix")
    return compute(np.array2string, (np.asarray(inside(a)), inside(max_line_width)), _brought_in(named, more))


def array_repr(
    arr: Any, max_line_width: Any = None, precision: Any = None, suppress_small: Any = None
) -> str:
    """Write an array as its repr."""
    options = map(inside, (max_line_width, precision, suppress_small))
    return compute(np.array_repr, (np.asarray(inside(arr)), *options))


def array_str(a: Any, max_line_width: Any = None, precision: Any = None, suppress_small: Any = None) -> str:
    """Write an array as print does."""
    options = map(inside, (max_line_width, precision, suppress_small))
    return compute(np.array_str, (np.asarray(inside(a)), *options))


# ----- when floating-point numbers fail --------------------------------------------------------------------
def seterr(all: str | None = None, **named: str) -> dict[str, str]:
    """Say what happens on division by zero, overflow, underflow and invalid operations."""
    before, changed = faults.get() or FAULTS, {}
    for name in FAULTS:
        reaction = named.pop(name, None) or all or before[name]
        if reaction not in REACTIONS:
            raise ValueError(f"errors can be {', '.join(REACTIONS)} here, not {reaction!r}")
        changed[name] = "ignore" if reaction == "print" else reaction
    if named:
        raise TypeError(f"seterr() got an unexpected keyword argument {next(iter(named))!r}")
    faults.set(changed)
    return dict(before)


def geterr() -> dict[str, str]:
    """Return what happens on each."""
    return dict(faults.get() or FAULTS)


class errstate:  # noqa: N801 - NumPy's name
    """Say what happens on failures inside the block."""

    __slots__ = ("held",)

    def __init__(self, **wanted: str) -> None:
        _hold_reactions(self, [wanted])

    def __enter__(self) -> None:
        wanted, *_ = _reactions(self)
        _hold_reactions(self, [wanted, seterr(**wanted)])

    def __exit__(self, *_: object) -> None:
        faults.set(_reactions(self)[1])

    def __call__(self, function: Callable) -> Callable:
        def inside_block(*args: Any, **named: Any) -> Any:
            with errstate(**_reactions(self)[0]):
                return function(*args, **named)

        return inside_block


_reactions, _hold_reactions = hide(errstate)


# ----- limits ----------------------------------------------------------------------------------------------
FLOATS = """bits eps epsneg max min tiny smallest_normal smallest_subnormal resolution precision nmant nexp
maxexp minexp machep negep iexp""".split()
INTEGERS = ("bits", "max", "min")


class finfo:  # noqa: N801
    """The limits of a kind of floating-point number."""

    __slots__ = ("held",)

    def __init__(self, dtype: Any) -> None:
        kind = real_dtype(dtype) if isinstance(dtype, (type, str)) else np.asarray(inside(dtype)).dtype
        real = compute(np.iinfo if isinstance(self, iinfo) else np.finfo, (kind,))
        names = INTEGERS if isinstance(self, iinfo) else FLOATS
        found = {name: outside(getattr(real, name)) for name in names} | {"dtype": dtype_of(real.dtype)}
        _hold_limits(self, (found, repr(real), str(real)))

    def __getattr__(self, name: str) -> Any:
        try:
            return _limits(self)[0][name]
        except KeyError:
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'") from None

    def __repr__(self) -> str:
        return _limits(self)[1]

    def __str__(self) -> str:
        return _limits(self)[2]


_limits, _hold_limits = hide(finfo)


class iinfo(finfo):  # noqa: N801
    """The limits of a kind of integer."""

    __slots__ = ()
