"""Stochastic gradient descent, with momentum, weight decay and Nesterov's variant."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.optim.arithmetic import exact, fma, renewed, scaled, zeros
from engine.optim.optimizer import Optimizer, numbers_of, refuse_negative
from engine.tensor import Tensor


class SGD(Optimizer):
    """p - lr * g; with momentum the gradients are first averaged over time."""

    terms_of = {"momentum_buffer": "buf"}

    def __init__(
        self, params: Any, lr: Any = 1e-3, momentum: float = 0, dampening: float = 0, weight_decay: float = 0,
        nesterov: bool = False, *, maximize: bool = False, foreach: bool | None = None,
        differentiable: bool = False, fused: bool | None = None,
    ) -> None:  # fmt: skip
        refuse_negative(lr=lr, momentum=momentum, weight_decay=weight_decay)
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError("Nesterov momentum requires a momentum and zero dampening")
        super().__init__(params, {
            "lr": lr, "momentum": momentum, "dampening": dampening, "weight_decay": weight_decay,
            "nesterov": nesterov, "maximize": maximize, "foreach": foreach, "differentiable": differentiable,
            "fused": fused,
        })  # fmt: skip

    def updated(self, parameter: Tensor, grad: np.ndarray, group: dict[str, Any]) -> tuple:
        """Return the new values and the terms that gave them."""
        p, d = parameter.array, grad
        lr, decay, momentum, dampening = numbers_of(group, "lr", "weight_decay", "momentum", "dampening")
        terms: dict[str, Any] = {"lr": lr}
        if decay != 0:
            d = fma(p, decay, d)
            terms["weight_decay"] = decay
        if momentum != 0:
            state = self.state[parameter]
            buffer = state.get("momentum_buffer")
            terms["momentum"] = momentum
            terms["d"] = d if d is not grad or group["maximize"] else None
            if buffer is None:
                buffer = state["momentum_buffer"] = zeros(parameter)
                renewed(buffer, d.copy(), writes=0)
            else:
                terms["buf_before"] = buffer.array
                terms["dampening"] = dampening or None
                renewed(buffer, fma(d, 1 - dampening, scaled(buffer.array, momentum)), writes=2)
            terms["buf"] = buffer.array
            d = fma(buffer.array, momentum, d) if group["nesterov"] else buffer.array
        return exact(d, -lr, p), terms

    def check_sparse(self, group: dict[str, Any]) -> None:
        """Refuse weight decay with a sparse gradient."""
        if group["weight_decay"] != 0:
            raise RuntimeError("add(sparse, dense) is not supported. Use add(dense, sparse) instead.")

    def formula(self, group: dict[str, Any], terms: dict[str, Any]) -> str:
        """Return the update in words of its terms."""
        g = "-g" if group["maximize"] else "g"
        d = f"{g} + weight_decay * p" if "weight_decay" in terms else g
        if "buf" not in terms:
            return f"p - lr * {d if d == 'g' else f'({d})'}"
        steps = [] if d == "g" else [f"d = {d}"]
        d = "g" if d == "g" else "d"
        rate = "(1 - dampening) * " if "dampening" in terms else ""
        steps.append(f"buf = momentum * buf_before + {rate}{d}" if "buf_before" in terms else f"buf = {d}")
        steps.append(f"p - lr * ({d} + momentum * buf)" if group["nesterov"] else "p - lr * buf")
        return "; ".join(steps)
