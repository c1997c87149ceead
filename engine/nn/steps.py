"""One step of a recurrent network: what a cell makes of its input and the state before."""

from __future__ import annotations

from typing import Any

from engine.nn import functional as F
from engine.ops.table import F as rows
from engine.tensor import Tensor


# What comes from the input, and what from the state before, is added in PyTorch's order.
def simple_step(from_input: Any, hidden: tuple, weights: Weights, nonlinearity: str) -> tuple:
    """Return the new state of a plain recurrent cell: act(W_hh h + W_ih x)."""
    total = weights.of_hidden(hidden[0]).add_(from_input())
    return (total.tanh() if nonlinearity == "tanh" else total.relu(),)


def lstm_step(from_input: Any, hidden: tuple, weights: Weights, nonlinearity: str = "") -> tuple:
    """Return the new (h, c): gates decide what enters, stays in and leaves the cell."""
    h, c = hidden
    gates = weights.of_hidden(h).add_(from_input())
    enter, stay, new, leave = rows.unsafe_split(gates, gates.array.shape[-1] // 4, 1)
    enter, stay, new, leave = enter.sigmoid_(), stay.sigmoid_(), new.tanh_(), leave.sigmoid_()
    c = (stay * c).add_(enter * new)
    h = leave * c.tanh()
    return (h if weights.projection is None else h @ weights.projection.t()), c


def gru_step(from_input: Any, hidden: tuple, weights: Weights, nonlinearity: str = "") -> tuple:
    """Return the new state of a gated unit: part of the old one, part of a candidate."""
    h = hidden[0]
    given = from_input()
    mine = rows.unsafe_split(given, given.array.shape[-1] // 3, 1)
    gates = weights.of_hidden(h)
    reset, keep, old = rows.unsafe_split(gates, gates.array.shape[-1] // 3, 1)
    reset = reset.add_(mine[0]).sigmoid_()
    keep = keep.add_(mine[1]).sigmoid_()
    new = (mine[2] + old.mul_(reset)).tanh_()
    return ((h - new).mul_(keep).add_(new),)


class Weights:
    """The weights of one cell: applied to the input and to the state before."""

    def __init__(
        self, w_ih: Any, w_hh: Any, b_ih: Any = None, b_hh: Any = None, projection: Any = None
    ) -> None:
        self.w_ih, self.w_hh, self.b_ih, self.b_hh, self.projection = w_ih, w_hh, b_ih, b_hh, projection

    def of_input(self, input: Tensor) -> Tensor:
        """Return what the input contributes."""
        return F.linear(input, self.w_ih, self.b_ih)

    def of_hidden(self, hidden: Tensor) -> Tensor:
        """Return what the state before contributes."""
        return F.linear(hidden, self.w_hh, self.b_hh)
