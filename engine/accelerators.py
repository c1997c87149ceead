"""`torch.cuda`, `torch.accelerator`, `torch.backends`: as a PyTorch for the CPU alone has them.

Asking what is there is answered (nothing); using it is refused in PyTorch's words. A few switches of
`torch.backends` can be set, since programs do that without asking; nothing looks at them.
"""

from __future__ import annotations

import warnings
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from engine import errors
from engine.device import COUNT, SIMULATED, Device
from engine.numeric.kinds import TITLE


def refusing(error: type[Exception], text: str) -> Callable:
    """Return a function that raises, whatever it is given."""

    def refuse(*args: Any, **kwargs: Any) -> Any:
        """Refuse: PyTorch needs an accelerator for this."""
        raise error(text)

    return refuse


def answering(value: Any) -> Callable:
    """Return a function that answers always the same."""

    def answer(*args: Any, **kwargs: Any) -> Any:
        """Return what PyTorch answers where there is no accelerator."""
        return value

    return answer


def _table(words: str, make: Callable) -> dict[str, Callable]:
    found = {}
    for name in words.split():
        found[name] = made = make(name)
        made.__name__ = made.__qualname__ = name
    return found


def _not_compiled(kind: str) -> Callable:
    return lambda name: refusing(AssertionError, errors.not_compiled(kind))


def _nothing(name: str) -> Callable:
    return answering(None)


def _zero(name: str) -> Callable:
    return answering(0)


def _false(name: str) -> Callable:
    return answering(False)


def _missing_in_c(inside: str) -> Callable:
    return refusing(AttributeError, f"module 'torch._C' has no attribute '{inside}'")


class Guard:
    """`torch.cuda.device(0)` and `torch.accelerator.device_index(0)`: made without asking, refused on use."""

    error: Exception

    def __init__(self, device: Any = None) -> None:
        self.number = device if type(device) is int else None

    def __enter__(self) -> None:
        if self.number is None or self.number >= 0:
            raise self.error

    def __exit__(self, *_: object) -> bool:
        return False


class CudaDevice(Guard):
    """`torch.cuda.device`."""

    error = RuntimeError("PyTorch was compiled without CUDA support")


class DeviceIndex(Guard):
    """`torch.accelerator.device_index`."""

    error = RuntimeError(errors.NO_ACCELERATOR)


class StreamContext:
    """`torch.cuda.stream(stream)`: without a stream it does nothing."""

    def __init__(self, stream: Any = None) -> None:
        self.stream = stream

    def __enter__(self) -> None:
        return None

    def __exit__(self, *_: object) -> None:
        return None


def _set_cuda_device(device: Any) -> None:
    if isinstance(device, (Device, str)) and Device(device).type != "cuda":
        raise ValueError(f"Expected a cuda device, but got: {device}")
    raise AttributeError("module 'torch._C' has no attribute '_cuda_setDevice'")


LEGACY = "Bool Byte Char Double Float Half Int Long Short BFloat16"


def cuda() -> dict[str, Any]:
    """Return what `torch.cuda` offers."""
    return {
        **_table("is_available is_initialized is_bf16_supported", _false),
        **_table(
            "device_count memory_allocated max_memory_allocated memory_reserved max_memory_reserved", _zero
        ),
        **_table("memory_cached max_memory_cached", _zero),
        **_table("manual_seed manual_seed_all seed seed_all empty_cache", _nothing),
        **_table(
            "current_device get_device_name get_device_properties get_device_capability synchronize init "
            "mem_get_info initial_seed current_stream default_stream get_rng_state get_rng_state_all "
            "set_rng_state ipc_collect can_device_access_peer",
            _not_compiled("CUDA"),
        ),
        **{
            kind + "Tensor": refusing(TypeError, errors.legacy_type(f"torch.cuda.{kind}Tensor"))
            for kind in LEGACY.split()
        },
        "set_device": _set_cuda_device,
        "device": CudaDevice,
        "stream": StreamContext,
        "Stream": refusing(RuntimeError, "torch.cuda.Stream requires CUDA support"),
        "Event": refusing(RuntimeError, "Tried to instantiate dummy base class Event"),
        "get_arch_list": list,
        "memory_stats": OrderedDict,
        "memory_summary": refusing(KeyError, "allocated_bytes.all.current"),
        "reset_peak_memory_stats": _missing_in_c("_cuda_resetPeakMemoryStats"),
    }


def _mps(name: str) -> Callable:
    inside = {"empty_cache": "emptyCache", "synchronize": "deviceSynchronize"}
    inside["current_allocated_memory"] = "getCurrentAllocatedMemory"
    return refusing(RuntimeError, errors.without_mps(inside[name]))


def _accelerator(name: str) -> Callable:
    return refusing(RuntimeError, errors.NO_ACCELERATOR)


def _renamed(name: str) -> Callable:
    def refuse(*args: Any) -> Any:
        """Refuse, and tell the new name."""
        warnings.warn(f"Use `{name[:-3]}index` instead.", FutureWarning, stacklevel=2)
        raise RuntimeError(errors.NO_ACCELERATOR)

    return refuse


ACCELERATOR = (
    "current_device_index synchronize set_device_index current_stream "
    "set_stream empty_cache memory_allocated max_memory_allocated memory_reserved max_memory_reserved "
    "memory_stats reset_peak_memory_stats get_memory_info"
)


def simulated() -> dict[str, Any]:
    """Return what `torch.sim` offers, which PyTorch has not: a device to watch autograd with, no hardware."""
    return {
        "is_available": answering(True),
        "device_count": answering(COUNT),
        "is_simulated": answering(True),
        **_table("manual_seed manual_seed_all synchronize empty_cache", _nothing),
        "get_device_name": lambda device=None: (
            f"simulated device ({Device(device or SIMULATED)}), no hardware"
        ),
    }


def names() -> dict[str, dict[str, Any]]:
    """Return what each module offers, by the module's name."""
    built = {"is_built": answering(False)}
    return {
        "torch.cuda": cuda(),
        "torch.accelerator": {
            **_table("is_available", _false),
            **_table("device_count", _zero),
            **_table("current_accelerator", _nothing),
            **_table(ACCELERATOR, _accelerator),
            **_table("current_device_idx set_device_idx", _renamed),
            "device_index": DeviceIndex,
        },
        "torch.mps": {
            **_table("is_available", _false),
            **_table("device_count", _zero),
            **_table("manual_seed seed", _nothing),
            **_table("empty_cache synchronize current_allocated_memory", _mps),
        },
        "torch.xpu": {
            **_table("is_available is_initialized", _false),
            **_table("device_count", _zero),
            **_table("manual_seed manual_seed_all seed seed_all empty_cache", _nothing),
            **_table("synchronize current_device init get_device_name", _not_compiled("XPU")),
        },
        "torch.mtia": _table("is_available", _false),
        "torch.cpu": {
            "is_available": answering(True), "device_count": answering(1), "current_device": answering("cpu"),
            **_table("synchronize set_device", _nothing),
        },
        "torch.sim": simulated(),
        "torch.version": {"cuda": None, "hip": None, "xpu": None},
        "torch.backends.cuda": built,
        "torch.backends.cuda.matmul": {},
        "torch.backends.mps": {
            **_table("is_available is_built", _false),
            "is_macos_or_newer": refusing(RuntimeError, errors.without_mps("isOnMacOSorNewer")),
            "is_macos13_or_newer": refusing(RuntimeError, errors.without_mps("isOnMacOSorNewer")),
        },
        "torch.backends.cudnn": {**_table("is_available", _false), **_table("version", _nothing)},
        "torch.backends.mkl": {"is_available": answering(True)},
        "torch.backends.mkldnn": {"is_available": answering(True)},
        "torch.backends.openmp": {"is_available": answering(True)},
        "torch.backends": {},
    }  # fmt: skip


SWITCHES: dict[str, dict[str, Any]] = {  # what can be set, with what holds at first
    "torch.backends.cudnn": {"enabled": True, "benchmark": False, "deterministic": False, "allow_tf32": True},
    "torch.backends.cuda.matmul": {"allow_tf32": False},
}


def get_device_module(device: Any = None) -> str:
    """Return the name of the module of a kind of device; without one it is the CPU's."""
    if device is not None and not isinstance(device, (Device, str)):
        kind = TITLE(type(device))
        raise RuntimeError(
            f"Invalid value of device '{device}', expect torch.device, str, or None, got {kind}"
        )
    return "cpu" if device is None else Device(device).type
