"""A layer of LSTM as one operation: the recurrence, and its derivative back through time."""

from __future__ import annotations

import numpy as np

from engine.verify.laws.table import law


def logistic(x):
    """Return 1 / (1 + exp(-x))."""
    return 1 / (1 + np.exp(-x))


def walked(input, weights, h, c, reverse, has_biases):
    """Return, step by step as the layer goes, (time, h before, c before, the four gates, c, tanh c)."""
    w_in, w_state, b_in, b_state = weights
    for t in sorted(range(len(input)), reverse=reverse):
        total = input[t] @ w_in.T + h @ w_state.T
        if has_biases:
            total = total + b_in + b_state
        i, f, g, o = np.split(total, 4, axis=-1)
        i, f, g, o = logistic(i), logistic(f), np.tanh(g), logistic(o)
        now = f * c + i * g
        yield t, h, c, (i, f, g, o), now, np.tanh(now)
        h, c = o * np.tanh(now), now


def layer(
    input, weight0, weight1, weight2, weight3, hx_, cx_, reverse,
    batch_sizes, mode, hidden_size, num_layers, has_biases, bidirectional, batch_first, train,
):  # fmt: skip
    """Return h at every step, the last h and the last c; the kernel's workspace is its own matter."""
    out, h, c = np.zeros((len(input), *np.shape(hx_))), hx_, cx_
    for t, _, _, gates, now, squashed in walked(
        input, (weight0, weight1, weight2, weight3), hx_, cx_, reverse, has_biases
    ):
        h, c = gates[3] * squashed, now
        out[t] = h
    return out, h, c, np.zeros(0, np.uint8)


def through_time(gs, input, weights, hx_, cx_, reverse, has_biases):
    """Return what input, weight0, weight1, both biases, hx_ and cx_ get back."""
    nothing = np.zeros(np.shape(hx_))
    each, dh, dc = (None if g is None else np.asarray(g) for g in gs[:3])
    dh, dc = nothing if dh is None else dh, nothing if dc is None else dc
    back = [np.zeros(np.shape(x)) for x in (input, weights[0], weights[1])]
    bias = np.zeros(len(weights[0]))
    for t, h, c, (i, f, g, o), _, squashed in reversed(
        list(walked(input, weights, hx_, cx_, reverse, has_biases))
    ):
        dh = dh if each is None else dh + each[t]
        dc = dc + dh * o * (1 - squashed**2)
        raw = (dc * g * i * (1 - i), dc * c * f * (1 - f), dc * i * (1 - g**2), dh * squashed * o * (1 - o))
        raw = np.concatenate(raw, axis=-1)
        back[0][t] = raw @ weights[0]
        back[1] += raw.T @ input[t]
        back[2] += raw.T @ h
        bias += raw.sum(0)
        dh, dc = raw @ weights[1], dc * f
    return (*back, bias, dh, dc)


def pull(which):
    """Return the derivative by one of them."""
    return lambda gs, input, weight0, weight1, weight2, weight3, hx_, cx_, reverse, has_biases: through_time(
        gs, input, (weight0, weight1, weight2, weight3), hx_, cx_, reverse, has_biases
    )[which]


law(
    "mkldnn_rnn_layer",
    layer,
    "MkldnnRnnLayerBackward0",
    input=pull(0),
    weight0=pull(1),
    weight1=pull(2),
    weight2=pull(3),
    weight3=pull(3),
    hx_=pull(4),
    cx_=pull(5),
)
