"""RAdam: Adam that scales its steps only once enough gradients were seen."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.optim.arithmetic import counted, counter, exact, fma, renewed, scaled, toward, zeros
from engine.optim.optimizer import Optimizer, direction_text, numbers_of, refuse_betas, refuse_negative
from engine.tensor import Tensor


class RAdam(Optimizer):
    """p - lr * m at first; from the moment that v can be trusted, over its root."""

    terms_of = {"step": "t", "exp_avg": "m", "exp_avg_sq": "v"}

    def __init__(
        self, params: Any, lr: Any = 1e-3, betas: tuple[float, float] = (0.9, 0.999), eps: float = 1e-8,
        weight_decay: float = 0, decoupled_weight_decay: bool = False, *, foreach: bool | None = None,
        maximize: bool = False, capturable: bool = False, differentiable: bool = False,
    ) -> None:  # fmt: skip
        refuse_negative(lr=lr, eps=eps)
        refuse_betas(betas)
        refuse_negative(weight_decay=weight_decay)
        super().__init__(params, {
            "lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay, "maximize": maximize,
            "foreach": foreach, "capturable": capturable, "decoupled_weight_decay": decoupled_weight_decay,
            "differentiable": differentiable,
        })  # fmt: skip

    def updated(self, parameter: Tensor, grad: np.ndarray, group: dict[str, Any]) -> tuple:
        """Return the new values and the terms that gave them."""
        state = self.state[parameter]
        if not state:
            state.update(step=counter(), exp_avg=zeros(parameter), exp_avg_sq=zeros(parameter))
        p, d = parameter.array, grad
        lr, eps, decay = numbers_of(group, "lr", "eps", "weight_decay")
        beta1, beta2 = group["betas"]
        t = counted(state["step"])
        if decay != 0 and group["decoupled_weight_decay"]:
            p = scaled(p, 1 - lr * decay)
        elif decay != 0:
            d = fma(p, decay, d)
        terms: dict[str, Any] = {
            "lr": lr, "beta1": beta1, "beta2": beta2, "eps": eps, "t": t, "weight_decay": decay or None,
            "m_before": state["exp_avg"].array, "v_before": state["exp_avg_sq"].array,
        }  # fmt: skip
        terms["d"] = d if d is not grad or group["maximize"] else None
        m = terms["m"] = renewed(state["exp_avg"], toward(terms["m_before"], d, 1 - beta1))
        v = fma(scaled(d, 1 - beta2), d, scaled(terms["v_before"], beta2))
        v = terms["v"] = renewed(state["exp_avg_sq"], v, writes=2)
        number = v.dtype.type
        step = m / number(1 - beta1**t) * number(lr)
        limit = 2 / (1 - beta2) - 1
        seen = limit - 2 * t * beta2**t / (1 - beta2**t)
        if seen > 5.0:  # what the average of squares is made of counts as so many gradients
            share = (seen - 4) * (seen - 2) * limit / ((limit - 4) * (limit - 2) * seen)
            terms["r"] = share**0.5
            root = np.sqrt(v) + number(eps)
            step = step * (1 / root * number((1 - beta2**t) ** 0.5)) * number(terms["r"])
        return exact(step, -1.0, p), terms

    def check_sparse(self, group: dict[str, Any]) -> None:
        """Refuse sparse gradients."""
        raise RuntimeError("RAdam does not support sparse gradients")

    def formula(self, group: dict[str, Any], terms: dict[str, Any]) -> str:
        """Return the update in words of its terms."""
        apart = "weight_decay" in terms and group["decoupled_weight_decay"]
        d, steps = direction_text(group, {} if apart else terms)
        p = "p * (1 - lr * weight_decay)" if apart else "p"
        scale = " * r * sqrt(1 - beta2 ** t) / (sqrt(v) + eps)" if "r" in terms else ""
        return "; ".join([
            *steps, f"m = beta1 * m_before + (1 - beta1) * {d}",
            f"v = beta2 * v_before + (1 - beta2) * {d} * {d}",
            f"{p} - lr * m / (1 - beta1 ** t){scale}",
        ])  # fmt: skip

    def extra_writes(self, group: dict[str, Any]) -> int:
        """Count the decay, if it is a write of its own."""
        return int(group["weight_decay"] != 0 and group["decoupled_weight_decay"])
