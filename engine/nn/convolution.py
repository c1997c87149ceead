"""Convolution, pooling, resampling and padding as modules."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from engine.nn import functional as F
from engine.nn import init
from engine.nn.functional.convolution import spread
from engine.nn.layers import empty
from engine.nn.module import Module, filling
from engine.tensor import Tensor


class Convolution(Module):
    """What all convolutions share: a window of weights that slides over the input."""

    dims = 0
    transposed = False
    function: Callable

    def __init__(
        self, in_channels: int, out_channels: int, kernel_size: Any, stride: Any = 1, padding: Any = 0,
        dilation: Any = 1, groups: int = 1, bias: bool = True, padding_mode: str = "zeros",
        device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        if in_channels % groups != 0:
            raise ValueError("in_channels must be divisible by groups")
        if out_channels % groups != 0:
            raise ValueError("out_channels must be divisible by groups")
        self.in_channels = in_channels
        self.out_channels = out_channels
        self.kernel_size = spread(kernel_size, self.dims)
        self.stride = spread(stride, self.dims)
        if isinstance(padding, str):
            if padding not in ("same", "valid"):
                raise ValueError(f"Invalid padding string {padding!r}, should be one of {{'same', 'valid'}}")
            if padding == "same" and any(s != 1 for s in self.stride):
                raise ValueError("padding='same' is not supported for strided convolutions")
        self.padding = padding if isinstance(padding, str) else spread(padding, self.dims)
        self.dilation = spread(dilation, self.dims)
        self.groups = groups
        if padding_mode not in ("zeros", "reflect", "replicate", "circular"):
            raise ValueError(
                "padding_mode must be one of {'zeros', 'reflect', 'replicate', 'circular'}, but got "
                f"padding_mode='{padding_mode}'"
            )
        self.padding_mode = padding_mode
        ends = (
            (in_channels, out_channels // groups)
            if self.transposed
            else (out_channels, in_channels // groups)
        )
        with filling(self, device):
            self.weight = empty(*ends, *self.kernel_size, dtype=dtype)
            self.register_parameter("bias", empty(out_channels, dtype=dtype) if bias else None)
            self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw the first values: uniform, within 1 / sqrt(weights per output)."""
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            fan_in, _ = init.fans(self.weight)
            if fan_in:
                init.uniform_(self.bias, -1 / math.sqrt(fan_in), 1 / math.sqrt(fan_in))

    def forward(self, input: Tensor) -> Tensor:
        """Return the weighted sums over the sliding window."""
        padding = self.padding
        if self.padding_mode != "zeros":
            input, padding = F.pad(input, self._border(), mode=self.padding_mode), 0
        return type(self).function(
            input, self.weight, self.bias, self.stride, padding, self.dilation, self.groups
        )

    def _border(self) -> tuple[int, ...]:
        """Return how much to pad before and after each dimension, the last one first."""
        if isinstance(self.padding, str):
            total = [
                d * (k - 1) if self.padding == "same" else 0
                for d, k in zip(self.dilation, self.kernel_size, strict=True)
            ]
            return tuple(n for t in reversed(total) for n in (t // 2, t - t // 2))
        return tuple(n for p in reversed(self.padding) for n in (p, p))

    def extra_repr(self) -> str:
        zeros, ones = (0,) * self.dims, (1,) * self.dims
        text = (
            f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, stride={self.stride}"
        )
        text += f", padding={self.padding}" if self.padding != zeros else ""
        text += f", dilation={self.dilation}" if self.dilation != ones else ""
        if self.transposed and self.output_padding != zeros:
            text += f", output_padding={self.output_padding}"
        text += f", groups={self.groups}" if self.groups != 1 else ""
        text += ", bias=False" if self.bias is None else ""
        return text + (f", padding_mode={self.padding_mode}" if self.padding_mode != "zeros" else "")


class Conv1d(Convolution):
    """Convolution of sequences (N, C, L)."""

    dims, function = 1, staticmethod(F.conv1d)


class Conv2d(Convolution):
    """Convolution of images (N, C, H, W)."""

    dims, function = 2, staticmethod(F.conv2d)


class ConvTranspose(Convolution):
    """What a convolution's backward does, as a forward: each element is spread over a window."""

    transposed = True

    def __init__(
        self, in_channels: int, out_channels: int, kernel_size: Any, stride: Any = 1, padding: Any = 0,
        output_padding: Any = 0, groups: int = 1, bias: bool = True, dilation: Any = 1,
        padding_mode: str = "zeros", device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        self.__dict__["output_padding"] = spread(output_padding, self.dims)
        super().__init__(
            in_channels,
            out_channels,
            kernel_size,
            stride,
            padding,
            dilation,
            groups,
            bias,
            padding_mode,
            device,
            dtype,
        )

    def forward(self, input: Tensor) -> Tensor:
        """Return the sums of what was spread."""
        return type(self).function(
            input,
            self.weight,
            self.bias,
            self.stride,
            self.padding,
            self.output_padding,
            self.groups,
            self.dilation,
        )


class ConvTranspose1d(ConvTranspose):
    """Transposed convolution of sequences."""

    dims, function = 1, staticmethod(F.conv_transpose1d)


class ConvTranspose2d(ConvTranspose):
    """Transposed convolution of images."""

    dims, function = 2, staticmethod(F.conv_transpose2d)


# ----- pooling ----------------------------------------------------------------------------------
class MaxPool(Module):
    """The largest element of every window."""

    function: Callable

    def __init__(
        self, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1,
        return_indices: bool = False, ceil_mode: bool = False,
    ) -> None:  # fmt: skip
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = stride if stride is not None else kernel_size
        self.padding = padding
        self.dilation = dilation
        self.return_indices = return_indices
        self.ceil_mode = ceil_mode

    def forward(self, input: Tensor) -> Any:
        """Return the largest elements."""
        return type(self).function(
            input,
            self.kernel_size,
            self.stride,
            self.padding,
            self.dilation,
            self.ceil_mode,
            self.return_indices,
        )

    def extra_repr(self) -> str:
        return (
            f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}, "
            f"dilation={self.dilation}, ceil_mode={self.ceil_mode}"
        )


class MaxPool1d(MaxPool):
    """The largest element of every window of a sequence."""

    function = staticmethod(F.max_pool1d)


class MaxPool2d(MaxPool):
    """The largest element of every window of an image."""

    function = staticmethod(F.max_pool2d)


class AvgPool1d(Module):
    """The mean of every window of a sequence."""

    def __init__(
        self,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
    ) -> None:
        super().__init__()
        self.kernel_size = spread(kernel_size, 1)
        self.stride = spread(kernel_size if stride is None else stride, 1)
        self.padding = spread(padding, 1)
        self.ceil_mode = ceil_mode
        self.count_include_pad = count_include_pad

    def forward(self, input: Tensor) -> Tensor:
        """Return the means."""
        return F.avg_pool1d(
            input, self.kernel_size, self.stride, self.padding, self.ceil_mode, self.count_include_pad
        )

    def extra_repr(self) -> str:
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class AvgPool2d(Module):
    """The mean of every window of an image."""

    def __init__(
        self, kernel_size: Any, stride: Any = None, padding: Any = 0, ceil_mode: bool = False,
        count_include_pad: bool = True, divisor_override: int | None = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = stride if stride is not None else kernel_size
        self.padding = padding
        self.ceil_mode = ceil_mode
        self.count_include_pad = count_include_pad
        self.divisor_override = divisor_override

    def forward(self, input: Tensor) -> Tensor:
        """Return the means."""
        return F.avg_pool2d(
            input, self.kernel_size, self.stride, self.padding, self.ceil_mode, self.count_include_pad,
            self.divisor_override,
        )  # fmt: skip

    def extra_repr(self) -> str:
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class AdaptivePool(Module):
    """Windows chosen so that the output has a given size."""

    function: Callable

    def __init__(self, output_size: Any) -> None:
        super().__init__()
        self.output_size = output_size

    def forward(self, input: Tensor) -> Tensor:
        """Return one number per window."""
        return type(self).function(input, self.output_size)

    def extra_repr(self) -> str:
        return f"output_size={self.output_size}"


class AdaptiveAvgPool1d(AdaptivePool):
    """Means over as many windows as asked for."""

    function = staticmethod(F.adaptive_avg_pool1d)


class AdaptiveAvgPool2d(AdaptivePool):
    """Means over as many windows as asked for, of an image."""

    function = staticmethod(F.adaptive_avg_pool2d)


class AdaptiveMaxPool1d(AdaptivePool):
    """Largest elements of as many windows as asked for."""

    function = staticmethod(F.adaptive_max_pool1d)


class AdaptiveMaxPool2d(AdaptivePool):
    """Largest elements of as many windows as asked for, of an image."""

    function = staticmethod(F.adaptive_max_pool2d)


# ----- resampling, padding ------------------------------------------------------------------------
class Upsample(Module):
    """The input enlarged to a size or by a factor."""

    def __init__(
        self, size: Any = None, scale_factor: Any = None, mode: str = "nearest",
        align_corners: bool | None = None, recompute_scale_factor: bool | None = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self.size = size
        plain = isinstance(scale_factor, (int, float))
        self.scale_factor = float(scale_factor) if plain else scale_factor and tuple(map(float, scale_factor))
        self.mode = mode
        self.align_corners = align_corners

    def forward(self, input: Tensor) -> Tensor:
        """Return the enlarged input."""
        return F.interpolate(input, self.size, self.scale_factor, self.mode, self.align_corners)

    def extra_repr(self) -> str:
        what = f"scale_factor={self.scale_factor}" if self.scale_factor is not None else f"size={self.size}"
        return f"{what}, mode='{self.mode}'"


class PixelShuffle(Module):
    """Channels rearranged into finer rows and columns."""

    def __init__(self, upscale_factor: int) -> None:
        super().__init__()
        self.upscale_factor = upscale_factor

    def forward(self, input: Tensor) -> Tensor:
        """Return the rearranged input."""
        return F.pixel_shuffle(input, self.upscale_factor)

    def extra_repr(self) -> str:
        return f"upscale_factor={self.upscale_factor}"


class ZeroPad2d(Module):
    """A border of zeros around an image."""

    def __init__(self, padding: Any) -> None:
        super().__init__()
        self.padding = (padding,) * 4 if isinstance(padding, int) else tuple(padding)

    def forward(self, input: Tensor) -> Tensor:
        """Return the input with its border."""
        return F.pad(input, self.padding)

    def extra_repr(self) -> str:
        return f"{self.padding}"
