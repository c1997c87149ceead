"""torch.func: functions made of functions, whose values are derivatives, or which map over a dimension.

PyTorch traces such functions with wrapped tensors; here they run as they are. A gradient comes from a
backward pass, a map calls the function once per slice. Values are the same; what cannot be mapped there
(`.item()`, a branch on a value) can be here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from engine import autograd, modes
from engine.create import zeros_like
from engine.functional import jvp as double_vjp
from engine.functions import stack
from engine.ops.table import F
from engine.tensor import Tensor

__all__ = [
    "functional_call", "grad", "grad_and_value", "hessian", "jacfwd", "jacrev", "jvp", "vjp", "vmap",
]  # fmt: skip


# ----- nested arguments: tensors in tuples, lists and dicts -------------------------------------------
def leaves(tree: Any) -> list:
    """Return what stands at the ends of nested tuples, lists and dicts."""
    if isinstance(tree, dict):
        return [leaf for value in tree.values() for leaf in leaves(value)]
    if isinstance(tree, (tuple, list)):
        return [leaf for value in tree for leaf in leaves(value)]
    return [tree]


def rebuilt(tree: Any, ends: Any) -> Any:
    """Return the same nesting with other ends, taken one after another."""
    if isinstance(tree, dict):
        return {name: rebuilt(value, ends) for name, value in tree.items()}
    if isinstance(tree, (tuple, list)):
        return type(tree)(rebuilt(value, ends) for value in tree)
    return next(ends)


def mapped(function: Callable, tree: Any) -> Any:
    """Return the same nesting with a function of every end."""
    return rebuilt(tree, iter([function(leaf) for leaf in leaves(tree)]))


# ----- gradients ------------------------------------------------------------------------------------
def watched(tree: Any) -> Any:
    """Return tensors to differentiate by: a leaf each, or connected to what is outside if that asks grad."""

    def one(tensor: Any) -> Tensor:
        if not isinstance(tensor, Tensor):
            raise ValueError(f"Thing passed to transform API must be Tensor, got {type(tensor)}")
        return F.alias(tensor) if tensor.requires_grad else tensor.detach().requires_grad_()

    return mapped(one, tree)


def is_nested(*trees: Any) -> bool:
    """Return whether something given is differentiated from outside, so that the graph has to stay."""
    return any(isinstance(leaf, Tensor) and leaf.requires_grad for tree in trees for leaf in leaves(tree))


def closed(tree: Any, nested: bool) -> Any:
    """Return results cut off from the graph, unless somebody outside differentiates them."""
    return tree if nested else mapped(lambda t: t.detach() if isinstance(t, Tensor) else t, tree)


def chosen(argnums: Any, args: tuple) -> tuple:
    """Return the numbers of the arguments to differentiate by."""
    numbers = (argnums,) if isinstance(argnums, int) else tuple(argnums)
    for number in numbers:
        if not -len(args) <= number < len(args):
            raise RuntimeError(f"Got argnum={number}, but only {len(args)} positional inputs")
    return tuple(n % len(args) for n in numbers)


def pulled(outputs: list, inputs: list, flows: Any, nested: bool, keep: bool = False) -> list:
    """Return the gradients of outputs by inputs; zeros where nothing came."""
    pairs = [(o, f) for o, f in zip(outputs, flows or [None] * len(outputs), strict=True) if o.requires_grad]
    if not pairs:
        return [zeros_like(i) for i in inputs]
    outs, given = zip(*pairs, strict=True)
    found = autograd.grad(
        outs, inputs, list(given), create_graph=nested, retain_graph=nested or keep, allow_unused=True
    )
    return [zeros_like(i) if g is None else g for g, i in zip(found, inputs, strict=True)]


def grad_and_value(func: Callable, argnums: Any = 0, has_aux: bool = False) -> Callable:
    """Return a function that gives the gradient of `func`, a scalar, and its value."""

    def derivative(*args: Any, **kwargs: Any) -> tuple:
        numbers, nested = chosen(argnums, args), is_nested(args, kwargs)
        with modes.enable_grad():
            inputs = [watched(args[n]) for n in numbers]
            given = list(args)
            for number, value in zip(numbers, inputs, strict=True):
                given[number] = value
            out = func(*given, **kwargs)
            out, aux = out if has_aux else (out, None)
            check_scalar(out)
            found = pulled([out], leaves(inputs), None, nested or out.requires_grad and is_nested(kwargs))
        grads = rebuilt(inputs, iter(found))
        grads = closed(grads[0] if isinstance(argnums, int) else tuple(grads), nested)
        value = closed(out, nested)
        return grads, ((value, closed(aux, nested)) if has_aux else value)

    return derivative


def check_scalar(out: Any) -> None:
    """Refuse to differentiate what is no number."""
    start = "grad_and_value(f)(*args): Expected f(*args) to return a "
    if not isinstance(out, Tensor):
        raise RuntimeError(f"{start}Tensor, got {type(out)}")
    if out.array.ndim:
        raise RuntimeError(
            f"{start}scalar Tensor, got tensor with {out.array.ndim} dims. Maybe you wanted to use the vjp "
            "or jacrev APIs instead?"
        )


def grad(func: Callable, argnums: Any = 0, has_aux: bool = False) -> Callable:
    """Return a function that gives the gradient of `func`, a scalar."""
    both = grad_and_value(func, argnums, has_aux)

    def derivative(*args: Any, **kwargs: Any) -> Any:
        found, value = both(*args, **kwargs)
        return (found, value[1]) if has_aux else found

    return derivative


def vjp(func: Callable, *primals: Any, has_aux: bool = False) -> tuple:
    """Return the output of `func` and a function that pulls a gradient back to its arguments."""
    nested = is_nested(primals)
    with modes.enable_grad():
        inputs = [watched(p) for p in primals]
        out = func(*inputs)
        out, aux = out if has_aux else (out, None)

    def pull(*flows: Any) -> tuple:
        given = flows[0] if len(flows) == 1 else flows
        found = pulled(leaves(out), leaves(inputs), leaves(given), nested or is_nested(given), keep=True)
        return tuple(closed(rebuilt(inputs, iter(found)), nested or is_nested(given)))

    result = closed(out, nested)
    return (result, pull, closed(aux, nested)) if has_aux else (result, pull)


def jvp(func: Callable, primals: Any, tangents: Any, *, has_aux: bool = False) -> tuple:
    """Return the output of `func` and how it changes along a direction."""
    out, change = double_vjp(func, tuple(primals), tuple(tangents), create_graph=is_nested(primals, tangents))
    return out, change


# ----- whole derivatives ------------------------------------------------------------------------------
def jacrev(func: Callable, argnums: Any = 0, *, has_aux: bool = False, **_: Any) -> Callable:
    """Return a function that gives every output's derivative by every input."""

    def derivative(*args: Any) -> Any:
        numbers, nested = chosen(argnums, args), is_nested(args)
        with modes.enable_grad():
            inputs = [watched(args[n]) for n in numbers]
            given = list(args)
            for number, value in zip(numbers, inputs, strict=True):
                given[number] = value
            out = func(*given)
            out, aux = out if has_aux else (out, None)
            rows = [_rows(o, inputs, nested) for o in leaves(out)]
        if isinstance(argnums, int):
            rows = [row[0] for row in rows]
        found = closed(rebuilt(out, iter(rows)), nested)
        return (found, closed(aux, nested)) if has_aux else found

    return derivative


def _rows(out: Tensor, inputs: list, nested: bool) -> tuple:
    """Return the derivative of one output by all inputs, element by element of the output."""
    sources = leaves(inputs)
    flat = out.reshape(-1)
    rows = [pulled([flat[i]], sources, None, nested, keep=True) for i in range(out.array.size)]
    parts = [
        stack([row[k] for row in rows], 0).reshape((*out.array.shape, *source.array.shape))
        for k, source in enumerate(sources)
    ]
    return tuple(rebuilt(inputs, iter(parts)))


jacfwd = jacrev  # the same numbers from the other side


def hessian(func: Callable, argnums: Any = 0) -> Callable:
    """Return a function that gives the second derivatives."""
    return jacrev(jacrev(func, argnums), argnums)


# ----- mapping over a dimension -----------------------------------------------------------------------
def vmap(func: Callable, in_dims: Any = 0, out_dims: Any = 0, **_: Any) -> Callable:
    """Return a function that calls `func` for every slice of its arguments and stacks what comes out."""
    name = getattr(func, "__name__", type(func).__name__)

    def over(*args: Any, **kwargs: Any) -> Any:
        dims = [in_dims] * len(args) if in_dims is None or isinstance(in_dims, int) else list(in_dims)
        given = [(leaf, dim) for arg, d in zip(args, dims, strict=True) for leaf, dim in _with_dims(arg, d)]
        sizes = [_size(name, in_dims, leaf, dim) for leaf, dim in given if dim is not None]
        if not sizes:
            raise ValueError(
                f"vmap({name}, in_dims={in_dims}, ...)(<inputs>): at least one input is mapped over"
            )
        if len(set(sizes)) > 1:
            raise ValueError(
                "vmap: Expected all tensors to have the same size in the mapped dimension, got sizes "
                f"{sizes} for the mapped dimension"
            )
        outs = []
        for i in range(sizes[0]):
            ends = iter([leaf if dim is None else F.select(leaf, dim, i) for leaf, dim in given])
            outs.append(func(*(rebuilt(arg, ends) for arg in args), **kwargs))
        return _stacked(name, outs, out_dims)

    return over


def _with_dims(arg: Any, dim: Any) -> list:
    if isinstance(dim, (tuple, list)) and isinstance(arg, (tuple, list)):
        return [pair for a, d in zip(arg, dim, strict=True) for pair in _with_dims(a, d)]
    if isinstance(dim, dict) and isinstance(arg, dict):
        return [pair for key, a in arg.items() for pair in _with_dims(a, dim[key])]
    return [(leaf, dim) for leaf in leaves(arg)]


def _size(name: str, in_dims: Any, leaf: Any, dim: int) -> int:
    if not isinstance(leaf, Tensor):
        raise ValueError(
            f"vmap({name}, in_dims={in_dims}, ...)(<inputs>): Got in_dim={dim} for an input but the input is "
            f"of type {type(leaf)}. We cannot vmap over non-Tensor arguments, please use None as the "
            "respective in_dim"
        )
    ndim = leaf.array.ndim
    if not -ndim <= dim < ndim:
        raise ValueError(
            f"vmap({name}, in_dims={in_dims}, ...)(<inputs>): Got in_dim={dim} for some input, but that "
            f"input is a Tensor of dimensionality {ndim} so "
            f"expected in_dim to satisfy -{ndim} <= in_dim < {ndim}."
        )
    return leaf.array.shape[dim]


def _stacked(name: str, outs: list, out_dims: Any) -> Any:
    columns = [leaves(out) for out in outs]
    for leaf in columns[0]:
        if not isinstance(leaf, Tensor):
            raise ValueError(
                f"vmap({name}, ...): `{name}` must only return Tensors, got type {type(leaf)}. Did you mean "
                "to set out_dims= to None for output?"
            )
    count = len(columns[0])
    dims = [out_dims] * count if isinstance(out_dims, int) else list(out_dims)
    parts = [stack([column[k] for column in columns], dims[k]) for k in range(count)]
    return rebuilt(outs[0], iter(parts))


# ----- modules as functions of their parameters -------------------------------------------------------
def functional_call(
    module: Any, parameter_and_buffer_dicts: Any, args: Any = None, kwargs: Any = None, **_: Any
) -> Any:
    """Call a module with other parameters in the place of its own, which come back afterwards."""
    given = parameter_and_buffer_dicts
    table = given if isinstance(given, dict) else {k: v for each in given for k, v in each.items()}
    args = () if args is None else args if isinstance(args, tuple) else (args,)
    taken: list[tuple[dict, str, Any]] = []
    try:
        for path, value in table.items():
            shelf, name = _place(module, path)
            if shelf is not None:
                taken.append((shelf, name, shelf[name]))
                shelf[name] = value
        return module(*args, **(kwargs or {}))
    finally:
        for shelf, name, value in reversed(taken):
            shelf[name] = value


def _place(module: Any, path: str) -> tuple:
    """Return the dict that holds a parameter or buffer, and its name there."""
    *owners, name = path.split(".")
    for owner in owners:
        module = module._modules.get(owner)
        if module is None:
            return None, name
    shelves = (module._parameters, module._buffers)
    return next((shelf for shelf in shelves if name in shelf), None), name
