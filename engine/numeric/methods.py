"""Gives arrays and scalars NumPy's methods and properties: one table, since both have the same."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from engine.numeric import border, sizes
from engine.numeric.border import compute, inside, outside
from engine.numeric.hidden import hide
from engine.numeric.kinds import dtype_of, generic, held, ndarray, real_dtype

METHODS = """all any argmax argmin argpartition argsort choose clip compress conj conjugate copy cumprod
cumsum diagonal dot fill flatten item max mean min nonzero partition prod put ravel repeat reshape round
searchsorted sort squeeze std sum swapaxes take tobytes tolist trace transpose var""".split()
RULES = {
    "repeat": sizes.repeated, "dot": sizes.vector_products, "take": sizes.taken,
    "searchsorted": sizes.broadcast,
    "choose": sizes.broadcast, "clip": sizes.broadcast, "diagonal": sizes.broadcast,
}  # fmt: skip
ARRAYS_ONLY = ("fill", "partition", "argpartition", "put", "sort")
PROPERTIES = ("ndim", "size", "itemsize", "nbytes", "strides", "T", "real", "imag")
FLAGS = {
    "C_CONTIGUOUS": "c_contiguous", "F_CONTIGUOUS": "f_contiguous", "OWNDATA": "owndata",
    "WRITEABLE": "writeable", "ALIGNED": "aligned", "WRITEBACKIFCOPY": "writebackifcopy",
}  # fmt: skip


def method(name: str) -> Callable:
    """Return a method that does what NumPy's does."""
    rule = RULES.get(name)

    def call(self: Any, *args: Any, **named: Any) -> Any:
        border.refuse(name, args, named)
        value = inside(self)
        given = [inside(a) for a in args]
        given_by_name = {k: border.keyword(k, v) for k, v in named.items()}
        if rule is not None:
            sizes.check_call(rule, [value, *given], given_by_name)
        return outside(compute(getattr(value, name), given, given_by_name), (*args, *named.values()))

    call.__name__ = call.__qualname__ = name
    return call


def astype(self: Any, dtype: Any, *args: Any, **named: Any) -> Any:
    """Return the numbers as another kind."""
    return outside(compute(inside(self).astype, (real_dtype(dtype), *map(inside, args)), named), (self,))


def view(self: Any, dtype: Any = None) -> Any:
    """Return the same memory, as another kind of number if one is given."""
    return outside(compute(inside(self).view, () if dtype is None else (real_dtype(dtype),)))


def set_shape(self: ndarray, shape: Any) -> None:
    """Give the array another shape in place."""
    compute(setattr, (held(self), "shape", inside(shape)))


class flatiter:  # noqa: N801
    """What `a.flat` is: all elements in one dimension, to read and to write."""

    __slots__ = ("held",)

    def __init__(self, array: ndarray) -> None:
        if type(array) is not ndarray:
            raise TypeError("cannot create 'numpy.flatiter' instances")
        _hold_all(self, held(array))

    def __iter__(self) -> Any:
        return map(outside, _all(self).flat)

    def __len__(self) -> int:
        return _all(self).size

    def __getitem__(self, index: Any) -> Any:
        return outside(compute(_all(self).flat.__getitem__, (inside(index),)))

    def __setitem__(self, index: Any, value: Any) -> None:
        compute(_all(self).flat.__setitem__, (inside(index), inside(value)))


_all, _hold_all = hide(flatiter)


def flat(self: ndarray) -> flatiter:
    """Return the elements one after another."""
    return flatiter(self)


def set_flat(self: ndarray, value: Any) -> None:
    """Write all elements."""
    flatiter(self)[:] = value


class flagsobj:  # noqa: N801
    """What `a.flags` is: how the memory lies, to read."""

    __slots__ = ("held",)

    def __init__(self, array: ndarray) -> None:
        _hold_flags(self, {name: bool(getattr(held(array).flags, name)) for name in FLAGS.values()})

    def __getitem__(self, name: str) -> bool:
        if name not in FLAGS:
            raise KeyError("Unknown flag")
        return _flags(self)[FLAGS[name]]

    def __getattr__(self, name: str) -> bool:
        if name in FLAGS.values():
            return _flags(self)[name]
        raise AttributeError(f"'numpy._core.multiarray.flagsobj' object has no attribute '{name}'")

    def __repr__(self) -> str:
        return "".join(f"  {name} : {_flags(self)[field]}\n" for name, field in FLAGS.items())


_flags, _hold_flags = hide(flagsobj)


def install() -> None:
    """Hang the methods and properties on the classes."""
    for kind in (ndarray, generic):
        for name in METHODS:
            if kind is ndarray or name not in ARRAYS_ONLY:
                setattr(kind, name, method(name))
        kind.astype, kind.view = astype, view
        for name in PROPERTIES:
            setattr(kind, name, property(lambda self, name=name: outside(getattr(inside(self), name))))
        kind.dtype = property(lambda self: dtype_of(inside(self).dtype))
    generic.shape = property(lambda self: ())
    ndarray.shape = property(lambda self: held(self).shape, set_shape)
    ndarray.flat = property(flat, set_flat)
    ndarray.flags = property(flagsobj)


install()
