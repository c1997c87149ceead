"""Adam and AdamW: steps scaled by running averages of the gradient and of its square."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.optim.arithmetic import counted, counter, fma, minus_quotient, renewed, scaled, toward, zeros
from engine.optim.optimizer import Optimizer, numbers_of, refuse_negative
from engine.tensor import Tensor


class Adam(Optimizer):
    """p - lr * m / (sqrt(v) + eps), with m and v corrected for having started at zero."""

    terms_of = {"step": "t", "exp_avg": "m", "exp_avg_sq": "v", "max_exp_avg_sq": "w"}

    def __init__(
        self, params: Any, lr: Any = 1e-3, betas: tuple[float, float] = (0.9, 0.999), eps: float = 1e-8,
        weight_decay: float = 0, amsgrad: bool = False, *, foreach: bool | None = None,
        maximize: bool = False, capturable: bool = False, differentiable: bool = False,
        fused: bool | None = None, decoupled_weight_decay: bool = False,
    ) -> None:  # fmt: skip
        refuse_negative(lr=lr, eps=eps)
        for i, beta in enumerate(betas):
            if not 0.0 <= beta < 1.0:
                raise ValueError(f"Invalid beta parameter at index {i}: {beta}")
        refuse_negative(weight_decay=weight_decay)
        super().__init__(params, {
            "lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay, "amsgrad": amsgrad,
            "maximize": maximize, "foreach": foreach, "capturable": capturable,
            "differentiable": differentiable, "fused": fused,
            "decoupled_weight_decay": decoupled_weight_decay,
        })  # fmt: skip

    def updated(self, parameter: Tensor, grad: np.ndarray, group: dict[str, Any]) -> tuple:
        """Return the new values and the terms that gave them."""
        state = self.state[parameter]
        if not state:
            state.update(step=counter(), exp_avg=zeros(parameter), exp_avg_sq=zeros(parameter))
            if group["amsgrad"]:
                state["max_exp_avg_sq"] = zeros(parameter)
        p, d = parameter.array, grad
        lr, eps, decay = numbers_of(group, "lr", "eps", "weight_decay")
        beta1, beta2 = group["betas"]
        t = counted(state["step"])
        before = {"m_before": state["exp_avg"].array, "v_before": state["exp_avg_sq"].array}
        if decay != 0 and group["decoupled_weight_decay"]:
            p = scaled(p, 1 - lr * decay)
        elif decay != 0:
            d = fma(p, decay, d)
        m = renewed(state["exp_avg"], toward(before["m_before"], d, 1 - beta1))
        v = fma(scaled(d, 1 - beta2), d, scaled(before["v_before"], beta2))
        v = renewed(state["exp_avg_sq"], v, writes=2)
        terms = {"lr": lr, "beta1": beta1, "beta2": beta2, "eps": eps, "t": t, **before, "m": m, "v": v}
        terms["weight_decay"] = decay or None
        terms["d"] = d if d is not grad or group["maximize"] else None
        if group["amsgrad"]:
            terms["w_before"] = state["max_exp_avg_sq"].array
            v = terms["w"] = renewed(state["max_exp_avg_sq"], np.maximum(terms["w_before"], v))
        root = v.dtype.type((1 - beta2**t) ** 0.5)
        return minus_quotient(p, lr / (1 - beta1**t), m, np.sqrt(v) / root + v.dtype.type(eps)), terms

    def check_sparse(self, group: dict[str, Any]) -> None:
        """Refuse sparse gradients."""
        raise RuntimeError("Adam does not support sparse gradients, please consider SparseAdam instead")

    def formula(self, group: dict[str, Any], terms: dict[str, Any]) -> str:
        """Return the update in words of its terms."""
        d, p, steps = ("-g" if group["maximize"] else "g"), "p", []
        if "weight_decay" in terms and group["decoupled_weight_decay"]:
            p = "p * (1 - lr * weight_decay)"
        elif "weight_decay" in terms:
            d = f"{d} + weight_decay * p"
        if d != "g":
            steps, d = [f"d = {d}"], "d"
        steps += [
            f"m = beta1 * m_before + (1 - beta1) * {d}",
            f"v = beta2 * v_before + (1 - beta2) * {d} * {d}",
        ]
        if "w" in terms:
            steps.append("w = max(w_before, v)")
        v = "w" if "w" in terms else "v"
        steps.append(f"{p} - lr / (1 - beta1 ** t) * m / (sqrt({v} / (1 - beta2 ** t)) + eps)")
        return "; ".join(steps)

    def extra_writes(self, group: dict[str, Any]) -> int:
        """Count the decay, which is a write of its own."""
        return int(group["weight_decay"] != 0 and group["decoupled_weight_decay"])


class AdamW(Adam):
    """Adam whose weight decay does not pass through the averages."""

    def __init__(
        self, params: Any, lr: Any = 1e-3, betas: tuple[float, float] = (0.9, 0.999), eps: float = 1e-8,
        weight_decay: float = 1e-2, amsgrad: bool = False, *, maximize: bool = False,
        foreach: bool | None = None, capturable: bool = False, differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:  # fmt: skip
        super().__init__(
            params, lr, betas, eps, weight_decay, amsgrad, foreach=foreach, maximize=maximize,
            capturable=capturable, differentiable=differentiable, fused=fused, decoupled_weight_decay=True,
        )  # fmt: skip
