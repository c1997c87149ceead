"""Anomaly mode: remember where each node was made, and stop at the first nan a node returns."""

from __future__ import annotations

import sys
import traceback
import warnings
from pathlib import Path
from types import CodeType
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


ENGINE = str(Path(__file__).parent)


def _switch(mode: bool, check_nan: bool) -> tuple[bool, bool]:
    """Set anomaly mode and return what held before. Raises TypeError for anything but exact bools."""
    for position, (name, value) in enumerate((("enabled", mode), ("check_nan", check_nan)), 1):
        if type(value) is not bool:
            raise TypeError(
                f"set_anomaly_enabled(): argument '{name}' (position {position}) must be bool, "
                f"not {type(value).__name__}"
            )
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
    """Return the Python stack as text if anomaly mode is on: what a node made now remembers.

    It has the frames of the program that was begun; without one, those outside the engine.
    """
    here = state()
    if not here.anomaly:
        return None
    stack = traceback.walk_stack(sys._getframe(1))
    frames = [
        (frame.f_code, line) for frame, line in stack if _is_told(frame.f_code.co_filename, here.program)
    ]
    lines = here.program[1].splitlines() if here.program else []
    return "".join(_told(code, line, lines) for code, line in reversed(frames))


def _is_told(file: str, program: tuple[str, str] | None) -> bool:
    """Return whether a frame of this file is the learner's."""
    return file == program[0] if program else not file.startswith(ENGINE)


def _told(code: CodeType, line: int, lines: list[str]) -> str:
    """Return one frame as Python writes it, with its line of the text if there is one."""
    text = lines[line - 1].strip() if line <= len(lines) else ""
    shown = f"    {text}\n" if text else ""
    return f'  File "{code.co_filename}", line {line}, in {code.co_name}\n{shown}'


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
