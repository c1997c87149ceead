"""Gives arrays and scalars Python's operators and protocols, among themselves and with tensors.

A tensor on the right of an array gets the first say, as PyTorch asks for; what it leaves is a TypeError. An
array on the right of a tensor computes, and the result is a tensor without history.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from engine.numeric import sizes
from engine.numeric.border import as_tensor, compute, inside, nested, outside
from engine.numeric.kinds import floating, generic, held, integer, ndarray, plain, wrapped
from engine.tensor import Tensor, make

BINARY = {
    "add": "add", "sub": "subtract", "mul": "multiply", "truediv": "true_divide", "floordiv": "floor_divide",
    "mod": "remainder", "pow": "power", "matmul": "matmul", "and": "bitwise_and", "or": "bitwise_or",
    "xor": "bitwise_xor", "lshift": "left_shift", "rshift": "right_shift", "divmod": "divmod",
}  # fmt: skip
COMPARED = ("lt", "le", "eq", "ne", "gt", "ge")
UNARY = {"neg": operator.neg, "pos": operator.pos, "abs": operator.abs, "invert": operator.invert}
OPERANDS = (int, float, complex, bool, list, tuple, generic, ndarray, Tensor, type(None))
CONCATENATION = (
    "Concatenation operation is not implemented for NumPy arrays, use np.concatenate() instead. Please do "
    "not rely on this error; it may not be given on all Python implementations."
)
NO_INDEX = (
    "only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) and integer or boolean arrays are "
    "valid indices"
)


def function_of(name: str) -> Callable:
    """Return Python's own function of an operator."""
    return divmod if name == "divmod" else getattr(operator, f"__{name}__")


def computed(function: Callable, left: Any, right: Any) -> Any:
    """Compute with two values that are inside."""
    rule = sizes.matrix_products if function is operator.matmul else sizes.broadcast
    sizes.check_call(rule, [left, right], {})
    return compute(function, (left, right))


# ----- two operands ----------------------------------------------------------------------------------
def of_arrays(name: str) -> tuple[Callable, Callable]:
    """Return an array's operator and the one for its right side."""
    function, ufunc = function_of(name), getattr(np, BINARY[name])

    def forward(self: ndarray, other: Any) -> Any:
        if isinstance(other, Tensor):
            return left_of_tensor(self, other, name)
        if not isinstance(other, OPERANDS):
            return NotImplemented
        return outside(computed(function, held(self), inside(other)))

    def backward(self: ndarray, other: Any) -> Any:
        if not isinstance(other, OPERANDS):
            return NotImplemented
        if isinstance(other, Tensor):
            return as_tensor(computed(ufunc, inside(other), held(self)))
        return outside(computed(function, inside(other), held(self)))

    return forward, backward


def left_of_tensor(array: ndarray, tensor: Tensor, name: str) -> Any:
    """Return what `array + tensor` gives: the tensor decides, and knows only `/`."""
    if name == "add":
        raise TypeError(CONCATENATION)
    return tensor.reciprocal() * array if name == "truediv" else NotImplemented


def of_scalars(name: str) -> tuple[Callable, Callable]:
    """Return a scalar's operator and the one for its right side. With tensors it is a plain number."""
    function = function_of(name)

    def forward(self: Any, other: Any) -> Any:
        if isinstance(other, Tensor):
            return NotImplemented if name == "matmul" else function(plain(self), other)
        if not isinstance(other, OPERANDS):
            return NotImplemented
        return outside(computed(function, inside(self), inside(other)))

    def backward(self: Any, other: Any) -> Any:
        if isinstance(other, Tensor):
            return NotImplemented if name == "matmul" else function(other, plain(self))
        if not isinstance(other, OPERANDS):
            return NotImplemented
        return outside(computed(function, inside(other), inside(self)))

    return forward, backward


def in_place(name: str) -> Callable:
    """Return an array's augmented assignment, which writes into its memory."""
    function = getattr(operator, f"__i{name}__")

    def update(self: ndarray, other: Any) -> Any:
        if isinstance(other, Tensor):
            if name == "add":
                raise TypeError(CONCATENATION)
            return NotImplemented
        if not isinstance(other, OPERANDS):
            return NotImplemented
        return outside(computed(function, held(self), inside(other)), (self,))

    return update


def comparison(name: str) -> Callable:
    """Return a comparison; only equality is defined between arrays and tensors."""
    function = function_of(name)

    def compare(self: Any, other: Any) -> Any:
        if isinstance(other, Tensor):
            if isinstance(self, generic):
                return function(plain(self), other)
            unequal = True if name == "ne" else NotImplemented
            return function(other, make(held(self))) if name == "eq" else unequal
        if not isinstance(other, OPERANDS) and not (isinstance(other, str) and name in ("eq", "ne")):
            return NotImplemented
        return outside(computed(function, inside(self), inside(other)))

    return compare


def unary(function: Callable) -> Callable:
    """Return an operator of one operand."""
    return lambda self: outside(compute(function, (inside(self),)))


# ----- Python's own protocols ------------------------------------------------------------------------
def length(self: ndarray) -> int:
    """Return the size of the first dimension."""
    return compute(len, (held(self),))


def iterate(self: ndarray) -> Iterator:
    """Go through the first dimension."""
    array = held(self)
    compute(iter, (array,))
    return map(lambda i: outside(array[i]), range(len(array)))  # a generator would show its frame


def converted(python: Callable) -> Callable:
    """Return a conversion to one of Python's numbers."""
    return lambda self: compute(python, (held(self),))


def key(index: Any) -> Any:
    """Return an index as NumPy gets it."""
    if isinstance(index, Tensor) and index.array.dtype.kind not in "iub":
        raise IndexError(NO_INDEX)
    if type(index) is tuple:
        return tuple(key(part) for part in index)
    return nested(index, [0]) if type(index) is list else inside(index)


def item(self: Any, index: Any) -> Any:
    """Return what an index names."""
    array, place = inside(self), key(index)
    if isinstance(array, np.ndarray):
        sizes.check_call(sizes.picked, [array, place], {})
    return outside(compute(operator.getitem, (array, place)))


def set_item(self: ndarray, index: Any, value: Any) -> None:
    """Write into what an index names."""
    if isinstance(value, Tensor) and not value.array.ndim and value.requires_grad and is_one(index):
        value = float(value)  # a single place asks a tensor for its number, which warns
    elif isinstance(value, Tensor) and value.array.size > 1 and is_one(index) and held(self).ndim == 1:
        float(value)  # which refuses
    place = key(index)
    sizes.check_call(sizes.picked, [held(self), place], {})
    compute(operator.setitem, (held(self), place, inside(value)))


def is_one(index: Any) -> bool:
    """Return whether an index is made of numbers only."""
    return all(isinstance(part, int) for part in (index if type(index) is tuple else (index,)))


def contains(self: ndarray, value: Any) -> bool:
    """Return whether any element is equal."""
    return bool(compute(operator.contains, (held(self), inside(value))))


def text(python: Callable) -> Callable:
    """Return `repr` or `str`, in NumPy's own text."""
    return lambda self: compute(python, (inside(self),))


def formatted(self: Any, spec: str) -> str:
    """Write a value as an f-string asks."""
    return compute(format, (inside(self), str(spec)))


def rounded(self: Any, digits: Any = None) -> Any:
    """Do what Python's `round` does."""
    value = inside(self)
    return outside(compute(round, (value,) if digits is None else (value, inside(digits))))


def copied(self: ndarray, memo: Any = None) -> ndarray:
    """Return an array with memory of its own."""
    return wrapped(held(self).copy())


def refuse_conversion(self: ndarray, *_: Any, **__: Any) -> Any:
    """Keep NumPy itself from turning one of ours into its own: whoever asks should have brought it in."""
    raise TypeError("expected Tensor as an argument, but got numpy.ndarray")


ARRAY: dict[str, Any] = {
    "len": length, "iter": iterate, "getitem": item, "setitem": set_item, "contains": contains,
    "bool": converted(bool), "int": converted(int), "float": converted(float), "complex": converted(complex),
    "index": converted(operator.index), "repr": text(repr), "str": text(str), "format": formatted,
    "copy": copied,
    "deepcopy": copied, "class_getitem": classmethod(lambda cls, _: cls), "array": refuse_conversion,
}  # fmt: skip
SCALAR: dict[str, Any] = {"repr": text(repr), "str": text(str), "format": formatted, "getitem": item}


def install() -> None:
    """Hang the operators on the classes."""
    for name in BINARY:
        for kind, made in ((ndarray, of_arrays(name)), (generic, of_scalars(name))):
            setattr(kind, f"__{name}__", made[0])
            setattr(kind, f"__r{name}__", made[1])
        if name != "divmod":
            setattr(ndarray, f"__i{name}__", in_place(name))
    for kind in (ndarray, generic):
        for name in COMPARED:
            setattr(kind, f"__{name}__", comparison(name))
        for name, function in UNARY.items():
            setattr(kind, f"__{name}__", unary(function))
    ndarray.__hash__ = None
    for kind, names in ((ndarray, ARRAY), (generic, SCALAR)):
        for name, method in names.items():
            setattr(kind, f"__{name}__", method)
    for kind in (integer, floating):
        kind.__round__ = rounded


install()
