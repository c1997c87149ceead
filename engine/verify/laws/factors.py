"""Matrices as products of others, and whole numbers. Signs of vectors are free and not derived."""

from __future__ import annotations

import numpy as np

from engine.verify.laws.table import law


def triangle(self, upper, unitriangular):
    """Return the triangle that counts, with ones on the diagonal if these are meant."""
    kept = np.triu(self) if upper else np.tril(self)
    eye = np.eye(np.shape(self)[-1])
    return kept * (1 - eye) + eye if unitriangular else kept


def solved(self, B, upper, left=True, unitriangular=False):
    """Return the solution of a triangular system, on the left or on the right."""
    matrix = triangle(self, upper, unitriangular)
    if left:
        return np.linalg.solve(matrix, B)
    return np.swapaxes(np.linalg.solve(np.swapaxes(matrix, -1, -2), np.swapaxes(B, -1, -2)), -1, -2)


def series(self):
    """Return the exponential of matrices by its series."""
    halvings = 10
    part = self / 2.0**halvings
    total = term = np.eye(np.shape(self)[-1]) + 0 * part
    for k in range(1, 24):
        term = term @ part / k
        total = total + term
    for _ in range(halvings):
        total = total @ total
    return total


def pseudo(self):
    """Return the pseudo-inverse: of the square on the shorter side, if that has an inverse."""
    flipped = np.swapaxes(self, -1, -2)
    if np.shape(self)[-2] <= np.shape(self)[-1]:
        return flipped @ np.linalg.inv(self @ flipped)
    return np.linalg.inv(flipped @ self) @ flipped


law(
    "gcd", lambda self, other: np.gcd(np.asarray(self, np.int64), np.asarray(other, np.int64)), pointwise=True
)
law(
    "lcm", lambda self, other: np.lcm(np.asarray(self, np.int64), np.asarray(other, np.int64)), pointwise=True
)
law("linalg_solve_triangular", solved, "LinalgSolveTriangularBackward0")
law("linalg_matrix_exp", series, "LinalgMatrixExpBackward0", steps="self")
law("linalg_pinv", pseudo, "LinalgPinvBackward0", steps="self")
