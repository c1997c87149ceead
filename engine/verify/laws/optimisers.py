"""What each kind of optimiser makes of a parameter, its gradient, the settings and the state."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from engine.verify.laws.table import EACH


def direction(p, g, maximize=False, weight_decay=0.0, decoupled=False):
    """Return the gradient as the averages see it."""
    d = -g if maximize else g
    return d if decoupled or not weight_decay else d + weight_decay * p


def using(function: Callable) -> Callable:
    """Return a function that is given `d` in place of what makes it."""
    rest = [(n, d.default) for n, d in inspect.signature(function).parameters.items() if n != "d"]

    def made(**known: Any) -> Any:
        sources = {n: known[n] for n in ("p", "g", "maximize", "weight_decay", "decoupled")}
        names = {n for n, _ in rest}
        return function(d=direction(**sources), **{n: known[n] for n in names})

    base = [(n, q.default) for n, q in inspect.signature(direction).parameters.items()]
    made.asks = base + [(n, d) for n, d in rest if n not in {n for n, _ in base}]
    return made


# ----- averages ---------------------------------------------------------------------------------
MEAN = using(lambda d, beta1, m_before: m_before + (1 - beta1) * (d - m_before))
SQUARES = using(lambda d, beta2, v_before: v_before + (1 - beta2) * (d * d - v_before))


def momentum_buffer(d, momentum, buf_before=None, dampening=0.0):
    """Return the averaged direction; at first the direction itself."""
    return d if buf_before is None else momentum * buf_before + (1 - dampening) * d


def sgd(d, p, lr, buf=None, momentum=0.0, nesterov=False):
    """Return p moved against the direction, or against its average, or a step beyond that."""
    if buf is None:
        return p - lr * d
    return p - lr * (d + momentum * buf if nesterov else buf)


# ----- the Adam family --------------------------------------------------------------------------
def shrunk(p, lr, weight_decay, decoupled):
    """Return p after a decay that is a step of its own."""
    return p * (1 - lr * weight_decay) if decoupled and weight_decay else p


def adam(p, lr, beta1, beta2, eps, t, m, v, w=None, weight_decay=0.0, decoupled=False):
    """Return p moved by the corrected average over the corrected root of squares."""
    root = np.sqrt((v if w is None else w) / (1 - beta2**t)) + eps
    return shrunk(p, lr, weight_decay, decoupled) - lr * (m / (1 - beta1**t)) / root


def nadam(d, p, lr, beta2, eps, t, m, v, mu, mu_next, mu_product, weight_decay=0.0, decoupled=False):
    """Return p moved by the gradient of now and by the average of the next step, over the same root."""
    root = np.sqrt(v / (1 - beta2**t)) + eps
    now = (1 - mu) / (1 - mu_product) * d / root
    ahead = mu_next / (1 - mu_product * mu_next) * m / root
    return shrunk(p, lr, weight_decay, decoupled) - lr * now - lr * ahead


def trusted(beta2, t):
    """Return the factor of RAdam, or None while the average of squares is made of too few gradients."""
    most = 2 / (1 - beta2) - 1
    length = most - 2 * t * beta2**t / (1 - beta2**t)
    if length <= 5:
        return None
    return np.sqrt((length - 4) * (length - 2) * most / ((most - 4) * (most - 2) * length))


def radam(p, lr, beta1, beta2, eps, t, m, v, weight_decay=0.0, decoupled=False):
    """Return p moved by the corrected average, over the root of squares once that can be trusted."""
    factor, step = trusted(beta2, t), lr * m / (1 - beta1**t)
    if factor is not None:
        step = step * factor * np.sqrt(1 - beta2**t) / (np.sqrt(v) + eps)
    return shrunk(p, lr, weight_decay, decoupled) - step


def adamax(p, lr, beta1, t, m, w):
    """Return p moved by the corrected average over the largest gradient that is remembered."""
    return p - lr / (1 - beta1**t) * m / w


def sparse_adam(p, lr, beta1, beta2, eps, t, m, v, rows):
    """Return p moved as by Adam in the rows that the gradient names."""
    step = lr * np.sqrt(1 - beta2**t) / (1 - beta1**t) * m / (np.sqrt(v) + eps)
    return np.where(rows != 0, p - step, p)


# ----- by the size of past gradients ------------------------------------------------------------
def rms_root(s, eps, a=None):
    """Return the root of the average square, about the average if there is one."""
    return np.sqrt(s if a is None else s - a * a) + eps


def rms_buffer(d, momentum, buf_before, s, eps, a=None):
    """Return the average of the direction over its root mean square."""
    return momentum * buf_before + d / rms_root(s, eps, a)


def rms(d, p, lr, s, eps, a=None, buf=None):
    """Return p moved by the direction over its root mean square, or by the average of that."""
    return p - lr * (d / rms_root(s, eps, a) if buf is None else buf)


def adagrad(d, p, lr, s, eps, t=1, lr_decay=0.0):
    """Return p moved by the direction over the root of all squares, at a rate that falls."""
    return p - lr / (1 + (t - 1) * lr_decay) * d / (np.sqrt(s) + eps)


def adadelta_step(d, a_before, s, eps):
    """Return the direction in the size of past steps."""
    return np.sqrt(a_before + eps) / np.sqrt(s + eps) * d


# ----- by signs, by a falling rate --------------------------------------------------------------
def rprop_size(g, g_last, size_before, etaminus, etaplus, low, high, maximize=False):
    """Return the size of each element's step: larger while the sign stays, smaller when it turned."""
    turn = np.sign(-g if maximize else g) * np.sign(g_last)
    factor = np.choose((turn + 1).astype(int), [etaminus, 1.0, etaplus])
    return np.minimum(np.maximum(size_before * factor, low), high)


def rprop(p, g, g_last, size, maximize=False):
    """Return p moved by the sizes against the signs; not where the sign has turned."""
    d = -g if maximize else g
    return np.where(np.sign(d) * np.sign(g_last) < 0, p, p - np.sign(d) * size)


ADAM = {"m": MEAN, "v": SQUARES, "w": lambda w_before, v: np.maximum(w_before, v), "after": adam}
LAWS: dict[str, dict[str, Callable]] = {
    "SGD": {"buf": using(momentum_buffer), "after": using(sgd)},
    "Adam": ADAM,
    "AdamW": ADAM,
    "NAdam": {"m": MEAN, "v": SQUARES, "after": using(nadam)},
    "RAdam": {"m": MEAN, "v": SQUARES, "r": lambda beta2, t: trusted(beta2, t), "after": radam},
    "Adamax": {
        "m": MEAN,
        "w": using(lambda d, beta2, w_before, eps: np.maximum(beta2 * w_before, np.abs(d) + eps)),
        "after": adamax,
    },
    "SparseAdam": {
        "m": using(lambda d, beta1, m_before, rows: m_before + rows * (1 - beta1) * (d - m_before)),
        "v": using(lambda d, beta2, v_before, rows: v_before + rows * (1 - beta2) * (d * d - v_before)),
        "after": sparse_adam,
    },
    "RMSprop": {
        "s": using(lambda d, alpha, s_before: alpha * s_before + (1 - alpha) * d * d),
        "a": using(lambda d, alpha, a_before: alpha * a_before + (1 - alpha) * d),
        "buf": using(rms_buffer),
        "after": using(rms),
    },
    "Adagrad": {"s": using(lambda d, s_before: s_before + d * d), "after": using(adagrad)},
    "Adadelta": {
        "s": using(lambda d, rho, s_before: rho * s_before + (1 - rho) * d * d),
        "u": using(adadelta_step),
        "a": lambda rho, a_before, u: rho * a_before + (1 - rho) * u * u,
        "after": lambda p, lr, u: p - lr * u,
    },
    "Rprop": {"size": rprop_size, "after": rprop},
    "ASGD": {"after": using(lambda d, p, eta, lambd: p * (1 - lambd * eta) - eta * d)},
    "LBFGS": {"after": lambda p, d=None, rate=None, x=None: p + rate * d if x is None else x},
}  # fmt: skip
EACH.update(LAWS, ["an update"])  # all of it is done element by element
