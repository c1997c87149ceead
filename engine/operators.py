"""Python's operators and protocols on tensors: what `x + 1`, `len(x)`, `print(x)` and `if x:` do."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from engine import errors, format, functions, indexing, modes
from engine import matmul as products
from engine.apply import apply as applied
from engine.apply import apply_inplace
from engine.functions import inplace
from engine.ops import rows  # noqa: F401 - fills the table
from engine.ops.table import TABLE, F
from engine.pointwise import one, takes_two, two
from engine.tensor import Parameter, Tensor, read
from engine.warned import warn_once

NUMBERS = (bool, int, float, complex)
OPERANDS = (Tensor, *NUMBERS)
EXACTLY = frozenset(OPERANDS)  # asked first, for speed
SUB, POW = two(TABLE["sub"]), two(TABLE["pow"])


# ----- operators ------------------------------------------------------------------------------
def operator(name: str, swapped: bool = False) -> Callable:
    """Return a binary operator; anything but tensors and numbers is Python's own TypeError."""
    row = TABLE[name]
    call = two(row) if takes_two(row) else partial(applied, row)

    def forward(self: Tensor, other: Any) -> Any:
        known = type(other) in EXACTLY or isinstance(other, OPERANDS)
        return call(self, other) if known else NotImplemented

    def backward(self: Tensor, other: Any) -> Any:
        known = type(other) in EXACTLY or isinstance(other, OPERANDS)
        return call(other, self) if known else NotImplemented

    return backward if swapped else forward


def inplace_operator(name: str) -> Callable:
    """Return an augmented assignment such as `+=`."""
    row = TABLE[name]

    def call(self: Tensor, other: Any) -> Any:
        return apply_inplace(row, self, other) if isinstance(other, OPERANDS) else NotImplemented

    return call


def _pow(self: Tensor, other: Any) -> Any:
    if type(other) in (int, float):
        return POW(self, other)
    return functions.pow(self, other) if isinstance(other, OPERANDS) else NotImplemented


def _rpow(self: Tensor, other: Any) -> Any:
    return F.pow__Base(other, self) if isinstance(other, NUMBERS) else NotImplemented


def augmented(name: str) -> Callable:
    """Return an augmented assignment such as `%=` that is a method with a trailing underscore."""
    method = inplace.METHODS[name]
    return lambda self, other: method(self, other) if isinstance(other, OPERANDS) else NotImplemented


def _sub(self: Tensor, other: Any) -> Any:
    if not isinstance(other, OPERANDS):
        return NotImplemented
    if self.array.dtype.kind == "b" or isinstance(other, Tensor) and other.array.dtype.kind == "b":
        functions.refuse_bools(self, other)
    return SUB(self, other)


def _rsub(self: Tensor, other: Any) -> Any:
    if not isinstance(other, NUMBERS):
        return NotImplemented
    return F.sub(other, self) if modes.in_rule() else functions.rsub(self, other)


def _rmod(self: Tensor, other: Any) -> Any:
    return functions.remainder(other, self) if isinstance(other, NUMBERS) else NotImplemented


def _rtruediv(self: Tensor, other: Any) -> Any:
    if modes.in_rule():
        return F.div(other, self)
    return F.mul(F.reciprocal(self), other) if isinstance(other, NUMBERS) else NotImplemented


def _floordiv(self: Tensor, other: Any) -> Any:
    return functions.floor_divide(self, other) if isinstance(other, OPERANDS) else NotImplemented


def _invert(self: Tensor) -> Tensor:
    if self.array.dtype.kind not in "iub":
        raise TypeError("~ (operator.invert) is only implemented on integer and Boolean-type tensors")
    return applied(TABLE["bitwise_not"], self)


def _mod(self: Tensor, other: Any) -> Any:
    return functions.remainder(self, other) if isinstance(other, OPERANDS) else NotImplemented


def _matmul(self: Tensor, other: Any) -> Any:
    return products.matmul(self, other) if isinstance(other, Tensor) else NotImplemented


def _eq(self: Tensor, other: Any) -> Any:
    return applied(TABLE["eq"], self, other) if isinstance(other, OPERANDS) else NotImplemented


def _ne(self: Tensor, other: Any) -> Any:
    return applied(TABLE["ne"], self, other) if isinstance(other, OPERANDS) else NotImplemented


# ----- Python's own protocols -------------------------------------------------------------------
def _bool(self: Tensor) -> bool:
    if self.array.size != 1:
        raise RuntimeError(errors.ambiguous_bool(self.array.size))
    return bool(read(self, "bool").item())


def _len(self: Tensor) -> int:
    if not self.array.ndim:
        raise TypeError("len() of a 0-d tensor")
    return self.array.shape[0]


def _iter(self: Tensor) -> Iterator[Tensor]:
    if not self.array.ndim:
        raise TypeError("iteration over a 0-d tensor")
    return iter(F.unbind(self, 0) if self.array.shape[0] else ())


def _number(kind: type) -> Callable:
    def convert(self: Tensor) -> Any:
        if self.requires_grad:
            warn_once("scalar", errors.SCALAR_OF_GRAD)
        if self.array.size != 1:
            raise ValueError("only one element tensors can be converted to Python scalars")
        return kind(read(self, kind.__name__).item())

    return convert


def _index(self: Tensor) -> int:
    if self.array.size != 1 or self.array.dtype.kind not in "iub":
        raise TypeError("only integer tensors of a single element can be converted to an index")
    return int(read(self, "index").item())


def _format(self: Tensor, spec: str) -> str:
    if not self.array.ndim:
        return format.item_text(self.array, spec) if spec or not isinstance(self, Parameter) else repr(self)
    return object.__format__(repr(self), spec) if not spec else repr(self).__format__(spec)


def _repr(self: Tensor) -> str:
    try:
        node = self.grad_fn
        name = None if node is None else node.type_name
    except RuntimeError:
        name = "Invalid"
    return format.tensor_text(
        self.array, self.dtype, grad_fn=name, requires_grad=self.requires_grad if name != "Invalid" else True,
        parameter=isinstance(self, Parameter), device=None if self.place is None else str(self.place),
    )  # fmt: skip


def _contains(self: Tensor, item: Any) -> bool:
    return bool((self.array == (item.array if isinstance(item, Tensor) else item)).any())


def same(self: Tensor, *_: Any, **__: Any) -> Tensor:
    """Return the tensor itself."""
    return self


OPERATORS: dict[str, Any] = {
    "add": operator("add"),
    "radd": operator("add"),
    "iadd": inplace_operator("add"),
    "sub": _sub,
    "rsub": _rsub,
    "isub": inplace_operator("sub"),
    "mul": operator("mul"),
    "rmul": operator("mul"),
    "imul": inplace_operator("mul"),
    "truediv": operator("div"),
    "rtruediv": _rtruediv,
    "itruediv": inplace_operator("div"),
    "floordiv": _floordiv,
    "rfloordiv": operator("floor_divide", True),
    "mod": _mod,
    "rmod": _rmod,
    "ifloordiv": augmented("floor_divide_"),
    "imod": augmented("remainder_"),
    "pow": _pow,
    "rpow": _rpow,
    "ipow": augmented("pow_"),
    "matmul": _matmul,
    "neg": one(TABLE["neg"]),
    "pos": same,
    "abs": one(TABLE["abs"]),
    "invert": _invert,
    "and": operator("bitwise_and"),
    "or": operator("bitwise_or"),
    "xor": operator("bitwise_xor"),
    "rand": operator("bitwise_and"),
    "ror": operator("bitwise_or"),
    "rxor": operator("bitwise_xor"),
    "lshift": operator("bitwise_left_shift"),
    "rshift": operator("bitwise_right_shift"),
    "rlshift": operator("bitwise_left_shift", True),
    "rrshift": operator("bitwise_right_shift", True),
    "ilshift": inplace_operator("bitwise_left_shift"),
    "irshift": inplace_operator("bitwise_right_shift"),
    "iand": inplace_operator("bitwise_and"),
    "ior": inplace_operator("bitwise_or"),
    "ixor": inplace_operator("bitwise_xor"),
    "eq": _eq,
    "ne": _ne,
    "lt": operator("lt"),
    "le": operator("le"),
    "gt": operator("gt"),
    "ge": operator("ge"),
    "hash": object.__hash__,
    "bool": _bool,
    "len": _len,
    "iter": _iter,
    "float": _number(float),
    "int": _number(int),
    "index": _index,
    "format": _format,
    "repr": _repr,
    "contains": _contains,
    "getitem": indexing.getitem,
    "setitem": indexing.setitem,
}
