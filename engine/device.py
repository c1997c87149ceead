"""Devices: there is the CPU. What asks for another gets PyTorch's answer on a machine without one."""

from __future__ import annotations

from typing import Any


class Device:
    """`torch.device("cpu")`."""

    def __init__(self, type: Any = "cpu", index: int | None = None) -> None:
        if isinstance(type, Device):
            type, index = type.type, type.index
        name, _, number = str(type).partition(":")
        self.type = name
        self.index = int(number) if number else index

    def __repr__(self) -> str:
        index = "" if self.index is None else f", index={self.index}"
        return f"device(type='{self.type}'{index})"

    def __str__(self) -> str:
        return self.type if self.index is None else f"{self.type}:{self.index}"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Device) and str(self) == str(other)

    def __hash__(self) -> int:
        return hash(str(self))


CPU = Device("cpu")


def check(device: Any) -> None:
    """Refuse every device but the CPU, as a PyTorch built for the CPU does."""
    kind = Device(device).type
    if kind == "cuda":
        raise AssertionError("Torch not compiled with CUDA enabled")
    if kind not in ("cpu", "meta"):
        raise RuntimeError(f"the device {kind!r} is not available here; tensors live on the cpu")
