"""Messages about operations: shapes, indexing, values, kinds of numbers."""

from __future__ import annotations

from typing import Any


def index_error(text: str) -> IndexError:
    """Return an IndexError that is already in PyTorch's words (apply.py passes it on)."""
    error = IndexError(text)
    error.worded = True
    return error


# ----- shapes --------------------------------------------------------------------------------
def broadcast(a: tuple, b: tuple) -> str:
    """Name the right-most dimension where two shapes do not fit, as PyTorch numbers it."""
    longest = max(len(a), len(b))
    for back in range(1, min(len(a), len(b)) + 1):
        if a[-back] != b[-back] and 1 not in (a[-back], b[-back]):
            return (
                f"The size of tensor a ({a[-back]}) must match the size of tensor b ({b[-back]}) at "
                f"non-singleton dimension {longest - back}"
            )
    return f"shapes {list(a)} and {list(b)} cannot be broadcast"


def view_size(shape: Any, size: int) -> str:
    return f"shape '{list(shape)}' is invalid for input of size {size}"


def view_stride() -> str:
    return (
        "view size is not compatible with input tensor's size and stride (at least one dimension spans "
        "across two contiguous subspaces). Use .reshape(...) instead."
    )


def expand_size(target: Any, own: Any, dim: int) -> str:
    return (
        f"The expanded size of the tensor ({target[dim]}) must match the existing size "
        f"({own[dim - len(target) + len(own)]}) at non-singleton dimension {dim}.  "
        f"Target sizes: {list(target)}.  Tensor sizes: {list(own)}"
    )


def expand_ndim(target: Any, own: Any) -> str:
    return (
        f"expand: the number of sizes provided ({len(target)}) must be greater or equal to the number "
        f"of dimensions in the tensor ({len(own)})"
    )


def dim_range(dim: int, ndim: int) -> str:
    low, high = (-ndim, ndim - 1) if ndim else (-1, 0)
    return f"Dimension out of range (expected to be in range of [{low}, {high}], but got {dim})"


def mat_shapes(a: tuple, b: tuple) -> str:
    return f"mat1 and mat2 shapes cannot be multiplied ({a[0]}x{a[1]} and {b[0]}x{b[1]})"


def mv_shapes(matrix: tuple, vector: tuple) -> str:
    rows, columns = matrix
    return f"size mismatch, got input ({rows}), mat ({rows}x{columns}), vec ({vector[0]})"


def dot_shapes(a: tuple, b: tuple) -> str:
    return (
        f"inconsistent tensor size, expected tensor [{a[0]}] and src [{b[0]}] to have the same number "
        f"of elements, but got {a[0]} and {b[0]} elements respectively"
    )


def bmm_shapes(a: tuple, b: tuple) -> str:
    return (
        f"Expected size for first two dimensions of batch2 tensor to be: [{a[0]}, {a[2]}] but got: "
        f"[{b[0]}, {b[1]}]."
    )


def matmul_dims(a: int, b: int) -> str:
    return f"both arguments to matmul need to be at least 1D, but they are {a}D and {b}D"


def mat_dtypes(a: Any, b: Any) -> str:
    return f"expected m1 and m2 to have the same dtype, but got: {a.c_name} != {b.c_name}"


def linear_dtypes(a: Any, b: Any) -> str:
    return f"mat1 and mat2 must have the same dtype, but got {a.short} and {b.short}"


def permute_dims(given: int, own: int) -> str:
    return (
        "permute(sparse_coo): number of dimensions in the tensor input does not match the length of the "
        f"desired ordering of dimensions i.e. input.dim() = {own} is not equal to len(dims) = {given}"
    )


def t_dims(ndim: int) -> str:
    return f"t() expects a tensor with <= 2 dimensions, but self is {ndim}D"


# ----- indexing ------------------------------------------------------------------------------
def index_range(index: int, dim: int, size: int) -> str:
    return f"index {index} is out of bounds for dimension {dim} with size {size}"


def too_many_indices(ndim: int) -> str:
    return f"too many indices for tensor of dimension {ndim}"


def index_zero_dim() -> str:
    return (
        "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in C++ to "
        "convert a 0-dim tensor to a number"
    )


def index_kind(value: Any) -> str:
    return (
        "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid "
        f"indices (got {type(value).__name__})"
    )


def index_dtype() -> str:
    return "tensors used as indices must be long, int, byte or bool tensors"


def mask_shape(mask: Any, at: int, own: Any) -> str:
    return (
        f"The shape of the mask {list(mask)} at index {at} does not match the shape of the indexed "
        f"tensor {list(own)} at index {at}"
    )


# ----- values --------------------------------------------------------------------------------
def item_count(size: int) -> str:
    return f"a Tensor with {size} elements cannot be converted to Scalar"


def ambiguous_bool(size: int) -> str:
    what = "no values" if size == 0 else "more than one value"
    return f"Boolean value of Tensor with {what} is ambiguous"


def to_arguments(kind: str) -> str:
    options = "bool non_blocking = False, bool copy = False, *, torch.memory_format memory_format = None"
    return (
        f"to() received an invalid combination of arguments - got ({kind}), but expected one of:\n"
        f" * (torch.device device = None, torch.dtype dtype = None, {options})\n"
        f" * (torch.dtype dtype, {options})\n * (Tensor tensor, {options})\n"
    )


def numpy_of_grad() -> str:
    return "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead."


def ragged(length: int, dim: int, got: int) -> str:
    return f"expected sequence of length {length} at dim {dim} (got {got})"


def negative_power() -> str:
    return "Integers to negative integer powers are not allowed."


def mean_dtype(dtype: Any) -> str:
    return (
        "mean(): could not infer output dtype. Input dtype must be either a floating point or complex "
        f"dtype. Got: {dtype.short}"
    )


def target_size(target: Any, own: Any) -> str:
    return (
        f"Using a target size ({target}) that is different to the input size ({own}). This will likely "
        "lead to incorrect results due to broadcasting. Please ensure they have the same size."
    )
