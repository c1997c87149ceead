"""The facts of training: emptied and clipped gradients, an optimiser's step, a planned learning rate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

fact = dataclass(slots=True, eq=False)


@fact
class ZeroGradCalled:
    """`zero_grad()` of an optimiser or a module began; one GradSet per tensor follows."""

    owner: Any
    set_to_none: bool


@fact
class OptimizerStepped:
    """`optimizer.step()` began; one ParameterUpdated per parameter with a gradient follows."""

    optimizer: Any


@fact
class ParameterUpdated:
    """An optimiser wrote a parameter. `before`, `grad`, `after` are arrays; `formula` names `terms`.

    `state` is what it keeps for the parameter: (PyTorch's name, the formula's name or None, before, after).
    """

    optimizer: Any
    parameter: Any
    before: Any
    grad: Any
    after: Any
    formula: str
    terms: dict
    group: int
    state: tuple


@fact
class GradNormClipped:
    """All these `.grad` were multiplied by `factor` = min(1, max_norm / (total + 1e-6)); arrays.

    `norm_type` is None where the program brought the total itself.
    """

    tensors: tuple
    norm_type: float | None
    max_norm: float
    total: Any
    factor: Any
    before: tuple
    after: tuple


@fact
class GradValueClipped:
    """Every element of these `.grad` was held between -clip_value and clip_value; arrays."""

    tensors: tuple
    clip_value: float
    before: tuple
    after: tuple


@fact
class LrScheduled:
    """A scheduler went on to `epoch` and wrote the learning rate of one parameter group."""

    scheduler: Any
    optimizer: Any
    group: int
    epoch: int
    before: float
    after: float
    formula: str
    terms: dict
