"""Writing random numbers into a tensor: no gradient passes, but the nodes are there."""

from __future__ import annotations

from functools import partial

import numpy as np

from engine import random
from engine.ops.arithmetic import NONE as NO_DERIVATIVE
from engine.ops.arithmetic import no_derivative
from engine.ops.kinds import refuse_unless
from engine.ops.table import F, op

# fmt: off

drawn = partial(op, spelled="inplace", formulas={"self": "0"})


def source(generator):
    """Return the given generator, or the one that manual_seed seeds."""
    return generator or random.default_generator()


def _random(self, from_=0, to=None, generator=None):
    if to is None and from_ == 0:
        whole = self.dtype.kind in "iu"
        to = np.iinfo(self.dtype).max if whole else 2 ** (np.finfo(self.dtype).nmant + 1) + 1
    low, high = (from_, to) if to is not None else (0, from_)
    return source(generator).randint(int(low), int(high), self.shape).astype(self.dtype)


def _bernoulli(self, generator=None):
    refuse_unless("f", "bernoulli_tensor_cpu_p_", self)
    return source(generator).bernoulli(self).astype(self.dtype)


drawn("uniform", lambda self, from_=0.0, to=1.0, generator=None:
   source(generator).uniform(self.shape, from_, to, self.dtype), node="UniformBackward0",
   self=lambda grad: F.zeros_like(grad))
drawn("normal", lambda self, mean=0.0, std=1.0, generator=None:
   source(generator).normal(self.shape, mean, std, self.dtype), node="NormalBackward0",
   self=lambda grad: F.zeros_like(grad))
drawn("random", _random, node="RandomBackward2",
   self=lambda grad: F.zeros_like(grad))
drawn("bernoulli", lambda self, p=0.5, generator=None:
   source(generator).bernoulli_(p, self.shape).astype(self.dtype),
   node="BernoulliBackward2",
   self=lambda grad: F.zeros_like(grad))
each = partial(op, spelled="", formulas={"self": "0"})
each("bernoulli.each", _bernoulli, node="BernoulliBackward0",
   self=lambda grad: F.zeros_like(grad))
op("bernoulli.p", lambda self, p=0.5, generator=None:
   source(generator).bernoulli_(p, self.shape).astype(self.dtype),
   node="NotImplemented", formulas={"self": NO_DERIVATIVE}, self=no_derivative("bernoulli"))
drawn("exponential", lambda self, lambd=1.0, generator=None:
   source(generator).exponential(self.shape, lambd, self.dtype),
   node="ExponentialBackward0",
   self=lambda grad: F.zeros_like(grad))
