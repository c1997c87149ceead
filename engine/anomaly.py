"""Anomaly mode: remember where each node was made, and stop at the first nan a node returns."""

from __future__ import annotations

import traceback
import warnings
from typing import Any

import numpy as np

from engine.local import state

__all__ = ["detect_anomaly", "is_anomaly_check_nan_enabled", "is_anomaly_enabled", "set_detect_anomaly"]


def is_anomaly_enabled() -> bool:
    """Return whether nodes remember where they were made."""
    return state().anomaly


def is_anomaly_check_nan_enabled() -> bool:
    """Return whether what nodes return is searched for nan."""
    return state().check_nan


def _switch(mode: bool, check_nan: bool) -> tuple[bool, bool]:
    """Set anomaly mode and return what held before."""
    here = state()
    before = here.anomaly, here.check_nan
    here.anomaly, here.check_nan = mode, check_nan
    return before


class set_detect_anomaly:  # noqa: N801 - PyTorch's name
    """Switch anomaly mode at once when called; as a context manager, restore on leaving."""

    def __init__(self, mode: bool, check_nan: bool = True) -> None:
        self.before = _switch(mode, check_nan)

    def __enter__(self) -> None:
        return None

    def __exit__(self, *_: object) -> None:
        _switch(*self.before)


class detect_anomaly:  # noqa: N801 - PyTorch's name
    """Inside, anomaly mode is on."""

    def __init__(self, check_nan: bool = True) -> None:
        self.check_nan = check_nan
        warnings.warn(
            "Anomaly Detection has been enabled. This mode will increase the runtime and should only be "
            "enabled for debugging.",
            stacklevel=2,
        )

    def __enter__(self) -> None:
        self.before = _switch(True, self.check_nan)

    def __exit__(self, *_: object) -> None:
        _switch(*self.before)


def stack_now() -> str | None:
    """Return the Python stack as text if anomaly mode is on: what a node made now remembers."""
    if not state().anomaly:
        return None
    frames = [f for f in traceback.extract_stack() if "/engine/" not in f.filename.replace("\\", "/")]
    return "".join(traceback.format_list(frames))


def refuse_nan(node: Any, grads: list[Any]) -> None:
    """Raise if anomaly mode is on and one of a node's results has a nan."""
    here = state()
    if not (here.anomaly and here.check_nan):
        return
    for i, grad in enumerate(grads):
        if grad is not None and grad.array.dtype.kind in "fc" and np.isnan(grad.array).any():
            raise RuntimeError(f"Function '{node.name()}' returned nan values in its {i}th output.")


def explain(node: Any) -> None:
    """Warn where the node that failed was made."""
    if not state().anomaly:
        return
    if node.stack is None:
        text = (
            "No forward pass information available. Enable detect anomaly during forward pass for more "
            "information."
        )
    else:
        text = f"Traceback of forward call that caused the error:\n{node.stack}"
    warnings.warn(f"Error detected in {node.name()}. {text}", stacklevel=2)
