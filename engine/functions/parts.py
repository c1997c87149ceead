"""Questions about a tensor's kind, and the parts of numbers that are real already."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine import create
from engine import dtype as dtypes
from engine.tensor import Tensor
from engine.views import detached

__all__ = [
    "conj", "conj_physical", "detach", "detach_", "imag", "is_complex", "is_conj",
    "is_floating_point", "is_inference", "is_neg", "isreal", "real", "resolve_conj", "resolve_neg",
]  # fmt: skip


def detach(input: Tensor) -> Tensor:
    """Return the same memory without any history."""
    return detached(input)


def detach_(input: Tensor) -> Tensor:
    """Drop the history in place."""
    return input.detach_()


def _real_only(name: str):
    def same(input: Tensor) -> Tensor:
        if input.dtype.is_complex:
            raise RuntimeError(f"{name}: complex numbers are not available here; real ones are")
        return input

    same.__name__ = same.__qualname__ = name
    same.__doc__ = "Return the tensor itself: a real number is its own conjugate."
    return same


conj, conj_physical, resolve_conj = map(_real_only, ("conj", "conj_physical", "resolve_conj"))


def resolve_neg(input: Tensor) -> Tensor:
    """Return the tensor itself: signs are never put off here."""
    return input


def real(input: Tensor) -> Tensor:
    """Return the real parts: the tensor itself, if it is real."""
    return input if not input.dtype.is_complex else create.finished(input.array.real.copy())


def imag(input: Tensor) -> Tensor:
    """Return the imaginary parts; PyTorch refuses to make zeros of real numbers."""
    if not input.dtype.is_complex:
        raise RuntimeError("imag is not implemented for tensors with non-complex dtypes.")
    return create.finished(input.array.imag.copy())


def isreal(input: Tensor) -> Tensor:
    """Return where the imaginary part is 0."""
    return create.finished(np.isreal(input.array))


def is_floating_point(input: Tensor) -> bool:
    """Return whether the dtype has fractions."""
    return input.dtype.is_floating_point


def is_complex(input: Tensor) -> bool:
    """Return whether the dtype has imaginary parts."""
    return input.dtype.is_complex


def is_inference(input: Tensor) -> bool:
    """Return whether the tensor was made in inference mode."""
    return input.inference


def is_conj(input: Tensor) -> bool:
    """Return whether conjugation was put off, which it never is here."""
    return False


def is_neg(input: Tensor) -> bool:
    """Return whether a change of sign was put off, which it never is here."""
    return False


def typename(obj: Any) -> str:
    """Return the name of the type of an object; of a tensor, the old one: torch.FloatTensor."""
    if isinstance(obj, Tensor):
        return obj.dtype.type_name
    return dtypes.TITLE(type(obj))
