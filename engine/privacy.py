"""What is the engine's own business: which attributes of its objects no learner's program may touch.

Whoever runs foreign code asks here, and so keeps that code away from raw arrays.
"""

from __future__ import annotations

import functools
from typing import Any

from engine import absent, methods, node, random, sparse, titles
from engine import dtype as dtypes
from engine import tensor as tensors
from engine.numeric import namespaces

TENSOR_PUBLIC = frozenset(
    "grad_fn requires_grad requires_grad_ is_leaf grad retains_grad retain_grad data _version _base _is_view "
    "dtype shape ndim output_nr".split()
)
NODE_PUBLIC = frozenset(
    "name next_functions metadata register_hook register_prehook _sequence_nr variable".split()
)
DTYPE_PUBLIC = frozenset("is_floating_point is_complex is_signed itemsize to_complex to_real".split())
GENERATOR_PUBLIC = frozenset("manual_seed initial_seed seed get_state set_state device".split())


def _attributes(cls: type) -> set[str]:
    """Return every attribute name that objects of a class can have of their own."""
    names = {n for c in cls.__mro__ for n in (*vars(c), *getattr(c, "__annotations__", ()))}
    return {n for n in names if not n.startswith(("__", "_saved_", "_raw_saved_"))}


def _below(cls: type) -> set[type]:
    """Return all subclasses of a class, however deep."""
    return {c for child in cls.__subclasses__() for c in ({child} | _below(child))}


@functools.cache
def _internals() -> dict[type, frozenset[str]]:
    tensor_names = methods.tensor_names()
    nodes = set().union(*map(_attributes, (node.Node, *_below(node.Node))))
    own = {"_seed", "_twister", "_kept"}
    missing = absent.ABSENT["Tensor"]  # which say so themselves
    return {
        **namespaces.internals(),
        tensors.Tensor: frozenset(_attributes(tensors.Tensor) - TENSOR_PUBLIC - tensor_names - missing),
        sparse.SparseTensor: frozenset(vars(sparse.SparseTensor)["__annotations__"]) | {"write_entries"},
        node.Node: frozenset(nodes - NODE_PUBLIC),
        dtypes.DType: frozenset(_attributes(dtypes.DType) - DTYPE_PUBLIC),
        random.Generator: frozenset((_attributes(random.Generator) | own) - GENERATOR_PUBLIC),
        random.GeneratorState: frozenset(_attributes(random.GeneratorState)),
    }


def internal_names() -> frozenset[str]:
    """Return every attribute name that is internal to some engine object."""
    return frozenset().union(*_internals().values())


def is_internal(obj: Any, name: str) -> bool:
    """Return whether `name` is an internal attribute of this very object (or class)."""
    lineage = obj.__mro__ if isinstance(obj, type) else type(obj).__mro__
    table = _internals()
    return any(name in table[cls] for cls in lineage if cls in table)


def is_engine_object(obj: Any) -> bool:
    """Return whether an object, or the class it is, belongs to the engine."""
    lineage = type.__dict__["__mro__"].__get__(obj) if isinstance(obj, type) else type(obj).__mro__
    return any(titles.is_ours(cls) for cls in lineage)
