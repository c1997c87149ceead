"""Recurrent networks: cells for one step, and layers that run them along a sequence."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np

from engine.dtype import float32
from engine.nn import functional as F
from engine.nn import init
from engine.nn.errors import hidden_size_of, input_size_of
from engine.nn.layers import empty
from engine.nn.module import Module, filling
from engine.nn.steps import Weights, gru_step, lstm_step, simple_step
from engine.ops.table import F as rows
from engine.tensor import Parameter, Tensor, make, make_at


# ----- cells ------------------------------------------------------------------------------------
class Cell(Module):
    """One step of a recurrent network, with its weights."""

    gates = 1
    states = 1
    step: Any

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__()
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.bias = bias
        size = self.gates * hidden_size
        with filling(self, device):
            self.weight_ih = empty(size, input_size, dtype=dtype)
            self.weight_hh = empty(size, hidden_size, dtype=dtype)
            for name in ("bias_ih", "bias_hh"):
                self.register_parameter(name, empty(size, dtype=dtype) if bias else None)
            self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw the first values: uniform, within 1 / sqrt(hidden_size)."""
        draw_all(self, self.hidden_size)

    def forward(self, input: Tensor, hx: Any = None) -> Any:
        """Return the state after one step."""
        if input.array.ndim not in (1, 2):
            name = type(self).__name__
            raise ValueError(f"{name}: Expected input to be 1D or 2D, got {input.array.ndim}D instead")
        single = input.array.ndim == 1
        input = input.unsqueeze(0) if single else input
        given = (hx,) if self.states == 1 else hx
        if hx is None:
            zeros = np.zeros((input.array.shape[0], self.hidden_size), input.array.dtype)
            given = tuple(make_at(zeros, None, input.place) for _ in range(self.states))
        elif single:
            given = tuple(state.unsqueeze(0) for state in given)
        self._check(input, tuple(given))
        weights = Weights(self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh)
        state = type(self).step(
            lambda: weights.of_input(input), tuple(given), weights, getattr(self, "nonlinearity", "")
        )
        state = tuple(s.squeeze(0) for s in state) if single else state
        return state[0] if self.states == 1 else state

    def _check(self, input: Tensor, state: tuple) -> None:
        if input.array.shape[1] != self.input_size:
            raise RuntimeError(
                f"input has inconsistent input_size: got {input.array.shape[1]} expected {self.input_size}"
            )
        for i, each in enumerate(state):
            if each.array.shape[0] != input.array.shape[0]:
                raise RuntimeError(
                    f"Input batch size {input.array.shape[0]} doesn't match hidden{i} batch size "
                    f"{each.array.shape[0]}"
                )
            if each.array.shape[1] != self.hidden_size:
                raise RuntimeError(
                    f"hidden{i} has inconsistent hidden_size: got {each.array.shape[1]}, expected "
                    f"{self.hidden_size}"
                )

    def extra_repr(self) -> str:
        text = f"{self.input_size}, {self.hidden_size}" + ("" if self.bias else f", bias={self.bias}")
        odd = getattr(self, "nonlinearity", "tanh")
        return text if odd == "tanh" else f"{text}, nonlinearity={odd}"


class RNNCell(Cell):
    """A plain recurrent cell."""

    step = staticmethod(simple_step)

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, nonlinearity: str = "tanh",
        device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(input_size, hidden_size, bias, device, dtype)
        self.nonlinearity = nonlinearity

    def forward(self, input: Tensor, hx: Tensor | None = None) -> Tensor:
        """Return the state after one step."""
        if self.nonlinearity not in ("tanh", "relu"):
            raise RuntimeError(f"Unknown nonlinearity: {self.nonlinearity}")
        return super().forward(input, hx)


class LSTMCell(Cell):
    """A long short-term memory cell; its state is (h, c)."""

    gates, states, step = 4, 2, staticmethod(lstm_step)


class GRUCell(Cell):
    """A gated recurrent unit."""

    gates, step = 3, staticmethod(gru_step)


def draw_all(module: Module, hidden_size: int) -> None:
    """Draw all parameters uniformly within 1 / sqrt(hidden_size)."""
    bound = 1.0 / math.sqrt(hidden_size) if hidden_size > 0 else 0
    for parameter in module.parameters():
        init.uniform_(parameter, -bound, bound)


# ----- layers -----------------------------------------------------------------------------------
class Recurrent(Module):
    """Layers of cells run along a sequence, in one or both directions."""

    gates = 1
    states = 1
    step: Any
    nonlinearity = "tanh"

    def __init__(
        self, input_size: int, hidden_size: int, num_layers: int = 1, bias: bool = True,
        batch_first: bool = False, dropout: float = 0.0, bidirectional: bool = False, proj_size: int = 0,
        device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        if not isinstance(dropout, (int, float)) or not 0 <= dropout <= 1 or isinstance(dropout, bool):
            raise ValueError(
                "dropout should be a number in range [0, 1] representing the probability of an element "
                "being zeroed"
            )
        if dropout > 0 and num_layers == 1:
            warnings.warn(
                "dropout option adds dropout after all but last recurrent layer, so non-zero dropout expects "
                f"num_layers greater than 1, but got dropout={dropout} and num_layers={num_layers}",
                UserWarning,
                stacklevel=1,
            )
        if hidden_size <= 0:
            raise ValueError("hidden_size must be greater than zero")
        if num_layers <= 0:
            raise ValueError("num_layers must be greater than zero")
        self.mode = type(self).__name__
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.num_layers = num_layers
        self.bias = bias
        self.batch_first = batch_first
        self.dropout = float(dropout)
        self.bidirectional = bidirectional
        self.proj_size = proj_size
        with filling(self, device):
            for layer in range(num_layers):
                for suffix in self._suffixes(layer):
                    self._add_cell(suffix, layer, dtype)
            self.reset_parameters()

    def _suffixes(self, layer: int) -> list[str]:
        return [f"_l{layer}", f"_l{layer}_reverse"][: 2 if self.bidirectional else 1]

    def _add_cell(self, suffix: str, layer: int, dtype: Any) -> None:
        out = self.proj_size or self.hidden_size
        width = self.input_size if layer == 0 else out * (2 if self.bidirectional else 1)
        size = self.gates * self.hidden_size
        shapes: dict[str, tuple] = {"weight_ih": (size, width), "weight_hh": (size, out)}
        shapes |= {"bias_ih": (size,), "bias_hh": (size,)} if self.bias else {}
        shapes |= {"weight_hr": (self.proj_size, self.hidden_size)} if self.proj_size else {}
        for name, shape in shapes.items():
            self.register_parameter(name + suffix, empty(*shape, dtype=dtype))

    def reset_parameters(self) -> None:
        """Draw the first values: uniform, within 1 / sqrt(hidden_size)."""
        draw_all(self, self.hidden_size)

    def flatten_parameters(self) -> None:
        """Do nothing: this arranges memory for GPUs."""

    @property
    def all_weights(self) -> list[list[Parameter]]:
        """Return the parameters of each cell."""
        suffixes = [suffix for layer in range(self.num_layers) for suffix in self._suffixes(layer)]
        return [
            [p for name, p in self._parameters.items() if name.endswith(s) and name[-len(s) - 1] in "hr"]
            for s in suffixes
        ]

    # ----- running -----
    def forward(self, input: Tensor, hx: Any = None) -> tuple:
        """Return the states of the last layer at every step, and the last states of every layer."""
        dims = input.array.ndim
        if dims not in (2, 3):
            raise ValueError(f"{self.mode}: Expected input to be 2D or 3D, got {dims}D tensor instead")
        batched = dims == 3
        if not batched:
            input = input.unsqueeze(0 if self.batch_first else 1)
        if input.array.shape[-1] != self.input_size:
            raise RuntimeError(input_size_of(self.input_size, input.array.shape[-1]))
        given = self._state(input, hx, batched)
        if self.batch_first:
            input = input.transpose(0, 1)
        output, last = self._run(input, self._first(given))
        if self.batch_first:
            output = output.transpose(0, 1) if self._whole(input) else output.transpose_(0, 1)
        if not batched:
            output = output.squeeze(0 if self.batch_first else 1)
            last = tuple(state.squeeze(1) for state in last)
        return output, last[0] if self.states == 1 else last

    def _state(self, input: Tensor, hx: Any, batched: bool) -> tuple:
        """Return the first states: zeros, or what was given, checked."""
        batch = input.array.shape[0 if self.batch_first else 1]
        count = self.num_layers * (2 if self.bidirectional else 1)
        sizes = [self.proj_size or self.hidden_size, self.hidden_size][: self.states]
        if hx is None:
            zeros = (np.zeros((count, batch, size), input.array.dtype) for size in sizes)
            return tuple(make_at(array, None, input.place) for array in zeros)
        given = (hx,) if self.states == 1 else tuple(hx)
        wanted = 3 if batched else 2
        if any(state.array.ndim != wanted for state in given):
            raise RuntimeError(hidden_dims([state.array.ndim for state in given], batched))
        given = given if batched else tuple(state.unsqueeze(1) for state in given)
        for i, (state, size) in enumerate(zip(given, sizes, strict=True)):
            if state.array.shape != (count, batch, size):
                name = "hidden" if self.states == 1 else f"hidden[{i}]"
                raise RuntimeError(hidden_size_of(name, (count, batch, size), state.array.shape))
        return given

    def _run(self, input: Tensor, first: list[tuple]) -> tuple[Tensor, tuple]:
        last: list[tuple] = []
        for layer in range(self.num_layers):
            outputs = []
            for suffix in self._suffixes(layer):
                state = tuple(part[len(last)] for part in first)
                output, state = self._sweep(input, state, suffix)
                outputs.append(output)
                last.append(state)
            input = outputs[0] if len(outputs) == 1 else rows.cat(tuple(outputs), 2)
            if self.dropout and self.training and layer < self.num_layers - 1:
                input = F.dropout(input, self.dropout)
        return input, tuple(rows.stack(parts, 0) for parts in zip(*last, strict=True))

    def _whole(self, input: Tensor) -> bool:
        """Return whether a layer is one operation."""
        return False

    def _first(self, given: tuple) -> list[tuple]:
        """Return the states that each layer and direction begins with."""
        return [rows.unbind(state, 0) for state in given]

    def _sweep(self, input: Tensor, state: tuple, suffix: str) -> tuple[Tensor, tuple]:
        """Run one layer in one direction; return its states at every step, and the last."""
        steps, state = self._along(input, state, self._weights(suffix), suffix.endswith("reverse"))
        return rows.stack(tuple(steps), 0), state

    def _weights(self, suffix: str) -> Weights:
        names = ("weight_ih", "weight_hh", "bias_ih", "bias_hh", "weight_hr")
        return Weights(*(self._parameters.get(name + suffix) for name in names))

    def _along(self, input: Tensor, state: tuple, weights: Weights, backwards: bool) -> tuple[list, tuple]:
        """Run one cell along the sequence; what the inputs contribute is computed for all steps at once."""
        given = rows.unbind(weights.of_input(input), 0)
        steps = []
        for part in reversed(given) if backwards else given:
            state = type(self).step(lambda part=part: part, state, weights, self.nonlinearity)
            steps.append(state[0])
        return steps[::-1] if backwards else steps, state

    def extra_repr(self) -> str:
        text = f"{self.input_size}, {self.hidden_size}"
        shown = {
            "proj_size": 0,
            "num_layers": 1,
            "bias": True,
            "batch_first": False,
            "dropout": 0,
            "bidirectional": False,
        }
        return text + "".join(
            f", {n}={getattr(self, n)}" for n, default in shown.items() if getattr(self, n) != default
        )


def hidden_dims(dims: list[int], batched: bool) -> str:
    """Word the refusal of states of a wrong number of dimensions."""
    kind, wanted = ("batched 3-D", 3) if batched else ("unbatched 2-D", 2)
    if len(dims) == 1:
        return f"For {kind} input, hx should also be {wanted}-D but got {dims[0]}-D tensor"
    return f"For {kind} input, hx and cx should also be {wanted}-D but got ({dims[0]}-D, {dims[1]}-D) tensors"


class RNN(Recurrent):
    """Plain recurrent layers."""

    step = staticmethod(simple_step)

    def __init__(
        self, input_size: int, hidden_size: int, num_layers: int = 1, nonlinearity: str = "tanh",
        bias: bool = True, batch_first: bool = False, dropout: float = 0.0, bidirectional: bool = False,
        **rest: Any,
    ) -> None:  # fmt: skip
        if nonlinearity not in ("tanh", "relu"):
            raise ValueError(f"Unknown nonlinearity '{nonlinearity}'. Select from 'tanh' or 'relu'.")
        super().__init__(
            input_size, hidden_size, num_layers, bias, batch_first, dropout, bidirectional, **rest
        )
        self.nonlinearity = nonlinearity


class LSTM(Recurrent):
    """Long short-term memory layers; their state is (h, c).

    In single precision each layer is one operation, as PyTorch's oneDNN kernel makes it; with projections
    or in other precisions it is made of single operations.
    """

    gates, states, step = 4, 2, staticmethod(lstm_step)

    def _whole(self, input: Tensor) -> bool:
        tensors = (input, *self._parameters.values())
        single = all(t is None or (t.dtype is float32 and t.place is None) for t in tensors)
        return single and not self.proj_size and bool(input.array.size)

    def _first(self, given: tuple) -> list[tuple]:
        if not self._whole(given[0]):
            return super()._first(given)
        return [tuple(rows.select(state, 0, i) for i in range(state.array.shape[0])) for state in given]

    def _sweep(self, input: Tensor, state: tuple, suffix: str) -> tuple[Tensor, tuple]:
        if not self._whole(input):
            return super()._sweep(input, state, suffix)
        weights = self._weights(suffix)
        biases = (weights.b_ih, weights.b_hh)
        if not self.bias:  # PyTorch hands zeros of the weights' shapes, and does not look at them
            biases = tuple(make(np.zeros_like(w.array)) for w in (weights.w_ih, weights.w_hh))
        output, h, c, _ = rows.mkldnn_rnn_layer(
            input, weights.w_ih, weights.w_hh, *biases, *state, suffix.endswith("reverse"), (), 2,
            self.hidden_size, 1, self.bias, False, self.batch_first, self.training,
        )  # fmt: skip
        return output, (h, c)


class GRU(Recurrent):
    """Layers of gated recurrent units."""

    gates, step = 3, staticmethod(gru_step)
