"""Activations as modules: each row names the function, its options and how it prints."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from engine import dtype as dtypes
from engine.device import making
from engine.nn import functional as F
from engine.nn.module import Module, filling
from engine.tensor import Parameter, Tensor, make_at

REQUIRED = inspect.Parameter.empty


class Activation(Module):
    """A function of one input with its options. Subclasses are made from rows."""

    function: Callable
    options: dict[str, Any]
    shows: Callable[[Any], str]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()
        values = type(self).signature.bind(self, *args, **kwargs)
        values.apply_defaults()
        for name in self.options:
            setattr(self, name, values.arguments[name])

    def forward(self, input: Tensor) -> Tensor:
        """Apply the function."""
        return type(self).function(input, *(getattr(self, name) for name in self.options))

    def extra_repr(self) -> str:
        return type(self).shows(self)


def named(*names: str) -> Callable[[Any], str]:
    """Print options as name=value; `inplace` only if it is on."""

    def text(self: Any) -> str:
        shown = [f"{n}={getattr(self, n)!r}" for n in names]
        return ", ".join([*shown, "inplace=True"] if getattr(self, "inplace", False) else shown)

    return text


PLAIN = named()


def activation(
    name: str, function: Callable, doc: str, shows: Callable[[Any], str] = PLAIN, **options: Any
) -> type:
    """Make the module class of an activation."""
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    parameters = [inspect.Parameter(n, kind, default=v) for n, v in options.items()]
    signature = inspect.Signature([inspect.Parameter("self", kind), *parameters])
    body = {"__doc__": doc, "__module__": __name__, "function": staticmethod(function), "options": options,
            "shows": staticmethod(shows), "signature": signature}  # fmt: skip
    made = type(name, (Activation,), body)

    def init(self: Any, *args: Any, **kwargs: Any) -> None:
        _refuse(name, options, args, kwargs)
        Activation.__init__(self, *args, **kwargs)

    made.__init__ = init  # type: ignore[misc]
    return made


def _refuse(name: str, options: dict[str, Any], args: tuple, kwargs: dict) -> None:
    """Word a wrong call as Python does for an ordinary __init__."""
    if len(args) > len(options):
        most = len(options) + 1
        least = 1 + sum(v is REQUIRED for v in options.values())
        takes = (
            f"{most} positional argument{'s' * (most > 1)}"
            if least == most
            else f"from {least} to {most} positional arguments"
        )
        raise TypeError(f"{name}.__init__() takes {takes} but {len(args) + 1} were given")
    for key in kwargs:
        if key not in options:
            raise TypeError(f"{name}.__init__() got an unexpected keyword argument '{key}'")
    taken = [*list(options)[: len(args)], *kwargs]
    missing = [n for n, v in options.items() if v is REQUIRED and n not in taken]
    if missing:
        names = " and ".join(f"'{n}'" for n in missing)
        raise TypeError(
            f"{name}.__init__() missing {len(missing)} required positional "
            f"argument{'s' * (len(missing) > 1)}: {names}"
        )


def _bare(name: str) -> Callable[[Any], str]:
    return lambda self: str(getattr(self, name))


ReLU = activation("ReLU", F.relu, "max(0, x).", inplace=False)
ReLU6 = activation("ReLU6", F.relu6, "x held between 0 and 6.", inplace=False)
LeakyReLU = activation(
    "LeakyReLU",
    F.leaky_relu,
    "x, below zero times a slope.",
    named("negative_slope"),
    negative_slope=0.01,
    inplace=False,
)
ELU = activation(
    "ELU", F.elu, "x, below zero alpha * (exp(x) - 1).", named("alpha"), alpha=1.0, inplace=False
)
SELU = activation("SELU", F.selu, "A scaled elu that keeps mean 0 and variance 1.", inplace=False)
CELU = activation(
    "CELU", F.celu, "x, below zero alpha * (exp(x / alpha) - 1).", named("alpha"), alpha=1.0, inplace=False
)
GELU = activation(
    "GELU", F.gelu, "x times the share of normal numbers below x.", named("approximate"), approximate="none"
)
SiLU = activation("SiLU", F.silu, "x * sigmoid(x).", inplace=False)
Mish = activation("Mish", F.mish, "x * tanh(softplus(x)).", inplace=False)
Sigmoid = activation("Sigmoid", F.sigmoid, "1 / (1 + exp(-x)).")
Tanh = activation("Tanh", F.tanh, "The hyperbolic tangent.")
Softmax = activation(
    "Softmax", F.softmax, "exp(x) divided by its sum along a dimension.", named("dim"), dim=None
)
LogSoftmax = activation("LogSoftmax", F.log_softmax, "The logarithm of softmax.", named("dim"), dim=None)
Softmin = activation("Softmin", F.softmin, "Softmax of -x.", named("dim"), dim=None)
Softplus = activation(
    "Softplus",
    F.softplus,
    "log(1 + exp(beta * x)) / beta.",
    named("beta", "threshold"),
    beta=1.0,
    threshold=20.0,
)
Softsign = activation("Softsign", F.softsign, "x / (1 + |x|).")
Hardtanh = activation(
    "Hardtanh", F.hardtanh, "x held between two values.", named("min_val", "max_val"),
    min_val=-1.0, max_val=1.0, inplace=False,
)  # fmt: skip
Hardswish = activation("Hardswish", F.hardswish, "x * hardsigmoid(x).", inplace=False)
Hardsigmoid = activation("Hardsigmoid", F.hardsigmoid, "x / 6 + 1 / 2 held between 0 and 1.", inplace=False)
LogSigmoid = activation("LogSigmoid", F.logsigmoid, "log(sigmoid(x)).")
Tanhshrink = activation("Tanhshrink", F.tanhshrink, "x - tanh(x).")
Softshrink = activation("Softshrink", F.softshrink, "x moved towards zero.", _bare("lambd"), lambd=0.5)
Hardshrink = activation("Hardshrink", F.hardshrink, "x, but 0 near zero.", _bare("lambd"), lambd=0.5)
Threshold = activation(
    "Threshold", F.threshold, "x, but a value where x is not above a threshold.", named("threshold", "value"),
    threshold=REQUIRED, value=REQUIRED, inplace=False,
)  # fmt: skip
GLU = activation("GLU", F.glu, "The first half times the sigmoid of the second.", named("dim"), dim=-1)


class PReLU(Module):
    """x, below zero times a learned slope."""

    def __init__(
        self, num_parameters: int = 1, init: float = 0.25, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__()
        self.num_parameters = num_parameters
        self.init = init
        with filling(self, device):
            held = dtype or dtypes.default_dtype()
            start = np.full(num_parameters, init, held.numpy)
            self.weight = Parameter(make_at(start, None, making()))

    def reset_parameters(self) -> None:
        """Set all slopes to the first value."""
        self.weight.write(self.init)

    def forward(self, input: Tensor) -> Tensor:
        """Apply the function."""
        return F.prelu(input, self.weight)

    def extra_repr(self) -> str:
        return f"num_parameters={self.num_parameters}"


class RReLU(Module):
    """x, below zero times a slope that is random in training."""

    def __init__(self, lower: float = 1 / 8, upper: float = 1 / 3, inplace: bool = False) -> None:
        super().__init__()
        self.lower = lower
        self.upper = upper
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """Apply the function."""
        return F.rrelu(input, self.lower, self.upper, self.training, self.inplace)

    def extra_repr(self) -> str:
        return f"lower={self.lower}, upper={self.upper}" + (", inplace=True" if self.inplace else "")
