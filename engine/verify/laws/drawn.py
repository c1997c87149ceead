"""Random numbers, uninitialised memory: taken as they are. No gradient passes what is overwritten by them."""

from __future__ import annotations

from engine.verify.laws.table import law

DRAWN = {
    "uniform",
    "normal",
    "random",
    "bernoulli",
    "exponential",
    "geometric",
    "cauchy",
    "log_normal",
    "multinomial",
}

law(
    "",
    None,
    "UniformBackward0 NormalBackward0 RandomBackward0 RandomBackward2 ExponentialBackward0 "
    "BernoulliBackward0 BernoulliBackward1 BernoulliBackward2 NormalBackward1",
    flat="self",
)
