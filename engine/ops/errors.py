"""What PyTorch says when an operation refuses its operands. Other messages are in engine/errors."""

from __future__ import annotations

from typing import Any


# ----- arithmetic -------------------------------------------------------------------------------
def subtract_bools() -> str:
    return (
        "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or "
        "`logical_xor()` operator instead."
    )


def negate_bool() -> str:
    return (
        "Negation, the `-` operator, on a bool tensor is not supported. If you are trying to invert a "
        "mask, use the `~` or `logical_not()` operator instead."
    )


def rounding_mode(mode: Any) -> str:
    return f"div expected rounding_mode to be one of None, 'trunc', or 'floor' but found '{mode}'"


def addcdiv_integers() -> str:
    return (
        "Integer division with addcdiv is no longer supported, and in a future  release addcdiv will "
        "perform a true division of tensor1 and tensor2. The historic addcdiv behavior can be implemented "
        "as (input + value * torch.trunc(tensor1 / tensor2)).to(input.dtype) for integer inputs and as "
        "(input + value * tensor1 / tensor2) for float inputs. The future addcdiv behavior is just the "
        "latter implementation: (input + value * tensor1 / tensor2), for all dtypes."
    )


def clamp_without_bounds() -> str:
    return "torch.clamp: At least one of 'min' or 'max' must not be None"


def not_implemented_for(kernel: str, dtype: Any) -> NotImplementedError:
    """Return the error of a kernel that has no version for a dtype."""
    return NotImplementedError(f"\"{kernel}\" not implemented for '{dtype.short}'")


# ----- reductions -------------------------------------------------------------------------------
def empty_reduction(name: str) -> str:
    if name.startswith("arg"):
        return f"{name}(): Expected reduction dim to be specified for input.numel() == 0."
    return (
        f"{name}(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction "
        "dim with the 'dim' argument."
    )


def empty_dim(name: str, dim: int) -> str:
    return f"{name}(): Expected reduction dim {dim} to have non-zero size."


def norm_dtype(dtype: Any) -> str:
    return f"linalg.vector_norm: Expected a floating point or complex tensor as input. Got {dtype.short}"


def spread_floats_only(name: str) -> str:
    return f"{name} only support floating point and complex dtypes"


def selected_out_of_range() -> str:
    return "selected index k out of range"


# ----- joining, cutting -------------------------------------------------------------------------
def cat_ndims(first: int, other: int) -> str:
    return f"Tensors must have same number of dimensions: got {first} and {other}"


def cat_sizes(dim: int, wanted: int, got: int, number: int) -> str:
    return (
        f"Sizes of tensors must match except in dimension {dim}. Expected size {wanted} but got size {got} "
        f"for tensor number {number} in the list."
    )


def stack_sizes(first: Any, other: Any, number: int) -> str:
    return (
        f"stack expects each tensor to be equal size, but got {list(first)} at entry 0 and {list(other)} at "
        f"entry {number}"
    )


def no_tensors(name: str) -> str:
    if name == "stack":
        return "stack expects a non-empty TensorList"
    return f"torch.{name}(): expected a non-empty list of Tensors"


def split_sizes(total: int, dim: int, sizes: Any) -> str:
    return (
        f"split_with_sizes expects split_sizes to sum exactly to {total} (input tensor's size at dimension "
        f"{dim}), but got split_sizes={list(sizes)}"
    )


def repeat_dims() -> str:
    return "Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor"


# ----- indexing ---------------------------------------------------------------------------------
def out_of_range_in_self() -> str:
    return "index out of range in self"


def scatter_dtypes(name: str) -> str:
    return f"{name}(): Expected self.dtype to be equal to src.dtype"


def index_kind(name: str) -> str:
    return f"{name}(): Expected dtype int32/int64 for index"


# ----- losses, layers ---------------------------------------------------------------------------
def target_out_of_bounds(target: int) -> str:
    return f"Target {target} is out of bounds."


def target_dtype(dtype: Any) -> str:
    return f"expected target dtype to be Long or Byte, but got {dtype.short}"


def outside_zero_one(what: str) -> str:
    return f"all elements of {what} should be between 0 and 1"


def normalized_shape(normalized: Any, own: Any) -> str:
    star = ", ".join(map(str, normalized))
    return (
        f"Given normalized_shape={list(normalized)}, expected input with shape [*, {star}], but got input of "
        f"size{list(own)}"
    )


def conv_channels(groups: int, weight: Any, own: Any, wanted: int) -> str:
    return (
        f"Given groups={groups}, weight of size {list(weight)}, expected input{list(own)} to have {wanted} "
        f"channels, but got {own[1]} channels instead"
    )


def conv_kernel(padded: Any, kernel: Any) -> str:
    def cross(sizes: Any) -> str:
        return " x ".join(map(str, sizes))

    return (
        f"Calculated padded input size per channel: ({cross(padded)}). Kernel size: ({cross(kernel)}). "
        "Kernel size can't be greater than actual input size"
    )


def padding_length(length: int, ndim: int) -> str:
    if length % 2:
        return "Padding length must be divisible by 2"
    return (
        "Padding length should be less than or equal to two times the input dimension but got padding length "
        f"{length} and input of dimension {ndim}"
    )


def select_range(index: int, shape: Any, dim: int) -> str:
    return f"select(): index {index} out of range for tensor of size {list(shape)} at dimension {dim}"


def index_shapes(shapes: Any) -> str:
    listed = ", ".join(str(list(s)) for s in shapes)
    return f"shape mismatch: indexing tensors could not be broadcast together with shapes {listed}"


def index_ndim(what: str, other: str) -> str:
    return f"{what} tensor must have the same number of dimensions as {other} tensor"


def mask_dtype(dtype: Any) -> str:
    return f"masked_fill_ only supports boolean masks, but got mask with dtype {dtype.c_name}"


def index_add_dtypes(own: Any, source: Any) -> str:
    return f"index_add_(): self ({own.short}) and source ({source.short}) must have the same scalar type"


def masked_fill_value(ndim: int) -> str:
    return (
        f"masked_fill_ only supports a 0-dimensional value tensor, but got tensor with {ndim} dimension(s)."
    )


def dimension_too_small(name: str) -> IndexError:
    """Return the error of an operation that needs at least one dimension."""
    from engine.errors import index_error

    return index_error("Dimension specified as 0 but tensor has no dimensions")


def conv_transpose_channels(groups: int, weight: Any, own: Any, wanted: int) -> str:
    return (
        f"Given transposed=1, weight of size {list(weight)}, expected input{list(own)} to have {wanted} "
        f"channels, but got {own[1]} channels instead"
    )


def embedding_indices(dtype: Any) -> str:
    return (
        "Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, Int; but "
        f"got {dtype.type_name} instead (while checking arguments for embedding)"
    )


def pixel_shuffle(channels: int, factor: int) -> str:
    return (
        "pixel_shuffle expects its input's 'channel' dimension to be divisible by the square of "
        f"upscale_factor, but input.size(-3)={channels} is not divisible by {factor * factor}"
    )


def lerp_dtypes(own: Any, end: Any) -> str:
    return f"expected dtype {own.c_name} for `end` but got dtype {end.c_name}"


def norm_of_difference(dtype: Any) -> str:
    return f"norm(): input dtype should be either floating point or complex. Got {dtype.short} instead."


def expand_ndim(dtype: Any, own: Any, target: Any) -> str:
    return (
        f"expand({dtype.type_name}{{{list(own)}}}, size={list(target)}): the number of sizes provided "
        f"({len(target)}) must be greater or equal to the number of dimensions in the tensor ({len(own)})"
    )


def addmv_dtypes(mat: Any, vec: Any) -> str:
    return f"addmv input tensors must have the same dtype, but got {vec.short}, {mat.short}, and {vec.short}"


def addmm_dtypes(own: Any, mat2: Any) -> str:
    return f"self and mat2 must have the same dtype, but got {own.short} and {mat2.short}"


def pooled_size(own: Any, sizes: Any) -> str:
    def cross(values: Any) -> str:
        return "x".join(map(str, values))

    return (
        f"Given input size: ({cross(own[-3:])}). Calculated output size: ({cross((own[-3], *sizes))}). "
        "Output size is too small"
    )


def cross_length(dim: int, first: int, second: int) -> str:
    return f"linalg.cross: inputs dimension {dim} must have length 3. Got {first} and {second}"


def index_copy_range(index: int, dim: int, size: int) -> str:
    return f"index_copy_(): index {index} is out of bounds for dimension {dim} with size {size}"


def contracted_sizes(first: int, dim: int, second: int, other: int) -> str:
    return (
        f"contracted dimensions need to match, but first has size {first} in dim {dim} and second has size "
        f"{second} in dim {other}"
    )


def inner_sizes(first: Any, second: Any) -> str:
    return (
        "inner() the last dimension must match on both input tensors but got shapes "
        f"{list(first)} and {list(second)}"
    )


def take_range(index: int, size: int) -> str:
    return f"out of range: tried to access index {index} on a tensor of {size} elements."


def class_weights(classes: int, given: Any) -> str:
    return (
        f"weight tensor should be defined either for all {classes} classes or no classes but got weight "
        f"tensor of shape: {list(given)}"
    )


def loss_dtypes(found: Any, expected: Any) -> str:
    return f"Found dtype {found.short} but expected {expected.short}"


# ----- new tensors from old ones ------------------------------------------------------------------
def multinomial_kind(dtype: Any) -> str:
    return f"multinomial only supports floating-point dtypes for input, got: {dtype.short}"


def broadcast_shapes(dim: int, position: int, shape: Any, expected: Any) -> str:
    return (
        f"Attempting to broadcast a dimension of length {shape[dim]} at {dim}! Mismatching argument at index "
        f"{position} had {tuple(shape)}; but expected shape should be broadcastable to {list(expected)}"
    )


def searchsorted_shapes(boundaries: Any, values: Any) -> str:
    return (
        "torch.searchsorted(): boundaries tensor should be 1 dimension or the first N-1 dimensions of "
        "boundaries tensor and input value tensor must match, but we got boundaries tensor "
        f"{list(boundaries)} and input value tensor {list(values)}"
    )
