"""Convolution, pooling and resampling as functions: PyTorch's signatures around a few rows of the table."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

from engine.nn import errors
from engine.nn.functional.arguments import check_bias, check_convolution, check_tensors
from engine.ops.table import F as rows
from engine.tensor import Tensor


def spread(value: Any, count: int) -> tuple:
    """Return one number per dimension."""
    return (
        (value,) * count
        if isinstance(value, int)
        else tuple(value) * (count if len(tuple(value)) == 1 else 1)
    )


def unbatched(call: Callable, input: Tensor, dims: int, *options: Any) -> Any:
    """Call a function of a batch with one example, and return one."""
    out = call(rows.unsqueeze(input, 0), dims, *options)
    return rows.squeeze__dim(out, 0)


# ----- convolution ------------------------------------------------------------------------------
def _conv(dims: int) -> Callable:
    def conv(
        input: Tensor,
        weight: Tensor,
        bias: Tensor | None = None,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
    ) -> Tensor:
        """Return the weighted sums over a window that slides over the input."""
        name = f"conv{dims}d"
        check_tensors(name, input=input, weight=weight)
        if input.array.ndim not in (dims + 1, dims + 2):
            raise RuntimeError(errors.conv_input(name, dims, input.array.shape))
        if isinstance(padding, str):
            input, padding = _same(input, weight, stride, padding, dilation)
        options = (stride, padding, dilation, False, 0, groups)
        if input.array.ndim == dims + 1:
            return unbatched(_convolution, input, dims, weight, bias, *options)
        return _convolution(input, dims, weight, bias, *options)

    conv.__name__ = conv.__qualname__ = f"conv{dims}d"
    return conv


def _convolution(
    input, dims, weight, bias, stride, padding, dilation, transposed, output_padding, groups
) -> Tensor:
    given = [spread(v, dims) for v in (stride, padding, dilation)]
    check_convolution(
        input, weight, bias, groups, dict(zip(("stride", "padding", "dilation"), given, strict=True))
    )
    check_bias(weight, bias, weight.array.shape[1] * groups if transposed else weight.array.shape[0])
    return rows.convolution(input, weight, bias, *given, transposed, spread(output_padding, dims), groups)


def _same(input: Tensor, weight: Tensor, stride: Any, padding: str, dilation: Any) -> tuple[Tensor, Any]:
    """Return the input and the padding that a word stands for; uneven padding is put on by hand."""
    kernel = weight.array.shape[2:]
    if padding == "valid":
        return input, 0
    if padding != "same":
        raise RuntimeError(f"Invalid padding string: '{padding}'")
    if any(s != 1 for s in spread(stride, len(kernel))):
        raise RuntimeError("padding='same' is not supported for strided convolutions")
    total = [d * (k - 1) for d, k in zip(spread(dilation, len(kernel)), kernel, strict=True)]
    if any(t % 2 for t in total):
        warnings.warn(errors.EVEN_KERNEL, UserWarning, stacklevel=3)
        input = rows.constant_pad_nd(input, tuple(v for t in reversed(total) for v in (0, t % 2)), 0)
    return input, tuple(t // 2 for t in total)


conv1d, conv2d, conv3d = _conv(1), _conv(2), _conv(3)


def _conv_transpose(dims: int) -> Callable:
    def conv_transpose(
        input: Tensor,
        weight: Tensor,
        bias: Tensor | None = None,
        stride: Any = 1,
        padding: Any = 0,
        output_padding: Any = 0,
        groups: int = 1,
        dilation: Any = 1,
    ) -> Tensor:
        """Return what a convolution's backward gives: each input element spread over a window."""
        check_tensors(f"conv_transpose{dims}d", input=input, weight=weight)
        options = (weight, bias, stride, padding, dilation, True, output_padding, groups)
        if input.array.ndim == dims + 1:
            return unbatched(_convolution, input, dims, *options)
        return _convolution(input, dims, *options)

    conv_transpose.__name__ = conv_transpose.__qualname__ = f"conv_transpose{dims}d"
    return conv_transpose


conv_transpose1d, conv_transpose2d = _conv_transpose(1), _conv_transpose(2)


# ----- pooling ----------------------------------------------------------------------------------
def max_pool2d(
    input: Tensor,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """Return the largest element of every window."""
    check_tensors("max_pool2d", input=input)
    if input.array.ndim not in (3, 4):
        raise RuntimeError("non-empty 3D or 4D (batch mode) tensor expected for input")
    kernel, around, apart = spread(kernel_size, 2), spread(padding, 2), spread(dilation, 2)
    for k, p, d in zip(kernel, around, apart, strict=True):
        if p > (d * (k - 1) + 1) // 2:
            raise RuntimeError(errors.pool_padding(p, k, d))
    step = () if stride is None else spread(stride, 2)
    found = rows.max_pool2d_with_indices(input, kernel, step, around, apart, ceil_mode)
    return found if return_indices else found[0]


def max_pool1d(
    input: Tensor,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """Return the largest element of every window of a sequence."""
    check_tensors("max_pool1d", input=input)
    if input.array.ndim not in (2, 3):
        raise RuntimeError(errors.pool1d_dims(input.array.shape))
    kernel, around, apart = spread(kernel_size, 1), spread(padding, 1), spread(dilation, 1)
    step = (1, *spread(kernel_size if stride is None else stride, 1))
    wide = rows.unsqueeze(input, -2)
    found = rows.max_pool2d_with_indices(wide, (1, *kernel), step, (0, *around), (1, *apart), ceil_mode)
    parts = tuple(rows.squeeze__dim(part, -2) for part in (found if return_indices else found[:1]))
    return parts if return_indices else parts[0]


def avg_pool2d(
    input: Tensor,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> Tensor:
    """Return the mean of every window."""
    step = () if stride is None else spread(stride, 2)
    return rows.avg_pool2d(
        input,
        spread(kernel_size, 2),
        step,
        spread(padding, 2),
        ceil_mode,
        count_include_pad,
        divisor_override,
    )


def avg_pool1d(
    input: Tensor,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
) -> Tensor:
    """Return the mean of every window of a sequence."""
    step = (1, *spread(kernel_size if stride is None else stride, 1))
    out = rows.avg_pool2d(
        rows.unsqueeze(input, -2), (1, *spread(kernel_size, 1)), step, (0, *spread(padding, 1)), ceil_mode,
        count_include_pad, None,
    )  # fmt: skip
    return rows.squeeze__dim(out, -2)


def adaptive_avg_pool2d(input: Tensor, output_size: Any) -> Tensor:
    """Return means of windows chosen so that the output has a given size."""
    size = _adapted(input, output_size, 2)
    if size == (1, 1):
        return rows.mean__dim(input, (-1, -2), True)
    return rows._adaptive_avg_pool2d(input, size)


def adaptive_avg_pool1d(input: Tensor, output_size: Any) -> Tensor:
    """Return means of windows chosen so that the output has a given length."""
    out = adaptive_avg_pool2d(rows.unsqueeze(input, -2), (1, *spread(output_size, 1)))
    return rows.squeeze__dim(out, -2)


def adaptive_max_pool2d(input: Tensor, output_size: Any, return_indices: bool = False) -> Any:
    """Return largest elements of windows chosen so that the output has a given size."""
    found = rows.adaptive_max_pool2d(input, _adapted(input, output_size, 2))
    return found if return_indices else found[0]


def adaptive_max_pool1d(input: Tensor, output_size: Any, return_indices: bool = False) -> Any:
    """Return largest elements of windows chosen so that the output has a given length."""
    found = rows.adaptive_max_pool2d(rows.unsqueeze(input, -2), (1, *spread(output_size, 1)))
    parts = tuple(rows.squeeze__dim(part, -2) for part in (found if return_indices else found[:1]))
    return parts if return_indices else parts[0]


def _adapted(input: Tensor, output_size: Any, dims: int) -> tuple[int, ...]:
    """Return a size with None replaced by the input's own."""
    own = input.array.shape[-dims:]
    if not isinstance(output_size, int) and output_size is not None and len(output_size) != dims:
        raise RuntimeError(f"adaptive_avg_pool{dims}d: output_size must be {dims}")
    given = (
        (output_size,) * dims if isinstance(output_size, int) or output_size is None else tuple(output_size)
    )
    return tuple(o if s is None else s for s, o in zip(given, own, strict=True))


# ----- resampling -------------------------------------------------------------------------------
def interpolate(
    input: Tensor,
    size: Any = None,
    scale_factor: Any = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None,
    antialias: bool = False,
) -> Tensor:
    """Return the input enlarged or reduced to a size; by the nearest element or between four."""
    dims = input.array.ndim - 2
    if size is None and scale_factor is None:
        raise ValueError("either size or scale_factor should be defined")
    if size is not None and scale_factor is not None:
        raise ValueError("only one of size or scale_factor should be defined")
    if mode not in MODES.get(dims, ()):
        if dims not in (1, 2, 3):
            raise NotImplementedError(errors.resampled_dims(dims + 2, mode))
        raise NotImplementedError(
            f"interpolate(mode={mode!r}) on {dims + 2}D input is not available here; there is {MODES}"
        )
    scales: list[Any] = [None] * dims
    if scale_factor is not None:
        scales = (
            [float(scale_factor)] * dims if isinstance(scale_factor, (int, float)) else list(scale_factor)
        )
        size = tuple(math.floor(n * s) for n, s in zip(input.array.shape[2:], scales, strict=True))
    size = spread(size, dims)
    if mode == "bilinear":
        return rows.upsample_bilinear2d(input, size, bool(align_corners), *scales)
    return getattr(rows, f"upsample_nearest{dims}d")(input, size, *scales)


MODES = {1: ("nearest",), 2: ("nearest", "bilinear")}


def channel_shuffle(input: Tensor, groups: int) -> Tensor:
    """Take one channel of each group in turn."""
    return rows.channel_shuffle(input, groups)


def pixel_shuffle(input: Tensor, upscale_factor: int) -> Tensor:
    """Return channels rearranged into finer rows and columns."""
    return rows.pixel_shuffle(input, upscale_factor)


def pixel_unshuffle(input: Tensor, downscale_factor: int) -> Tensor:
    """Return rows and columns rearranged into more channels."""
    return rows.pixel_unshuffle(input, downscale_factor)


def unfold(input: Tensor, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> Tensor:
    """Return every window of an image as a column."""
    return rows.im2col(input, *(spread(value, 2) for value in (kernel_size, dilation, padding, stride)))


def fold(
    input: Tensor, output_size: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1
) -> Tensor:
    """Return columns added back into an image, each where its window was."""
    return rows.col2im(
        input, *(spread(value, 2) for value in (output_size, kernel_size, dilation, padding, stride))
    )
