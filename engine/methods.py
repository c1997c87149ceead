"""Gives Tensor its operators and methods. The one deliberate side effect of importing the engine."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

from engine import autograd, errors, format, functions, hooks, indexing, modes, views
from engine import dtype as dtypes
from engine import matmul as products
from engine.apply import apply, apply_inplace
from engine.device import CPU
from engine.functions import inplace
from engine.functions.named import named
from engine.ops import rows
from engine.ops.table import TABLE, F, Op
from engine.tensor import Parameter, Size, Tensor, strides_of

NUMBERS = (bool, int, float, complex)
OPERANDS = (Tensor, *NUMBERS)


def public(op: Op) -> Callable:
    """Return what a learner calls for a row of the table: arguments by position or keyword."""

    def call(*args: Any, **kwargs: Any) -> Any:
        if kwargs:
            args = bound(op, args, kwargs)
        if not args or not isinstance(args[0], Tensor):
            kind = type(args[0]).__name__ if args else "nothing"
            raise TypeError(f"{op.name}(): argument 'input' (position 1) must be Tensor, not {kind}")
        return named(op, *args) if op.results else apply(op, *args)

    call.__name__ = call.__qualname__ = op.name
    return call


def bound(op: Op, args: tuple, kwargs: dict) -> tuple:
    """Return arguments in the order of the row's parameters."""
    values = dict(zip(op.parameters, args, strict=False))
    for name, value in kwargs.items():
        name = "self" if name == "input" else "dim" if name == "axis" else name
        if name not in op.parameters:
            raise TypeError(f"{op.name}() got an unexpected keyword argument '{name}'")
        values[name] = value
    return tuple(values.get(n, op.defaults.get(n)) for n in op.parameters)


def in_place(op: Op) -> Callable:
    """Return the method with a trailing underscore: the row's result written into the tensor."""

    def call(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        if kwargs:
            args = bound(op, (self, *args), kwargs)[1:]
        return apply_inplace(op, self, *args)

    call.__name__ = op.name + "_"
    return call


# ----- operators ------------------------------------------------------------------------------
def operator(name: str, swapped: bool = False) -> Callable:
    """Return a binary operator; anything but tensors and numbers is Python's own TypeError."""
    row = TABLE[name]

    def forward(self: Tensor, other: Any) -> Any:
        return apply(row, self, other) if isinstance(other, OPERANDS) else NotImplemented

    def backward(self: Tensor, other: Any) -> Any:
        return apply(row, other, self) if isinstance(other, OPERANDS) else NotImplemented

    return backward if swapped else forward


def inplace_operator(name: str) -> Callable:
    """Return an augmented assignment such as `+=`."""
    row = TABLE[name]

    def call(self: Tensor, other: Any) -> Any:
        return apply_inplace(row, self, other) if isinstance(other, OPERANDS) else NotImplemented

    return call


def _pow(self: Tensor, other: Any) -> Any:
    return functions.pow(self, other) if isinstance(other, OPERANDS) else NotImplemented


def _rpow(self: Tensor, other: Any) -> Any:
    return F.pow__Base(other, self) if isinstance(other, NUMBERS) else NotImplemented


def _ipow(self: Tensor, other: Any) -> Any:
    return apply_inplace(TABLE["pow.Tensor" if isinstance(other, Tensor) else "pow"], self, other)


def _rsub(self: Tensor, other: Any) -> Any:
    if not isinstance(other, NUMBERS):
        return NotImplemented
    return F.sub(other, self) if modes.in_rule() else F.rsub__Scalar(self, other)


def _rmod(self: Tensor, other: Any) -> Any:
    return functions.remainder(other, self) if isinstance(other, NUMBERS) else NotImplemented


def _rtruediv(self: Tensor, other: Any) -> Any:
    if modes.in_rule():
        return F.div(other, self)
    return F.mul(F.reciprocal(self), other) if isinstance(other, NUMBERS) else NotImplemented


def _floordiv(self: Tensor, other: Any) -> Any:
    return functions.floor_divide(self, other) if isinstance(other, OPERANDS) else NotImplemented


def _mod(self: Tensor, other: Any) -> Any:
    return functions.remainder(self, other) if isinstance(other, OPERANDS) else NotImplemented


def _matmul(self: Tensor, other: Any) -> Any:
    return products.matmul(self, other) if isinstance(other, Tensor) else NotImplemented


def _eq(self: Tensor, other: Any) -> Any:
    return apply(TABLE["eq"], self, other) if isinstance(other, OPERANDS) else False


def _ne(self: Tensor, other: Any) -> Any:
    return apply(TABLE["ne"], self, other) if isinstance(other, OPERANDS) else True


# ----- Python's own protocols -------------------------------------------------------------------
def _bool(self: Tensor) -> bool:
    if self.array.size != 1:
        raise RuntimeError(errors.ambiguous_bool(self.array.size))
    return bool(self.array.item())


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
        if self.array.size != 1:
            raise ValueError("only one element tensors can be converted to Python scalars")
        if self.requires_grad and "scalar" not in autograd._warned:
            autograd._warned.add("scalar")
            warnings.warn(errors.SCALAR_OF_GRAD, UserWarning, stacklevel=2)
        return kind(self.array.item())

    return convert


def _index(self: Tensor) -> int:
    if self.array.size != 1 or self.array.dtype.kind not in "iub":
        raise TypeError("only integer tensors of a single element can be converted to an index")
    return int(self.array.item())


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
        parameter=isinstance(self, Parameter),
    )  # fmt: skip


def _contains(self: Tensor, item: Any) -> bool:
    return bool((self.array == (item.array if isinstance(item, Tensor) else item)).any())


def _getattr(self: Tensor, name: str) -> Any:
    raise AttributeError(errors.missing_attribute(type(self).__name__, name))


# ----- methods that are no operation -----------------------------------------------------------
def backward(
    self: Tensor,
    gradient: Any = None,
    retain_graph: Any = None,
    create_graph: bool = False,
    inputs: Any = None,
) -> None:
    """Compute gradients of this tensor and add them into the `.grad` of the leaves it came from."""
    autograd.backward((self,), gradient, retain_graph, create_graph, inputs=inputs, api="Tensor.backward")


def item(self: Tensor) -> Any:
    """Return the one element as a Python number."""
    if self.array.size != 1:
        raise RuntimeError(errors.item_count(self.array.size))
    return self.array.item()


def detach_(self: Tensor) -> Tensor:
    """Drop the history in place."""
    if self.base is not None:
        raise RuntimeError(errors.cant_detach_view())
    self.node, self.output_nr, self.requires = None, 0, False
    return self


def size(self: Tensor, dim: int | None = None) -> Any:
    """Return the shape, or the size of one dimension."""
    return (
        Size(self.array.shape) if dim is None else self.array.shape[functions.axes(dim, self.array.ndim)[0]]
    )


def stride(self: Tensor, dim: int | None = None) -> Any:
    """Return the steps in memory, in elements."""
    return strides_of(self.array) if dim is None else strides_of(self.array)[dim]


def type_(self: Tensor, dtype: Any = None) -> Any:
    """Return the legacy type name, or the tensor in another dtype."""
    return self.dtype.type_name if dtype is None else functions.to(self, dtype)


def _cast(dtype: Any) -> Callable:
    return lambda self: functions.to(self, dtype)


def _same(self: Tensor, *_: Any, **__: Any) -> Tensor:
    return self


OPERATORS: dict[str, Any] = {
    "add": operator("add"), "radd": operator("add"), "iadd": inplace_operator("add"),
    "sub": operator("sub"), "rsub": _rsub, "isub": inplace_operator("sub"),
    "mul": operator("mul"), "rmul": operator("mul"), "imul": inplace_operator("mul"),
    "truediv": operator("div"), "rtruediv": _rtruediv, "itruediv": inplace_operator("div"),
    "floordiv": _floordiv, "rfloordiv": operator("floor_divide", True), "mod": _mod, "rmod": _rmod,
    "pow": _pow, "rpow": _rpow, "ipow": _ipow, "matmul": _matmul,
    "neg": lambda self: apply(TABLE["neg"], self), "pos": _same, "abs": lambda self: apply(TABLE["abs"], self),
    "invert": lambda self: apply(TABLE["bitwise_not"], self),
    "and": operator("bitwise_and"), "or": operator("bitwise_or"), "xor": operator("bitwise_xor"),
    "eq": _eq, "ne": _ne, "lt": operator("lt"), "le": operator("le"), "gt": operator("gt"), "ge": operator("ge"),
    "hash": object.__hash__, "bool": _bool, "len": _len, "iter": _iter, "float": _number(float), "int": _number(int),
    "index": _index, "format": _format, "repr": _repr, "contains": _contains, "getattr": _getattr,
    "getitem": indexing.getitem, "setitem": indexing.setitem,
}  # fmt: skip
METHODS: dict[str, Any] = {
    "backward": backward, "item": item, "tolist": lambda self: self.array.tolist(), "size": size,
    "dim": lambda self: self.array.ndim, "numel": lambda self: self.array.size, "nelement": lambda self: self.array.size,
    "stride": stride, "is_contiguous": lambda self: bool(self.array.flags.c_contiguous), "type": type_,
    "detach": views.detached, "detach_": detach_, 
    "where": lambda self, condition, other: functions.where(condition, self, other),
    "register_hook": hooks.register_tensor_hook,
    "register_post_accumulate_grad_hook": hooks.register_post_accumulate,
    "float": _cast(dtypes.float32), "double": _cast(dtypes.float64), "half": _cast(dtypes.float16),
    "bfloat16": _cast(dtypes.bfloat16), "long": _cast(dtypes.int64), "int": _cast(dtypes.int32),
    "short": _cast(dtypes.int16), "bool": _cast(dtypes.bool_), "cpu": _same, "data_ptr": lambda self: id(self.array),
    "matmul": products.matmul, "is_floating_point": lambda self: self.dtype.is_floating_point,
    "is_complex": lambda self: self.dtype.is_complex, "is_inference": lambda self: self.inference,
    "element_size": lambda self: self.dtype.itemsize, "ndimension": lambda self: self.array.ndim,
    "as_strided": lambda self, size, stride, storage_offset=None: F.as_strided(self, tuple(size), tuple(stride), storage_offset),
}  # fmt: skip
PROPERTIES: dict[str, Any] = {
    "T": lambda self: F.permute(self, tuple(reversed(range(self.array.ndim)))),
    "mT": lambda self: F.transpose(self, -2, -1), "H": lambda self: F.transpose(self, 0, 1),
    "mH": lambda self: F.transpose(self, -2, -1), "real": _same, "device": lambda self: CPU, "is_cuda": lambda self: False,
    "is_sparse": lambda self: False, "itemsize": lambda self: self.dtype.itemsize,
    "nbytes": lambda self: self.array.size * self.dtype.itemsize,
}  # fmt: skip


def single_rows(where: str) -> dict[str, Op]:
    """Return the rows that are public under their own name: as "method", as "function", or "inplace"."""
    return {name: op for name, op in TABLE.items() if where in op.spelled}


def tensor_names() -> set[str]:
    """Return every name that `install` hangs on Tensor for learners, operators aside."""
    aliases = {name + ending for name in functions.ALIASES for ending in ("", "_")}
    own = {name + "_" for name in single_rows("inplace")} | set(single_rows("method"))
    return own | aliases | set(functions.METHODS) | set(inplace.METHODS) | set(METHODS) | set(PROPERTIES)


def install() -> None:
    """Hang everything on Tensor: rows first, then what is written by hand."""
    for name, row in single_rows("method").items():
        setattr(Tensor, name, public(row))
    for name, row in single_rows("inplace").items():
        setattr(Tensor, name + "_", in_place(row))
    for name in functions.METHODS:
        setattr(Tensor, name, getattr(functions, name))
    for name, method in inplace.METHODS.items():
        setattr(Tensor, name, method)
    for name, meaning in functions.ALIASES.items():
        for ending in ("", "_"):
            if hasattr(Tensor, meaning + ending) and not hasattr(Tensor, name + ending):
                setattr(Tensor, name + ending, getattr(Tensor, meaning + ending))
    for name, method in METHODS.items():
        setattr(Tensor, name, method)
    for name, getter in PROPERTIES.items():
        setattr(Tensor, name, property(getter))
    for name, method in OPERATORS.items():
        setattr(Tensor, f"__{name}__", method)


assert rows
install()
