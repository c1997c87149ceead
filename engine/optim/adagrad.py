"""Adagrad: steps scaled by the sum of all squared gradients so far."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.optim.arithmetic import counted, counter, fma, minus_quotient, renewed, zeros
from engine.optim.optimizer import Optimizer, numbers_of, refuse_negative
from engine.tensor import Tensor


class Adagrad(Optimizer):
    """p - lr * g / (sqrt(s) + eps), where s only grows."""

    terms_of = {"step": "t", "sum": "s"}

    def __init__(
        self, params: Any, lr: Any = 1e-2, lr_decay: float = 0, weight_decay: float = 0,
        initial_accumulator_value: float = 0, eps: float = 1e-10, foreach: bool | None = None, *,
        maximize: bool = False, differentiable: bool = False, fused: bool | None = None,
    ) -> None:  # fmt: skip
        refuse_negative(
            lr=lr, lr_decay=lr_decay, weight_decay=weight_decay,
            initial_accumulator_value=initial_accumulator_value, eps=eps,
        )  # fmt: skip
        super().__init__(params, {
            "lr": lr, "lr_decay": lr_decay, "eps": eps, "weight_decay": weight_decay,
            "initial_accumulator_value": initial_accumulator_value, "foreach": foreach, "maximize": maximize,
            "differentiable": differentiable, "fused": fused,
        })  # fmt: skip
        for group in self.param_groups:
            for p in group["params"]:
                self.state[p].update(step=counter(), sum=zeros(p, group["initial_accumulator_value"]))

    def updated(self, parameter: Tensor, grad: np.ndarray, group: dict[str, Any]) -> tuple:
        """Return the new values and the terms that gave them."""
        p, d, state = parameter.array, grad, self.state[parameter]
        lr, eps, lr_decay, decay = numbers_of(group, "lr", "eps", "lr_decay", "weight_decay")
        t = counted(state["step"])
        terms: dict[str, Any] = {"lr": lr, "eps": eps, "weight_decay": decay or None}
        if lr_decay:
            terms.update(lr_decay=lr_decay, t=t)
        if decay != 0:
            d = fma(p, decay, d)
        terms["d"] = d if d is not grad or group["maximize"] else None
        terms["s_before"] = state["sum"].array
        s = terms["s"] = renewed(state["sum"], fma(d, d, terms["s_before"]))
        return minus_quotient(p, lr / (1 + (t - 1) * lr_decay), d, np.sqrt(s) + s.dtype.type(eps)), terms

    def check_sparse(self, group: dict[str, Any]) -> None:
        """Refuse weight decay with a sparse gradient."""
        if group["weight_decay"] != 0:
            raise RuntimeError("weight_decay option is not compatible with sparse gradients")

    def formula(self, group: dict[str, Any], terms: dict[str, Any]) -> str:
        """Return the update in words of its terms."""
        d, steps = ("-g" if group["maximize"] else "g"), []
        d = f"{d} + weight_decay * p" if "weight_decay" in terms else d
        if d != "g":
            steps, d = [f"d = {d}"], "d"
        lr = "lr / (1 + (t - 1) * lr_decay)" if "t" in terms else "lr"
        return "; ".join([*steps, f"s = s_before + {d} * {d}", f"p - {lr} * {d} / (sqrt(s) + eps)"])
