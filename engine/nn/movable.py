"""What moves all parameters and buffers of a Module: to another device, into another dtype."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from engine import dtype as dtypes
from engine import events, functions, modes
from engine.device import asked, place_of
from engine.dtype import DType
from engine.functions import moving
from engine.nn import errors
from engine.tensor import Parameter, Tensor, make_at


class Movable:
    """A Module as something that has parameters and buffers somewhere."""

    def to(self, *args: Any, **kwargs: Any) -> Movable:
        """Move all parameters and buffers to a dtype (or device) in place."""
        device, dtype, _ = moving.target(args, kwargs)
        if dtype is not None and dtype.category < dtypes.FLOAT:
            raise TypeError(errors.module_to_dtype(dtype))
        return self._apply(lambda t: functions.to(t, device, dtype if _floats(t) else None))

    def _apply(self, fn: Callable[[Tensor], Tensor]) -> Movable:
        for module in self.modules():
            for shelf in (module._parameters, module._buffers):
                for name, tensor in shelf.items():
                    if tensor is not None:
                        _replace(shelf, name, fn)
        return self

    def float(self) -> Movable:
        """Turn all floating-point parameters and buffers into float32."""
        return self.to(dtypes.float32)

    def double(self) -> Movable:
        """Turn all floating-point parameters and buffers into float64."""
        return self.to(dtypes.float64)

    def half(self) -> Movable:
        """Turn all floating-point parameters and buffers into float16."""
        return self.to(dtypes.float16)

    def bfloat16(self) -> Movable:
        """Turn all floating-point parameters and buffers into bfloat16."""
        return self.to(dtypes.bfloat16)

    def cpu(self) -> Movable:
        """Move all parameters and buffers to the CPU."""
        return self._apply(functions.cpu)

    def cuda(self, device: Any = None) -> Movable:
        """Refuse, as a PyTorch without CUDA does, if there is anything to move."""
        return self._apply(lambda t: functions.cuda(t, device))

    def xpu(self, device: Any = None) -> Movable:
        """Refuse, as a PyTorch without XPU does, if there is anything to move."""
        return self._apply(lambda t: functions.xpu(t, device))

    def to_empty(self, *, device: Any, recurse: bool = True) -> Movable:
        """Move parameters and buffers to a device without their values; here they start as zeros."""
        place = place_of(asked(device, "empty_like"), "empty_like")
        return self._apply(lambda t: make_at(np.zeros_like(t.array), t.exotic, place))

    def type(self, dst_type: DType) -> Movable:
        """Turn all parameters and buffers into a dtype."""
        return self._apply(lambda t: functions.to(t, dst_type))


def _replace(shelf: dict, name: str, fn: Callable[[Tensor], Tensor]) -> None:
    """Put `fn` of a parameter or buffer in its place; a parameter stays the same object, with its `.grad`."""
    tensor = shelf[name]
    if tensor.uninitialized:
        tensor.kind = fn(tensor.data).dtype
        return
    with modes.backward_mode(False), events.observed_by(None):
        found = fn(tensor)
        if not isinstance(tensor, Parameter):
            shelf[name] = found
            return
        tensor.data = found
        if tensor.grad_tensor is not None:
            tensor.grad_tensor.data = fn(tensor.grad_tensor)


def _floats(tensor: Tensor) -> bool:
    return tensor.dtype.category >= dtypes.FLOAT
