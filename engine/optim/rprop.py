"""Rprop: every number has a step size of its own, which grows while the sign of its gradient stays."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.optim.arithmetic import counted, counter, exact, renewed, zeros
from engine.optim.optimizer import Optimizer, numbers_of, refuse_negative
from engine.tensor import Tensor


class Rprop(Optimizer):
    """p - sign(g) * size; where the sign changed, the size shrinks and the step is left out."""

    terms_of = {"step_size": "size"}

    def __init__(
        self, params: Any, lr: Any = 1e-2, etas: tuple[float, float] = (0.5, 1.2),
        step_sizes: tuple[float, float] = (1e-6, 50), *, capturable: bool = False,
        foreach: bool | None = None, maximize: bool = False, differentiable: bool = False,
    ) -> None:  # fmt: skip
        refuse_negative(lr=lr)
        if not 0.0 < etas[0] < 1.0 < etas[1]:
            raise ValueError(f"Invalid eta values: {etas[0]}, {etas[1]}")
        super().__init__(params, {
            "lr": lr, "etas": etas, "step_sizes": step_sizes, "foreach": foreach, "maximize": maximize,
            "differentiable": differentiable, "capturable": capturable,
        })  # fmt: skip

    def updated(self, parameter: Tensor, grad: np.ndarray, group: dict[str, Any]) -> tuple:
        """Return the new values and the terms that gave them."""
        state = self.state[parameter]
        if not state:
            (lr,) = numbers_of(group, "lr")
            state.update(step=counter(), prev=zeros(parameter), step_size=zeros(parameter, lr))
        counted(state["step"])
        (shrink, grow), (low, high) = group["etas"], group["step_sizes"]
        last, size_before, number = state["prev"].array, state["step_size"].array, grad.dtype.type
        turned = np.sign(grad * last)
        factor = np.where(turned > 0, number(grow), np.where(turned < 0, number(shrink), number(1)))
        size = np.clip(size_before * factor, number(low), number(high))
        size = renewed(state["step_size"], size, writes=2)
        used = np.where(turned < 0, number(0), grad)
        renewed(state["prev"], used)
        terms = {
            "etaminus": shrink, "etaplus": grow, "low": low, "high": high, "g_last": last,
            "size_before": size_before, "size": size,
        }  # fmt: skip
        terms["d"] = grad if group["maximize"] else None
        return exact(-np.sign(used), size, parameter.array), terms

    def check_sparse(self, group: dict[str, Any]) -> None:
        """Refuse sparse gradients."""
        raise RuntimeError("Rprop does not support sparse gradients")

    def formula(self, group: dict[str, Any], terms: dict[str, Any]) -> str:
        """Return the update in words of its terms."""
        d, steps = ("d", ["d = -g"]) if group["maximize"] else ("g", [])
        factor = f"where({d} * g_last > 0, etaplus, where({d} * g_last < 0, etaminus, 1))"
        size = f"size_before * {factor}"
        return "; ".join([
            *steps, f"size = where({size} > high, high, where({size} < low, low, {size}))",
            f"p - where({d} * g_last < 0, 0, sign({d})) * size",
        ])  # fmt: skip
