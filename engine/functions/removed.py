"""Functions that PyTorch had once: each says since when it is gone and what to write instead."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

START = "This function was deprecated since version 1.9 and is now removed."
INSTEAD = {
    "symeig": (
        " The default behavior has changed from using the upper triangular portion of the matrix by "
        "default to using the lower triangular portion.\n\nL, _ = torch.symeig(A, upper=upper) should "
        "be replaced with:\nL = torch.linalg.eigvalsh(A, UPLO='U' if upper else 'L')\n\nand\n\nL, V = "
        "torch.symeig(A, eigenvectors=True) should be replaced with:\nL, V = torch.linalg.eigh(A, "
        "UPLO='U' if upper else 'L')"
    ),
    "eig": (
        " `torch.linalg.eig` returns complex tensors of dtype `cfloat` or `cdouble` rather than real "
        "tensors mimicking complex tensors.\n\nL, _ = torch.eig(A) should be replaced with:\nL_complex "
        "= torch.linalg.eigvals(A)\n\nand\n\nL, V = torch.eig(A, eigenvectors=True) should be replaced "
        "with:\nL_complex, V_complex = torch.linalg.eig(A)"
    ),
    "solve": (
        " `torch.solve` is deprecated in favor of `torch.linalg.solve`. `torch.linalg.solve` has its "
        "arguments reversed and does not return the LU factorization.\n\nTo get the LU factorization "
        "see `torch.lu`, which can be used with `torch.lu_solve` or `torch.lu_unpack`.\nX = "
        "torch.solve(B, A).solution should be replaced with:\nX = torch.linalg.solve(A, B)"
    ),
    "lstsq": (
        " `torch.lstsq` is deprecated in favor of `torch.linalg.lstsq`.\n`torch.linalg.lstsq` has "
        "reversed arguments and does not return the QR decomposition in the returned tuple (although "
        "it returns other information about the problem).\n\nTo get the QR decomposition consider "
        "using `torch.linalg.qr`.\n\nThe returned solution in `torch.lstsq` stored the residuals of "
        "the solution in the last m - n columns of the returned value whenever m > n. In "
        "torch.linalg.lstsq, the residuals are in the field 'residuals' of the returned named "
        "tuple.\n\nThe unpacking of the solution, as in\nX, _ = torch.lstsq(B, "
        "A).solution[:A.size(1)]\nshould be replaced with:\nX = torch.linalg.lstsq(A, B).solution"
    ),
    "matrix_rank": (
        "\nPlease use the `torch.linalg.matrix_rank` function instead. The parameter 'symmetric' was "
        "renamed in `torch.linalg.matrix_rank()` to 'hermitian'."
    ),
}


def removed(name: str) -> Callable[..., Any]:
    """Return a function that says that it is gone."""

    def call(*_: Any, **__: Any) -> None:
        raise RuntimeError(START + INSTEAD[name])

    call.__name__ = name
    return call


IN_TORCH = {name: removed(name) for name in INSTEAD}
METHODS = {name: removed(name) for name in INSTEAD if name != "matrix_rank"}
