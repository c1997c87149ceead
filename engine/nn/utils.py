"""torch.nn.utils: clipping gradients, and parameters as one vector."""

from __future__ import annotations

import math
import types
import warnings
from collections.abc import Iterable
from typing import Any

import numpy as np

from engine import events, modes
from engine.apply import apply_inplace
from engine.nn import errors
from engine.ops.table import TABLE
from engine.ops.table import F as rows
from engine.sparse import SparseTensor
from engine.tensor import Tensor, make_at

__all__ = [
    "clip_grad_norm", "clip_grad_norm_", "clip_grad_value_", "clip_grads_with_norm_", "get_total_norm",
    "parameters_to_vector", "vector_to_parameters",
]  # fmt: skip


def _listed(parameters: Any) -> list[Tensor]:
    return [parameters] if isinstance(parameters, Tensor) else list(parameters)


def stated(values: Any, kind: np.dtype, place: Any = None) -> Tensor:
    """Return a 0-d tensor that a trace can show."""
    made = make_at(np.asarray(values, kind), None, place)
    events.emit(events.TensorMade(made))
    return made


def get_total_norm(
    tensors: Any, norm_type: float = 2.0, error_if_nonfinite: bool = False, foreach: bool | None = None
) -> Tensor:
    """Return the norm of the norms of tensors: as if all were one vector."""
    tensors = _listed(tensors)
    if any(isinstance(tensor, SparseTensor) for tensor in tensors):
        raise NotImplementedError(errors.NORM_OF_SPARSE)
    arrays = [t.array for t in tensors]
    if not arrays:
        return stated(0.0, np.dtype(np.float32))
    kind = np.result_type(*arrays)
    norms = np.array([_norm(a, float(norm_type)) for a in arrays], kind)
    total = stated(_norm(norms, float(norm_type)), kind, tensors[0].place)
    if error_if_nonfinite and not np.isfinite(total.array):
        raise RuntimeError(errors.nonfinite_norm(float(norm_type)))
    return total


def _norm(array: np.ndarray, order: float) -> np.ndarray:
    """Return a p-norm, computed in double precision and rounded once."""
    wide = np.abs(array.astype(np.float64)).ravel()
    if math.isinf(order):
        return np.asarray((wide.max() if order > 0 else wide.min()) if wide.size else 0.0).astype(array.dtype)
    if order == 0:
        return np.asarray((wide != 0).sum()).astype(array.dtype)
    return np.asarray((wide**order).sum() ** (1 / order)).astype(array.dtype)


def clip_grads_with_norm_(
    parameters: Any, max_norm: float, total_norm: Tensor, foreach: bool | None = None
) -> None:
    """Multiply every gradient, in place, by max_norm / total_norm; by 1 where that would enlarge it."""
    _shortened(_listed(parameters), max_norm, total_norm, None)


def _shortened(parameters: list[Tensor], max_norm: float, total: Tensor, norm_type: float | None) -> None:
    owners = [p for p in parameters if p.grad_tensor is not None]
    if not owners:
        return
    kind = total.array.dtype.type
    factor = kind(max_norm) / (total.array + kind(1e-6))
    factor = stated(np.minimum(factor, kind(1)), total.array.dtype)
    before = _watched(owners)
    with modes.backward_mode(False):
        for owner in owners:
            apply_inplace(TABLE["mul"], owner.grad_tensor, factor)
    if before is not None:
        told = tuple(owners), norm_type, float(max_norm), total.array, factor.array
        events.emit(events.GradNormClipped(*told, before, _watched(owners)))


def _watched(owners: list[Tensor]) -> tuple[np.ndarray, ...] | None:
    """Return copies of the gradients if somebody watches."""
    return None if events.observer() is None else tuple(p.grad_tensor.array.copy() for p in owners)


def clip_grad_norm_(
    parameters: Any, max_norm: float, norm_type: float = 2.0, error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:  # fmt: skip
    """Shorten all gradients together to at most max_norm, in place; return the norm they had."""
    listed = _listed(parameters)
    if isinstance(parameters, types.GeneratorType) and not listed:
        warnings.warn(
            "`parameters` is an empty generator, no gradient clipping will occur.", UserWarning, stacklevel=2
        )
    grads = [p.grad_tensor for p in listed if p.grad_tensor is not None]
    total = get_total_norm(grads, norm_type, error_if_nonfinite)
    _shortened(listed, float(max_norm), total, float(norm_type))
    return total


def clip_grad_norm(parameters: Any, max_norm: float, norm_type: float = 2.0, *rest: Any) -> Tensor:
    """Clip under the name that was given up."""
    warnings.warn(
        "`torch.nn.utils.clip_grad_norm` is now deprecated in favor of `torch.nn.utils.clip_grad_norm_`.",
        FutureWarning,
        stacklevel=2,
    )
    return clip_grad_norm_(parameters, max_norm, norm_type, *rest)


def clip_grad_value_(parameters: Any, clip_value: float, foreach: bool | None = None) -> None:
    """Hold every gradient between -clip_value and clip_value, in place."""
    limit = float(clip_value)
    owners = [p for p in _listed(parameters) if p.grad_tensor is not None]
    before = _watched(owners)
    with modes.backward_mode(False):
        for owner in owners:
            apply_inplace(TABLE["clamp_min"], owner.grad_tensor, -limit)
            apply_inplace(TABLE["clamp_max"], owner.grad_tensor, limit)
    if before:
        events.emit(events.GradValueClipped(tuple(owners), limit, before, _watched(owners)))


def parameters_to_vector(parameters: Iterable[Tensor]) -> Tensor:
    """Return all parameters end to end."""
    return rows.cat(tuple(rows.view(p, (-1,)) for p in parameters), 0)


def vector_to_parameters(vec: Tensor, parameters: Iterable[Tensor]) -> None:
    """Let the parameters look into the pieces of a vector."""
    if not isinstance(vec, Tensor):
        raise TypeError(f"expected torch.Tensor, but got: {errors.typename(vec)}")
    start = 0
    for parameter in parameters:
        count = parameter.array.size
        piece = vec.array[start : start + count].reshape(parameter.array.shape)
        parameter.data = make_at(piece, vec.exotic, vec.place)
        start += count
