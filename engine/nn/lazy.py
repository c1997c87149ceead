"""Layers that learn their input's size from the first input: until then their parameters have no shape."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from engine import dtype as dtypes
from engine.device import making
from engine.nn import convolution, normalization
from engine.nn.layers import Linear
from engine.nn.module import Module, filling
from engine.ops.table import Op
from engine.tensor import Parameter, Tensor, make_at

NO_SHAPE = (
    "Can't access the shape of an uninitialized parameter or buffer. This error usually happens in "
    "`load_state_dict` when trying to load an uninitialized parameter into an initialized one. Call "
    "`forward` to initialize the parameters before accessing their attributes."
)


def attempted() -> str:
    """Return PyTorch's refusal to compute with what has no shape; the call's own frames say what it was."""
    frame, name = sys._getframe(2), "a function"
    while frame is not None and frame.f_globals.get("__name__", "").startswith("engine."):
        operation = frame.f_locals.get("op") or frame.f_locals.get("row")
        if isinstance(operation, Op):
            name = f"<method '{operation.name.partition('.')[0]}' of 'torch._C.TensorBase' objects>"
            break
        name = f"<function {frame.f_code.co_name} at {id(frame.f_code):#x}>"
        frame = frame.f_back
    return attempted_by(name)


def attempted_by(name: str) -> str:
    """Return PyTorch's refusal of what a program has called by name."""
    return (
        f"Attempted to use an uninitialized parameter in {name}. This error happens when you are using a "
        "`LazyModule` or explicitly manipulating `torch.nn.parameter.UninitializedParameter` objects. When "
        "using LazyModules Call `forward` with a dummy batch to initialize the parameters before calling "
        "torch functions"
    )


def refusing(name: str) -> Callable:
    """Return a method of what has no shape."""

    def method(self: Any, *_: Any, **__: Any) -> None:
        raise ValueError(attempted_by(f"<method '{name}' of 'torch._C.TensorBase' objects>"))

    method.__name__ = name
    return method


class UninitializedTensor(Tensor):
    """What parameters and buffers without a shape share."""

    settled: type = Tensor
    kind: Any
    at: Any
    dtype = property(lambda self: self.kind)  # type: ignore[assignment]
    uninitialized = True

    @property
    def array(self) -> np.ndarray:  # type: ignore[override]
        raise ValueError(attempted())

    @property
    def shape(self) -> Any:  # type: ignore[override]
        raise RuntimeError(NO_SHAPE)

    @property
    def data(self) -> Tensor:  # type: ignore[override]
        return make_at(np.empty(0, self.kind.numpy), self.kind if self.kind.is_odd else None, self.at)

    def materialize(self, shape: Any, device: Any = None, dtype: Any = None) -> None:
        """Give it a shape: from now on it is a parameter or buffer like any other, the same object."""
        kind, place = dtype or self.kind, self.at
        self.__class__ = self.settled  # type: ignore[assignment]
        self.array = np.zeros(tuple(shape), kind.numpy)
        self.exotic, self.place = (kind if kind.is_odd else None), place

    numel, size, dim, item, tolist = map(refusing, ("numel", "size", "dim", "item", "tolist"))  # type: ignore

    def __repr__(self) -> str:
        return f"<{type(self).__name__}>"

    __str__ = __repr__

    def __deepcopy__(self, memo: dict) -> Tensor:
        return memo.setdefault(id(self), made(type(self), self.kind, self.at))

    def __init__(self, requires_grad: bool = True, device: Any = None, dtype: Any = None) -> None:
        begun = made(type(self), dtype or dtypes.default_dtype(), making())
        self.__dict__.update(vars(begun))
        self.requires = requires_grad and self.settled is Parameter


class UninitializedParameter(UninitializedTensor, Parameter):
    """A parameter without a shape."""

    settled = Parameter


class UninitializedBuffer(UninitializedTensor):
    """A buffer without a shape."""


def made(kind: type, dtype: Any, place: Any) -> Any:
    """Return a parameter or buffer without a shape."""
    new = object.__new__(kind)
    new.kind, new.at = dtype, place
    new.requires = kind is UninitializedParameter
    return new


class Lazy(Module):
    """A layer whose parameters get their shapes from the first input; it becomes `becomes` then."""

    becomes: type
    buffers_too: tuple[str, ...] = ()

    def begin(self, names: dict[str, bool], dtype: Any, device: Any) -> None:
        """Register parameters (by name: whether there is one) that have no shape yet."""
        with filling(self, device):
            for name, wanted in names.items():
                held = UninitializedParameter(dtype=dtype) if wanted else None
                self.__dict__["_parameters"][name] = held

    def has_uninitialized_params(self) -> bool:
        """Say whether a parameter or buffer has no shape yet."""
        return any(is_open(t) for t in (*self._parameters.values(), *self._buffers.values()))

    def sizes(self, input: Tensor) -> dict[str, tuple[int, ...]]:
        """Note the input's size, and return the shapes of parameters and buffers that follow from it."""
        raise NotImplementedError

    def initialize_parameters(self, input: Tensor) -> None:
        """Give parameters and buffers their shapes and first values."""
        if not self.has_uninitialized_params():
            return
        shapes = self.sizes(input)
        with filling(self):
            for shelf in (self._parameters, self._buffers):
                for name, tensor in shelf.items():
                    if is_open(tensor):
                        tensor.materialize(shapes[name])
            self.becomes.reset_parameters(self)

    def reset_parameters(self) -> None:
        """Draw nothing: there is nothing to fill yet."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        self.initialize_parameters(*args, **kwargs)
        self.__class__ = self.becomes  # type: ignore[assignment]
        return self(*args, **kwargs)


def is_open(tensor: Tensor | None) -> bool:
    """Say whether something has no shape yet."""
    return tensor is not None and tensor.uninitialized


class LazyLinear(Lazy, Linear):
    """A linear map that learns `in_features` from its first input."""

    becomes = Linear

    def __init__(self, out_features: int, bias: bool = True, device: Any = None, dtype: Any = None) -> None:
        Module.__init__(self)
        self.in_features, self.out_features = 0, out_features
        self.begin({"weight": True, "bias": bias}, dtype, device)

    def initialize_parameters(self, input: Tensor) -> None:
        """Give parameters their shapes; after `load_state_dict` only note the number of features."""
        super().initialize_parameters(input)
        self.in_features = input.array.shape[-1]

    def sizes(self, input: Tensor) -> dict[str, tuple[int, ...]]:
        self.in_features = input.array.shape[-1]
        return {"weight": (self.out_features, self.in_features), "bias": (self.out_features,)}


class LazyConvolution(Lazy):
    """A convolution that learns `in_channels` from its first input."""

    def __init__(
        self, out_channels: int, kernel_size: Any, stride: Any = 1, padding: Any = 0, *rest: Any,
        bias: bool = True, device: Any = None, dtype: Any = None, **named: Any,
    ) -> None:  # fmt: skip
        groups = named.get("groups", 1)
        self.becomes.__init__(self, 0, 0, kernel_size, stride, padding, *rest, bias=False, **named)
        self.out_channels, self.groups = out_channels, groups
        self.begin({"weight": True, "bias": bias}, dtype, device)

    def sizes(self, input: Tensor) -> dict[str, tuple[int, ...]]:
        dims, ndim, size = self.dims, input.array.ndim, input.shape
        if ndim not in (dims + 1, dims + 2):
            raise RuntimeError(
                f"Expected {dims + 1}D (unbatched) or {dims + 2}D (batched) input to {type(self).__name__}, "
                f"but got input of size: {size}"
            )
        self.in_channels = input.array.shape[-dims - 1]
        if self.in_channels % self.groups != 0:
            raise ValueError("in_channels must be divisible by groups")
        ends = (self.out_channels, self.in_channels // self.groups)
        if self.transposed:
            ends = (self.in_channels, self.out_channels // self.groups)
        return {"weight": (*ends, *self.kernel_size), "bias": (self.out_channels,)}


class LazyNormalization(Lazy):
    """A normalisation that learns `num_features` from its first input."""

    def __init__(
        self, eps: float = 1e-5, momentum: float | None = 0.1, affine: bool = True,
        track_running_stats: bool = True, device: Any = None, dtype: Any = None, *, bias: bool = True,
    ) -> None:  # fmt: skip
        self.becomes.__init__(self, 0, eps, momentum, False, False, device, dtype)
        self.affine, self.track_running_stats = affine, track_running_stats
        self.begin({"weight": affine, "bias": affine and bias}, dtype, device)
        if track_running_stats:
            for name in ("running_mean", "running_var"):
                self._buffers[name] = UninitializedBuffer(dtype=dtype)
            self._buffers["num_batches_tracked"] = make_at(np.zeros((), np.int64), None, making())

    def sizes(self, input: Tensor) -> dict[str, tuple[int, ...]]:
        self.num_features = input.array.shape[1]
        return dict.fromkeys(("weight", "bias", "running_mean", "running_var"), (self.num_features,))


def lazy(kind: type, base: type) -> type:
    """Return the lazy form of a layer."""
    name = f"Lazy{kind.__name__}"
    text = f"{kind.__name__} that learns the size of its input from the first one."
    return type(name, (base, kind), {"becomes": kind, "__doc__": text, "__module__": __name__})


LazyConv1d, LazyConv2d = (lazy(k, LazyConvolution) for k in (convolution.Conv1d, convolution.Conv2d))
LazyConvTranspose1d, LazyConvTranspose2d = (
    lazy(k, LazyConvolution) for k in (convolution.ConvTranspose1d, convolution.ConvTranspose2d)
)
LazyBatchNorm1d, LazyBatchNorm2d, LazyBatchNorm3d = (
    lazy(k, LazyNormalization)
    for k in (normalization.BatchNorm1d, normalization.BatchNorm2d, normalization.BatchNorm3d)
)
