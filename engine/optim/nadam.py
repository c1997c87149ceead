"""NAdam: Adam whose momentum looks a step ahead, as Nesterov's does."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.optim.arithmetic import counted, counter, fma, minus_quotient, renewed, scaled, toward, zeros
from engine.optim.optimizer import Optimizer, direction_text, numbers_of, refuse_betas, refuse_negative
from engine.tensor import Tensor


class NAdam(Optimizer):
    """p less a share of the gradient and a share of its average, both over the root of its square."""

    terms_of = {"step": "t", "exp_avg": "m", "exp_avg_sq": "v"}

    def __init__(
        self, params: Any, lr: Any = 2e-3, betas: tuple[float, float] = (0.9, 0.999), eps: float = 1e-8,
        weight_decay: float = 0, momentum_decay: float = 4e-3, decoupled_weight_decay: bool = False, *,
        foreach: bool | None = None, maximize: bool = False, capturable: bool = False,
        differentiable: bool = False,
    ) -> None:  # fmt: skip
        refuse_negative(lr=lr, eps=eps)
        refuse_betas(betas)
        refuse_negative(weight_decay=weight_decay, momentum_decay=momentum_decay)
        super().__init__(params, {
            "lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay,
            "momentum_decay": momentum_decay, "decoupled_weight_decay": decoupled_weight_decay,
            "maximize": maximize, "foreach": foreach, "capturable": capturable,
            "differentiable": differentiable,
        })  # fmt: skip

    def updated(self, parameter: Tensor, grad: np.ndarray, group: dict[str, Any]) -> tuple:
        """Return the new values and the terms that gave them."""
        state = self.state[parameter]
        if not state:
            state.update(step=counter(), mu_product=counter(), exp_avg=zeros(parameter),
                         exp_avg_sq=zeros(parameter))  # fmt: skip
            state["mu_product"].array += 1
        p, d = parameter.array, grad
        lr, eps, decay, slowing = numbers_of(group, "lr", "eps", "weight_decay", "momentum_decay")
        beta1, beta2 = group["betas"]
        t = counted(state["step"])
        if decay != 0 and group["decoupled_weight_decay"]:
            p = scaled(p, 1 - lr * decay)
        elif decay != 0:
            d = fma(p, decay, d)
        mu, following = (beta1 * (1.0 - 0.5 * 0.96 ** (k * slowing)) for k in (t, t + 1))
        product = renewed(state["mu_product"], state["mu_product"].array * np.float32(mu)).item()
        terms: dict[str, Any] = {
            "lr": lr, "beta1": beta1, "beta2": beta2, "eps": eps, "t": t, "mu": mu, "mu_next": following,
            "mu_product": product, "weight_decay": decay or None,
            "m_before": state["exp_avg"].array, "v_before": state["exp_avg_sq"].array,
        }  # fmt: skip
        terms["d"] = d if d is not grad or group["maximize"] else None
        m = terms["m"] = renewed(state["exp_avg"], toward(terms["m_before"], d, 1 - beta1))
        v = fma(scaled(d, 1 - beta2), d, scaled(terms["v_before"], beta2))
        v = terms["v"] = renewed(state["exp_avg_sq"], v, writes=2)
        root = np.sqrt(v / v.dtype.type(1 - beta2**t)) + v.dtype.type(eps)
        p = minus_quotient(p, lr * (1.0 - mu) / (1.0 - product), d, root)
        return minus_quotient(p, lr * following / (1.0 - product * following), m, root), terms

    def check_sparse(self, group: dict[str, Any]) -> None:
        """Refuse sparse gradients."""
        raise RuntimeError("NAdam does not support sparse gradients")

    def formula(self, group: dict[str, Any], terms: dict[str, Any]) -> str:
        """Return the update in words of its terms."""
        apart = "weight_decay" in terms and group["decoupled_weight_decay"]
        d, steps = direction_text(group, {} if apart else terms)
        p, root = "p * (1 - lr * weight_decay)" if apart else "p", "(sqrt(v / (1 - beta2 ** t)) + eps)"
        return "; ".join([
            *steps, f"m = beta1 * m_before + (1 - beta1) * {d}",
            f"v = beta2 * v_before + (1 - beta2) * {d} * {d}",
            f"{p} - lr * (1 - mu) / (1 - mu_product) * {d} / {root}"
            f" - lr * mu_next / (1 - mu_product * mu_next) * m / {root}",
        ])  # fmt: skip

    def extra_writes(self, group: dict[str, Any]) -> int:
        """Count the second part of the step, and the decay if it is a write of its own."""
        return 1 + int(group["weight_decay"] != 0 and group["decoupled_weight_decay"])
