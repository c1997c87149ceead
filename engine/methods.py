"""Gives Tensor its operators and methods. The one deliberate side effect of importing the engine."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from engine import absent, autograd, errors, events, functions, hooks, modes, views
from engine import dtype as dtypes
from engine import matmul as products
from engine.apply import apply, apply_inplace
from engine.device import CPU
from engine.functions import inplace, linalg, memory, older, removed, transposed
from engine.functions.checked import checked, wrong_argument
from engine.functions.named import named
from engine.legacy import dtype_named
from engine.numeric import exchange
from engine.operators import OPERATORS, same
from engine.ops import rows
from engine.ops.table import TABLE, F, Op
from engine.pointwise import one, takes_one
from engine.tensor import Size, Tensor, read, strides_of

TENSORS = ("index", "mask")


def needs_tensor(op: Op, name: str) -> bool:
    """Return whether a number cannot stand for an argument: it is an input, and operands are not promoted."""
    return name in op.inputs and op.promote is None and name not in op.defaults


def public(op: Op) -> Callable:
    """Return what a learner calls for a row of the table: arguments by position or keyword."""

    tensors = tuple((i, n) for i, n in enumerate(op.parameters) if n in TENSORS or needs_tensor(op, n))
    alone = one(op) if takes_one(op) else None

    def call(*args: Any, **kwargs: Any) -> Any:
        if alone is not None and len(args) == 1 and not kwargs and isinstance(args[0], Tensor):
            return alone(args[0])
        out = kwargs.pop("out", None)
        if kwargs:
            args = bound(op, args, kwargs)
        if out is not None:
            return into(op, args, out)
        if not args or not isinstance(args[0], Tensor):
            raise wrong_argument(op.name, "input", 1, args[0] if args else None)
        for i, name in tensors:
            if i < len(args) and not isinstance(args[i], Tensor):
                raise wrong_argument(op.name, name, i + 1, args[i])
        return named(op, *args) if op.results else apply(op, *args)

    call.__name__ = call.__qualname__ = op.name
    return call


def into(op: Op, args: tuple, out: Tensor) -> Tensor:
    """Run an operation and put its result into `out`, which autograd cannot follow."""
    memory.check_out(op.name, (*args, out))
    with modes.no_grad():
        return memory.into(out, apply(op, *args))


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


backward.__qualname__ = "Tensor.backward"  # as `print(y.backward)` shows it


def item(self: Tensor) -> Any:
    """Return the one element as a Python number."""
    if self.array.size != 1:
        raise RuntimeError(errors.item_count(self.array.size))
    return read(self, "item").item()


def tolist(self: Tensor) -> Any:
    """Return nested lists of Python numbers."""
    return read(self, "tolist").tolist()


def numpy(self: Tensor, *, force: bool = False) -> Any:
    """Return an array that shares the tensor's memory."""
    found = exchange.numpy(self, force=force)
    read(self, "numpy")
    return found


def detach(self: Tensor) -> Tensor:
    """Return the same memory without history."""
    other = views.detached(self)
    watch = events.observer()
    if watch is not None:
        watch(events.Detached(other, self, "detach", other))
    return other


def detach_(self: Tensor) -> Tensor:
    """Drop the history in place."""
    views.cut(self)
    watch = events.observer()
    if watch is not None:
        watch(events.Detached(self, self, "detach_", self))
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
    if dtype is None:
        name = self.dtype.type_name
        return name if self.place is None else name.replace("torch.", f"torch.{self.place.type}.", 1)
    return functions.to(self, functions.named_type(dtype) if isinstance(dtype, str) else dtype_named(dtype))


def _cast(dtype: Any) -> Callable:
    return lambda self: functions.to(self, dtype)


def where(self: Tensor, condition: Tensor, other: Any) -> Tensor:
    """Keep the elements where a condition holds; take the others from `other`."""
    return functions.where(condition, self, other)


METHODS: dict[str, Any] = {
    "backward": backward,
    "item": item,
    "numpy": numpy,
    "tolist": tolist,
    "size": size,
    "dim": lambda self: self.array.ndim,
    "numel": lambda self: self.array.size,
    "nelement": lambda self: self.array.size,
    "stride": stride,
    "is_contiguous": lambda self: bool(self.array.flags.c_contiguous),
    "type": type_,
    "detach": detach,
    "detach_": detach_,
    "where": where,
    "det": linalg.det,
    "inverse": linalg.inv,
    "slogdet": linalg.slogdet,
    "logdet": linalg.logdet,
    "svd": linalg.older_svd,
    "qr": linalg.older_qr,
    "cholesky": linalg.older_cholesky,
    "pinverse": linalg.pinv,
    "matrix_exp": linalg.matrix_exp,
    "register_hook": hooks.register_tensor_hook,
    "register_post_accumulate_grad_hook": hooks.register_post_accumulate,
    "float": _cast(dtypes.float32),
    "double": _cast(dtypes.float64),
    "half": _cast(dtypes.float16),
    "bfloat16": _cast(dtypes.bfloat16),
    "long": _cast(dtypes.int64),
    "int": _cast(dtypes.int32),
    "short": _cast(dtypes.int16),
    "byte": _cast(dtypes.uint8),
    "char": _cast(dtypes.int8),
    "bool": _cast(dtypes.bool_),
    "data_ptr": lambda self: self.array.ctypes.data,
    "matmul": checked(products.matmul),
    "storage_offset": memory.storage_offset,
    "is_shared": lambda self: False,
    "apply_": memory.apply_,
    "to_dense": same,
    "new": lambda self, *data: functions.to(Tensor(*data), self.dtype),
    "share_memory_": same,
    "untyped_storage": lambda self: memory.Storage(self),
    "map_": memory.map_,
    **removed.METHODS,
    "resize_": memory.resize_,
    "element_size": lambda self: self.dtype.itemsize,
    "ndimension": lambda self: self.array.ndim,
    "as_strided": lambda self, size, stride, storage_offset=None: F.as_strided(
        self, tuple(size), tuple(stride), storage_offset
    ),
}
PROPERTIES: dict[str, Any] = {
    "T": transposed.reversed_dims,
    **{name: transposed.of_matrices(name) for name in ("mT", "H", "mH")},
    "real": functions.real,
    "device": lambda self: self.place or CPU,
    "imag": functions.imag,
    "is_cpu": lambda self: self.place is None,
    "is_nested": lambda self: False,
    "layout": lambda self: "torch.strided",
    "name": lambda self: None,
    "is_sparse": lambda self: False,
    "itemsize": lambda self: self.dtype.itemsize,
    "nbytes": lambda self: self.array.size * self.dtype.itemsize,
}


PROPERTIES |= {  # what none of its tensors is
    "is_" + kind: lambda self: False
    for kind in ("cuda", "mps", "xpu", "xla", "meta", "mkldnn", "mtia", "ipu", "maia", "vulkan", "quantized")
}


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
        setattr(Tensor, name, older.method(name, public(row)))
    for name, row in single_rows("inplace").items():
        setattr(Tensor, name + "_", older.method(name + "_", in_place(row)))
    for name in functions.METHODS:
        setattr(Tensor, name, older.method(name, checked(getattr(functions, name), first=0)))
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
    for name in absent.ABSENT["Tensor"]:
        setattr(Tensor, name, absent.Missing(name))
    Tensor.__dir__ = lambda self: [n for n in object.__dir__(self) if n not in absent.ABSENT["Tensor"]]


assert rows
install()
