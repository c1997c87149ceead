"""torch.distributions: the ones that variational autoencoders and policies use. Only a list."""

from engine.distributions.continuous import Exponential, Normal, Uniform
from engine.distributions.discrete import Bernoulli, Categorical
from engine.distributions.distribution import Distribution, Independent
from engine.distributions.divergence import kl_divergence

__all__ = [
    "Bernoulli", "Categorical", "Distribution", "Exponential", "Independent", "Normal", "Uniform",
    "kl_divergence",
]  # fmt: skip
