"""A whole LSTM layer as one operation: what PyTorch on the CPU makes of `nn.LSTM` in single precision.

Source: ATen native/mkldnn/RNN.cpp (mkldnn_rnn_layer, mkldnn_rnn_layer_differentiable_backward).
"""

from __future__ import annotations

import numpy as np

from engine.ops.table import F, op

# fmt: off

def _gate(x: np.ndarray) -> tuple[np.ndarray, ...]:
    """Return what enters, what stays, what is new and what leaves; each rounded once."""
    enter, stay, new, leave = np.split(x.astype(np.float64), 4, axis=1)
    sigmoids = [(1 / (1 + np.exp(-part))).astype(x.dtype) for part in (enter, stay, leave)]
    return sigmoids[0], sigmoids[1], np.tanh(new).astype(x.dtype), sigmoids[2]


def _layer(input, weight0, weight1, weight2, weight3, hx_, cx_, reverse, batch_sizes, mode, hidden_size,
           num_layers, has_biases, bidirectional, batch_first, train):
    """Return h at every step, the last h and c, and the workspace (here empty: it is oneDNN's own).

    input (T, N, in), weight0 (4H, in), weight1 (4H, H), weight2 and weight3 (4H,), hx_ and cx_ (N, H).
    """
    h, c, steps = hx_, cx_, []
    given = input @ weight0.T + (weight2 + weight3 if has_biases else 0)
    for part in given[::-1] if reverse else given:
        enter, stay, new, leave = _gate(part + h @ weight1.T)
        c = stay * c + enter * new
        h = leave * np.tanh(c.astype(np.float64)).astype(c.dtype)
        steps.append(h)
    out = np.stack(steps[::-1] if reverse else steps)
    return out, h.copy(), c.copy(), np.zeros(0, np.uint8)


def states(input, weights, first, reverse, has_biases):
    """Run the layer again, step by step, in the order in which it ran: (input, h before, c before, gates)."""
    (h, c), found = first, []
    for t in order(input, reverse):
        x = F.select(input, 0, t)
        total = F.mm(x, F.t(weights[0])) + F.mm(h, F.t(weights[1]))
        total = total + weights[2] + weights[3] if has_biases else total
        size = total.shape[1] // 4
        enter, stay, new, leave = (F.slice(total, 1, k * size, (k + 1) * size, 1) for k in range(4))
        gates = F.sigmoid(enter), F.sigmoid(stay), F.tanh(new), F.sigmoid(leave)
        found.append((x, h, c, gates))
        c = gates[1] * c + gates[0] * gates[2]
        h = gates[3] * F.tanh(c)
    return found


def order(input, reverse):
    """Return the steps in the order in which the layer takes them."""
    return range(input.shape[0])[::-1] if reverse else range(input.shape[0])


def slopes(grads, input, weights, first, reverse, has_biases):
    """Return the gradients of input, weight0, weight1, biases, hx_ and cx_: backpropagation through time."""
    all_steps, dh, dc = grads
    found = states(input, weights, first, reverse, has_biases)
    through, rows = [], list(zip(order(input, reverse), found))
    for t, (_, _, before, (enter, stay, new, leave)) in reversed(rows):
        after = F.tanh(stay * before + enter * new)
        grad = None if all_steps is None else F.select(all_steps, 0, t)
        dh = grad if dh is None else dh if grad is None else dh + grad
        if dh is not None:
            own = dh * leave * (1 - after * after)
            dc = own if dc is None else dc + own
        to_leave = F.zeros_like(leave) if dh is None else dh * after * leave * (1 - leave)
        parts = (dc * new * enter * (1 - enter), dc * before * stay * (1 - stay),
                 dc * enter * (1 - new * new), to_leave)
        through.append(F.cat(parts, 1))
        dh, dc = F.mm(through[-1], weights[1]), dc * stay
    through.reverse()
    flat = F.cat(tuple(through), 0)
    to_input = F.mm(flat, weights[0])
    count = first[0].shape[0]
    rows = [F.slice(to_input, 0, k * count, (k + 1) * count, 1) for k in range(len(through))]
    to_input = F.stack(tuple(rows[::-1] if reverse else rows), 0)
    inputs, hiddens = (F.cat(tuple(step[i] for step in found), 0) for i in (0, 1))
    to_weights = [F.mm(F.t(flat), each) for each in (inputs, hiddens)]
    return (to_input, *to_weights, F.sum__dim(flat, (0,), False), dh, dc)


def slope(which: int):
    """Return the rule of one input of the layer."""

    def rule(grads, input, weight0, weight1, weight2, weight3, hx_, cx_, reverse, has_biases):
        weights = (weight0, weight1, weight2, weight3)
        return slopes(grads, input, weights, (hx_, cx_), reverse, has_biases)[which]

    return rule


TIME = "back through time: at every step, from the last to the first, "
op("mkldnn_rnn_layer", _layer, node="MkldnnRnnLayerBackward0", outputs=4, flows=3, spelled="",
   shows=("result0", "result1", "result2", "result3", "batch_sizes", "mode", "hidden_size", "num_layers",
          "bidirectional", "batch_first", "train"),
   formulas={"input": TIME + "d_gates @ weight0", "weight0": TIME + "d_gates.T @ input, added up",
             "weight1": TIME + "d_gates.T @ h, added up", "weight2": TIME + "d_gates, added up",
             "weight3": TIME + "d_gates, added up", "hx_": TIME + "d_gates @ weight1",
             "cx_": TIME + "d_c * forget gate"},
   input=slope(0), weight0=slope(1), weight1=slope(2), weight2=slope(3), weight3=slope(3), hx_=slope(4),
   cx_=slope(5))
