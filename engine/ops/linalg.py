"""Matrix products: dot, mv, mm, bmm, also with something added. What `@` chooses is in matmul.py."""

from __future__ import annotations

from functools import partial

import numpy as np

from engine import dtype as dtypes
from engine import errors
from engine.ops import errors as refusals
from engine.ops.arithmetic import scaled
from engine.ops.dims import axis
from engine.ops.kinds import NUMBERS, refuse_unless
from engine.ops.shape import expanded_shape
from engine.ops.table import F, op

# fmt: off


def _same_kind(a, b) -> None:
    if a.dtype != b.dtype:
        kinds = (dtypes.from_numpy(a.dtype), dtypes.from_numpy(b.dtype))
        raise RuntimeError(errors.mat_dtypes(*kinds))


def _dot(self, tensor):
    if self.ndim != 1 or tensor.ndim != 1:
        raise RuntimeError(f"1D tensors expected, but got {self.ndim}D and {tensor.ndim}D tensors")
    if self.dtype != tensor.dtype:
        kinds = (dtypes.from_numpy(self.dtype), dtypes.from_numpy(tensor.dtype))
        raise RuntimeError("dot : expected both vectors to have same dtype, but found {} and {}".format(
            *(k.short for k in kinds)))
    refuse_unless(NUMBERS, "dot", self)
    if self.shape != tensor.shape:
        raise RuntimeError(errors.dot_shapes(self.shape, tensor.shape))
    return np.dot(self, tensor)


def _mv(self, vec):
    if (self.ndim, vec.ndim) != (2, 1):
        raise RuntimeError(f"vector + matrix @ vector expected, got 1, {self.ndim}, {vec.ndim}")
    if self.dtype != vec.dtype:
        raise RuntimeError(refusals.addmv_dtypes(*map(dtypes.from_numpy, (self.dtype, vec.dtype))))
    if self.shape[1] != vec.shape[0]:
        raise RuntimeError(errors.mv_shapes(self.shape, vec.shape))
    return self @ vec


def _mm(self, mat2):
    if self.ndim != 2:
        raise RuntimeError("self must be a matrix")
    if mat2.ndim != 2:
        raise RuntimeError("mat2 must be a matrix")
    if self.shape[1] != mat2.shape[0]:
        raise RuntimeError(errors.mat_shapes(self.shape, mat2.shape))
    _same_kind(self, mat2)
    if self.shape[1] == 1:  # nothing is added up, so that -0 stays what it is
        return self * mat2
    return self @ mat2


def _bmm(self, mat2):
    for name, array in (("batch1", self), ("batch2", mat2)):
        if array.ndim != 3:
            raise RuntimeError(f"{name} must be a 3D tensor")
    _same_kind(self, mat2)
    if self.shape[0] != mat2.shape[0] or self.shape[2] != mat2.shape[1]:
        raise RuntimeError(errors.bmm_shapes(self.shape, mat2.shape))
    return self @ mat2


def _addmm(self, mat1, mat2, beta=1, alpha=1):
    if mat1.shape[1] != mat2.shape[0]:
        raise RuntimeError(errors.mat_shapes(mat1.shape, mat2.shape))
    if self.dtype != mat2.dtype:
        raise RuntimeError(refusals.addmm_dtypes(*map(dtypes.from_numpy, (self.dtype, mat2.dtype))))
    if mat1.dtype != mat2.dtype:
        kinds = (dtypes.from_numpy(mat1.dtype), dtypes.from_numpy(mat2.dtype))
        raise RuntimeError(errors.linear_dtypes(*kinds))
    return _plus(self, mat1 @ mat2, beta, alpha)


def column_major(sizes, strides) -> bool:
    """Return whether a matrix is stored column by column: a transposed one."""
    return strides[0] == 1 and strides[1] == max(sizes[0], 1) and not (strides[1] == 1 and sizes[1] != 1)


def for_mat1(grad, mat2, sizes, strides):
    """Return the gradient of the left factor, in that factor's own layout."""
    return F.t(F.mm(mat2, F.t(grad))) if column_major(sizes, strides) else F.mm(grad, F.t(mat2))


def for_mat2(grad, mat1, sizes, strides):
    """Return the gradient of the right factor, in that factor's own layout."""
    return F.t(F.mm(F.t(grad), mat1)) if column_major(sizes, strides) else F.mm(F.t(mat1), grad)


def _plus(self, product, beta, alpha):
    """Return beta * self + alpha * product, without multiplying by 1."""
    product = product if alpha == 1 else product * product.dtype.type(alpha)
    expanded_shape(self.shape, product.shape)  # refuses what cannot be added to the product
    return (self if beta == 1 else self * self.dtype.type(beta)) + product


def _addbmm(self, batch1, batch2, beta=1, alpha=1):
    return _plus(self, _bmm(batch1, batch2).sum(0), beta, alpha)


def _addr(self, vec1, vec2, beta=1, alpha=1):
    return _plus(self, np.outer(vec1, vec2), beta, alpha)


def spread(grad, count: int):
    """Repeat a gradient for each matrix of a batch, without copying."""
    return grad.unsqueeze(0).expand((count, *grad.shape))


op("dot", _dot, node="DotBackward0",
   self=lambda grad, tensor: grad * tensor,
   tensor=lambda grad, self: grad * self)
op("mv", _mv, node="MvBackward0",
   self=lambda grad, vec: grad.outer(vec),
   vec=lambda grad, self: self.t().mv(grad))
op("mm", _mm, node="MmBackward0", formulas={"self": "grad @ mat2.T", "mat2": "self.T @ grad"},
   self=lambda grad, mat2, self_sym_sizes, self_sym_strides:
   for_mat1(grad, mat2, self_sym_sizes, self_sym_strides),
   mat2=lambda grad, self, mat2_sym_sizes, mat2_sym_strides:
   for_mat2(grad, self, mat2_sym_sizes, mat2_sym_strides))
op("bmm", _bmm, node="BmmBackward0",
   self=lambda grad, mat2: grad.bmm(mat2.transpose(1, 2)),
   mat2=lambda grad, self: self.transpose(1, 2).bmm(grad))


# ----- and something added: beta * self + alpha * product -------------------------------------------
def times(factor: str, text: str) -> str:
    """Return a rule's text with the factor it has unless that is 1."""
    return f"{text} if {factor} == 1 else {text} * {factor}"


ADDED = times("beta", "grad")
added = partial(op, shows=("alpha", "beta"), spelled="method function inplace")
added("addmm", _addmm, node="AddmmBackward0",
   formulas={"self": ADDED, "mat1": times("alpha", "grad @ mat2.T"), "mat2": times("alpha", "mat1.T @ grad")},
   self=lambda grad, beta: scaled(grad, beta),
   mat1=lambda grad, mat2, mat1_sym_sizes, mat1_sym_strides, alpha:
   scaled(for_mat1(grad, mat2, mat1_sym_sizes, mat1_sym_strides), alpha),
   mat2=lambda grad, mat1, mat2_sym_sizes, mat2_sym_strides, alpha:
   scaled(for_mat2(grad, mat1, mat2_sym_sizes, mat2_sym_strides), alpha))
added("addmv", lambda self, mat, vec, beta=1, alpha=1: _plus(self, _mv(mat, vec), beta, alpha),
   node="AddmvBackward0",
   formulas={"self": ADDED, "mat": times("alpha", "grad.outer(vec)"), "vec": times("alpha", "mat.T @ grad")},
   self=lambda grad, beta: scaled(grad, beta),
   mat=lambda grad, vec, alpha: scaled(grad.outer(vec), alpha),
   vec=lambda grad, mat, alpha: scaled(mat.t().mv(grad), alpha))
added("addr", _addr, node="AddrBackward0",
   formulas={"self": ADDED, "vec1": times("alpha", "grad @ vec2"), "vec2": times("alpha", "grad.T @ vec1")},
   self=lambda grad, beta: scaled(grad, beta),
   vec1=lambda grad, vec2, alpha: scaled(grad.mv(vec2), alpha),
   vec2=lambda grad, vec1, alpha: scaled(grad.t().mv(vec1), alpha))
added("baddbmm", lambda self, batch1, batch2, beta=1, alpha=1: _plus(self, _bmm(batch1, batch2), beta, alpha),
   node="BaddbmmBackward0",
   formulas={"self": ADDED, "batch1": times("alpha", "grad.bmm(batch2.transpose(1, 2))"),
             "batch2": times("alpha", "batch1.transpose(1, 2).bmm(grad)")},
   self=lambda grad, beta: scaled(grad, beta),
   batch1=lambda grad, batch2, alpha: scaled(grad.bmm(batch2.transpose(1, 2)), alpha),
   batch2=lambda grad, batch1, alpha: scaled(batch1.transpose(1, 2).bmm(grad), alpha))
added("addbmm", _addbmm, node="AddbmmBackward0",
   formulas={"self": ADDED, 
             "batch1": times("alpha", "grad @ batch2.transpose(1, 2)"),
             "batch2": times("alpha", "batch1.transpose(1, 2) @ grad")},
   self=lambda grad, beta: scaled(grad, beta),
   batch1=lambda grad, batch2, alpha:
   scaled(spread(grad, batch2.shape[0]).bmm(batch2.transpose(1, 2)), alpha),
   batch2=lambda grad, batch1, alpha:
   scaled(batch1.transpose(1, 2).bmm(spread(grad, batch1.shape[0])), alpha))


# ----- other products -------------------------------------------------------------------------------
op("vdot", lambda self, other: _dot(self, other), node="VdotBackward0",
   self=lambda grad, other: grad * other,
   other=lambda grad, self: grad * self)
def _cross(self, other, dim=-1):
    over = axis(dim, self.ndim)
    if not self.shape[over] == other.shape[over] == 3:
        raise RuntimeError(refusals.cross_length(over, self.shape[over], other.shape[over]))
    return np.cross(self, other, axis=over)


op("linalg_cross", _cross, node="LinalgCrossBackward0", spelled="",
   self=lambda grad, other, dim: F.linalg_cross(other, grad, dim),
   other=lambda grad, self, dim: F.linalg_cross(grad, self, dim))
op("_trilinear", lambda input1, weight, input2: np.einsum("ni,oij,nj->no", input1, weight, input2),
   node="TrilinearBackward0",
   formulas={"input1": "sum(grad * weight * input2)", "weight": "sum(grad * input1 * input2)",
             "input2": "sum(grad * weight * input1)"},
   input1=lambda grad, weight, input2: ((grad @ weight.reshape((weight.shape[0], -1))).reshape(
       (-1, *weight.shape[1:])) * input2.unsqueeze(1)).sum(2),
   weight=lambda grad, input1, input2:
   (grad.unsqueeze(2).unsqueeze(3) * input1.unsqueeze(1).unsqueeze(3)
    * input2.unsqueeze(1).unsqueeze(2)).sum(0),
   input2=lambda grad, weight, input1: ((grad @ weight.reshape((weight.shape[0], -1))).reshape(
       (-1, *weight.shape[1:])) * input1.unsqueeze(2)).sum(1))
