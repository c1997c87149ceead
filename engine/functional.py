"""torch.autograd.functional: whole derivatives of a function, row by row, as PyTorch computes them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from engine import autograd, modes
from engine.create import ones_like, zeros_like
from engine.functions import reshape, stack, view_as
from engine.ops.table import F
from engine.tensor import Tensor

__all__ = ["hessian", "hvp", "jacobian", "jvp", "vhp", "vjp"]


def _as_tuple(values: Any) -> tuple[bool, tuple]:
    return (True, tuple(values)) if isinstance(values, (tuple, list)) else (False, (values,))


def _prepared(inputs: tuple, create_graph: bool, need_graph: bool) -> tuple:
    """Cut inputs off from what is outside, unless the outside is to be differentiated too."""
    return tuple(
        view_as(t, t) if create_graph and t.requires_grad else t.detach().requires_grad_(need_graph)
        for t in inputs
    )


def _finished(values: Any, create_graph: bool) -> Any:
    if isinstance(values, tuple):
        return tuple(_finished(v, create_graph) for v in values)
    return values if create_graph else values.detach()


def _grad(
    outputs: tuple, inputs: tuple, grads: Any, create_graph: bool, retain_graph: bool | None = None
) -> tuple:
    grads = (None,) * len(outputs) if grads is None else grads
    pairs = [(o, g) for o, g in zip(outputs, grads, strict=True) if o is not None and o.requires_grad]
    if not pairs:
        return (None,) * len(inputs)
    outs, given = zip(*pairs, strict=True)
    return autograd.grad(
        outs, inputs, list(given), allow_unused=True, create_graph=create_graph, retain_graph=retain_graph
    )


def _filled(grads: tuple, inputs: tuple) -> tuple:
    return tuple(zeros_like(i) if g is None else g for g, i in zip(grads, inputs, strict=True))


def jacobian(
    func: Callable,
    inputs: Any,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    strategy: str = "reverse-mode",
) -> Any:
    """Return d output / d input, of shape output.shape + input.shape; nested tuples for several of either."""
    with modes.enable_grad():
        many_in, given = _as_tuple(inputs)
        given = _prepared(given, create_graph, True)
        many_out, outputs = _as_tuple(func(*given))
        found = tuple(_rows(out, given, create_graph) for out in outputs)
        found = _finished(found, create_graph)
    if not many_in:
        found = tuple(row[0] for row in found)
    return found if many_out else found[0]


def _rows(out: Tensor, inputs: tuple, create_graph: bool) -> tuple:
    rows: tuple[list, ...] = tuple([] for _ in inputs)
    for j in range(out.array.size):
        one = (reshape(out, (-1,))[j],)
        for row, grad, source in zip(rows, _grad(one, inputs, None, create_graph, True), inputs, strict=True):
            row.append(zeros_like(source) if grad is None else grad)
    shapes = [(*out.array.shape, *i.array.shape) for i in inputs]
    return tuple(F.view(stack(row, 0), shape) for row, shape in zip(rows, shapes, strict=True))


def hessian(
    func: Callable,
    inputs: Any,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    outer_jacobian_strategy: str = "reverse-mode",
) -> Any:
    """Return the second derivatives of a scalar function: the Jacobian of its Jacobian."""
    many, _ = _as_tuple(inputs)

    def slope(*given: Tensor) -> Any:
        def scalar(*same: Tensor) -> Tensor:
            out = func(*same)
            if out.array.size != 1:
                raise RuntimeError(
                    "The Tensor returned by the function given to hessian should contain a single element"
                )
            return F.squeeze(out)

        found = jacobian(scalar, given, create_graph=True)
        return found if many else found[0]

    return jacobian(slope, inputs, create_graph)


def vjp(
    func: Callable, inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False
) -> tuple:
    """Return the output and v times the Jacobian."""
    with modes.enable_grad():
        many_in, given = _as_tuple(inputs)
        given = _prepared(given, create_graph, True)
        many_out, outputs = _as_tuple(func(*given))
        weights = None if v is None else _prepared(_as_tuple(v)[1], create_graph, False)
        grads = _filled(_grad(outputs, given, weights, create_graph), given)
    outs, products = _finished(outputs, create_graph), _finished(grads, create_graph)
    return outs if many_out else outs[0], products if many_in else products[0]


def jvp(
    func: Callable, inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False
) -> tuple:
    """Return the output and the Jacobian times v, by differentiating the vector-Jacobian product."""
    with modes.enable_grad():
        given = _prepared(_as_tuple(inputs)[1], create_graph, True)
        many_out, outputs = _as_tuple(func(*given))
        weights = _prepared(
            _as_tuple(v)[1] if v is not None else tuple(map(ones_like, given)), create_graph, False
        )
        zeros = tuple(zeros_like(o, requires_grad=True) for o in outputs)
        inner = _filled(_grad(outputs, given, zeros, True), given)
        products = _filled(_grad(inner, zeros, weights, create_graph), zeros)
    outs, found = _finished(outputs, create_graph), _finished(products, create_graph)
    return outs if many_out else outs[0], found if many_out else found[0]


def vhp(
    func: Callable, inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False
) -> tuple:
    """Return the output and v times the Hessian."""
    with modes.enable_grad():
        many, given = _as_tuple(inputs)
        given = _prepared(given, create_graph, True)
        out = func(*given)
        weights = _prepared(
            _as_tuple(v)[1] if v is not None else tuple(map(ones_like, given)), create_graph, False
        )
        slopes = _filled(_grad((out,), given, None, True), given)
        products = _filled(_grad(slopes, given, weights, create_graph), given)
    found = _finished(products, create_graph)
    return _finished(out, create_graph), found if many else found[0]


hvp = vhp  # the Hessian is symmetric; PyTorch computes hvp by a double trick with the same result
