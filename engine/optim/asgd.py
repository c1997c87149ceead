"""ASGD: gradient descent that also keeps the average of where it has been."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.optim.arithmetic import counted, counter, fma, renewed, scaled, zeros
from engine.optim.optimizer import Optimizer, direction_text, numbers_of, refuse_negative
from engine.tensor import Tensor


class ASGD(Optimizer):
    """p * (1 - lambd * eta) - eta * g with a falling eta; the average is in the state, as `ax`."""

    def __init__(
        self, params: Any, lr: Any = 1e-2, lambd: float = 1e-4, alpha: float = 0.75, t0: float = 1e6,
        weight_decay: float = 0, foreach: bool | None = None, maximize: bool = False,
        differentiable: bool = False, capturable: bool = False,
    ) -> None:  # fmt: skip
        refuse_negative(lr=lr, weight_decay=weight_decay)
        super().__init__(params, {
            "lr": lr, "lambd": lambd, "alpha": alpha, "t0": t0, "weight_decay": weight_decay,
            "foreach": foreach, "maximize": maximize, "differentiable": differentiable,
            "capturable": capturable,
        })  # fmt: skip

    def updated(self, parameter: Tensor, grad: np.ndarray, group: dict[str, Any]) -> tuple:
        """Return the new values and the terms that gave them."""
        state = self.state[parameter]
        lr, lambd, alpha, start, decay = numbers_of(group, "lr", "lambd", "alpha", "t0", "weight_decay")
        if not state:
            state.update(step=counter(), eta=counter(), mu=counter(), ax=zeros(parameter))
            state["eta"].array += state["eta"].array.dtype.type(lr)
            state["mu"].array += 1
        p, d = parameter.array, grad
        t = counted(state["step"])
        if decay != 0:
            d = fma(p, decay, d)
        eta, mu = state["eta"].array.item(), state["mu"].array.item()
        p = fma(d, -eta, scaled(p, 1 - lambd * eta))
        average = state["ax"].array
        renewed(state["ax"], average + scaled(p - average, mu) if mu != 1 else p.copy())
        renewed(state["eta"], np.asarray(lr / ((1 + lambd * lr * t) ** alpha)))
        renewed(state["mu"], np.asarray(1 / max(1, t - start)))
        terms = {"eta": eta, "lambd": lambd, "weight_decay": decay or None}
        terms["d"] = d if d is not grad or group["maximize"] else None
        return p, terms

    def check_sparse(self, group: dict[str, Any]) -> None:
        """Refuse sparse gradients."""
        raise RuntimeError("ASGD does not support sparse gradients")

    def formula(self, group: dict[str, Any], terms: dict[str, Any]) -> str:
        """Return the update in words of its terms."""
        d, steps = direction_text(group, terms)
        return "; ".join([*steps, f"p * (1 - lambd * eta) - eta * {d}"])

    def extra_writes(self, group: dict[str, Any]) -> int:
        """Count the shrinking, which is a write of its own."""
        return 1
