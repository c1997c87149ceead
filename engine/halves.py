"""Numbers of 16 bits: computed with 32 and rounded once, as PyTorch's kernels on the CPU do (opmath)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from engine.dtype import DType
from engine.ops.table import Op

HALF, SINGLE = np.dtype(np.float16), np.dtype(np.float32)
ndarray = np.ndarray
EXACT = "engine.ops.factors"  # these refuse 16 bits, and must see them


def has_half(arrays: Sequence[Any]) -> bool:
    """Return whether some array holds 16-bit floats."""
    for array in arrays:
        if type(array) is ndarray and array.dtype is HALF:
            return True
    return False


def rounded_once(op: Op) -> Callable[..., Any]:
    """Return the forward of an operation with its 16-bit floats computed as 32-bit ones."""
    if op.view or op.name in ("to", "copy") or getattr(op.forward, "__module__", "") == EXACT:
        return op.forward

    def forward(*arrays: Any) -> Any:
        if any([type(a) is DType for a in arrays]) or mixed(arrays):
            return op.forward(*arrays)
        try:
            out = op.forward(*[a.astype(SINGLE) if has_half((a,)) else a for a in arrays])
        except Exception:
            op.forward(*arrays)  # refuses too, and names the dtype that it was given
            raise
        return tuple(map(narrowed, out)) if isinstance(out, (tuple, list)) else narrowed(out)

    return forward


def mixed(arrays: Sequence[Any]) -> bool:
    """Return whether there are floats of another precision too: some operations refuse that."""
    return any([type(a) is ndarray and a.dtype.kind == "f" and a.dtype is not HALF for a in arrays])


def narrowed(result: Any) -> np.ndarray:
    """Return a 32-bit result in 16 bits; others as they are."""
    array = np.asarray(result)
    return array.astype(HALF) if array.dtype == SINGLE else array
