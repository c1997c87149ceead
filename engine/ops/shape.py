"""Operations that only look at the same numbers differently: views; and copies, into another dtype too."""

from __future__ import annotations

from functools import partial

import numpy as np

from engine import dtype as dtypes
from engine import errors
from engine.ops import errors as refusals
from engine.ops.dims import at, axes, axis
from engine.ops.table import F, op
from engine.views import as_strided, laid_out

# fmt: off


def broadcast(array: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """Return `array` seen in a larger shape without copying: stretched dimensions have stride 0.

    The strides are those of ATen's inferExpandGeometry, down to new dimensions of size 1.
    """
    if array.shape == shape:
        return array.view()
    extra, strides = len(shape) - array.ndim, [0] * len(shape)
    for i in range(len(shape) - 1, -1, -1) if array.ndim else ():
        have = array.shape[i - extra] if i >= extra else 1
        stride = array.strides[i - extra] if i >= extra else shape[i + 1] * strides[i + 1]
        strides[i] = stride if have == shape[i] else 0
    if array.flags.c_contiguous or array.flags.f_contiguous:
        return np.ndarray(shape, array.dtype, array.data, 0, strides)
    return np.lib.stride_tricks.as_strided(array, shape, strides)


def resolved(shape, size: int) -> tuple[int, ...]:
    """Return a shape with its -1 worked out, or refuse it in PyTorch's words."""
    shape = tuple(shape)
    if shape.count(-1) > 1:
        raise RuntimeError("only one dimension can be inferred")
    known = int(np.prod([s for s in shape if s != -1] or [1]))
    if shape.count(-1) == 1 and known and size % known == 0:
        return tuple(size // known if s == -1 else s for s in shape)
    if -1 in shape or known != size:
        raise RuntimeError(errors.view_size(list(shape), size))
    return shape


def viewed(array: np.ndarray, shape) -> np.ndarray | None:
    """Return the array in another shape if that needs no copy, else None."""
    out = array.reshape(resolved(shape, array.size))
    return out if np.may_share_memory(out, array) or not array.size else None


def _view(self, size):
    out = viewed(self, size)
    if out is None:
        raise RuntimeError(errors.view_stride())
    return out


def expanded_shape(own: tuple, target) -> tuple[int, ...]:
    """Return the shape that `expand` leads to: -1 keeps a size, only size 1 stretches."""
    target = tuple(target)
    extra = len(target) - len(own)
    if extra < 0:
        raise RuntimeError(errors.expand_ndim(target, own))
    found = []
    for i, want in enumerate(target):
        have = own[i - extra] if i >= extra else 1
        if want == -1 and i >= extra:
            want = have
        if want != have and have != 1:
            raise RuntimeError(errors.expand_size(target, own, i))
        found.append(want)
    return tuple(found)


def _squeeze_all(self):
    return self.reshape(tuple(s for s in self.shape if s != 1))


def _squeeze(self, dim):
    dims = {axis(d, self.ndim) for d in ((dim,) if isinstance(dim, int) else dim)}
    return self.reshape(tuple(s for i, s in enumerate(self.shape) if s != 1 or i not in dims))


def _unsqueeze(self, dim):
    at = axis(dim, self.ndim + 1)
    return self.reshape(*self.shape[:at], 1, *self.shape[at:])


def _permute(self, dims):
    if len(dims) != self.ndim:
        raise RuntimeError(errors.permute_dims(len(dims), self.ndim))
    return self.transpose([axis(d, self.ndim) for d in dims])


def _transpose(self, dim0, dim1):
    return self.swapaxes(axis(dim0, self.ndim), axis(dim1, self.ndim)) if self.ndim else self.view()


def inverse(dims, ndim: int) -> tuple[int, ...]:
    """Return the permutation that undoes `dims`."""
    return tuple(int(i) for i in np.argsort([d % ndim for d in dims]))


def restored(grad, sizes, dim=None):
    """Put the size-1 dimensions back that squeezing took away: all, or those of `dim`."""
    for d in sorted(axes(dim, len(sizes))) if sizes else ():
        if sizes[d] == 1:
            grad = grad.unsqueeze(d)
    return grad


VIEW = {"self": "grad.reshape(self_sym_sizes)"}
inner = partial(op, spelled="")  # what learners call is a function of several rows, or no function at all

inner("view", _view, node="ViewBackward0", view=True, formulas=VIEW,
   self=lambda grad, self_sym_sizes: grad.reshape(self_sym_sizes))
inner("reshape_alias", lambda self, size: viewed(self, size), node="ReshapeAliasBackward0", view=True,
   formulas=VIEW,
   self=lambda grad, self_sym_sizes: grad.reshape(self_sym_sizes))
inner("unsafe_view", lambda self, size: self.reshape(resolved(size, self.size)), node="UnsafeViewBackward0",
   formulas=VIEW,
   self=lambda grad, self_sym_sizes: grad.reshape(self_sym_sizes))
def _expand(self, size):
    if len(size) < self.ndim:
        raise RuntimeError(refusals.expand_ndim(dtypes.from_numpy(self.dtype), self.shape, size))
    return broadcast(self, expanded_shape(self.shape, size))


inner("expand", _expand, node="ExpandBackward0",
   view=True, formulas={"self": "grad.sum_to_size(self_sym_sizes)"},
   self=lambda grad, self_sym_sizes: grad.sum_to_size(self_sym_sizes))
inner("permute", _permute, node="PermuteBackward0", view=True,
   formulas={"self": "grad.permute(inverse(dims))"},
   self=lambda grad, dims: grad.permute(inverse(dims, len(dims))))
op("transpose", _transpose, node="TransposeBackward0", view=True,
   self=lambda grad, dim0, dim1: grad.transpose(dim0, dim1))
inner("t", lambda self: self.T, node="TBackward0", view=True,
   self=lambda grad: grad.t())
op("unsqueeze", _unsqueeze, node="UnsqueezeBackward0", view=True,
   self=lambda grad, dim: grad.squeeze(dim))
inner("squeeze", _squeeze_all, node="SqueezeBackward0", view=True, formulas=VIEW,
   self=lambda grad, self_sym_sizes: restored(grad, self_sym_sizes))
op("squeeze.dim", _squeeze, node="SqueezeBackward1", view=True, formulas=VIEW,
   self=lambda grad, dim, self_sym_sizes: restored(grad, self_sym_sizes, dim))
op("squeeze.dims", _squeeze, node="SqueezeBackward2", view=True, formulas=VIEW,
   self=lambda grad, dim, self_sym_sizes: restored(grad, self_sym_sizes, dim))
inner("alias", lambda self: self.view(), node="AliasBackward0", view=True,
   self=lambda grad: grad)

# ----- the same, changing the tensor itself: run by apply.reshape_inplace --------------------------
op("transpose.inplace", _transpose, node="TransposeBackward1",
   self=lambda grad, dim0, dim1: grad.transpose(dim0, dim1))
op("t.inplace", lambda self: self.T, node="TBackward1",
   self=lambda grad: grad.t())
op("unsqueeze.inplace", _unsqueeze, node="UnsqueezeBackward1",
   self=lambda grad, dim: grad.squeeze(dim))
op("squeeze.inplace_all", _squeeze_all, node="SqueezeBackward3", formulas=VIEW,
   self=lambda grad, self_sym_sizes: restored(grad, self_sym_sizes))
op("squeeze.inplace", _squeeze, node="SqueezeBackward4", formulas=VIEW,
   self=lambda grad, dim, self_sym_sizes: restored(grad, self_sym_sizes, dim))


# ----- diagonals, windows, strides ------------------------------------------------------------------
def diagonal_of(array: np.ndarray, offset: int, dim1: int, dim2: int) -> np.ndarray:
    """Return a view of a diagonal as the last dimension; it can be written."""
    first, second = axis(dim1, array.ndim), axis(dim2, array.ndim)
    if first == second:
        raise RuntimeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    array = array[at(second, slice(offset, None))] if offset >= 0 else array[at(first, slice(-offset, None))]
    rest = [d for d in range(array.ndim) if d not in (first, second)]
    shape = (*(array.shape[d] for d in rest), min(array.shape[first], array.shape[second]))
    strides = (*(array.strides[d] for d in rest), array.strides[first] + array.strides[second])
    return np.lib.stride_tricks.as_strided(array, shape, strides)


def _diagonal_backward(grad_output, sizes, offset, dim1, dim2):
    out = np.zeros(sizes, grad_output.dtype)
    diagonal_of(out, offset, dim1, dim2)[...] = grad_output
    return out


DIAGONAL = {"self": "zeros(self_sym_sizes) with grad on the diagonal"}
op("diagonal", lambda self, offset=0, dim1=0, dim2=1: diagonal_of(self, offset, dim1, dim2),
   node="DiagonalBackward0",
   view=True, formulas=DIAGONAL,
   self=lambda grad, self_sym_sizes, offset, dim1, dim2:
   F.diagonal_backward(grad, self_sym_sizes, offset, dim1, dim2))
inner("diagonal_copy", lambda self, offset=0, dim1=0, dim2=1: diagonal_of(self, offset, dim1, dim2).copy(),
   node="DiagonalBackward0_copy", formulas=DIAGONAL,
   self=lambda grad, self_sym_sizes, offset, dim1, dim2:
   F.diagonal_backward(grad, self_sym_sizes, offset, dim1, dim2))
op("diagonal_backward", _diagonal_backward, node="DiagonalBackwardBackward0",
   grad_output=lambda grad, offset, dim1, dim2: grad.diagonal(offset, dim1, dim2))


def windows(array: np.ndarray, dimension: int, size: int, step: int) -> np.ndarray:
    """Return a view of overlapping windows along a dimension; what is inside a window is a new last one."""
    over = axis(dimension, array.ndim)
    length = array.shape[over] if array.ndim else 1
    if size > length:
        raise RuntimeError(f"maximum size for tensor at dimension {over} is {length} but size is {size}")
    if step <= 0:
        raise RuntimeError(f"step is {step} but must be > 0")
    if not array.ndim:
        return array.reshape(1)[:size]
    shape, strides = list(array.shape), list(array.strides)
    shape[over], strides[over] = (length - size) // step + 1, array.strides[over] * step
    return np.lib.stride_tricks.as_strided(array, (*shape, size), (*strides, array.strides[over]))


def _unfold_backward(grad_in, sizes, dim, size, step):
    out = np.zeros(sizes, grad_in.dtype)
    target, source = np.moveaxis(out, dim, 0), np.moveaxis(grad_in, dim, 0)
    for i, window in enumerate(source):
        target[i * step : i * step + size] += np.moveaxis(window, -1, 0)
    return out


op("unfold", lambda self, dimension, size, step: windows(self, dimension, size, step),
   node="UnfoldBackward0", view=True, spelled="method",
   formulas={"self": "zeros(self_sym_sizes) with the windows of grad added where they overlap"},
   self=lambda grad, self_sym_sizes, dimension, size, step:
   F.unfold_backward(grad, self_sym_sizes, dimension, size, step))
op("unfold_backward", _unfold_backward, node="UnfoldBackwardBackward0",
   grad_in=lambda grad, dim, size, step: grad.unfold(dim, size, step))
inner("as_strided", lambda self, size, stride, storage_offset=None:
   as_strided(self, size, stride, storage_offset),
   node="AsStridedBackward0", view=True, hides=("self_sym_sizes", "self_sym_strides"),
   formulas={"self": "zeros(self_sym_sizes) with grad added at its places in memory"},
   self=lambda grad, self_sym_sizes, self_sym_strides, size, stride, storage_offset:
   F.as_strided_backward(grad, self_sym_sizes, self_sym_strides, size, stride, storage_offset))


def _as_strided_backward(grad, sizes, strides, size, stride, storage_offset):
    out = laid_out(sizes, strides, grad.dtype)
    memory = out if out.base is None else out.base
    steps = np.full(size, storage_offset or 0)
    for d, (n, step) in enumerate(zip(size, stride, strict=True)):
        steps += (np.arange(n) * step).reshape([-1 if i == d else 1 for i in range(len(size))])
    np.add.at(memory.reshape(-1), steps.ravel(), grad.ravel())
    return out


op("as_strided_backward", _as_strided_backward, node="AsStridedScatterBackward0",
   grad=lambda grad, size, stride, storage_offset: grad.contiguous().as_strided(size, stride, storage_offset))

# ----- copies ---------------------------------------------------------------------------------------
inner("clone", lambda self: np.copy(self, order="K"), node="CloneBackward0",
   self=lambda grad: grad)
inner("contiguous", lambda self: np.ascontiguousarray(self).copy(), node="CloneBackward0",
   self=lambda grad: grad)
inner("to", lambda self, dtype: dtype.hold(self).copy() if dtype.hold(self) is self else dtype.hold(self),
   node="ToCopyBackward0", hides=("self_dtype",),
   self=lambda grad, self_dtype: grad.to(self_dtype))
inner("to.device", lambda self, device, dtype: np.array(dtype.hold(self)), node="ToCopyBackward0",
   hides=("self_device", "self_dtype"),
   self=lambda grad, self_device, self_dtype: grad.to(self_device, self_dtype))
inner("complex", lambda real, imag: real + 1j * imag, node="ComplexBackward0",
   real=lambda grad: F.view_as_real(grad)[..., 0],
   imag=lambda grad: F.view_as_real(grad)[..., 1])
op("view_as_real", lambda self: self.view(self.real.dtype).reshape(*self.shape, 2),
   node="ViewAsRealBackward0",
   view=True, spelled="function",
   self=lambda grad: F.view_as_complex(grad.contiguous()))
op("view_as_complex", lambda self: self.view(np.result_type(self, np.complex64))[..., 0],
   node="ViewAsComplexBackward0", view=True, spelled="function",
   self=lambda grad: F.view_as_real(grad.contiguous()))
