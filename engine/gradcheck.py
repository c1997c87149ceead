"""torch.autograd.gradcheck: the gradients of a function against small differences, in double precision."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from engine import autograd, modes
from engine import dtype as dtypes
from engine.tensor import Tensor, make

__all__ = ["GradcheckError", "gradcheck", "gradgradcheck"]


class GradcheckError(RuntimeError):
    """The gradients of a function and the differences of its values do not agree."""


def gradcheck(
    func: Callable,
    inputs: Any,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    raise_exception: bool = True,
    **_: Any,
) -> bool:
    """Return whether |analytical - numerical| <= atol + rtol * |numerical| for every input and output.

    `inputs`: a tensor or a tuple; those that require grad are checked. Raises GradcheckError with both
    Jacobians (or returns False if `raise_exception` is off).
    """
    given = (inputs,) if isinstance(inputs, Tensor) else tuple(inputs)
    checked = [t for t in given if isinstance(t, Tensor) and t.requires_grad]
    try:
        if not checked:
            raise ValueError(
                "gradcheck expects at least one input tensor to require gradient, but none of the them have "
                "requires_grad=True."
            )
        if any(t.dtype not in (dtypes.float64, dtypes.complex128) for t in checked):
            warnings.warn(
                "Input #0 requires gradient and is not a double precision floating point or complex. This "
                "check will likely fail if all the inputs are not of double precision floating point or "
                "complex. ",
                UserWarning,
                stacklevel=1,
            )
        for number in range(len(_outputs(func, given))):
            for index, source in enumerate(checked):
                _compare(func, given, number, index, source, (eps, atol, rtol))
    except GradcheckError:
        if raise_exception:
            raise
        return False
    return True


def _outputs(func: Callable, given: tuple) -> list[Tensor]:
    found = func(*given)
    outs = (found,) if isinstance(found, Tensor) else tuple(found)
    return [out for out in outs if isinstance(out, Tensor) and out.requires_grad]


def _compare(
    func: Callable, given: tuple, number: int, index: int, source: Tensor, how: tuple[float, float, float]
) -> None:
    eps, atol, rtol = how
    analytical = _by_rules(func, given, number, source)
    numerical = _by_differences(func, given, number, source, eps)
    if not np.allclose(analytical, numerical, rtol, atol):
        raise GradcheckError(
            f"Jacobian mismatch for output {number} with respect to input {index},\n"
            f"numerical:{make(numerical)!r}\nanalytical:{make(analytical)!r}\n"
        )


def _by_rules(func: Callable, given: tuple, number: int, source: Tensor) -> np.ndarray:
    """Return the Jacobian (input elements x output elements), one backward per output element."""
    out = _outputs(func, given)[number]
    columns = []
    for i in range(out.array.size):
        seed = np.zeros(out.array.size, out.array.dtype)
        seed[i] = 1
        gradient = make(seed.reshape(out.array.shape))
        (found,) = autograd.grad((out,), (source,), [gradient], retain_graph=True, allow_unused=True)
        columns.append(np.zeros(source.array.size) if found is None else found.array.reshape(-1))
    return np.stack(columns, 1) if columns else np.zeros((source.array.size, 0))


def _by_differences(func: Callable, given: tuple, number: int, source: Tensor, eps: float) -> np.ndarray:
    """Return the same Jacobian from central differences of the values."""
    flat, rows = source.array.reshape(-1), []
    for i in range(flat.size):
        kept, values = flat[i], []
        for step in (eps, -eps):
            flat[i] = kept + step
            with modes.enable_grad():
                values.append(_outputs(func, given)[number].array.reshape(-1).copy())
        flat[i] = kept
        rows.append((values[0] - values[1]) / (2 * eps))
    return np.stack(rows) if rows else np.zeros((0, 0))


def gradgradcheck(func: Callable, inputs: Any, grad_outputs: Any = None, **options: Any) -> bool:
    """Check second derivatives: `gradcheck` of the function that returns the first ones."""
    given = (inputs,) if isinstance(inputs, Tensor) else tuple(inputs)
    wanted = [t for t in given if isinstance(t, Tensor) and t.requires_grad]

    def first(*values: Any) -> tuple:
        outs = _outputs(func, values)
        seeds = [make(np.cos(np.arange(o.array.size) + 1.0).reshape(o.array.shape)) for o in outs]
        grads = autograd.grad(tuple(outs), tuple(wanted), seeds, create_graph=True, allow_unused=True)
        return tuple(g for g in grads if g is not None)

    return gradcheck(first, inputs, **options)
