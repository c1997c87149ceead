"""The module tree a learner gets for `import torch`: names only, no logic; frozen.

Also says which attribute names of the engine's objects are its own business (`is_internal`), so that
whoever runs foreign code can keep that code away from raw arrays.
"""

from __future__ import annotations

import functools
import importlib
import types
from collections.abc import Callable
from typing import Any

from engine import (
    anomaly,
    autograd,
    create,
    device,
    functions,
    graph,
    methods,
    modes,
    nn,
    node,
    optim,
    random,
)
from engine import dtype as dtypes
from engine import format as text
from engine import functional as functional_derivatives
from engine import tensor as tensors
from engine.matmul import matmul
from engine.nn import functional, init
from engine.ops.table import TABLE


def _soon(name):  # TEMPORARY while pieces land
    try:
        return importlib.import_module(name)
    except ImportError:
        return types.ModuleType(name)


utils, data, function, checkpoint, schedulers = map(
    _soon,
    ("engine.nn.utils", "engine.data", "engine.function", "engine.checkpoint", "engine.optim.schedulers"),
)


class Namespace(types.ModuleType):
    """A module object that cannot be changed."""

    def __init__(self, name: str, names: dict[str, Any]) -> None:
        super().__init__(name)
        self.__dict__.update(names)

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"module '{self.__name__}' cannot be changed here")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"module '{self.__name__}' cannot be changed here")

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"module '{self.__name__}' has no attribute '{name}'")

    def __repr__(self) -> str:
        return f"<module '{self.__name__}'>"


def public(*sources: Any) -> dict[str, Any]:
    """Return what the given modules offer learners: their `__all__`, else the functions they define."""
    found = {}
    for source in sources:
        listed = getattr(source, "__all__", None)
        for name in listed or [n for n in vars(source) if not n.startswith("_")]:
            value = getattr(source, name)
            if listed or (callable(value) and getattr(value, "__module__", "") == source.__name__):
                found[name] = value
    return found


def _table_functions() -> dict[str, Callable]:
    found = {name: methods.public(row) for name, row in methods.single_rows("function").items()}
    found.update((name, getattr(functions, name)) for name in functions.__all__ if name != "axes")
    found.update((name, found[meaning]) for name, meaning in functions.ALIASES.items() if meaning in found)
    return found


def _torch() -> dict[str, Any]:
    names: dict[str, Any] = _table_functions()
    names.update(
        (n, getattr(create, n))
        for n in (
            "tensor as_tensor zeros ones empty full zeros_like ones_like empty_like full_like arange linspace eye "
            "rand randn rand_like randn_like randint randperm normal manual_seed"
        ).split()
    )
    names.update({d.name: d for d in dtypes.DTYPES.values()} | dtypes.ALIASES)
    names.update(
        {n: getattr(modes, n) for n in ("no_grad", "enable_grad", "set_grad_enabled", "inference_mode")}
    )
    names.update(
        Tensor=tensors.Tensor, Size=tensors.Size, device=device.Device, dtype=dtypes.DType, matmul=matmul,
        Generator=random.Generator, is_tensor=lambda obj: isinstance(obj, tensors.Tensor),
        is_grad_enabled=modes.is_grad_enabled, is_inference_mode_enabled=modes.is_inference_mode_enabled,
        set_printoptions=text.set_printoptions, get_default_dtype=dtypes.default_dtype,
        set_default_dtype=dtypes.set_default_dtype, initial_seed=lambda: random.default_generator().initial_seed(),
        FloatTensor=_legacy(dtypes.float32), DoubleTensor=_legacy(dtypes.float64), LongTensor=_legacy(dtypes.int64),
        IntTensor=_legacy(dtypes.int32), BoolTensor=_legacy(dtypes.bool_),
        pi=3.141592653589793, e=2.718281828459045, inf=float("inf"), nan=float("nan"),
        strided="torch.strided", __version__="2.13.0+cpu",
    )  # fmt: skip
    return names


def _legacy(dtype: dtypes.DType) -> Callable:
    def make(*data: Any) -> tensors.Tensor:
        """Return a tensor of a fixed dtype from sizes or a list, as the old constructors do."""
        if len(data) == 1 and isinstance(data[0], (list, tuple)):
            return create.tensor(data[0], dtype=dtype)
        return create.zeros(*data, dtype=dtype)

    return make


@functools.cache
def modules() -> dict[str, Namespace]:
    """Return every importable module by its full name: "torch", "torch.nn", ..."""
    tree: dict[str, dict[str, Any]] = {
        "torch.nn.functional": public(functional),
        "torch.nn.init": public(init),
        "torch.nn.utils": public(utils),
        "torch.nn.parameter": {"Parameter": tensors.Parameter},
        "torch.nn": public(nn),
        "torch.optim.lr_scheduler": public(schedulers),
        "torch.optim": public(optim),
        "torch.autograd.graph": public(graph),
        "torch.autograd.functional": public(functional_derivatives),
        "torch.autograd.anomaly_mode": public(anomaly),
        "torch.autograd.function": public(function),
        "torch.autograd": {
            **public(anomaly),
            "backward": autograd.backward, "grad": autograd.grad, "Function": getattr(function, "Function", None),
            "no_grad": modes.no_grad, "enable_grad": modes.enable_grad, "Variable": _variable,
            "set_grad_enabled": modes.set_grad_enabled, "inference_mode": modes.inference_mode,
        },  # fmt: skip
        "torch.utils.data": public(data),
        "torch.utils.checkpoint": public(checkpoint),
        "torch.utils": {},
        "torch.cuda": {"is_available": lambda: False, "device_count": lambda: 0, "manual_seed": lambda seed: None,
                       "manual_seed_all": lambda seed: None},
        "torch.random": {"manual_seed": create.manual_seed},
        "torch": _torch(),
    }  # fmt: skip
    made: dict[str, Namespace] = {}
    for name in sorted(tree, key=len, reverse=True):
        children = {n.rpartition(".")[2]: m for n, m in made.items() if n.rpartition(".")[0] == name}
        made[name] = Namespace(name, {**tree[name], **children})
    return made


def _variable(data: tensors.Tensor, requires_grad: bool = False, volatile: bool = False) -> tensors.Tensor:
    """Return the tensor itself: `Variable` has been a no-op since PyTorch 0.4."""
    return data.requires_grad_() if requires_grad else data


# ----- what is the engine's own business ---------------------------------------------------------
TENSOR_PUBLIC = frozenset(
    "grad_fn requires_grad requires_grad_ is_leaf grad retains_grad retain_grad data _version _base _is_view dtype "
    "shape ndim output_nr".split()
)
NODE_PUBLIC = frozenset(
    "name next_functions metadata register_hook register_prehook _sequence_nr variable".split()
)
DTYPE_PUBLIC = frozenset("is_floating_point is_complex is_signed itemsize to_complex to_real".split())
GENERATOR_PUBLIC = frozenset("manual_seed initial_seed seed get_state set_state device".split())


def _attributes(cls: type) -> set[str]:
    """Return every attribute name that objects of a class can have of their own."""
    names = {n for c in cls.__mro__ for n in (*vars(c), *getattr(c, "__annotations__", ()))}
    return {n for n in names if not n.startswith("__")}


@functools.cache
def _internals() -> dict[type, frozenset[str]]:
    tensor_names = methods.tensor_names()
    nodes = {"fn", "inner"}
    for cls in (node.Node, *node.Node.__subclasses__()):
        nodes |= _attributes(cls)
    own = {"_seed", "_twister", "_kept"}
    return {
        tensors.Tensor: frozenset(_attributes(tensors.Tensor) - TENSOR_PUBLIC - tensor_names),
        node.Node: frozenset(nodes - NODE_PUBLIC),
        dtypes.DType: frozenset(_attributes(dtypes.DType) - DTYPE_PUBLIC),
        random.Generator: frozenset((_attributes(random.Generator) | own) - GENERATOR_PUBLIC),
        random.GeneratorState: frozenset(_attributes(random.GeneratorState)),
    }


def internal_names() -> frozenset[str]:
    """Return every attribute name that is internal to some engine object."""
    return frozenset().union(*_internals().values())


def is_internal(obj: Any, name: str) -> bool:
    """Return whether `name` is an internal attribute of this very object (or class)."""
    lineage = obj.__mro__ if isinstance(obj, type) else type(obj).__mro__
    table = _internals()
    return any(name in table[cls] for cls in lineage if cls in table)


def is_engine_object(obj: Any) -> bool:
    """Return whether an object, or the class it is, belongs to the engine."""
    lineage = type.__dict__["__mro__"].__get__(obj) if isinstance(obj, type) else type(obj).__mro__
    return any(cls.__module__.split(".")[0] == "engine" for cls in lineage)


assert TABLE
