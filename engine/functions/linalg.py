"""torch.linalg: norms, inverses, determinants; and the older names of some in `torch`."""

from __future__ import annotations

from typing import Any

from engine.functions.named import kind
from engine.functions.reductions import norm as _norm
from engine.matmul import matmul
from engine.ops.dims import axes
from engine.ops.table import F
from engine.tensor import Tensor

__all__ = [
    "cholesky",
    "cross",
    "det",
    "inv",
    "matmul",
    "matrix_norm",
    "norm",
    "slogdet",
    "solve",
    "vecdot",
    "vector_norm",
]


def vector_norm(
    x: Tensor, ord: Any = 2, dim: Any = None, keepdim: bool = False, *, dtype: Any = None
) -> Tensor:
    """Return the norm of a vector."""
    return _norm(x, ord, dim, keepdim, dtype)


def norm(A: Tensor, ord: Any = None, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """Return the norm of a vector; of a matrix, the root of the sum of squares."""
    return _norm(A, 2.0 if ord is None else ord, dim, keepdim, dtype)


def matrix_norm(
    A: Tensor, ord: Any = "fro", dim: Any = (-2, -1), keepdim: bool = False, *, dtype: Any = None
) -> Tensor:
    """Return the Frobenius norm of matrices."""
    if ord != "fro":
        raise RuntimeError(f"matrix_norm: the order {ord!r} is not available here")
    return _norm(A, 2, axes(dim, A.array.ndim), keepdim, dtype)


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


def cross(input: Tensor, other: Tensor, *, dim: int = -1) -> Tensor:
    """Return the vector product along a dimension of size 3."""
    return F.linalg_cross(input, other, dim)


def vecdot(x: Tensor, y: Tensor, *, dim: int = -1) -> Tensor:
    """Return the sums of products along a dimension."""
    return F.sum__dim(F.mul(x, y), (dim,), False)


IN_TORCH = {"det": det, "inverse": inv, "slogdet": slogdet, "logdet": logdet}
