"""The functions that a formula may call, as a table: how PyTorch spells each, what it takes and gives."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True, slots=True)
class Function:
    """One function. `spelled` has `{}` for its arguments.

    `kind`: map (each element by itself), pairs (two, element by element), vector (along the last dimension),
    reduce (all elements to one), dot (two vectors), square (a square matrix), extreme (reduce or pairs).
    `positive`: its argument has to be; `calm`: it saturates or explodes where its argument is large.
    """

    spelled: str
    kind: str
    compute: Callable[..., Any]
    positive: bool = False
    calm: bool = False
    kink: bool = False


def _softmax(x: Any) -> Any:
    powers = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


def _deviation(x: Any) -> Any:
    return np.std(x, ddof=1) if np.size(x) > 1 else np.nan


def _map(compute: Callable[..., Any], name: str, **facts: bool) -> Function:
    return Function(f"torch.{name}({{}})", "map", compute, **facts)


FUNCTIONS: dict[str, Function] = {
    "sin": _map(np.sin, "sin"),
    "cos": _map(np.cos, "cos"),
    "tan": _map(np.tan, "tan", calm=True),
    "asin": _map(np.arcsin, "asin", calm=True),
    "acos": _map(np.arccos, "acos", calm=True),
    "atan": _map(np.arctan, "atan"),
    "sinh": _map(np.sinh, "sinh", calm=True),
    "cosh": _map(np.cosh, "cosh", calm=True),
    "tanh": _map(np.tanh, "tanh", calm=True),
    "exp": _map(np.exp, "exp", calm=True),
    "expm1": _map(np.expm1, "expm1", calm=True),
    "log": _map(np.log, "log", positive=True),
    "log2": _map(np.log2, "log2", positive=True),
    "log10": _map(np.log10, "log10", positive=True),
    "log1p": _map(np.log1p, "log1p", positive=True),
    "sqrt": _map(np.sqrt, "sqrt", positive=True),
    "square": _map(np.square, "square"),
    "abs": _map(np.abs, "abs", kink=True),
    "sigmoid": _map(lambda x: 1 / (1 + np.exp(-x)), "sigmoid", calm=True),
    "relu": _map(lambda x: np.maximum(x, 0), "relu", kink=True),
    "softplus": Function(
        "torch.nn.functional.softplus({})", "map", lambda x: np.logaddexp(0, x), calm=True
    ),
    "erf": _map(np.vectorize(math.erf, otypes=[float]), "erf", calm=True),
    "softmax": Function("torch.softmax({}, dim=-1)", "vector", _softmax, calm=True),
    "log_softmax": Function(
        "torch.log_softmax({}, dim=-1)", "vector", lambda x: np.log(_softmax(x)), calm=True
    ),
    "logsumexp": Function(
        "torch.logsumexp({}, dim=-1)", "along", lambda x: np.log(np.exp(x).sum(axis=-1)), calm=True
    ),
    "sum": Function("torch.sum({})", "reduce", np.sum),
    "mean": Function("torch.mean({})", "reduce", np.mean),
    "prod": Function("torch.prod({})", "reduce", np.prod),
    "std": Function("torch.std({})", "reduce", _deviation),
    "var": Function("torch.var({})", "reduce", lambda x: _deviation(x) ** 2),
    "norm": Function("torch.linalg.norm({})", "reduce", np.linalg.norm),
    "max": Function("torch.max({})", "extreme", np.maximum),
    "min": Function("torch.min({})", "extreme", np.minimum),
    "pow": Function("torch.pow({})", "pairs", np.power),
    "atan2": Function("torch.atan2({})", "pairs", np.arctan2),
    "dot": Function("torch.dot({})", "dot", np.dot),
    "det": Function("torch.linalg.det({})", "square", np.linalg.det),
    "trace": Function("torch.trace({})", "square", np.trace),
}  # fmt: skip
OTHER_NAMES = {
    "ln": "log",
    "arcsin": "asin",
    "arccos": "acos",
    "arctan": "atan",
    "tg": "tan",
    "root": "sqrt",
    "lg": "log10",
}
BOTH = {"max": "torch.maximum({})", "min": "torch.minimum({})"}  # where they are given two
CLAMPS = {"max": "torch.clamp({}, min={})", "min": "torch.clamp({}, max={})"}  # one of the two is a number
CONSTANTS = {"pi": ("torch.pi", np.pi), "e": ("torch.e", np.e)}
TAKES = {"pairs": 2, "dot": 2}  # how many arguments; extreme one or two, all others one


def known(name: str) -> str | None:
    """Return the name in the table of what a text calls `name`, or None."""
    name = OTHER_NAMES.get(name, name)
    return name if name in FUNCTIONS else None
