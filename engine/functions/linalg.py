"""torch.linalg: norms, inverses, determinants; and the older names of some in `torch`."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine import create
from engine import dtype as dtypes
from engine.errors.warned import CHOLESKY, QR
from engine.functions.algebra import matrix_power
from engine.functions.chains import multi_dot
from engine.functions.chains import vander_of_linalg as vander
from engine.functions.conversions import cast
from engine.functions.named import kind
from engine.functions.reductions import amax, amin
from engine.functions.reductions import norm as _norm
from engine.matmul import matmul
from engine.ops.dims import axes
from engine.ops.inverse import LinAlgError
from engine.ops.table import F
from engine.tensor import Tensor
from engine.warned import warn_once

__all__ = [
    "LinAlgError",
    "cholesky",
    "cond",
    "cross",
    "det",
    "diagonal",
    "eigh",
    "eigvalsh",
    "inv",
    "matmul",
    "matrix_exp",
    "matrix_norm",
    "matrix_power",
    "matrix_rank",
    "multi_dot",
    "norm",
    "pinv",
    "qr",
    "slogdet",
    "solve",
    "solve_triangular",
    "svd",
    "svdvals",
    "vander",
    "vecdot",
    "vector_norm",
]


def vector_norm(
    x: Tensor, ord: Any = 2, dim: Any = None, keepdim: bool = False, *, dtype: Any = None
) -> Tensor:
    """Return the norm of a vector."""
    return _norm(x, ord, dim, keepdim, dtype)


def norm(A: Tensor, ord: Any = None, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """Return the norm of a vector, or of a matrix if an order is given."""
    if ord is not None and (isinstance(ord, str) or (dim is None and A.array.ndim == 2) or _two(dim)):
        return matrix_norm(A, ord, (-2, -1) if dim is None else dim, keepdim, dtype=dtype)
    return _norm(A, 2.0 if ord is None else ord, dim, keepdim, dtype)


def _two(dim: Any) -> bool:
    return isinstance(dim, (tuple, list)) and len(dim) == 2


def matrix_norm(
    A: Tensor, ord: Any = "fro", dim: Any = (-2, -1), keepdim: bool = False, *, dtype: Any = None
) -> Tensor:
    """Return a norm of matrices: by columns (1), rows (inf), singular values (2, "nuc"), or all ("fro")."""
    if A.array.ndim < 2:
        raise RuntimeError("linalg.matrix_norm: The input tensor A must have at least 2 dimensions.")
    if A.dtype.category < dtypes.FLOAT:
        raise RuntimeError(
            f"linalg.matrix_norm: Expected a floating point or complex tensor as input. Got {A.dtype.short}"
        )
    A, (first, second) = cast(A, dtype), axes(tuple(dim), A.array.ndim)
    if ord == "fro":
        return _norm(A, 2, (first, second), keepdim)
    if ord in ("nuc", 2, -2):
        rest = [d for d in range(A.array.ndim) if d not in (first, second)]
        values = svdvals(F.permute(A, (*rest, first, second)))
        if ord == "nuc":
            found = F.sum__dim(values, (-1,), keepdim)
        else:
            found = (amax if ord == 2 else amin)(values, -1, keepdim)
        return F.unsqueeze(found, -1) if keepdim else found
    if ord not in (1, -1, float("inf"), float("-inf")):
        raise RuntimeError(f"linalg.matrix_norm: Order {ord} not supported.")
    summed, kept = (first, second) if abs(ord) == 1 else (second, first)
    kept -= not keepdim and kept > summed
    sums = F.linalg_vector_norm(A, 1.0, (summed,), keepdim)
    return (amax if ord > 0 else amin)(sums, kept, keepdim)


# ----- factors ------------------------------------------------------------------------------------------
def svd(A: Tensor, full_matrices: bool = True, *, driver: str | None = None) -> tuple:
    """Return U, S, Vh with A == U @ diag(S) @ Vh."""
    return kind("linalg_svd", ("U", "S", "Vh"))(F.linalg_svd(A, full_matrices, True))


def svdvals(A: Tensor, *, driver: str | None = None) -> Tensor:
    """Return the singular values, the largest first."""
    return F.linalg_svd(A, False, A.requires_grad)[1]


def nuclear_norm(input: Tensor, dim: Any = None, keepdim: bool = False) -> Tensor:
    """Return the sum of the singular values."""
    return _norm(input, "nuc", dim, keepdim)


def cond(A: Tensor, p: Any = None) -> Tensor:
    """Return how much a matrix can stretch over how little: of its singular values, or of norms."""
    if p is None or p == 2:
        values = svdvals(A)
        largest, least = F.slice(values, -1, 0, 1, 1), F.slice(values, -1, -1, values.array.shape[-1], 1)
        return F.squeeze__dim(largest / least, -1)
    return matrix_norm(A, p) * matrix_norm(inv(A), p)


def older_svd(input: Tensor, some: bool = True, compute_uv: bool = True) -> tuple:
    """Return U, S, V with input == U @ diag(S) @ V.T."""
    u, s, vh = F.linalg_svd(input, not some, True)
    return kind("svd", ("U", "S", "V"))((u, s, F.transpose(vh, -2, -1)))


def qr(A: Tensor, mode: str = "reduced") -> tuple:
    """Return an orthogonal and an upper triangular matrix whose product is A."""
    if mode not in ("reduced", "complete", "r"):
        raise RuntimeError(
            f"qr received unrecognized mode '{mode}' but expected one of 'reduced' (default), 'r', "
            "or 'complete'"
        )
    return kind("linalg_qr", ("Q", "R"))(F.linalg_qr(A, mode))


def older_qr(input: Tensor, some: bool = True) -> tuple:
    """Return the same under its older name."""
    warn_once("qr", QR)
    return kind("qr", ("Q", "R"))(F.linalg_qr(input, "reduced" if some else "complete"))


def eigh(A: Tensor, UPLO: str = "L") -> tuple:
    """Return eigenvalues, the smallest first, and eigenvectors of a symmetric matrix."""
    return kind("linalg_eigh", ("eigenvalues", "eigenvectors"))(F.linalg_eigh(A, UPLO, True))


def eigvalsh(A: Tensor, UPLO: str = "L") -> Tensor:
    """Return the eigenvalues of a symmetric matrix, the smallest first."""
    return F.linalg_eigh(A, UPLO, A.requires_grad)[0]


def pinv(A: Tensor, rcond: Any = None, hermitian: bool = False) -> Tensor:
    """Return the pseudo-inverse."""
    return F.linalg_pinv(A)


def matrix_exp(A: Tensor) -> Tensor:
    """Return the exponential series of a matrix."""
    return F.linalg_matrix_exp(A)


def solve_triangular(
    A: Tensor, B: Tensor, *, upper: bool, left: bool = True, unitriangular: bool = False
) -> Tensor:
    """Return the X with A @ X == B, or X @ A == B, for a triangle A."""
    return F.linalg_solve_triangular(A, B, upper, left, unitriangular)


def matrix_rank(A: Tensor, tol: Any = None, hermitian: bool = False) -> Tensor:
    """Return how many singular values are not 0 but for rounding."""
    if A.dtype not in (dtypes.float32, dtypes.float64):
        raise RuntimeError("This function doesn't handle types other than float and double")
    return create.finished(np.asarray(np.linalg.matrix_rank(A.array, tol)))


def diagonal(A: Tensor, *, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
    """Return the diagonals of matrices."""
    return F.diagonal(A, offset, dim1, dim2)


def inv(A: Tensor) -> Tensor:
    """Return the inverse."""
    return F.linalg_inv(A)


def det(A: Tensor) -> Tensor:
    """Return the determinant."""
    return F.linalg_det(A)


def slogdet(A: Tensor) -> tuple:
    """Return the sign and the logarithm of the size of the determinant."""
    return kind("linalg_slogdet", ("sign", "logabsdet"))(F.linalg_slogdet(A))


def logdet(input: Tensor) -> Tensor:
    """Return the logarithm of the determinant, nan if it is negative."""
    sign, size = F.linalg_slogdet(input)
    return F.where(sign < 0, float("nan"), size)


def solve(A: Tensor, B: Tensor) -> Tensor:
    """Return the X with A @ X == B."""
    return F.linalg_solve(A, B)


def cholesky(L: Tensor, *, upper: bool = False) -> Tensor:
    """Return the lower triangle whose product with its transpose is the matrix."""
    found = F.linalg_cholesky(L)
    return F.transpose(found, -2, -1) if upper else found


def older_cholesky(input: Tensor, upper: bool = False) -> Tensor:
    """Return the same under its older name."""
    warn_once("cholesky", CHOLESKY)
    return cholesky(input, upper=upper)


def cross(input: Tensor, other: Tensor, *, dim: int = -1) -> Tensor:
    """Return the vector product along a dimension of size 3."""
    return F.linalg_cross(input, other, dim)


def vecdot(x: Tensor, y: Tensor, *, dim: int = -1) -> Tensor:
    """Return the sums of products along a dimension."""
    return F.sum__dim(F.mul(x, y), (dim,), False)


IN_TORCH = {
    "det": det, "inverse": inv, "slogdet": slogdet, "logdet": logdet, "svd": older_svd, "qr": older_qr,
    "cholesky": older_cholesky,
    "pinverse": pinv, "matrix_exp": matrix_exp, "nuclear_norm": nuclear_norm,
}  # fmt: skip
