"""Nothing that a learner can reach is a raw NumPy object, and what is internal says so."""

import types
import warnings

import numpy as np
import pytest

from engine import facade, privacy
from engine.backward import GraphRoot
from engine.node import Node
from engine.tensor import Tensor

torch = facade.modules()["torch"]
RAW = (np.ndarray, np.generic, np.dtype, np.ufunc, np.random.BitGenerator, np.random.Generator)


def samples():
    """Return one object of every kind a learner can hold."""
    x = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    weight = torch.ones(3, 2, requires_grad=True)
    found = torch.nn.functional.embedding(torch.tensor([0, 1]), weight, sparse=True)
    found.sum().backward()
    base = x * 1
    base[0] = 5.0
    model = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.ReLU())
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    model(x).sum().backward()
    optimizer.step()
    objects = [
        x,
        weight.grad,
        base,
        x.T,
        model,
        optimizer,
        x.shape,
        x.dtype,
        torch.device("cpu"),
        torch.Generator(),
    ]
    objects += [torch.Generator().get_state(), x.max(1), x.register_hook(lambda g: None)]
    nodes, seen = [base.grad_fn, x.T.grad_fn, model(x).grad_fn, torch.stack([x, x]).grad_fn], set()
    while nodes:
        node = nodes.pop()
        if node is not None and id(node) not in seen:
            seen.add(id(node))
            objects.append(node)
            nodes += [edge[0] for edge in node.next_functions]
    return objects


OBJECTS = samples()


def public_names(obj):
    names = {n for n in dir(obj) if not n.startswith("__")}
    return sorted(n for n in names if not facade.is_internal(obj, n))


@pytest.mark.parametrize("obj", OBJECTS, ids=lambda o: type(o).__name__)
def test_public_attributes_are_never_raw(obj):
    for name in public_names(obj):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                value = getattr(obj, name)
            except (RuntimeError, AttributeError, NotImplementedError, IndexError, TypeError, ValueError):
                continue
        parts = (
            value.values()
            if isinstance(value, dict)
            else value
            if isinstance(value, (tuple, list))
            else [value]
        )
        for part in parts:
            assert not isinstance(part, RAW), f"{type(obj).__name__}.{name} gives a raw {type(part).__name__}"
            assert not isinstance(part, types.ModuleType), f"{type(obj).__name__}.{name} gives a module"


@pytest.mark.parametrize(
    "obj", [o for o in OBJECTS if isinstance(o, (Tensor, Node))], ids=lambda o: type(o).__name__
)
def test_what_an_object_holds_of_its_own_is_internal(obj):
    held = {n for n in getattr(obj, "__dict__", {}) if not n.startswith("__")}
    known = {n for n in held if facade.is_internal(obj, n)} | privacy.TENSOR_PUBLIC | privacy.NODE_PUBLIC
    assert held <= known, f"annotate {held - known} in the class {type(obj).__name__}"
    assert GraphRoot.__slots__


def test_namespaces_hold_nothing_raw_and_cannot_be_changed():
    for name, module in facade.modules().items():
        for key, value in vars(module).items():
            if key.startswith("__"):
                continue
            assert not isinstance(value, RAW), f"{name}.{key}"
            if isinstance(value, types.ModuleType):
                assert isinstance(value, facade.Namespace), f"{name}.{key} is a real module"
        with pytest.raises(AttributeError):
            module.anything = 1


def test_a_learners_own_attribute_of_the_same_name_is_not_internal():
    class Holder:
        array = 1

    assert not facade.is_internal(Holder(), "array")
    assert facade.is_internal(torch.ones(1), "array")
