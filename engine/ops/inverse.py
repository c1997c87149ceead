"""Inverting matrices: inverse, determinant, linear systems, Cholesky factor."""

from __future__ import annotations

from functools import partial

import numpy as np

from engine.ops.table import F, op

# fmt: off

inner = partial(op, spelled="")


def square(name: str, array: np.ndarray) -> np.ndarray:
    """Return matrices as they are, or refuse those that are not square."""
    if array.ndim < 2:
        raise RuntimeError(f"{name}: The input tensor A must have at least 2 dimensions.")
    if array.shape[-1] != array.shape[-2]:
        rows, columns = array.shape[-2:]
        raise RuntimeError(
            f"{name}: A must be batches of square matrices, but they are {rows} by {columns} matrices"
        )
    return array


class LinAlgError(RuntimeError):
    """What is raised for a matrix that an operation cannot take apart."""


LinAlgError.__name__ = LinAlgError.__qualname__ = "_LinAlgError"


def first(matrices, fails) -> tuple[str, int]:
    """Return which of several matrices failed first, as PyTorch says it, and at which number."""
    for at in np.ndindex(matrices.shape[:-2]):
        number = fails(matrices[at])
        if number:
            where = np.ravel_multi_index(at, matrices.shape[:-2]) if at else None
            return "" if where is None else f"(Batch element {where}): ", number
    return "", 1


def zero_pivot(matrix: np.ndarray) -> int:
    """Return the number of the first pivot that is 0 when rows are eliminated, or 0."""
    rows = matrix.copy()
    for k in range(len(rows)):
        best = k + int(np.abs(rows[k:, k]).argmax())
        if rows[best, k] == 0:
            return k + 1
        rows[[k, best]] = rows[[best, k]]
        rows[k + 1 :] -= np.outer(rows[k + 1 :, k] / rows[k, k], rows[k])
    return 0


def bad_minor(matrix: np.ndarray) -> int:
    """Return the order of the first leading minor that is not positive, or 0."""
    for k in range(1, len(matrix) + 1):
        try:
            np.linalg.cholesky(matrix[:k, :k])
        except np.linalg.LinAlgError:
            return k
    return 0


def _inverse(A):
    try:
        return np.linalg.inv(square("linalg.inv", A))
    except np.linalg.LinAlgError:
        which, number = first(A, zero_pivot)
        raise LinAlgError(
            f"linalg.inv: {which}The diagonal element {number} is zero, the inversion could not be completed "
            "because the input matrix is singular."
        ) from None


def _solve(A, B):
    vector = B.ndim == 1
    try:
        found = np.linalg.solve(square("linalg.solve", A), B[:, None] if vector else B)
    except np.linalg.LinAlgError:
        which, _ = first(A, zero_pivot)
        raise LinAlgError(
            f"torch.linalg.solve: {which}The solver failed because the input matrix is singular."
        ) from None
    return found[:, 0] if vector else found


def _cholesky(A):
    try:
        return np.linalg.cholesky(square("linalg.cholesky", A))
    except np.linalg.LinAlgError:
        which, order = first(A, bad_minor)
        raise LinAlgError(
            f"linalg.cholesky: {which}The factorization could not be completed because the input is not "
            f"positive-definite (the leading minor of order {order} is not positive-definite)."
        ) from None


def turned(matrix):
    """Return matrices with rows and columns exchanged."""
    return matrix.transpose(-2, -1)


def solve_slope(grad, A, result):
    """Return the rule of a linear system for its matrix: -(solve(A.T, grad)) @ result.T."""
    flow = F.linalg_solve(turned(A), grad)
    if len(flow.shape) == 1:
        return -flow.unsqueeze(1).mm(result.unsqueeze(0))
    return -(flow @ turned(result))


def cholesky_slope(grad, result):
    """Return the rule of the Cholesky factor L: L⁻ᵀ (phi + lowerᵀ) L⁻¹ / 2.

    phi = tril(Lᵀ grad), and lower is phi without its diagonal.
    """
    lower = (turned(result) @ grad).tril()
    both = lower + turned(lower.tril(-1))
    inverse = F.linalg_inv(result)
    return turned(inverse) @ both @ inverse * 0.5


inner("linalg_inv", _inverse, node="LinalgInvExBackward0", outputs=("inverse",),
   formulas={"A": "-(inverse.T @ grad @ inverse.T)"},
   A=lambda grad, inverse: -(turned(inverse) @ (grad @ turned(inverse))))
inner("linalg_det", lambda A: np.asarray(np.linalg.det(square("linalg.det", A)), A.dtype),
   node="LinalgDetBackward0",
   formulas={"A": "grad * result * inverse(A).T"},
   A=lambda grad, A, result: (grad * result).unsqueeze(-1).unsqueeze(-1) * turned(F.linalg_inv(A)))
inner("linalg_slogdet", lambda A:
   tuple(np.asarray(p, A.dtype) for p in np.linalg.slogdet(square("linalg.slogdet", A))),
   node="LinalgSlogdetBackward0", outputs=("sign", "logabsdet"), shows=("sign",),
   formulas={"A": "grads[1] * inverse(A).T"},
   A=lambda grads, A: F.zeros_like(A) if grads[1] is None
   else grads[1].unsqueeze(-1).unsqueeze(-1) * turned(F.linalg_inv(A)))
inner("linalg_solve", _solve, node="LinalgSolveExBackward0", shows=("result",),
   formulas={"A": "-solve(A.T, grad) @ result.T", "B": "solve(A.T, grad)"},
   A=lambda grad, A, result: solve_slope(grad, A, result),
   B=lambda grad, A: F.linalg_solve(turned(A), grad))
inner("linalg_cholesky", _cholesky, node="LinalgCholeskyExBackward0", outputs=("L",),
   formulas={"A": "inverse(L).T @ (phi + tril(phi, -1).T) @ inverse(L) / 2 with phi = tril(L.T @ grad)"},
   A=lambda grad, L: cholesky_slope(grad, L))
