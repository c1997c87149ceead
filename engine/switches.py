"""Settings that programs ask for or set and that change nothing here: threads, determinism, precision."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from engine import anomaly, random
from engine.local import state
from engine.random import GeneratorState


def getter(name: str, default: Any) -> Callable[[], Any]:
    """Return a function that tells what was set, or what holds at first."""
    return lambda: state().switches.get(("torch", name), default)


def setter(name: str, allowed: Callable[[Any], Any]) -> Callable[[Any], None]:
    """Return a function that sets something; `allowed` refuses what is no such setting."""

    def change(value: Any) -> None:
        state().switches["torch", name] = allowed(value)

    return change


def _threads(function: str) -> Callable[[Any], int]:
    def allowed(value: Any) -> int:
        if isinstance(value, bool) or not isinstance(value, int):
            raise RuntimeError(f"{function} expects an int, but got {type(value).__name__}")
        if value < 1:
            raise RuntimeError(f"{function} expects a positive integer")
        return value

    return allowed


def _precision(value: Any) -> str:
    if value not in ("highest", "high", "medium"):
        raise RuntimeError(f"unknown float32 matmul precision: {value}")
    return value


def use_deterministic_algorithms(mode: bool, *, warn_only: bool = False) -> None:
    """Ask for the same numbers every time; here they always are."""
    state().switches["torch", "deterministic"] = bool(mode)


def get_rng_state() -> GeneratorState:
    """Return where the default generator stands."""
    return random.default_generator().get_state()


def set_rng_state(new_state: GeneratorState) -> None:
    """Put the default generator back to where it stood."""
    random.default_generator().set_state(new_state)


def seed() -> int:
    """Start the default generator from a number nobody can foresee, and return it."""
    return random.default_generator().seed()


def is_storage(obj: Any) -> bool:
    """Return whether something is bare memory, which nothing is here."""
    return False


def names() -> dict[str, Any]:
    """Return what `torch` offers of these."""
    return {
        "get_num_threads": getter("threads", 1),
        "set_num_threads": setter("threads", _threads("set_num_threads")),
        "get_num_interop_threads": getter("interop", 1),
        "set_num_interop_threads": setter("interop", _threads("set_num_interop_threads")),
        "get_float32_matmul_precision": getter("precision", "highest"),
        "set_float32_matmul_precision": setter("precision", _precision),
        "use_deterministic_algorithms": use_deterministic_algorithms,
        "are_deterministic_algorithms_enabled": getter("deterministic", False),
        "is_deterministic_algorithms_warn_only_enabled": lambda: False,
        "set_warn_always": setter("warn_always", bool),
        "is_warn_always_enabled": getter("warn_always", False),
        "set_flush_denormal": lambda mode: True,
        "is_anomaly_enabled": anomaly.is_anomaly_enabled,
        "is_autocast_enabled": lambda device_type=None: False,
        "is_storage": is_storage,
        "get_rng_state": get_rng_state,
        "set_rng_state": set_rng_state,
        "seed": seed,
    }
