"""An observation's vocabulary: tensors, saved values, names and final variables as its JSON says them.

Reads live objects and changes nothing. The format is the one real PyTorch was recorded in (schema 2).
"""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

from engine.nn.module import Module
from engine.node import Node
from engine.saved import FREED
from engine.sparse import SparseTensor
from engine.tensor import Tensor, strides_of

LARGE = 4096  # elements; beyond, only sums are written
OWN = "saved_tensors"  # what a learner's own Function has saved goes by this name
LONG = 64  # lists and dicts up to this length are searched for tensors


# ----- values as JSON -----
def number(value: Any) -> Any:
    """Return a number as JSON can hold it."""
    if isinstance(value, complex):
        return {"re": number(value.real), "im": number(value.imag)}
    if isinstance(value, float) and not math.isfinite(value):
        return "nan" if math.isnan(value) else "inf" if value > 0 else "-inf"
    return value


def nested(values: Any) -> Any:
    """Return nested lists with every number as JSON can hold it."""
    return [nested(v) for v in values] if isinstance(values, list) else number(values)


def tensor_entry(tensor: Any) -> dict | None:
    """Return dtype, shape and numbers of a tensor or array; None for None."""
    if tensor is None:
        return None
    if isinstance(tensor, SparseTensor):
        return sparse_entry(tensor)
    array = tensor.array if isinstance(tensor, Tensor) else tensor
    kind = tensor.dtype.name if isinstance(tensor, Tensor) else array.dtype.name
    entry: dict[str, Any] = {"dtype": kind, "shape": list(array.shape)}
    if isinstance(tensor, Tensor) and tensor.batch is not None:
        entry["batched"] = tensor.batch
    if array.size <= LARGE:
        return {**entry, "values": nested(array.tolist())}
    wide = np.abs(array) if array.dtype.kind == "c" else array.astype(np.float64)
    sums = {"sum": number(float(wide.sum())), "abssum": number(float(np.abs(wide).sum()))}
    return {**entry, "too_large": True, **sums}


def in_batch(entry: Any, rows: int) -> Any:
    """Return a saved tensor's entry as seen inside a batched call: repeated along a hidden dimension."""
    if not isinstance(entry, dict) or "values" not in (entry.get("tensor") or ()):
        return entry
    plain = entry["tensor"]
    shape, values = [rows, *plain["shape"]], [plain["values"]] * rows
    return {"tensor": {**plain, "shape": shape, "values": values, "batched": rows}}


def sparse_entry(tensor: SparseTensor) -> dict:
    """Return the entries of a sparse tensor."""
    return {
        "dtype": tensor.dtype.name, "shape": list(tensor.full_size), "layout": "sparse_coo",
        "coalesced": tensor.is_coalesced(), "indices": tensor.entry_indices.tolist(),
        "values": nested(tensor.entry_values.tolist()),
    }  # fmt: skip


def entry_of(value: Any) -> Any:
    """Return whatever a node may have saved."""
    if isinstance(value, Tensor):
        return {"tensor": tensor_entry(value)}
    if value is None or isinstance(value, (bool, int, float, complex, str)):
        return number(value)
    return [entry_of(v) for v in value] if isinstance(value, (list, tuple)) else str(value)


def scrub(text: str) -> str:
    """Hide object addresses, which differ from run to run."""
    return re.sub(r"0x[0-9a-f]{6,}", "0x…", text)


# ----- names -----
def parts(names: dict[str, Any]) -> Iterator[tuple[str, Tensor]]:
    """Yield every tensor the program's variables lead to, with its name, in order of definition."""
    for name, value in names.items():
        if name.startswith("__"):
            continue
        if isinstance(value, Tensor):
            yield name, value
        elif isinstance(value, Module):
            for path, part in (*value.named_parameters(), *value.named_buffers()):
                yield f"{name}.{path}", part
        elif isinstance(value, (list, tuple)) and len(value) <= LONG:
            yield from ((f"{name}[{i}]", v) for i, v in enumerate(value) if isinstance(v, Tensor))
        elif isinstance(value, dict) and len(value) <= LONG:
            yield from ((f"{name}[{k!r}]", v) for k, v in value.items() if isinstance(v, Tensor))


def names_of(names: dict[str, Any]) -> dict[int, str]:
    """Return the name of every tensor by identity; plain variables come first."""
    found: dict[int, str] = {}
    plain = {name: value for name, value in names.items() if isinstance(value, Tensor)}
    for name, tensor in (*parts(plain), *parts(names)):
        found.setdefault(id(tensor), name)
    return found


def saved_entry(node: Node, name: str) -> Any:
    """Return what `_saved_<name>` shows, or the error that reading it raises; packed ones are left alone."""
    value = node.saved.get(name)
    for part in value if isinstance(value, tuple) else (value,):
        if getattr(part, "unpack_hook", None) is not None and part.tensor is not FREED:
            return "packed by saved_tensors_hooks"
    try:
        return entry_of(node.unpacked() if name == OWN else node.saved_value(name))
    except RuntimeError as error:
        return {"error": str(error)}


# ----- variables -----
def variables(names: dict[str, Any]) -> dict[str, dict]:
    """Return every tensor, Python number and text that the program's variables hold."""
    plain = {
        name: {"python": number(value)}
        for name, value in names.items()
        if not name.startswith("__") and isinstance(value, (bool, int, float, str))
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return {**{name: variable(tensor) for name, tensor in parts(names)}, **plain}


def variable(tensor: Tensor) -> dict[str, Any]:
    """Return everything a learner can ask of a tensor."""
    entry: dict[str, Any] = tensor_entry(tensor)
    try:
        node = tensor.grad_fn
    except RuntimeError as error:  # a view made without grad whose base was written since
        return {
            **entry, "requires_grad": True, "grad_fn_error": str(error), "repr": scrub(repr(tensor)),
        }  # fmt: skip
    entry.update(requires_grad=tensor.requires_grad, is_leaf=tensor.is_leaf)
    entry["grad_fn"] = None if node is None else node.type_name
    entry["version"] = None if tensor.inference else tensor.version_now()
    if tensor.inference:
        entry["inference"] = True
    if not isinstance(tensor, SparseTensor):
        entry["stride"] = list(strides_of(tensor.array))
    if node is not None:
        entry["output_nr"] = tensor.output_nr
    if tensor._is_view():
        entry["is_view"] = True
    if tensor.retains_grad:
        entry["retains_grad"] = True
    grad = tensor.grad_tensor if tensor.is_leaf or tensor.retains_grad else None
    entry["grad"] = tensor_entry(grad)
    if grad is not None:
        made_by = None if grad.grad_fn is None else grad.grad_fn.name()
        entry["grad"].update(requires_grad=grad.requires_grad, grad_fn=made_by)
    entry["repr"] = scrub(repr(tensor))
    return entry
