"""Devices: the CPU, and the simulated ones. What asks for another gets the answer of a PyTorch without one.

A tensor's `place` is the simulated device it is on, or None for the CPU, which is where nearly all are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from engine import errors
from engine.local import state
from engine.numeric.kinds import TITLE

TYPES = tuple(
    "cpu cuda ipu xpu mkldnn opengl opencl ideep hip ve fpga maia xla lazy vulkan mps meta hpu mtia "
    "privateuseone".split()
)
SIMULATED = "sim"
COUNT = 4  # simulated devices, sim:0 to sim:3


class _Named(type):
    """The type of `torch.device`, so that it shows PyTorch's name."""

    @property
    def __name__(cls) -> str:
        return "device"

    def __repr__(cls) -> str:
        return f"<class '{TITLE(cls)}'>"


class Device(metaclass=_Named):
    """`torch.device("cpu")`: a kind of device, and which one of it if that was said."""

    __slots__ = ("_index", "_type")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        kind, index = _read(args, kwargs)
        object.__setattr__(self, "_type", kind)
        object.__setattr__(self, "_index", index)

    @property
    def type(self) -> str:
        """Return the kind of device: "cpu", "cuda", ..."""
        return self._type

    @property
    def index(self) -> int | None:
        """Return which one it is, or None."""
        return self._index

    def __dir__(self) -> list[str]:
        return [name for name in object.__dir__(self) if name not in self.__slots__]

    def __setattr__(self, name: str, value: Any) -> None:
        if name in ("type", "index"):
            raise AttributeError(f"attribute '{name}' of 'torch.device' objects is not writable")
        raise AttributeError(f"'torch.device' object has no attribute '{name}'")

    def __repr__(self) -> str:
        index = "" if self.index is None else f", index={self.index}"
        return f"device(type='{self.type}'{index})"

    def __str__(self) -> str:
        return self.type if self.index is None else f"{self.type}:{self.index}"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Device) and (self.type, self.index) == (other.type, other.index)

    def __lt__(self, other: object) -> bool:
        raise TypeError("comparison not implemented")

    __le__ = __gt__ = __ge__ = __lt__

    def __hash__(self) -> int:
        return hash((self.type, self.index))

    def __reduce__(self) -> tuple:
        return Device, (self.type,) if self.index is None else (self.type, self.index)

    def __deepcopy__(self, memo: dict) -> Device:
        return self

    def __enter__(self) -> Device:
        state().default_devices += (self,)
        return self

    def __exit__(self, *_: object) -> None:
        here = state()
        here.default_devices = here.default_devices[:-1]


type.__dict__["__name__"].__set__(Device, "torch.device")  # which Python's own messages use


# ----- reading what a learner writes ----------------------------------------------------------------
def _read(args: tuple, kwargs: dict[str, Any]) -> tuple[str, int | None]:
    """Return the kind and index that the arguments of `torch.device(...)` name."""
    unknown = [name for name in kwargs if name not in ("type", "index", "device")]
    if unknown and args:
        raise TypeError(f"device() got an unexpected keyword argument '{unknown[0]}'")
    if len(args) + len(kwargs) == 1 and (args or "device" in kwargs):
        return _from_one(args[0] if args else kwargs["device"])
    given = dict(zip(("type", "index"), args, strict=False)) | kwargs
    if len(args) > 2 or "type" not in given or len(given) < len(args) + len(kwargs):
        kinds = ", ".join(
            [TITLE(type(a)) for a in args] + [f"{n}={TITLE(type(v))}" for n, v in kwargs.items()]
        )
        wrong = f"keywords were incorrect: {', '.join(kwargs)}" if kwargs and not args else ""
        raise TypeError(errors.device_arguments(kinds + ", " if kwargs and not args else kinds, wrong))
    kind, index = given["type"], given.get("index")
    if not isinstance(kind, str):
        raise TypeError(f"device(): argument 'type' (position 1) must be str, not {TITLE(type(kind))}")
    if index is not None and type(index) is not int:
        raise TypeError(f"device(): argument 'index' (position 2) must be int, not {TITLE(type(index))}")
    name, found = _parsed(kind)
    if found is not None:
        raise RuntimeError(errors.index_twice(kind))
    if index is not None and index < 0:
        raise RuntimeError(errors.NEGATIVE_INDEX)
    return name, _as_int8(index)


def _from_one(value: Any) -> tuple[str, int | None]:
    if isinstance(value, Device):
        return value.type, value.index
    if isinstance(value, str):
        return _parsed(value)
    if type(value) is int:  # a bare number means an accelerator, and there is none
        raise RuntimeError(errors.NEGATIVE_INDEX if value < 0 else errors.NO_ACCELERATOR)
    kind = TITLE(type(value))
    shown = f"list of [{', '.join(TITLE(type(v)) for v in value)}]" if isinstance(value, list) else kind
    raise TypeError(errors.device_arguments(kind, f"arguments have invalid types: (!{shown}!)"))


def _parsed(text: str) -> tuple[str, int | None]:
    """Return the kind and index that a text such as "cuda:1" names."""
    if not text:
        raise RuntimeError(errors.EMPTY_NAME)
    parts = re.fullmatch(r"([A-Za-z_]+)(?::(0|[1-9][0-9]*))?", text)
    if parts is None:
        raise RuntimeError(errors.invalid_device(text))
    name, number = parts.groups()
    if name not in TYPES and name != SIMULATED:
        raise RuntimeError(errors.unknown_device(TYPES, name))
    if number is not None and int(number) >= 2**31:
        raise RuntimeError(errors.device_index(number, text))
    return name, None if number is None else _as_int8(int(number))


def _as_int8(index: int | None) -> int | None:
    """Return an index as PyTorch holds it, in 8 bits: -1 is none at all, and other negatives show in 16."""
    if index is None:
        return None
    held = (index + 128) % 256 - 128
    return None if held == -1 else held % 65536


def asked(value: Any, function: str) -> Device:
    """Return the device that the `device` argument of a function names."""
    if isinstance(value, Device):
        return value
    if not isinstance(value, str) and type(value) is not int:
        raise TypeError(errors.device_argument(function, TITLE(type(value))))
    return Device(value)


# ----- where tensors are ----------------------------------------------------------------------------
CPU = Device("cpu")
PLACES: dict[int, Device] = {}  # one object for each simulated device, so that places compare with `is`
LINKED = ("tensor", "as_tensor", "new_tensor", "asarray", "to")  # these begin elsewhere than other factories


def place_of(device: Device, function: str = "to") -> Device | None:
    """Return where a tensor on a device is: None on the CPU, else a simulated one. Refuse all others."""
    if device.type == "cpu":
        return None
    if device.type != SIMULATED:
        operation = "aten::empty_strided" if function.endswith("_like") else "aten::empty.memory_format"
        raise errors.refused(device.type, function not in LINKED, operation)
    index = device.index or 0
    if index >= COUNT:
        raise RuntimeError(errors.simulated_index(index, COUNT))
    if index not in PLACES:
        PLACES[index] = Device(SIMULATED, index)
    state().placed = True
    return PLACES[index]


def default() -> Device | None:
    """Return the device that factories use if none is said: `with torch.device(...)`, set_default_device."""
    return state().default_devices[-1]


def get_default_device() -> Device:
    """Return where factories put tensors."""
    device = default()
    if device is None:
        return CPU
    if device.index is None and device.type in ("cuda", "xpu"):
        raise AssertionError(errors.not_compiled(device.type.upper()))
    return device if device.type != SIMULATED else place_of(device)


def set_default_device(device: Any) -> None:
    """Have factories put tensors on a device; None: on the CPU."""
    here = state()
    here.default_devices = (*here.default_devices[:-1], None if device is None else Device(device))


def wanted(device: Any, function: str, otherwise: Any = None) -> Device | None:
    """Return the place that the `device` argument of a function names; without one: `otherwise`."""
    return otherwise if device is None else place_of(asked(device, function), function)


def wanted_or_default(device: Any, function: str) -> Device | None:
    """Return the place that a factory is asked for, or that of the default device."""
    found = default() if device is None else asked(device, function)
    return None if found is None else place_of(found, function)


def making() -> Device | None:
    """Return where what a factory makes just now is to be."""
    return state().making


@contextmanager
def making_at(place: Device | None) -> Iterator[None]:
    """Let whatever factories make inside be at a place."""
    here = state()
    before, here.making = here.making, place
    try:
        yield
    finally:
        here.making = before
