"""What an operator may choose: one frozen dataclass, read from GRADSTEP_* here and nowhere else."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from ipaddress import ip_network
from pathlib import Path
from typing import TypeVar

from app.sandbox.limits import Limits

PREFIX = "GRADSTEP_"
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Settings:
    """README.md tells the same of each field; its variable is GRADSTEP_ and its name in capitals."""

    workers: int = 4  # programs that run at the same time
    runs_per_client: int = 16  # programs one address may have running or waiting
    request_bytes: int = 262_144  # longest request body; the longest program is GRADSTEP_LIMIT_SOURCE
    layout_workers: int = 1  # Graphviz processes
    layout_seconds: float = 3.0  # time for the drawing of one trace; what is late is drawn plainly
    check_workers: int = 1  # traces that are checked at the same time
    check_seconds: float = 10.0  # time for the check of one trace
    check_bytes: int = 16_777_216  # longest trace that is checked, with its drawing; at most 64 MiB
    metrics: str = "loopback"  # who may read GET /metrics: loopback, everyone or nobody
    proxies: str = "none"  # addresses or networks, by commas, whose X-Forwarded-For is believed
    lessons: str = "none"  # a folder of lessons that stand before those of the course
    limits: Limits = field(default_factory=Limits)  # of one run: GRADSTEP_LIMIT_ and the field in capitals


def from_environment(environment: Mapping[str, str] = os.environ) -> Settings:
    """Return the settings that the environment asks for, defaults where it is silent."""
    limits = overridden(Limits(), environment, f"{PREFIX}LIMIT_")
    return replace(overridden(Settings(), environment, PREFIX), limits=limits)


def overridden(defaults: T, environment: Mapping[str, str], prefix: str) -> T:
    """Return a dataclass with those numbers replaced that the environment names."""
    chosen = {}
    for one in fields(defaults):
        text, present = environment.get(prefix + one.name.upper()), getattr(defaults, one.name)
        if text is not None and isinstance(present, int | float):
            chosen[one.name] = number(prefix + one.name.upper(), text, type(present))
        elif text is not None and isinstance(present, str):
            chosen[one.name] = WORDS[one.name](prefix + one.name.upper(), text.strip())
    return replace(defaults, **chosen)


def number(name: str, text: str, kind: type) -> int | float:
    """Read a number greater than zero, or say which variable is wrong."""
    try:
        value = kind(text)
    except ValueError:
        value = 0
    if not 0 < value < math.inf:
        raise ValueError(f"{name} must be a number greater than zero, not {text!r}")
    return value


def reader(name: str, text: str) -> str:
    """Read who may see something, or say which variable is wrong."""
    if text not in READERS:
        raise ValueError(f"{name} must be one of {', '.join(READERS)}, not {text!r}")
    return text


def networks(name: str, text: str) -> str:
    """Read addresses and networks, or say which variable is wrong."""
    if text == "none":
        return text
    try:
        return ",".join(str(ip_network(one.strip())) for one in text.split(","))
    except ValueError:
        raise ValueError(f"{name} must be none, or addresses and networks by commas, not {text!r}") from None


def directory(name: str, text: str) -> str:
    """Read the path of a folder that exists, or say which variable is wrong."""
    if text != "none" and not Path(text).is_dir():
        raise ValueError(f"{name} must be none, or a folder; there is no folder {text!r}")
    return text


READERS = ("loopback", "everyone", "nobody")
WORDS: dict[str, Callable[[str, str], str]] = {"metrics": reader, "proxies": networks, "lessons": directory}
