"""Adamax: steps scaled by a running average of the gradient and by its largest size."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.optim.arithmetic import counted, counter, fma, minus_quotient, renewed, scaled, toward, zeros
from engine.optim.optimizer import Optimizer, direction_text, numbers_of, refuse_betas, refuse_negative
from engine.tensor import Tensor


class Adamax(Optimizer):
    """p - lr * m / w, where w is the largest gradient so far, slowly forgotten."""

    terms_of = {"step": "t", "exp_avg": "m", "exp_inf": "w"}

    def __init__(
        self, params: Any, lr: Any = 2e-3, betas: tuple[float, float] = (0.9, 0.999), eps: float = 1e-8,
        weight_decay: float = 0, foreach: bool | None = None, *, maximize: bool = False,
        differentiable: bool = False, capturable: bool = False,
    ) -> None:  # fmt: skip
        refuse_negative(lr=lr, eps=eps)
        refuse_betas(betas)
        refuse_negative(weight_decay=weight_decay)
        super().__init__(params, {
            "lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay, "foreach": foreach,
            "maximize": maximize, "differentiable": differentiable, "capturable": capturable,
        })  # fmt: skip

    def updated(self, parameter: Tensor, grad: np.ndarray, group: dict[str, Any]) -> tuple:
        """Return the new values and the terms that gave them."""
        state = self.state[parameter]
        if not state:
            state.update(step=counter(), exp_avg=zeros(parameter), exp_inf=zeros(parameter))
        p, d = parameter.array, grad
        lr, eps, decay = numbers_of(group, "lr", "eps", "weight_decay")
        beta1, beta2 = group["betas"]
        t = counted(state["step"])
        if decay != 0:
            d = fma(p, decay, d)
        terms: dict[str, Any] = {"lr": lr, "beta1": beta1, "beta2": beta2, "eps": eps, "t": t}
        terms["weight_decay"] = decay or None
        terms["d"] = d if d is not grad or group["maximize"] else None
        terms["m_before"], terms["w_before"] = state["exp_avg"].array, state["exp_inf"].array
        m = terms["m"] = renewed(state["exp_avg"], toward(terms["m_before"], d, 1 - beta1))
        w = np.maximum(scaled(terms["w_before"], beta2), np.abs(d) + d.dtype.type(eps))
        w = terms["w"] = renewed(state["exp_inf"], w, writes=2)
        return minus_quotient(p, lr / (1 - beta1**t), m, w), terms

    def check_sparse(self, group: dict[str, Any]) -> None:
        """Refuse sparse gradients."""
        raise RuntimeError("Adamax does not support sparse gradients")

    def formula(self, group: dict[str, Any], terms: dict[str, Any]) -> str:
        """Return the update in words of its terms."""
        d, steps = direction_text(group, terms)
        return "; ".join([
            *steps, f"m = beta1 * m_before + (1 - beta1) * {d}",
            f"w = max(beta2 * w_before, abs({d}) + eps)", "p - lr / (1 - beta1 ** t) * m / w",
        ])  # fmt: skip
