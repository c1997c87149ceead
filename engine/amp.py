"""Mixed precision as a PyTorch without CUDA has it: it warns and does nothing. On the CPU it is refused.

What `torch.autocast("cpu")` computes in bfloat16 is not computed here; other numbers would be wrong ones.
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import Any

from engine import errors

__all__ = ["GradScaler", "autocast"]


class autocast:  # noqa: N801 - PyTorch's own word
    """`torch.autocast`: on "cuda" it warns and is disabled. Usable with `with` and as a decorator."""

    def __init__(
        self, device_type: str, dtype: Any = None, enabled: bool = True, cache_enabled: bool | None = None
    ) -> None:
        if not isinstance(device_type, str):
            raise ValueError(f"Expected `device_type` of type `str`, got: `{type(device_type)}`")
        if device_type not in ("cuda", "cpu"):
            raise RuntimeError(errors.device_type(device_type))
        if enabled and device_type == "cpu":
            raise NotImplementedError(errors.only_in_pytorch('torch.autocast("cpu")'))
        if enabled:
            warnings.warn(errors.AUTOCAST_DISABLED, UserWarning, stacklevel=2 + (type(self) is not autocast))

    def __enter__(self) -> None:
        return None

    def __exit__(self, *_: object) -> None:
        return None

    def __call__(self, function: Callable) -> Callable:
        return functools.wraps(function)(lambda *args, **named: function(*args, **named))


class GradScaler:
    """`torch.amp.GradScaler`: without CUDA it warns, is disabled and passes everything on."""

    def __init__(self, device: str = "cuda", *_: Any, enabled: bool = True, **__: Any) -> None:
        if enabled and device != "cuda":
            raise NotImplementedError(errors.only_in_pytorch(f"torch.amp.GradScaler({device!r})"))
        if enabled:
            warnings.warn(errors.SCALER_DISABLED, UserWarning, stacklevel=2 + (type(self) is not GradScaler))

    def scale(self, outputs: Any) -> Any:
        """Return the very loss."""
        return outputs

    def unscale_(self, optimizer: Any) -> None:
        """Do nothing."""

    def step(self, optimizer: Any, *args: Any, **named: Any) -> Any:
        """Do the optimizer's step."""
        return optimizer.step(*args, **named)

    def update(self, new_scale: Any = None) -> None:
        """Do nothing."""

    def get_scale(self) -> float:
        """Return 1: nothing is scaled."""
        return 1.0

    def is_enabled(self) -> bool:
        """Return False."""
        return False

    def state_dict(self) -> dict:
        """Return nothing."""
        return {}

    def load_state_dict(self, state_dict: dict) -> None:
        """Do nothing."""


def _older(name: str, made: type, device: str) -> Any:
    def make(*args: Any, **named: Any) -> Any:
        """Make the one of `torch.amp`, and tell its new name."""
        text = (
            f"`torch.{device}.amp.{name}(args...)` is deprecated. "
            f"Please use `torch.amp.{name}('{device}', args...)` instead."
        )
        warnings.warn(text, FutureWarning, stacklevel=2)
        if name == "autocast":
            given = dict(zip(("enabled", "dtype", "cache_enabled"), args, strict=False))
            return made(device, **given, **named)
        return made(device, *args, **named)

    make.__name__ = make.__qualname__ = name
    return make


def names() -> dict[str, dict[str, Any]]:
    """Return what each module offers, by the module's name."""
    kinds = {"autocast": autocast, "GradScaler": GradScaler}
    older = {
        f"torch.{device}.amp": {name: _older(name, made, device) for name, made in kinds.items()}
        for device in ("cuda", "cpu")
    }
    return {"torch.amp": kinds, **older}
