"""RMSprop: steps scaled by a running average of the squared gradient."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.optim.arithmetic import counted, counter, fma, minus_quotient, renewed, scaled, toward, zeros
from engine.optim.optimizer import Optimizer, numbers_of, refuse_negative
from engine.tensor import Tensor


class RMSprop(Optimizer):
    """p - lr * g / (sqrt(s) + eps)."""

    terms_of = {"square_avg": "s", "grad_avg": "a", "momentum_buffer": "buf"}

    def __init__(
        self, params: Any, lr: Any = 1e-2, alpha: float = 0.99, eps: float = 1e-8, weight_decay: float = 0,
        momentum: float = 0, centered: bool = False, capturable: bool = False, foreach: bool | None = None,
        maximize: bool = False, differentiable: bool = False,
    ) -> None:  # fmt: skip
        refuse_negative(lr=lr, eps=eps, momentum=momentum, weight_decay=weight_decay, alpha=alpha)
        super().__init__(params, {
            "lr": lr, "momentum": momentum, "alpha": alpha, "eps": eps, "centered": centered,
            "weight_decay": weight_decay, "capturable": capturable, "foreach": foreach, "maximize": maximize,
            "differentiable": differentiable,
        })  # fmt: skip

    def updated(self, parameter: Tensor, grad: np.ndarray, group: dict[str, Any]) -> tuple:
        """Return the new values and the terms that gave them."""
        state = self.state[parameter]
        if not state:
            state.update(step=counter(), square_avg=zeros(parameter))
            if group["momentum"] > 0:
                state["momentum_buffer"] = zeros(parameter)
            if group["centered"]:
                state["grad_avg"] = zeros(parameter)
        p, d = parameter.array, grad
        lr, alpha, eps, decay, momentum = numbers_of(group, "lr", "alpha", "eps", "weight_decay", "momentum")
        counted(state["step"])
        terms: dict[str, Any] = {"lr": lr, "alpha": alpha, "eps": eps, "weight_decay": decay or None}
        if decay != 0:
            d = fma(p, decay, d)
        terms["d"] = d if d is not grad or group["maximize"] else None
        terms["s_before"] = state["square_avg"].array
        s = fma(scaled(d, 1 - alpha), d, scaled(terms["s_before"], alpha))
        s = terms["s"] = renewed(state["square_avg"], s, writes=2)
        if group["centered"]:
            terms["a_before"] = state["grad_avg"].array
            a = terms["a"] = renewed(state["grad_avg"], toward(terms["a_before"], d, 1 - alpha))
            s = fma(-a, a, s)
        root = np.sqrt(s) + s.dtype.type(eps)
        if momentum <= 0:
            return minus_quotient(p, lr, d, root), terms
        terms["momentum"], terms["buf_before"] = momentum, state["momentum_buffer"].array
        buffer = scaled(terms["buf_before"], momentum) + d / root
        terms["buf"] = renewed(state["momentum_buffer"], buffer, writes=2)
        return fma(terms["buf"], -lr, p), terms

    def check_sparse(self, group: dict[str, Any]) -> None:
        """Refuse sparse gradients."""
        raise RuntimeError("RMSprop does not support sparse gradients")

    def formula(self, group: dict[str, Any], terms: dict[str, Any]) -> str:
        """Return the update in words of its terms."""
        d, steps = ("-g" if group["maximize"] else "g"), []
        d = f"{d} + weight_decay * p" if "weight_decay" in terms else d
        if d != "g":
            steps, d = [f"d = {d}"], "d"
        steps.append(f"s = alpha * s_before + (1 - alpha) * {d} * {d}")
        if "a" in terms:
            steps.append(f"a = alpha * a_before + (1 - alpha) * {d}")
        root = "(sqrt(s - a * a) + eps)" if "a" in terms else "(sqrt(s) + eps)"
        if "buf" not in terms:
            return "; ".join([*steps, f"p - lr * {d} / {root}"])
        return "; ".join([*steps, f"buf = momentum * buf_before + {d} / {root}", "p - lr * buf"])
