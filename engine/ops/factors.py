"""Matrices as products: singular values, QR, eigenvalues of symmetric ones; what is built on them."""

from __future__ import annotations

from functools import partial

import numpy as np

from engine import dtype as dtypes
from engine.ops import errors
from engine.ops.inverse import LinAlgError, square, turned
from engine.ops.table import F, op

# fmt: off

inner = partial(op, spelled="")


def matrices(name: str, array: np.ndarray, kernel: str = "") -> np.ndarray:
    """Return an array of matrices, or refuse one with fewer dimensions, or without a kernel for its dtype."""
    if array.ndim < 2:
        raise RuntimeError(f"{name}: The input tensor A must have at least 2 dimensions.")
    if array.dtype.kind not in "fc":
        kind = dtypes.from_numpy(array.dtype).short
        raise RuntimeError(f"{name}: Expected a floating point or complex tensor as input. Got {kind}")
    if kernel and array.dtype == np.float16:
        raise errors.not_implemented_for(kernel, dtypes.float16)
    return array


# ----- singular values --------------------------------------------------------------------------------
def _svd(A, full_matrices=False, compute_uv=True):
    try:
        u, s, vh = np.linalg.svd(matrices("linalg.svd", A, "linalg_svd_cpu"), full_matrices=full_matrices)
    except np.linalg.LinAlgError:
        raise LinAlgError(
            "linalg.svd: The algorithm failed to converge because the input matrix contained non-finite "
            "values."
        ) from None
    return np.ascontiguousarray(u), s, np.ascontiguousarray(vh)


def skew(matrix):
    """Return a matrix less its transpose."""
    return matrix - turned(matrix)


def gaps(values):
    """Return all differences of values, 1 on the diagonal."""
    found = values.unsqueeze(-2) - values.unsqueeze(-1)
    found.diagonal(0, -2, -1).fill_(1.0)
    return found


def narrowed(tensor, dim, size):
    """Return the first part of a dimension, or the tensor itself if that is all."""
    return F.slice(tensor, dim, 0, size, 1)


def svd_slope(grads, U, S, Vh, full_matrices):
    """Return the rule of the singular values and vectors of A = U diag(S) Vh."""
    gU, gS, gVh = grads
    count = S.shape[-1]
    if full_matrices:
        gU = None if gU is None else narrowed(gU, -1, count)
        gVh = None if gVh is None else narrowed(gVh, -2, count)
        U, Vh = narrowed(U, -1, count), narrowed(Vh, -2, count)
    tall = U.shape[-2] >= Vh.shape[-1]
    if gU is None and gVh is None:
        return U @ (gS.unsqueeze(-1) * Vh) if tall else (U * gS.unsqueeze(-2)) @ Vh
    E, found = gaps(S * S), None
    if gU is not None:
        found = skew(turned(U) @ gU) / E * S.unsqueeze(-2)
    if gVh is not None:
        right = S.unsqueeze(-1) * (skew(Vh @ turned(gVh)) / E)
        found = right if found is None else found + right
    if gS is not None:
        found = found + gS.diag_embed()
    if U.shape[-2] > count and gU is not None:
        bent = gU / S.unsqueeze(-2)
        return (U @ found + bent - U @ (turned(U) @ bent)) @ Vh
    if Vh.shape[-1] > count and gVh is not None:
        bent = gVh / S.unsqueeze(-1)
        return U @ (found @ Vh + bent - (bent @ turned(Vh)) @ Vh)
    return U @ (found @ Vh) if tall else (U @ found) @ Vh


inner("linalg_svd", _svd, node="LinalgSvdBackward0", outputs=("U", "S", "Vh"),
   formulas={"A": "U @ (skew(U.T @ grads[0]) / E * S + S * skew(Vh @ grads[2].T) / E + diag(grads[1])) @ Vh, "
                  "E[i, j] = S[j] ** 2 - S[i] ** 2"},
   A=lambda grads, U, S, Vh, full_matrices: svd_slope(grads, U, S, Vh, full_matrices))


# ----- orthogonal times triangular ----------------------------------------------------------------------
def _qr(A, mode="reduced"):
    q, r = np.linalg.qr(matrices("linalg.qr", A, "geqrf_cpu"), mode if mode != "r" else "reduced")
    return np.ascontiguousarray(q), np.ascontiguousarray(r)


def halved(matrix):
    """Return a triangle and its mirror image, the diagonal once."""
    both = matrix + turned(matrix)
    both.diagonal(0, -2, -1).mul_(0.5)
    return both


def qr_slope(grads, Q, R):
    """Return the rule of A = Q R for A with at least as many rows as columns, or fewer."""
    gQ, gR = grads
    if R.shape[-2] < R.shape[-1]:
        return wide_qr_slope(gQ, gR, Q, R)
    inside = None if gR is None else gR @ turned(R)
    if gQ is not None:
        along = turned(Q) @ gQ
        inside = -along if inside is None else inside - along
    flow = Q @ halved(inside.triu())
    flow = flow if gQ is None else flow + gQ
    return F.linalg_solve_triangular(turned(R), flow, False, False, False)


def wide_qr_slope(gQ, gR, Q, R):
    """Return the rule of a wide matrix: of its square part, and of the rest, which R holds too."""
    rows = Q.shape[-2]
    inside = None
    if gR is not None:
        inside = -(gR @ turned(R))
    if gQ is not None:
        along = turned(Q) @ gQ
        inside = along if inside is None else inside + along
    flow = Q @ skew(inside).tril(-1)
    part = F.linalg_solve_triangular(turned(narrowed(R, -1, rows)), flow, False, False, False)
    zeros = F.new_zeros(part, (*part.shape[:-1], R.shape[-1] - rows))
    found = F.cat((part, zeros), -1)
    return found if gR is None else found + Q @ gR


inner("linalg_qr", _qr, node="LinalgQrBackward0", outputs=("Q", "R"), shows=("mode",),
   formulas={"A": "solve(R.T on the right, grads[0] + Q @ symmetric(triu(grads[1] @ R.T - Q.T @ grads[0])))"},
   A=lambda grads, Q, R: qr_slope(grads, Q, R))


# ----- eigenvalues of symmetric matrices ------------------------------------------------------------------
def _eigh(A, UPLO="L", compute_v=True):
    if square("linalg.eigh", A).dtype not in (np.float32, np.float64):
        raise errors.not_implemented_for("linalg_eigh_cpu", dtypes.from_numpy(A.dtype))
    values, vectors = np.linalg.eigh(A, UPLO)
    return values, np.ascontiguousarray(vectors)


def eigh_slope(grads, eigenvalues, eigenvectors):
    """Return the rule of A = V diag(L) V.T."""
    gL, gV = grads
    L, V = eigenvalues, eigenvectors
    if gV is None:
        return (V * gL.unsqueeze(-2)) @ turned(V)
    inside = skew(turned(V) @ gV) * 0.5 / gaps(L)
    if gL is not None:
        inside = inside + gL.diag_embed()
    return V @ (inside @ turned(V))


inner("linalg_eigh", _eigh, node="LinalgEighBackward0", outputs=("eigenvalues", "eigenvectors"),
   formulas={"A": "V @ (diag(grads[0]) + skew(V.T @ grads[1]) / 2 / (L[j] - L[i])) @ V.T, "
                  "L, V = eigenvalues, eigenvectors"},
   A=lambda grads, eigenvalues, eigenvectors: eigh_slope(grads, eigenvalues, eigenvectors))


# ----- pseudo-inverse, triangular systems ------------------------------------------------------------------
def pinv_slope(grad, self, result):
    """Return the rule of the pseudo-inverse, by way of the shorter side."""
    flow, back, own = turned(grad), turned(result), result
    if self.shape[-2] <= self.shape[-1]:
        inside = flow @ own
        bent = inside @ back
        rest = flow - inside @ self
        return -turned(own @ inside) + bent - (self @ own) @ bent + (back @ own) @ rest
    inside = own @ flow
    bent = back @ inside
    return -turned(inside @ own) + (flow - self @ inside) @ own @ back + bent - (bent @ own) @ self


def _pinv(self):
    if self.ndim < 2 or self.dtype not in (np.float32, np.float64):
        kind = f"{dtypes.from_numpy(self.dtype).short}{{{list(self.shape)}}}"
        raise RuntimeError(
            f"linalg.pinv({kind}): expected a tensor with 2 or more dimensions of float, double, cfloat or "
            "cdouble types"
        )
    return np.linalg.pinv(self).astype(self.dtype)


inner("linalg_pinv", _pinv,
   node="LinalgPinvBackward0",
   formulas={"self": "-(P @ G @ P).T + G @ P @ P.T - A @ P @ G @ P @ P.T + P.T @ P @ (G - G @ P @ A), "
                     "A, P, G = self, result, grad.T"},
   self=lambda grad, self, result: pinv_slope(grad, self, result))


def _solve_triangular(self, B, upper, left=True, unitriangular=False):
    self = square("linalg.solve_triangular", self)
    matrix = np.triu(self) if upper else np.tril(self)
    if unitriangular:
        matrix = matrix.copy()
        matrix[..., np.arange(matrix.shape[-1]), np.arange(matrix.shape[-1])] = 1
    if left:
        return np.linalg.solve(matrix, B)
    return np.swapaxes(np.linalg.solve(np.swapaxes(matrix, -1, -2), np.swapaxes(B, -1, -2)), -1, -2)


def triangular_slope(grad, self, result, upper, left, unitriangular):
    """Return the rule of a triangular system for its matrix."""
    flow = F.linalg_solve_triangular(turned(self), grad, not upper, left, unitriangular)
    found = -(flow @ turned(result)) if left else -(turned(result) @ flow)
    edge = int(unitriangular)
    return found.triu(edge) if upper else found.tril(-edge)


inner("linalg_solve_triangular", _solve_triangular, node="LinalgSolveTriangularBackward0",
   shows=("result",),
   formulas={"self": "triangle of -solve(self.T, grad) @ result.T", "B": "solve(self.T, grad)"},
   self=lambda grad, self, result, upper, left, unitriangular:
   triangular_slope(grad, self, result, upper, left, unitriangular),
   B=lambda grad, self, upper, left, unitriangular:
   F.linalg_solve_triangular(turned(self), grad, not upper, left, unitriangular))


# ----- the exponential --------------------------------------------------------------------------------
def exponential(matrix: np.ndarray) -> np.ndarray:
    """Return the exponential series of matrices: halved until small, summed, squared back."""
    wide = np.asarray(matrix, np.float64)
    size = np.abs(wide).sum(-2).max() if wide.size else 0.0
    halvings = max(0, int(np.ceil(np.log2(size))) + 4) if size > 0 else 0
    part = wide / 2.0**halvings
    term = total = np.broadcast_to(np.eye(wide.shape[-1]), wide.shape)
    for k in range(1, 20):
        term = term @ part / k
        total = total + term
    for _ in range(halvings):
        total = total @ total
    return total.astype(matrix.dtype)


def exponential_slope(grad, self):
    """Return the rule of the exponential: a corner of the exponential of [[A.T, grad], [0, A.T]]."""
    size, flipped = self.shape[-1], turned(self)
    upper = F.cat((flipped, grad), -1)
    lower = F.cat((F.zeros_like(flipped), flipped), -1)
    whole = F.linalg_matrix_exp(F.cat((upper, lower), -2))
    return F.slice(F.slice(whole, -2, 0, size, 1), -1, size, 2 * size, 1)


inner("linalg_matrix_exp", lambda self: exponential(
   matrices("linalg.matrix_exp", square("linalg.matrix_exp", self))),
   node="LinalgMatrixExpBackward0",
   formulas={"self": "the upper right corner of matrix_exp([[self.T, grad], [0, self.T]])"},
   self=lambda grad, self: exponential_slope(grad, self))
