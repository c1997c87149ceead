"""SparseAdam: Adam for gradients that name only some rows; the other rows and their averages stay."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from engine.optim.arithmetic import renewed, zeros
from engine.optim.optimizer import Optimizer, numbers_of, refuse_betas
from engine.sparse import SparseTensor
from engine.tensor import Tensor


class SparseAdam(Optimizer):
    """Adam on the rows that a sparse gradient names."""

    terms_of = {"exp_avg": "m", "exp_avg_sq": "v"}

    def __init__(
        self, params: Any, lr: Any = 1e-3, betas: tuple[float, float] = (0.9, 0.999), eps: float = 1e-8,
        maximize: bool = False,
    ) -> None:  # fmt: skip
        rate = lr.array.item() if isinstance(lr, Tensor) else lr
        if not 0.0 < rate:
            raise ValueError(f"Invalid learning rate: {lr}")
        if not 0.0 < eps:
            raise ValueError(f"Invalid epsilon value: {eps}")
        refuse_betas(betas)
        super().__init__(params, {"lr": lr, "betas": betas, "eps": eps, "maximize": maximize})

    def updated(self, parameter: Tensor, grad: np.ndarray, group: dict[str, Any]) -> tuple:
        """Return the new values and the terms that gave them."""
        given = parameter.grad_tensor
        if not isinstance(given, SparseTensor):
            raise RuntimeError("SparseAdam does not support dense gradients, please consider Adam instead")
        state = self.state[parameter]
        if not state:
            state.update(step=0, exp_avg=zeros(parameter), exp_avg_sq=zeros(parameter))
        state["step"] += 1
        t, (lr, eps), (beta1, beta2) = state["step"], numbers_of(group, "lr", "eps"), group["betas"]
        rows = tuple(given.coalesce().entry_indices)
        d, number = grad[rows], grad.dtype.type
        before = {"m_before": state["exp_avg"].array, "v_before": state["exp_avg_sq"].array}
        m, v = before["m_before"].copy(), before["v_before"].copy()
        m[rows] = (d - m[rows]) * number(1 - beta1) + m[rows]
        v[rows] = (d * d - v[rows]) * number(1 - beta2) + v[rows]
        renewed(state["exp_avg"], m)
        renewed(state["exp_avg_sq"], v)
        step = lr * math.sqrt(1 - beta2**t) / (1 - beta1**t)
        out, chosen = parameter.array.copy(), np.zeros_like(parameter.array)
        out[rows] += number(-step) * (m[rows] / (np.sqrt(v[rows]) + number(eps)))
        chosen[rows] = 1
        after = {"m": m, "v": v}
        terms = {
            "lr": lr,
            "beta1": beta1,
            "beta2": beta2,
            "eps": eps,
            "t": t,
            "rows": chosen,
            **before,
            **after,
        }
        terms["d"] = grad if group["maximize"] else None
        return out, terms

    def formula(self, group: dict[str, Any], terms: dict[str, Any]) -> str:
        """Return the update in words of its terms; `rows` is 1 where the gradient names a row."""
        d, steps = ("d", ["d = -g"]) if group["maximize"] else ("g", [])
        return "; ".join([
            *steps, f"m = m_before + rows * (1 - beta1) * ({d} - m_before)",
            f"v = v_before + rows * (1 - beta2) * ({d} * {d} - v_before)",
            "p - rows * lr * sqrt(1 - beta2 ** t) / (1 - beta1 ** t) * m / (sqrt(v) + eps)",
        ])  # fmt: skip
