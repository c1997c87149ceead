"""What one expression leaves behind: its value, graph, saved values, and gradients to second order.

Takes the `torch` to evaluate with, so that the recorder (real PyTorch) and the test (ours) ask the same.
"""

from __future__ import annotations

import math
from typing import Any

DEEPEST = 12  # nested calls of a graph that are written out


def evaluate(torch: Any, text: str, inputs: dict[str, Any]) -> dict[str, Any]:
    """Evaluate `text` on leaves made of `inputs`; gradients are 1, 2, 3, ... times the slopes."""
    leaves = {n: torch.tensor(x, dtype=torch.float32, requires_grad=True) for n, x in inputs.items()}
    scope = {"torch": torch, "F": torch.nn.functional, "inf": math.inf, "nan": math.nan, "put": put, **leaves}
    names = {id(leaf): name for name, leaf in leaves.items()}
    result = eval(text, scope)  # noqa: S307 - the texts are ours
    found = {"value": plain(result), "graph": graph(result, names), "saved": saved(result.grad_fn)}
    if result.grad_fn is None:
        return found
    flow = torch.arange(1, result.numel() + 1, dtype=result.dtype).reshape(result.shape)
    options = {"allow_unused": True, "retain_graph": True}
    first = torch.autograd.grad(result, list(leaves.values()), flow, **options)
    flow = flow.clone().requires_grad_()
    names[id(flow)] = "grad"
    again = torch.autograd.grad(result, list(leaves.values()), flow, create_graph=True, **options)
    found["grads"] = [plain(g) for g in first]
    found["second_graph"] = [None if g is None else graph(g, names) for g in again]
    found["second"] = second(torch, again, [*leaves.values(), flow])
    return found


def second(torch: Any, grads: Any, wanted: list) -> list | None:
    """Return the gradients of a weighted sum of gradients: the last one is that of the first gradient."""
    total = None
    for grad in grads:
        if grad is not None and grad.requires_grad:
            weights = (torch.arange(grad.numel(), dtype=grad.dtype) * 0.7 + 0.3).reshape(grad.shape)
            part = (grad * weights).sum()
            total = part if total is None else total + part
    if total is None:
        return None
    return [plain(g) for g in torch.autograd.grad(total, wanted, allow_unused=True)]


def put(tensor: Any, index: Any, value: Any) -> Any:
    """Write into a tensor and return it: an assignment as an expression."""
    tensor[index] = value
    return tensor


# ----- what kind comes out, or which error ----------------------------------------------------------
KINDS = {
    "bool": [True, False, True], "uint8": [1, 2, 3], "int8": [1, -2, 3], "int32": [1, -2, 3],
    "int64": [1, -2, 3],
    "float16": [0.5, -1.25, 2.0], "float32": [0.5, -1.25, 2.0], "float64": [0.5, -1.25, 2.0],
}  # fmt: skip


def outcome(torch: Any, text: str, scope: dict[str, Any]) -> str:
    """Return the dtype of a result, its type if it is no tensor, or the error and its first line."""
    try:
        result = eval(text, {"torch": torch, "F": torch.nn.functional, **scope})  # noqa: S307 - ours
    except Exception as error:  # noqa: BLE001 - any error is an answer here
        return f"{type(error).__name__}: {str(error).splitlines()[0]}"
    return str(result.dtype).removeprefix("torch.") if hasattr(result, "grad_fn") else type(result).__name__


def outcomes(torch: Any, text: str) -> dict[str, str]:
    """Return what an expression of `a` (and `b`, float32) gives for every dtype of `a`."""
    other = torch.tensor([2.0, 1.0, 3.0])
    return {
        kind: outcome(torch, text, {"a": torch.tensor(values, dtype=getattr(torch, kind)), "b": other})
        for kind, values in KINDS.items()
    }


def refusal(torch: Any, text: str) -> str:
    """Return the error that an expression of a vector, a matrix, an index and a batch of matrices ends in."""
    floats = torch.arange(6.0)
    scope = {"a": floats[:3], "m": floats.reshape(2, 3), "i": torch.tensor([0, 1]), "b3": torch.ones(2, 3, 4)}
    return outcome(torch, text, scope)


# ----- as JSON --------------------------------------------------------------------------------------
def graph(tensor: Any, names: dict[int, str]) -> str:
    """Return a tensor's graph, root first: leaves by name, `.` where no gradient goes."""
    if tensor.grad_fn is None:
        return names.get(id(tensor), ".") if tensor.requires_grad else "."
    return _node(tensor.grad_fn, names, 0)


def _node(node: Any, names: dict[int, str], depth: int) -> str:
    if node.name().endswith("AccumulateGrad"):
        return names.get(id(node.variable), "leaf")
    if depth == DEEPEST:
        return "..."
    parts = []
    for edge, number in node.next_functions:
        text = "." if edge is None else _node(edge, names, depth + 1)
        parts.append(f"{text}#{number}" if number else text)
    return f"{node.name().removeprefix('torch::autograd::')}({', '.join(parts)})"


def saved(node: Any) -> dict[str, Any]:
    """Return the `_saved_*` values of a node that is a recorded operation."""
    if node is None:
        return {}
    names = (name.removeprefix("_saved_") for name in dir(node) if name.startswith("_saved_"))
    return {name: plain(getattr(node, f"_saved_{name}")) for name in sorted(names)}


def plain(value: Any) -> Any:
    """Return a value as JSON has it: tensors as nested lists behind their dtype."""
    if hasattr(value, "grad_fn"):
        if getattr(value, "_is_zerotensor", bool)():
            value = value.clone()
        return [str(value.dtype).removeprefix("torch."), numbers(value.detach().tolist())]
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    return value if value is None or isinstance(value, (bool, str)) else number(value)


def numbers(values: Any) -> Any:
    """Return nested lists with every number as JSON can hold it."""
    return [numbers(v) for v in values] if isinstance(values, list) else number(values)


def number(value: Any) -> Any:
    """Return a number with nine digits, which tell any two float32 apart."""
    if isinstance(value, complex):
        return [number(value.real), number(value.imag)]
    if isinstance(value, float):
        return float(f"{value:.9g}") if math.isfinite(value) else str(value)
    return value
