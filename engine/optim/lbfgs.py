"""L-BFGS: steps along a direction that past changes of the gradient have bent; asks for the loss itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from engine import events, modes
from engine.functions import cat
from engine.optim.line_search import search
from engine.optim.optimizer import Optimizer, numbers_of, refuse_negative
from engine.sparse import SparseTensor
from engine.tensor import Tensor, make


class LBFGS(Optimizer):
    """p + rate * d, where d comes from the last gradients and steps; `step(closure)` may call it often."""

    def __init__(
        self, params: Any, lr: Any = 1, max_iter: int = 20, max_eval: int | None = None,
        tolerance_grad: float = 1e-7, tolerance_change: float = 1e-9, history_size: int = 100,
        line_search_fn: str | None = None,
    ) -> None:  # fmt: skip
        refuse_negative(lr=lr)
        super().__init__(params, {
            "lr": lr, "max_iter": max_iter, "max_eval": max_iter * 5 // 4 if max_eval is None else max_eval,
            "tolerance_grad": tolerance_grad, "tolerance_change": tolerance_change,
            "history_size": history_size, "line_search_fn": line_search_fn,
        })  # fmt: skip
        if len(self.param_groups) != 1:
            raise ValueError("LBFGS doesn't support per-parameter options (parameter groups)")

    # ----- parameters as one long vector -----
    def flat_grad(self) -> Tensor:
        """Return all gradients one after another."""
        parts = []
        for p in self.param_groups[0]["params"]:
            grad = p.grad_tensor
            if grad is None:
                parts.append(make(p.array.reshape(-1) * 0))
            else:
                dense = grad.to_dense() if isinstance(grad, SparseTensor) else grad
                parts.append(make(dense.array.reshape(-1)))
        return cat(tuple(parts), 0)

    def move(self, t: Any, direction: Tensor) -> None:
        """Write p + rate * d into every parameter, and state it."""
        t = t.array.item() if isinstance(t, Tensor) else t
        at = 0
        for p in self.param_groups[0]["params"]:
            size = p.array.size
            part = make(direction.array[at : at + size].reshape(p.array.shape))
            at += size
            self.stated(
                p, lambda p=p, part=part: p.add_(part, alpha=t), "p + rate * d", {"rate": t, "d": part.array}
            )

    def put_back(self, values: list) -> None:
        """Write earlier values into the parameters again."""
        for p, value in zip(self.param_groups[0]["params"], values, strict=True):
            self.stated(p, lambda p=p, value=value: p.copy_(make(value)), "x", {"x": value})

    def stated(self, p: Tensor, write: Callable[[], Any], formula: str, terms: dict[str, Any]) -> None:
        """Run a write and state it as an update of a parameter."""
        watch = events.look_away()
        before, grad = p.array.copy(), p.grad_tensor
        try:
            with modes.backward_mode(False):
                write()
        finally:
            events.look_back(watch)
        if watch is not None and grad is not None:
            watch(events.ParameterUpdated(self, p, before, grad.array, p.array, formula, terms, 0, ()))

    # ----- a step -----
    def step(self, closure: Callable[[], Any]) -> Any:
        """Take up to max_iter steps; `closure` computes the loss and its gradients anew."""
        for hook in list(self._before.values()):
            hook(self, (closure,), {})
        self._stepped = True
        loss = self._steps(closure)
        for hook in list(self._after.values()):
            hook(self, (closure,), {})
        return loss

    def evaluate(self, closure: Callable[[], Any]) -> Any:
        """Return the loss at where the parameters are now."""
        with modes.backward_mode(True):
            return closure()

    def _steps(self, closure: Callable[[], Any]) -> Any:
        group = self.param_groups[0]
        (lr,) = numbers_of(group, "lr")
        state = self.state[group["params"][0]]
        state.setdefault("func_evals", 0)
        state.setdefault("n_iter", 0)
        first = self.evaluate(closure)
        loss, evals = number(first), 1
        state["func_evals"] += 1
        grad = self.flat_grad()
        if largest(grad) <= group["tolerance_grad"]:
            return first
        known = _Memory(state, group["history_size"])
        for taken in range(1, group["max_iter"] + 1):
            state["n_iter"] += 1
            d = silent(known.direction, grad, state["n_iter"])
            before, known.prev_loss = loss, loss
            known.t = min(1.0, 1.0 / silent(total, grad)) * lr if state["n_iter"] == 1 else lr
            slope = silent(lambda g=grad, d=d: g.dot(d).item())
            if slope > -group["tolerance_change"]:
                break
            more = 0
            events.emit(events.OptimizerStepped(self))
            if group["line_search_fn"] is not None:
                loss, grad, more = self._searched(
                    closure, known, loss, grad, slope, group["max_eval"] - evals
                )
            else:
                self.move(known.t, d)
                if taken != group["max_iter"]:
                    loss, more = number(self.evaluate(closure)), 1
                    grad = self.flat_grad()
            evals += more
            state["func_evals"] += more
            if self._enough(taken, evals, grad, known, abs(loss - before)):
                break
        known.store()
        return first

    def _searched(
        self, closure: Callable, known: _Memory, loss: float, grad: Tensor, slope: float, most: int
    ) -> tuple:
        if self.param_groups[0]["line_search_fn"] != "strong_wolfe":
            raise RuntimeError("only 'strong_wolfe' is supported")
        start = [p.array.copy() for p in self.param_groups[0]["params"]]

        def tried(t: Any) -> tuple[float, Tensor]:
            self.move(t, known.d)
            found = number(self.evaluate(closure))
            flat = self.flat_grad()
            events.emit(events.OptimizerStepped(self))
            self.put_back(start)
            return found, flat

        found = search(tried, known.t, known.d, loss, grad, slope, most)
        loss, grad, known.t, evals = found
        self.move(known.t, known.d)
        return loss, grad, evals

    def _enough(self, taken: int, evals: int, grad: Tensor, known: _Memory, change: float) -> bool:
        group = self.param_groups[0]
        if taken == group["max_iter"] or evals >= group["max_eval"]:
            return True
        if largest(grad) <= group["tolerance_grad"]:
            return True
        moved = silent(lambda: known.d.mul(known.t).abs().max().item())
        return moved <= group["tolerance_change"] or change < group["tolerance_change"]


class _Memory:
    """The last changes of gradient and position, from which a direction is made."""

    NAMES = ("d", "t", "old_dirs", "old_stps", "ro", "H_diag", "prev_flat_grad", "prev_loss")

    def __init__(self, state: dict[str, Any], size: int) -> None:
        self.state, self.size = state, size
        for name in self.NAMES:
            setattr(self, name, state.get(name))

    def store(self) -> None:
        """Keep it for the next call of `step`."""
        self.state.update({name: getattr(self, name) for name in self.NAMES})

    def direction(self, grad: Tensor, count: int) -> Tensor:
        """Return the direction to go: against the gradient, bent by what is remembered."""
        if count == 1:
            self.old_dirs, self.old_stps, self.ro, self.H_diag = [], [], [], 1
            self.d = grad.neg()
        else:
            self.remember(grad.sub(self.prev_flat_grad), self.d.mul(self.t))
            self.d = self.bent(grad)
        if self.prev_flat_grad is None:
            self.prev_flat_grad = grad.clone()
        else:
            self.prev_flat_grad.copy_(grad)
        return self.d

    def remember(self, y: Tensor, s: Tensor) -> None:
        """Remember a change of the gradient y over a step s, if the slope grew along it."""
        ys = y.dot(s)
        if ys.item() <= 1e-10:
            return
        for kept, value in ((self.old_dirs, y), (self.old_stps, s), (self.ro, 1.0 / ys)):
            if len(kept) == self.size:
                kept.pop(0)
            kept.append(value)
        self.H_diag = ys / y.dot(y)

    def bent(self, grad: Tensor) -> Tensor:
        """Return the gradient times the remembered inverse of the second derivatives, turned around."""
        shares = self.state.setdefault("al", [None] * self.size)
        q = grad.neg()
        for i in range(len(self.old_dirs) - 1, -1, -1):
            shares[i] = self.old_stps[i].dot(q) * self.ro[i]
            q.add_(self.old_dirs[i], alpha=-shares[i].item())
        r = q.mul(self.H_diag)
        for i in range(len(self.old_dirs)):
            back = self.old_dirs[i].dot(r) * self.ro[i]
            r.add_(self.old_stps[i], alpha=(shares[i] - back).item())
        return r


def silent(call: Callable, *args: Any) -> Any:
    """Run what is not the learner's doing: unrecorded, and without rows of its own."""
    watch = events.look_away()
    try:
        with modes.backward_mode(False):
            return call(*args)
    finally:
        events.look_back(watch)


def number(loss: Any) -> float:
    """Return a loss as a Python number."""
    return loss.array.item() if isinstance(loss, Tensor) else float(loss)


def largest(grad: Tensor) -> float:
    """Return the largest size of an element."""
    return silent(lambda: grad.abs().max().item())


def total(grad: Tensor) -> float:
    """Return the sum of the sizes of the elements."""
    return grad.abs().sum().item()
