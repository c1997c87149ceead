"""Adadelta: steps of the size that past steps had, scaled by how large gradients have been."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.optim.arithmetic import counted, counter, exact, fma, renewed, scaled, zeros
from engine.optim.optimizer import Optimizer, direction_text, numbers_of, refuse_negative
from engine.tensor import Tensor


class Adadelta(Optimizer):
    """p - lr * u, where u = sqrt(a + eps) / sqrt(s + eps) * g has the size of past u."""

    terms_of = {"square_avg": "s", "acc_delta": "a"}

    def __init__(
        self, params: Any, lr: Any = 1.0, rho: float = 0.9, eps: float = 1e-6, weight_decay: float = 0,
        foreach: bool | None = None, *, capturable: bool = False, maximize: bool = False,
        differentiable: bool = False,
    ) -> None:  # fmt: skip
        refuse_negative(lr=lr)
        if not 0.0 <= rho <= 1.0:
            raise ValueError(f"Invalid rho value: {rho}")
        refuse_negative(eps=eps, weight_decay=weight_decay)
        super().__init__(params, {
            "lr": lr, "rho": rho, "eps": eps, "weight_decay": weight_decay, "maximize": maximize,
            "capturable": capturable, "foreach": foreach, "differentiable": differentiable,
        })  # fmt: skip

    def updated(self, parameter: Tensor, grad: np.ndarray, group: dict[str, Any]) -> tuple:
        """Return the new values and the terms that gave them."""
        state = self.state[parameter]
        if not state:
            state.update(step=counter(), square_avg=zeros(parameter), acc_delta=zeros(parameter))
        p, d = parameter.array, grad
        lr, rho, eps, decay = numbers_of(group, "lr", "rho", "eps", "weight_decay")
        counted(state["step"])
        if decay != 0:
            d = fma(p, decay, d)
        terms: dict[str, Any] = {"lr": lr, "rho": rho, "eps": eps, "weight_decay": decay or None}
        terms["d"] = d if d is not grad or group["maximize"] else None
        terms["s_before"], terms["a_before"] = state["square_avg"].array, state["acc_delta"].array
        s = fma(scaled(d, 1 - rho), d, scaled(terms["s_before"], rho))
        s = terms["s"] = renewed(state["square_avg"], s, writes=2)
        small = s.dtype.type(eps)
        u = terms["u"] = np.sqrt(terms["a_before"] + small) / np.sqrt(s + small) * d
        a = fma(scaled(u, 1 - rho), u, scaled(terms["a_before"], rho))
        terms["a"] = renewed(state["acc_delta"], a, writes=2)
        return exact(u, -lr, p), terms

    def check_sparse(self, group: dict[str, Any]) -> None:
        """Refuse sparse gradients."""
        raise RuntimeError("Adadelta does not support sparse gradients")

    def formula(self, group: dict[str, Any], terms: dict[str, Any]) -> str:
        """Return the update in words of its terms."""
        d, steps = direction_text(group, terms)
        return "; ".join([
            *steps, f"s = rho * s_before + (1 - rho) * {d} * {d}",
            f"u = sqrt(a_before + eps) / sqrt(s + eps) * {d}",
            "a = rho * a_before + (1 - rho) * u * u", "p - lr * u",
        ])  # fmt: skip
