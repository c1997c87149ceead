"""What `@` and F.linear become: which primitive products, with which views around them.

Source: ATen native/LinearAlgebra.cpp (_matmul_impl) and native/Linear.cpp, as PyTorch 2.13 behaves.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from engine import errors
from engine.apply import needs_grad, reshape_inplace
from engine.ops import linalg  # noqa: F401 - for the row "mm"
from engine.ops.shape import viewed
from engine.ops.table import TABLE, F
from engine.pointwise import two
from engine.tensor import Tensor

MM = two(TABLE["mm"])


def matmul(input: Tensor, other: Tensor) -> Tensor:
    """Return the matrix product of tensors of any dimensions >= 1, batched by broadcasting."""
    left, right = input.array.ndim, other.array.ndim
    if not left or not right:
        raise RuntimeError(errors.matmul_dims(left, right))
    if left == 1 and right == 1:
        return F.dot(input, other)
    if left == 2 and right == 1:
        return F.mv(input, other)
    if left == 1 and right == 2:
        return reshape_inplace(TABLE["squeeze.inplace"], F.mm(F.unsqueeze(input, 0), other), 0)
    if left == 2 and right == 2:
        return MM(input, other)
    if left >= 3 and right <= 2 and folds(input, other, on_left=True):
        return _folded(input, other)
    if right >= 3 and left <= 2 and folds(other, input, on_left=False):
        return _folded_right(input, other)
    if left == right == 3 and input.array.shape[0] == 1 != other.array.shape[0] and needs_grad(input):
        return matmul(F.squeeze__dim(input, 0), other)
    if left == right == 3 and other.array.shape[0] == 1 != input.array.shape[0] and needs_grad(other):
        return matmul(input, F.squeeze__dim(other, 0))
    return _batched(input, other)


def folds(big: Tensor, small: Tensor, on_left: bool) -> bool:
    """Return whether the batch dimensions of `big` are folded into its rows."""
    if needs_grad(small):
        return True
    return on_left and viewed(big.array, (-1, big.array.shape[-1])) is not None


def reshape(tensor: Tensor, shape: tuple) -> Tensor:
    """Return a view where that is possible, else a copy: View, ReshapeAlias, or Clone + UnsafeView."""
    array = tensor.array
    if array.flags.c_contiguous:
        return F.view(tensor, shape)
    if viewed(array, shape) is not None:
        return F.reshape_alias(tensor, shape)
    return F.unsafe_view(F.contiguous(tensor), shape)


def _folded(big: Tensor, small: Tensor) -> Tensor:
    *batch, inner = big.array.shape
    flat = reshape(big, (int(np.prod(batch)), inner))
    if small.array.ndim == 1:
        return F.unsafe_view(F.mv(flat, small), tuple(batch))
    return F.unsafe_view(F.mm(flat, small), (*batch, small.array.shape[1]))


def _folded_right(small: Tensor, big: Tensor) -> Tensor:
    turned = F.transpose(big, -1, -2)
    flipped = small if small.array.ndim == 1 else F.t(small)
    *batch, inner = turned.array.shape
    flat = reshape(turned, (int(np.prod(batch)), inner))
    if small.array.ndim == 1:
        return F.unsafe_view(F.mv(flat, small), tuple(batch))
    product = F.mm(flat, flipped)
    shaped = F.unsafe_view(product, (*batch, small.array.shape[0]))
    turned_back = F.transpose(shaped, -1, -2)
    return turned_back if turned_back.array.flags.c_contiguous else F.contiguous(turned_back)


def _batched(left: Tensor, right: Tensor) -> Tensor:
    rows = left.array.shape[-2] if left.array.ndim > 1 else 1
    columns = right.array.shape[-1] if right.array.ndim > 1 else 1
    wide = F.unsqueeze(left, 0) if left.array.ndim == 1 else left
    tall = F.unsqueeze(right, 1) if right.array.ndim == 1 else right
    outer = np.broadcast_shapes(wide.array.shape[:-2], tall.array.shape[:-2])
    inner = (wide.array.shape[-1], tall.array.shape[-2])
    a = reshape(F.expand(wide, (*outer, rows, inner[0])), (int(np.prod(outer)), rows, inner[0]))
    b = reshape(F.expand(tall, (*outer, inner[1], columns)), (int(np.prod(outer)), inner[1], columns))
    shape = list(outer)
    shape += [rows] if left.array.ndim > 1 else []
    shape += [columns] if right.array.ndim > 1 else []
    return F.unsafe_view(F.bmm(a, b), tuple(shape))


def linear(input: Tensor, weight: Tensor, bias: Any = None) -> Tensor:
    """Return input @ weight.T + bias; `weight` is (out, in), `input` (*, in)."""
    dims = input.array.ndim
    if bias is None:
        return matmul(input, F.t(weight))
    if dims == 2:
        return F.addmm(bias, input, F.t(weight))
    if bias.array.ndim == 1 and input.array.flags.c_contiguous:
        *batch, inner = input.array.shape
        flat = F.view(input, (int(np.prod(batch)) if batch else 1, inner))
        product = F.addmm(bias, flat, F.t(weight))
        return F.view(product, (*batch, weight.array.shape[0]))
    return matmul(input, F.t(weight)).add_(bias)
