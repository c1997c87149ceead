"""Matrix products, alone and with something added."""

from __future__ import annotations

import numpy as np

from engine.verify.laws.table import conj, law


def flipped(x):
    """Return matrices transposed (and conjugated) in their last two dimensions."""
    return conj(np.swapaxes(x, -1, -2))


def plus(self, product, beta=1, alpha=1):
    """Return beta * self + alpha * product."""
    return (self if beta == 1 else beta * self) + (product if alpha == 1 else alpha * product)


law(
    "mm bmm",
    lambda self, mat2: self @ mat2,
    "MmBackward0 BmmBackward0",
    self=lambda g, mat2: g @ flipped(mat2),
    mat2=lambda g, self: flipped(self) @ g,
)
law(
    "mv",
    lambda self, vec: self @ vec,
    "MvBackward0",
    self=lambda g, vec: g[:, None] * conj(vec),
    vec=lambda g, self: g @ conj(self),
)
law(
    "dot",
    lambda self, tensor: np.sum(self * tensor),
    "DotBackward0",
    self=lambda g, tensor: g * conj(tensor),
    tensor=lambda g, self: g * conj(self),
)
law(
    "vdot",
    lambda self, other: np.sum(conj(self) * other),
    "VdotBackward0",
    self=lambda g, other: conj(g) * other,
    other=lambda g, self: g * self,
)
law(
    "addmm",
    lambda self, mat1, mat2, beta=1, alpha=1: plus(self, mat1 @ mat2, beta, alpha),
    "AddmmBackward0",
    self=lambda g, beta=1: g * beta,
    mat1=lambda g, mat2, alpha=1: g @ flipped(mat2) * alpha,
    mat2=lambda g, mat1, alpha=1: flipped(mat1) @ g * alpha,
)
law(
    "addmv",
    lambda self, mat, vec, beta=1, alpha=1: plus(self, mat @ vec, beta, alpha),
    "AddmvBackward0",
    self=lambda g, beta=1: g * beta,
    mat=lambda g, vec, alpha=1: np.outer(g, vec) * alpha,
    vec=lambda g, mat, alpha=1: g @ mat * alpha,
)
law(
    "addr",
    lambda self, vec1, vec2, beta=1, alpha=1: plus(self, np.outer(vec1, vec2), beta, alpha),
    "AddrBackward0",
    self=lambda g, beta=1: g * beta,
    vec1=lambda g, vec2, alpha=1: g @ vec2 * alpha,
    vec2=lambda g, vec1, alpha=1: vec1 @ g * alpha,
)
law(
    "baddbmm",
    lambda self, batch1, batch2, beta=1, alpha=1: plus(self, batch1 @ batch2, beta, alpha),
    "BaddbmmBackward0",
    self=lambda g, beta=1: g * beta,
    batch1=lambda g, batch2, alpha=1: g @ flipped(batch2) * alpha,
    batch2=lambda g, batch1, alpha=1: flipped(batch1) @ g * alpha,
)
law(
    "addbmm",
    lambda self, batch1, batch2, beta=1, alpha=1: plus(self, np.sum(batch1 @ batch2, 0), beta, alpha),
    "AddbmmBackward0",
    self=lambda g, beta=1: g * beta,
    batch1=lambda g, batch2, alpha=1: g[None] @ flipped(batch2) * alpha,
    batch2=lambda g, batch1, alpha=1: flipped(batch1) @ g[None] * alpha,
)


# ----- of three ------------------------------------------------------------------------------------
def cross(self, other, dim=-1):
    """Return vectors orthogonal to both."""
    return np.cross(self, other, axis=dim)


law(
    "linalg_cross",
    cross,
    "LinalgCrossBackward0",
    self=lambda g, other, dim=-1: cross(other, g, dim),
    other=lambda g, self, dim=-1: cross(g, self, dim),
)
law(
    "_trilinear",
    lambda input1, weight, input2: np.einsum("...i,oij,...j->...o", input1, weight, input2),
    "TrilinearBackward0",
    input1=lambda g, weight, input2: np.einsum("...o,oij,...j->...i", g, weight, input2),
    weight=lambda g, input1, input2: np.einsum("no,ni,nj->oij", g, input1, input2),
    input2=lambda g, weight, input1: np.einsum("...o,oij,...i->...j", g, weight, input1),
)
