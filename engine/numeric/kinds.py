"""The classes a learner meets: arrays, scalars, dtypes. Bare: methods.py and operators.py fill them.

A scalar is its Python number (`float32` holds the double that is that float32), so it works wherever a number
does and holds nothing of NumPy's. Python knows each class as "numpy.float32": its error messages say so.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.numeric.hidden import hide

TITLE = type.__dict__["__name__"].__get__  # the whole name, as Python's own messages use it
FORMER = {*getattr(np, "__former_attrs__", ()), *getattr(np, "__expired_attributes__", ())}
# what the engine asks a tensor or a dtype for: whoever passes one of these classes meant something of torch's
OF_TORCH_DTYPES = frozenset(("numpy", "hold", "category", "is_odd"))


class Guarded(type):
    """The type of the classes here: they show NumPy's names, and nobody derives from them."""

    sealed = False

    def __new__(mcs, name: str, bases: tuple, names: dict, title: str = "") -> Guarded:
        if mcs.sealed:
            raise TypeError(f"type '{TITLE(bases[0])}' is not an acceptable base type")
        return super().__new__(mcs, f"numpy.{title or name}", bases, {"__slots__": (), **names})

    def __init__(cls, name: str, bases: tuple, names: dict, title: str = "") -> None:
        super().__init__(name, bases, names)

    @property
    def __name__(cls) -> str:
        return TITLE(cls).removeprefix("numpy.")

    def __repr__(cls) -> str:
        return f"<class '{TITLE(cls)}'>"

    def __getattr__(cls, name: str) -> Any:
        if name in OF_TORCH_DTYPES:
            raise TypeError("argument 'dtype' must be torch.dtype, not type")
        raise AttributeError(absent(TITLE(cls), name, f"type object '{TITLE(cls)}'"))


def absent(path: str, name: str, subject: str) -> str:
    """Return why something of NumPy has no attribute here: it never had, or it is not offered."""
    known: Any = np
    for step in path.split(".")[1:]:
        known = vars(known).get(step)
    if known is np and name in FORMER:
        try:
            getattr(np, name)
        except AttributeError as error:  # NumPy says what became of old names
            return "".join((str(error),))
    if not name.startswith("_") and name in dir(known):  # to ask for it might import it
        return f"{path}.{name} is not available here"
    return f"{subject} has no attribute '{name}'"


Guarded.__name__ = "type"  # what messages call the type of a class


# ----- arrays --------------------------------------------------------------------------------------
class ndarray(metaclass=Guarded):  # noqa: N801 - NumPy's name
    """An array. What it holds is NumPy's, and never leaves."""

    __slots__ = ("held", "__weakref__")
    __array_ufunc__ = None  # NumPy itself must not compute with one
    __hash__ = None

    def __getattr__(self, name: str) -> Any:
        if name == "array":  # the engine took it for a tensor
            raise TypeError("expected Tensor as an argument, but got numpy.ndarray")
        raise AttributeError(absent("numpy.ndarray", name, "'numpy.ndarray' object"))


_new = object.__new__


held, _hold = hide(ndarray)


def wrapped(array: np.ndarray) -> ndarray:
    """Return one of our arrays around one of NumPy's."""
    if type(array) is not np.ndarray:
        raise TypeError(f"not an array: {type(array).__name__}")
    made = _new(ndarray)
    _hold(made, array)
    return made


# ----- scalars -------------------------------------------------------------------------------------
class generic(metaclass=Guarded):  # noqa: N801
    """What all scalars have in common."""

    def __new__(cls, *_: Any, **__: Any) -> Any:
        raise TypeError(f"cannot create '{TITLE(cls)}' instances")

    def __copy__(self) -> Any:
        return self

    def __deepcopy__(self, memo: dict) -> Any:
        return self

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(absent(TITLE(type(self)), name, f"'{TITLE(type(self))}' object"))


def _abstract(name: str, above: type) -> type:
    return Guarded(name, (above,), {"__module__": __name__})


number = _abstract("number", generic)
integer, inexact = _abstract("integer", number), _abstract("inexact", number)
signedinteger, unsignedinteger = _abstract("signedinteger", integer), _abstract("unsignedinteger", integer)
floating, complexfloating = _abstract("floating", inexact), _abstract("complexfloating", inexact)


class bool_(generic, title="bool"):  # noqa: N801
    """A truth value; Python's own admits no subclass, so this one holds it."""

    __slots__ = ("held",)

    def __bool__(self) -> bool:
        return _truth(self)

    __int__ = __bool__

    def __float__(self) -> float:
        return float(_truth(self))

    def __complex__(self) -> complex:
        return complex(_truth(self))

    def __hash__(self) -> int:
        return hash(_truth(self))


_truth, _hold_truth = hide(bool_)

ABSTRACT = (generic, number, integer, signedinteger, unsignedinteger, inexact, floating, complexfloating)
_FAMILIES = (
    (signedinteger, int, ("int8", "int16", "int32", "int64")),
    (unsignedinteger, int, ("uint8", "uint16", "uint32", "uint64")),
    (floating, float, ("float16", "float32", "float64")),
    (complexfloating, complex, ("complex64", "complex128")),
)  # each a Python number too: what takes an int takes an int64
SCALARS: dict[str, type] = {"bool": bool_} | {
    name: Guarded(name, (family, python), {"__module__": __name__, "__hash__": python.__hash__})
    for family, python, names in _FAMILIES
    for name in names
}
ALIASES = {
    "bool_": "bool", "int_": "int64", "intp": "int64", "long": "int64", "longlong": "int64", "intc": "int32",
    "short": "int16", "byte": "int8", "uint": "uint64", "uintp": "uint64", "ulong": "uint64",
    "uintc": "uint32",
    "ushort": "uint16", "ubyte": "uint8", "half": "float16", "single": "float32", "double": "float64",
    "csingle": "complex64", "cdouble": "complex128",
}  # fmt: skip
OF_NUMPY: dict[type, type] = {np.dtype(name).type: kind for name, kind in SCALARS.items()}
REAL: dict[type, type] = {kind: np.dtype(name).type for name, kind in SCALARS.items()}
REAL_ABSTRACT: dict[type, type] = {kind: getattr(np, kind.__name__) for kind in ABSTRACT}


def plain(scalar: generic) -> Any:
    """Return the exact Python number that a scalar is."""
    match scalar:
        case bool_():
            return _truth(scalar)
        case int():
            return int.__index__(scalar)
        case float():
            return float.__pos__(scalar)
    return complex.__pos__(scalar)


def scalar_of(value: np.generic) -> Any:
    """Return our scalar for one of NumPy's, or refuse a kind that is not offered."""
    kind = OF_NUMPY.get(type(value)) or SCALARS.get(value.dtype.name)
    if kind is None:
        raise TypeError(f"numpy.{type(value).__name__} is not available here")
    if kind is bool_:
        made = _new(bool_)
        _hold_truth(made, bool(value))
        return made
    python = kind.__mro__[kind.__mro__.index(object) - 1]
    return python.__new__(kind, value.item())


# ----- dtypes --------------------------------------------------------------------------------------
_DTYPES: dict[str, dtype] = {}


class dtype(metaclass=Guarded):  # noqa: N801
    """A kind of number, known by its name; there is one object for each."""

    __slots__ = ("held",)

    def __new__(cls, kind: Any = None, *_: Any, **__: Any) -> dtype:
        return dtype_of(real_dtype(kind))

    name = property(lambda self: _name(self))
    type = property(lambda self: SCALARS[_name(self)])
    kind = property(lambda self: np.dtype(_name(self)).kind)
    char = property(lambda self: np.dtype(_name(self)).char)
    num = property(lambda self: np.dtype(_name(self)).num)
    str = property(lambda self: np.dtype(_name(self)).str)
    itemsize = property(lambda self: np.dtype(_name(self)).itemsize)
    alignment = property(lambda self: np.dtype(_name(self)).alignment)
    byteorder = property(lambda self: np.dtype(_name(self)).byteorder)
    isnative = property(lambda self: True)
    ndim = property(lambda self: 0)
    shape = property(lambda self: ())

    def __eq__(self, other: Any) -> bool:
        try:
            return real_dtype(other).name == _name(self)
        except TypeError:
            return False

    def __hash__(self) -> int:
        return hash(_name(self))

    def __repr__(self) -> str:
        return f"dtype({_name(self)!r})"

    def __str__(self) -> str:
        return _name(self)

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(absent("numpy.dtype", name, "'numpy.dtype' object"))


_name, _hold_name = hide(dtype)


def dtype_of(real: np.dtype) -> dtype:
    """Return our dtype for one of NumPy's, or refuse what holds no plain numbers."""
    if real.name not in SCALARS or not real.isnative:
        raise TypeError(f"arrays hold numbers here; the dtype {real.name!r} is not available")
    if real.name not in _DTYPES:
        made = _DTYPES[real.name] = _new(dtype)
        _hold_name(made, real.name)
    return _DTYPES[real.name]


def real_dtype(kind: Any) -> np.dtype:
    """Return NumPy's dtype for whatever may name one, or refuse in NumPy's words."""
    if isinstance(kind, dtype):
        return np.dtype(_name(kind))
    if any(kind is each for each in (None, float, int, bool, complex)):
        return np.dtype(kind)
    if isinstance(kind, type) and kind in REAL:
        return np.dtype(REAL[kind])
    if type(kind) is str:
        real = _parsed(kind)
        return np.dtype(_name(dtype_of(real)))
    if any(kind is each for each in (str, bytes, object)):
        raise TypeError(f"arrays hold numbers here; the dtype {kind.__name__!r} is not available")
    raise TypeError(f"Cannot interpret '{kind!r}' as a data type")


def _parsed(text: str) -> np.dtype:
    try:
        return np.dtype(text[:64])
    except (TypeError, ValueError, SyntaxError):
        raise TypeError(f"data type {text[:64]!r} not understood") from None


Guarded.sealed = True
