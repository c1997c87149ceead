"""The texts of warnings, and of refusals that stand beside them."""

from __future__ import annotations

COMPLEX_TO_REAL = "Casting complex values to real discards the imaginary part"
UINT8_INDEX = "indexing with dtype torch.uint8 is now deprecated, please use a dtype torch.bool instead."
MASK_OF_BYTES = "masked_fill_ only supports boolean masks, but got mask with dtype unsigned char"
UINT8_CONDITION = (
    "where received a uint8 condition tensor. This behavior is deprecated and will be removed in a future "
    "version of PyTorch. Use a boolean condition instead."
)
REVERSED = (
    "The use of `x.T` on tensors of dimension other than 2 to reverse their shape is deprecated and it will "
    "throw an error in a future release. Consider `x.mT` to transpose batches of matrices or "
    "`x.permute(*torch.arange(x.ndim - 1, -1, -1))` to reverse the dimensions of a tensor."
)
MESHGRID = "torch.meshgrid: in an upcoming release, it will be required to pass the indexing argument."
FEW_OBSERVATIONS = (
    "cov(): degrees of freedom is <= 0. Correction should be strictly less than the number of observations."
)
CROSS = (
    "Using torch.cross without specifying the dim arg is deprecated.\nPlease either pass the dim explicitly "
    "or simply use torch.linalg.cross.\nThe default value of dim will change to agree with that of "
    "linalg.cross in a future release."
)
QR = (
    "torch.qr is deprecated in favor of torch.linalg.qr and will be removed in a future PyTorch release.\n"
    "The boolean parameter 'some' has been replaced with a string parameter 'mode'.\nQ, R = torch.qr(A, "
    "some)\nshould be replaced with\nQ, R = torch.linalg.qr(A, 'reduced' if some else 'complete')"
)
CHOLESKY = (
    "torch.cholesky is deprecated in favor of torch.linalg.cholesky and will be removed in a future PyTorch "
    "release.\nL = torch.cholesky(A)\nshould be replaced with\nL = torch.linalg.cholesky(A)\nand\nU = "
    "torch.cholesky(A, upper=True)\nshould be replaced with\nU = torch.linalg.cholesky(A).mH\nThis "
    "transform will produce equivalent results for all valid (symmetric positive definite) inputs."
)
SEARCHED_COPY = (
    "torch.searchsorted(): input value tensor is non-contiguous, this will lower the performance due to "
    "extra data copy when converting non-contiguous tensor to contiguous, please use contiguous input value "
    "tensor if possible. This message will only appear once per program."
)


def few_degrees(name: str) -> str:
    return (
        f"{name}(): degrees of freedom is <= 0. Correction should be strictly less than the reduction factor "
        "(input numel divided by output numel)."
    )


def no_matrix(name: str) -> str:
    """Of `.T` and its like on a single number."""
    advice = (
        "Consider using x.conj()." if name.endswith("H") else "This function is the identity in these cases."
    )
    return f"Tensor.{name} is deprecated on 0-D tensors. {advice}"


def only_matrices(name: str, ndim: int) -> str:
    if name == "H":
        rest = " For batches of matrices, consider using tensor.mH" if ndim > 2 else ""
        return f"tensor.H is only supported on matrices (2-D tensors). Got {ndim}-D tensor.{rest}"
    return f"tensor.{name} is only supported on matrices or batches of matrices. Got {ndim}-D tensor."


def resized_out(had: tuple, wanted: tuple) -> str:
    return (
        f"An output with one or more elements was resized since it had shape {list(had)}, which does not "
        f"match the required output shape {list(wanted)}. This behavior is deprecated, and in a future "
        "PyTorch release outputs will not be resized unless they have zero elements. You can explicitly "
        "reuse an out tensor t by resizing it, inplace, to zero elements with t.resize_(0)."
    )


def older_overload(name: str, old: str, new: str) -> str:
    return (
        f"This overload of {name} is deprecated:\n\t{name}({old})\nConsider using one of the following "
        f"signatures instead:\n\t{name}({new})"
    )
