"""Square matrices: inverse, determinant, linear systems, Cholesky factor."""

from __future__ import annotations

import numpy as np

from engine.verify.laws.products import flipped
from engine.verify.laws.table import law, size_of


def solved(A, B):
    """Return X of A @ X = B, for one column or several."""
    return np.linalg.solve(A, B[..., None])[..., 0] if np.ndim(B) == 1 else np.linalg.solve(A, B)


def column(x):
    """Return one column as a matrix of one."""
    return x[:, None] if np.ndim(x) == 1 else x


def sign_and_size(A):
    """Return the sign of the determinant and the logarithm of its size."""
    det = np.linalg.det(A)
    return np.sign(np.real(det)), np.log(size_of(det))


def factor_slope(g, lower):
    """Return what a positive definite matrix gets from its factor: the same for both of its halves."""
    flow = np.tril(flipped(lower) @ g)
    flow = flow + flipped(np.tril(flow, -1))
    half = solved(flipped(lower), flow)  # L^-T flow L^-1 / 2, without an inverse
    return flipped(solved(flipped(lower), flipped(half))) / 2


law(
    "linalg_inv",
    lambda A: np.linalg.inv(A),
    "LinalgInvExBackward0",
    A=lambda g, inverse: -flipped(inverse) @ g @ flipped(inverse),
)
law("linalg_det", lambda A: np.linalg.det(A), "LinalgDetBackward0", steps="A")
law("linalg_slogdet", sign_and_size, "LinalgSlogdetBackward0", steps="A")
law(
    "linalg_solve",
    solved,
    "LinalgSolveExBackward0",
    A=lambda g, A, y: -column(solved(flipped(A), g)) @ flipped(column(y)),
    B=lambda g, A: solved(flipped(A), g),
)
law(
    "linalg_cholesky",
    lambda A: np.linalg.cholesky(A),
    "LinalgCholeskyExBackward0",
    A=lambda g, L: factor_slope(g, L),
)
