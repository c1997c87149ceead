"""Profilers measure nothing here: time belongs to a machine. Their calls are taken; that is said once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from engine.stood_in import say


class _Profile:
    """What `with profile(...) as prof` gives: it has nothing to tell."""

    call = ""

    def __init__(self, *_: Any, **__: Any) -> None:
        say("torch.profiler", self.call)

    def __enter__(self) -> _Profile:
        return self

    def __exit__(self, *_: object) -> None:
        return None

    def key_averages(self, *_: Any, **__: Any) -> _Profile:
        """Return itself: there are no events to group."""
        return self

    total_average = key_averages

    def table(self, *_: Any, **__: Any) -> str:
        """Return an empty table."""
        return ""

    def step(self, *_: Any, **__: Any) -> None:
        """Do nothing."""

    export_chrome_trace = export_stacks = start = stop = step

    def __str__(self) -> str:
        return ""


class _Block:
    """`record_function("a name")`: a block or a function that would be named in the table."""

    def __init__(self, *_: Any, **__: Any) -> None:
        pass

    def __enter__(self) -> _Block:
        return self

    def __exit__(self, *_: object) -> None:
        return None

    def __call__(self, function: Callable) -> Callable:
        return function


class ProfilerActivity:
    """What could be measured."""

    CPU, CUDA = "ProfilerActivity.CPU", "ProfilerActivity.CUDA"


def _kind(call: str) -> type:
    return type("profile", (_Profile,), {"call": call})


def names() -> dict[str, dict[str, Any]]:
    """Return what each module offers, by the module's name."""
    return {
        "torch.profiler": {
            "profile": _kind("torch.profiler.profile"),
            "record_function": _Block,
            "ProfilerActivity": ProfilerActivity,
            "schedule": lambda **_: None,
            "tensorboard_trace_handler": lambda *_: None,
        },
        "torch.autograd.profiler": {
            "profile": _kind("torch.autograd.profiler.profile"),
            "record_function": _Block,
        },
    }
