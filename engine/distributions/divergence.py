"""How far one distribution is from another: the expected difference of their log-probabilities."""

from __future__ import annotations

import math
from collections.abc import Callable

from engine.distributions.continuous import Exponential, Normal, Uniform
from engine.distributions.discrete import Bernoulli, Categorical
from engine.distributions.distribution import Distribution, Independent, summed
from engine.ops.table import F
from engine.tensor import Tensor

FAMILIES = (Bernoulli, Categorical, Exponential, Normal)


def of_normals(p: Normal, q: Normal) -> Tensor:
    """Return the divergence of normal distributions."""
    ratio = F.pow(p.scale / q.scale, 2)
    moved = F.pow((p.loc - q.loc) / q.scale, 2)
    return 0.5 * (ratio + moved - 1 - ratio.log())


def of_bernoullis(p: Bernoulli, q: Bernoulli) -> Tensor:
    """Return the divergence of coins."""
    yes = p.probs * (F.softplus(-q.logits) - F.softplus(-p.logits))
    yes[q.probs == 0] = math.inf
    yes[p.probs == 0] = 0
    no = (1 - p.probs) * (F.softplus(q.logits) - F.softplus(p.logits))
    no[q.probs == 1] = math.inf
    no[p.probs == 1] = 0
    return yes + no


def of_categoricals(p: Categorical, q: Categorical) -> Tensor:
    """Return the divergence of choices."""
    parts = p.probs * (p.logits - q.logits)
    parts[(q.probs == 0).expand_as(parts)] = math.inf
    parts[(p.probs == 0).expand_as(parts)] = 0
    return parts.sum(-1)


def of_uniforms(p: Uniform, q: Uniform) -> Tensor:
    """Return the divergence of intervals: infinite if the first is not inside the second."""
    found = ((q.high - q.low) / (p.high - p.low)).log()
    found[(q.low > p.low) | (q.high < p.high)] = math.inf
    return found


def of_exponentials(p: Exponential, q: Exponential) -> Tensor:
    """Return the divergence of waiting times."""
    ratio = q.rate / p.rate
    start = -ratio.log()
    return start + ratio - 1


def of_independents(p: Independent, q: Independent) -> Tensor:
    """Return the sum of divergences over what counts as one sample."""
    if p.reinterpreted_batch_ndims != q.reinterpreted_batch_ndims:
        raise NotImplementedError
    return summed(kl_divergence(p.base_dist, q.base_dist), p.reinterpreted_batch_ndims)


KNOWN: dict[type, Callable] = {
    Normal: of_normals, Bernoulli: of_bernoullis, Categorical: of_categoricals, Uniform: of_uniforms,
    Exponential: of_exponentials, Independent: of_independents,
}  # fmt: skip


def kl_divergence(p: Distribution, q: Distribution) -> Tensor:
    """Return the divergence of p from q, which have to be of one kind here."""
    for kind, rule in KNOWN.items():
        if isinstance(p, kind) and isinstance(q, kind):
            return rule(p, q)
    if isinstance(p, FAMILIES) and isinstance(q, FAMILIES):
        raise NotImplementedError(
            "The cross KL-divergence between different exponential families cannot"
            + " " * 28
            + " be computed using Bregman divergences"
        )
    raise NotImplementedError(
        f"No KL(p || q) is implemented for p type {type(p).__name__} and q type {type(q).__name__}"
    )
