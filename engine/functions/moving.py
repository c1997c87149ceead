"""Where `.to(...)`, `.cuda()` and `.cpu()` take a tensor: reading their arguments, and going there."""

from __future__ import annotations

import warnings
from typing import Any

from engine import device as devices
from engine import dtype as dtypes
from engine import errors, events
from engine.device import Device
from engine.dtype import DType
from engine.numeric.kinds import TITLE
from engine.ops.table import F
from engine.tensor import Tensor
from engine.warned import warn_once

__all__ = ["cpu", "cuda", "get_device", "is_pinned", "pin_memory", "to", "xpu"]
ORDERS = (("dtype", "non_blocking", "copy"), ("device", "dtype", "non_blocking", "copy"))
SWITCHES = ("non_blocking", "copy")
NOWHERE = (Device, str, int, type(None))


def target(args: tuple, kwargs: dict[str, Any]) -> tuple[Device | None, DType | None, bool]:
    """Return the device and dtype that the arguments of `.to(...)` name, and whether it must be a copy."""
    rest = {name: value for name, value in kwargs.items() if name != "memory_format"}
    if args and isinstance(args[0], Tensor):
        other = args[0]
        rest |= {"dtype": other.dtype, "device": other.device}
        args = (None, None, *args[1:])
    order = ORDERS[not args or (not is_dtype(args[0]) and isinstance(args[0], NOWHERE))]
    given = rest | {n: v for n, v in zip(order, args, strict=False) if n not in rest}
    device, dtype = given.get("device"), given.get("dtype")
    fits = (
        len(args) <= len(order)
        and all(name in ORDERS[1] for name in given)
        and (dtype is None or is_dtype(dtype))
        and isinstance(device, NOWHERE)
        and all(isinstance(given.get(name, False), bool) for name in SWITCHES)
    )
    if not fits:
        raise TypeError(errors.to_arguments(_kinds(args, kwargs)))
    if isinstance(dtype, (type, bool, float)):
        dtype = dtypes.OF_PYTHON.get(dtype if isinstance(dtype, type) else type(dtype)) or refuse(dtype)
    return None if device is None else devices.asked(device, "to"), dtype, given.get("copy", False)


def is_dtype(value: Any) -> bool:
    """Return whether `.to` takes an argument for a dtype: one, or a Python type (or a value of one)."""
    return isinstance(value, (DType, type, bool, float))


def refuse(value: Any) -> Any:
    """Refuse what `.to()` cannot make of a tensor."""
    raise TypeError(errors.to_arguments(TITLE(type(value))))


def _kinds(args: tuple, kwargs: dict[str, Any]) -> str:
    """Return what was given, as PyTorch lists it: kinds by position, then name=kind."""
    named = [f"{name}={_kind(value)}" for name, value in kwargs.items()]
    found = ", ".join([*map(_kind, args), *named])
    return found + ", " if named and not args else found


def _kind(value: Any) -> str:
    return "torch.dtype" if isinstance(value, DType) else TITLE(type(value))


def to(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
    """Return the tensor in another dtype or on another device; the same object if nothing changes."""
    device, dtype, copy = target(args, kwargs)
    place = self.place if device is None else devices.place_of(device)
    stays = place is self.place and (device is None or device.type != "cpu" or device.index is None)
    if dtype is None or dtype is self.dtype:
        if stays and not copy:
            return self
        dtype = self.dtype
    if self.array.dtype.kind == "c" and dtypes.BOOL < dtype.category < dtypes.COMPLEX:
        warn_once("complex", errors.COMPLEX_TO_REAL)
    out = F.to(self, dtype) if place is self.place else F.to__device(self, str(place or devices.CPU), dtype)
    if dtype.is_odd:
        events.changing()
        out.exotic = dtype
    return out


def named_type(name: str) -> DType:
    """Return the dtype of a legacy type name such as "torch.FloatTensor"."""
    if name.startswith("torch.cuda."):
        raise RuntimeError(errors.without_library("initialize CUDA"))
    for dtype in dtypes.DTYPES.values():
        if dtype.type_name == name:
            return dtype
    raise ValueError(f"invalid type: '{name}'")


def cuda(self: Tensor, device: Any = None, non_blocking: bool = False, memory_format: Any = None) -> Tensor:
    """Refuse, as a PyTorch without CUDA does."""
    raise accelerated("cuda", device)


def xpu(self: Tensor, device: Any = None, non_blocking: bool = False, memory_format: Any = None) -> Tensor:
    """Refuse, as a PyTorch without XPU does."""
    raise accelerated("xpu", device)


def accelerated(kind: str, device: Any) -> Exception:
    """Return what `.cuda(device)` raises where there is no such thing."""
    if device is not None:
        allowed = isinstance(device, (Device, str)) or type(device) is int
        if not allowed:
            return TypeError(errors.device_argument(kind, TITLE(type(device)), " (position 1)"))
        if Device(device).type != kind:
            return RuntimeError(errors.must_be(kind))
    return AssertionError(errors.not_compiled(kind.upper()))


def cpu(self: Tensor, memory_format: Any = None) -> Tensor:
    """Return the tensor on the CPU: itself, if it is there."""
    return to(self, devices.CPU)


def get_device(self: Tensor) -> int:
    """Return the number of the device: -1 for the CPU."""
    return -1 if self.place is None else self.place.index


def is_pinned(self: Tensor, device: Any = None) -> bool:
    """Return whether the memory is pinned: never, here."""
    if device is not None:
        warnings.warn(errors.PINNED_DEVICE, DeprecationWarning, stacklevel=2)
    return False


def pin_memory(self: Tensor, device: Any = None) -> Tensor:
    """Refuse: only an accelerator has a use for pinned memory."""
    raise RuntimeError(errors.NO_ACCELERATOR)
