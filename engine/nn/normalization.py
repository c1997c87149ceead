"""Modules that give their input mean 0 and variance 1: over features, batches, groups, examples."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.device import making
from engine.nn import functional as F
from engine.nn import init
from engine.nn.layers import empty
from engine.nn.module import Module, filling
from engine.tensor import Tensor, make_at


class LayerNorm(Module):
    """Normalises each example over its last dimensions."""

    def __init__(
        self, normalized_shape: Any, eps: float = 1e-5, elementwise_affine: bool = True, bias: bool = True,
        device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self.normalized_shape = (
            (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        )
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        shape = self.normalized_shape
        with filling(self, device):
            self.register_parameter("weight", empty(*shape, dtype=dtype) if elementwise_affine else None)
            self.register_parameter(
                "bias", empty(*shape, dtype=dtype) if elementwise_affine and bias else None
            )
            self.reset_parameters()

    def reset_parameters(self) -> None:
        """Start with scale 1 and shift 0."""
        start_plain(self)

    def forward(self, input: Tensor) -> Tensor:
        """Return the normalised input."""
        return F.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        return (
            f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}, "
            f"bias={self.bias is not None}"
        )


class RMSNorm(Module):
    """Divides each example by its root mean square over the last dimensions."""

    def __init__(
        self, normalized_shape: Any, eps: float | None = None, elementwise_affine: bool = True,
        device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self.normalized_shape = (
            (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        )
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        with filling(self, device):
            made = empty(*self.normalized_shape, dtype=dtype) if elementwise_affine else None
            self.register_parameter("weight", made)
            self.reset_parameters()

    def reset_parameters(self) -> None:
        """Start with scale 1."""
        if self.weight is not None:
            init.ones_(self.weight)

    def forward(self, input: Tensor) -> Tensor:
        """Return the normalised input."""
        return F.rms_norm(input, self.normalized_shape, self.weight, self.eps)

    def extra_repr(self) -> str:
        return f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}"


class ByChannel(Module):
    """What batch and instance normalisation share: scale and shift per channel, running statistics."""

    dims: tuple[int, ...] = ()
    expected = ""

    def __init__(
        self, num_features: int, eps: float = 1e-5, momentum: float | None = 0.1, affine: bool = True,
        track_running_stats: bool = True, device: Any = None, dtype: Any = None, *, bias: bool = True,
    ) -> None:  # fmt: skip
        super().__init__()
        self.num_features = num_features
        self.eps = eps
        self.momentum = momentum
        self.affine = affine
        self.track_running_stats = track_running_stats
        with filling(self, device):
            self.register_parameter("weight", empty(num_features, dtype=dtype) if affine else None)
            self.register_parameter("bias", empty(num_features, dtype=dtype) if affine and bias else None)
            statistics = {"running_mean": None, "running_var": None, "num_batches_tracked": None}
            if track_running_stats:
                plain = [empty(num_features, dtype=dtype).array for _ in range(2)]
                statistics = dict(zip(statistics, (*plain, np.zeros((), np.int64)), strict=True))
            for name, array in statistics.items():
                self.register_buffer(name, None if array is None else make_at(array, None, making()))
            self.reset_parameters()

    def reset_running_stats(self) -> None:
        """Forget what was measured."""
        if self.track_running_stats:
            self.running_mean.write(0)
            self.running_var.write(1)
            self.num_batches_tracked.write(0)

    def reset_parameters(self) -> None:
        """Start with scale 1, shift 0 and nothing measured."""
        self.reset_running_stats()
        start_plain(self)

    def check_input(self, input: Tensor) -> None:
        """Refuse inputs of a wrong number of dimensions."""
        if input.array.ndim not in self.dims:
            raise ValueError(f"expected {self.expected} input (got {input.array.ndim}D input)")

    def extra_repr(self) -> str:
        return (
            f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, affine={self.affine}, "
            f"bias={self.bias is not None}, track_running_stats={self.track_running_stats}"
        )


class BatchNorm(ByChannel):
    """Normalises each channel over the batch; outside training by what was measured in training."""

    def forward(self, input: Tensor) -> Tensor:
        """Return the normalised input; in training, also measure."""
        self.check_input(input)
        momentum = 0.0 if self.momentum is None else self.momentum
        if self.training and self.track_running_stats:
            self.num_batches_tracked.write(self.num_batches_tracked.array + 1)
            if self.momentum is None:
                momentum = 1.0 / float(self.num_batches_tracked.array)
        by_batch = self.training or self.running_mean is None
        used = not self.training or self.track_running_stats
        running = (self.running_mean, self.running_var) if used else (None, None)
        return F.batch_norm(input, *running, self.weight, self.bias, by_batch, momentum, self.eps)


class BatchNorm1d(BatchNorm):
    """Batch normalisation of (N, C) or (N, C, L)."""

    dims, expected = (2, 3), "2D or 3D"


class BatchNorm2d(BatchNorm):
    """Batch normalisation of (N, C, H, W)."""

    dims, expected = (4,), "4D"


class BatchNorm3d(BatchNorm):
    """Batch normalisation of (N, C, D, H, W)."""

    dims, expected = (5,), "5D"


class InstanceNorm(ByChannel):
    """Normalises each channel of each example."""

    def __init__(
        self, num_features: int, eps: float = 1e-5, momentum: float = 0.1, affine: bool = False,
        track_running_stats: bool = False, device: Any = None, dtype: Any = None, *, bias: bool = True,
    ) -> None:  # fmt: skip
        super().__init__(num_features, eps, momentum, affine, track_running_stats, device, dtype, bias=bias)

    def forward(self, input: Tensor) -> Tensor:
        """Return the normalised input."""
        self.check_input(input)
        return F.instance_norm(input, None, None, self.weight, self.bias, True, self.momentum, self.eps)


class InstanceNorm1d(InstanceNorm):
    """Instance normalisation of (N, C, L)."""

    dims, expected = (3,), "2D or 3D"


class InstanceNorm2d(InstanceNorm):
    """Instance normalisation of (N, C, H, W)."""

    dims, expected = (4,), "3D or 4D"


class InstanceNorm3d(InstanceNorm):
    """Instance normalisation of (N, C, D, H, W)."""

    dims, expected = (5,), "4D or 5D"


class GroupNorm(Module):
    """Normalises groups of channels of each example."""

    def __init__(
        self, num_groups: int, num_channels: int, eps: float = 1e-5, affine: bool = True, device: Any = None,
        dtype: Any = None, *, bias: bool = True,
    ) -> None:  # fmt: skip
        super().__init__()
        if num_channels % num_groups != 0:
            raise ValueError(f"num_channels ({num_channels}) must be divisible by num_groups ({num_groups})")
        self.num_groups = num_groups
        self.num_channels = num_channels
        self.eps = eps
        self.affine = affine
        with filling(self, device):
            self.register_parameter("weight", empty(num_channels, dtype=dtype) if affine else None)
            self.register_parameter("bias", empty(num_channels, dtype=dtype) if affine and bias else None)
            self.reset_parameters()

    def reset_parameters(self) -> None:
        """Start with scale 1 and shift 0."""
        start_plain(self)

    def forward(self, input: Tensor) -> Tensor:
        """Return the normalised input."""
        return F.group_norm(input, self.num_groups, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        return (
            f"{self.num_groups}, {self.num_channels}, eps={self.eps}, affine={self.affine}, "
            f"bias={self.bias is not None}"
        )


def start_plain(module: Module) -> None:
    """Set a module's scale to 1 and its shift to 0, where it has them."""
    if module.weight is not None:
        init.ones_(module.weight)
    if module.bias is not None:
        init.zeros_(module.bias)
