"""torch.autograd.Function: operations whose forward and backward a learner writes.

The node a Function makes runs the learner's backward; `ctx` is what forward leaves for it.
"""

from __future__ import annotations

import functools
import inspect
import warnings
import weakref
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np

from engine import dtype as dtypes
from engine import errors, events, modes, views
from engine.apply import needs_grad
from engine.node import LEAF_SEQ, Node, gradient_edge
from engine.ops.table import TABLE
from engine.saved import SavedTensor
from engine.tensor import Tensor, info_of, make_at, of_info

__all__ = ["Function", "FunctionCtx", "FunctionNode", "once_differentiable"]


class FunctionCtx:
    """What forward hands to backward: saved tensors, marks, and whatever attributes are set on it."""

    def __init__(self, node: FunctionNode, inputs: tuple) -> None:
        self._node = weakref.ref(node)
        self._to_save: tuple = ()
        self._dirty: tuple = ()
        self._fixed: tuple = ()
        self._materialize = True
        self.needs_input_grad = tuple(needs_grad(value) for value in inputs)

    def save_for_backward(self, *tensors: Any) -> None:
        """Keep inputs, outputs or other tensors; None is allowed."""
        self._to_save = tensors

    @property
    def saved_tensors(self) -> tuple:
        """Return what was saved, if nobody changed it and the graph was not freed."""
        return self._node().unpacked()

    def mark_dirty(self, *args: Any) -> None:
        """Declare inputs that forward changed in place."""
        self._dirty = args

    def mark_non_differentiable(self, *args: Any) -> None:
        """Declare outputs that no gradient goes through."""
        self._fixed = args

    def set_materialize_grads(self, value: bool) -> None:
        """Choose whether backward gets zeros (True) or None for outputs that no gradient reached."""
        self._materialize = value

    def __getattr__(self, name: str) -> Any:
        if name in NODE_ATTRIBUTES:
            return getattr(self.__dict__["_node"](), name)
        raise AttributeError(f"'{self.__dict__['_node']().type_name}' object has no attribute '{name}'")

    def __repr__(self) -> str:
        return repr(self._node())


NODE_ATTRIBUTES = ("next_functions", "name", "metadata", "register_hook", "register_prehook")


class FunctionNode(Node):
    """One application of a learner's Function. Its rule is their `backward`."""

    __slots__ = ("context", "count", "made", "slots_of_inputs", "tensors")
    silent = False
    function: type[Function]

    def __init__(self, inputs: tuple) -> None:
        super().__init__(None, (), ())
        self.context = FunctionCtx(self, inputs)
        self.count = len(inputs)
        self.slots_of_inputs = tuple(i for i, value in enumerate(inputs) if isinstance(value, Tensor))
        self.tensors: tuple[bool, ...] = ()
        self.made = False
        self.saved = {"saved_tensors": ()}

    @property
    def type_name(self) -> str:
        return type(self).__name__

    def __repr__(self) -> str:
        return f"<torch.autograd.function.{self.type_name} object at {hex(id(self))}>"

    def __getattr__(self, name: str) -> Any:
        own = name in ("saved_tensors", "needs_input_grad") or name in self.context.__dict__
        if own:
            return getattr(self.context, name)
        raise AttributeError(f"'{self.type_name}' object has no attribute '{name}'")

    def unpacked(self) -> tuple:
        """Return the saved tensors, or raise if they are gone or were changed."""
        if self.freed:
            raise RuntimeError(errors.second_backward())
        parts = self.saved["saved_tensors"]
        return tuple(part.unpack(self) if isinstance(part, SavedTensor) else part for part in parts)

    def release(self) -> tuple[str, ...]:
        """Drop saved tensors; after that even an empty tuple of them cannot be read."""
        dropped = super().release()
        self.freed = True
        return dropped

    def run(self, grads: tuple, needed: tuple[bool, ...], create_graph: bool) -> list[Any]:
        """Call the learner's backward and hand out what it returns, one gradient per tensor input."""
        given = list(grads)
        if self.context._materialize:
            for i, info in enumerate(self.outputs_info):
                if given[i] is None and self.tensors[i]:
                    given[i] = of_info(info, np.zeros)
        result = self.function.rule()(self.context, *given)
        found = self._checked(result if isinstance(result, tuple) else (result,))
        return [found[i] for i in self.slots_of_inputs]

    def _checked(self, found: tuple) -> tuple:
        """Return what backward gave, in PyTorch's order of checks."""
        name = self.type_name
        if len(found) > self.count and all(value is None for value in found[self.count :]):
            found = found[: self.count]
        if len(found) != self.count:
            raise RuntimeError(
                f"function {name} returned an incorrect number of gradients (expected {self.count}, "
                f"got {len(found)})"
            )
        for i, value in enumerate(found):
            if i in self.slots_of_inputs:
                if value is not None and not isinstance(value, Tensor):
                    raise RuntimeError(f"expected Variable or None (got {type(value).__name__})")
            elif value is not None:
                raise RuntimeError(
                    f"function {name} returned a gradient different than None at position {i + 1}, but the "
                    "corresponding forward input was not a Variable"
                )
        return found


class Function:
    """Base of custom operations: static `forward(ctx, ...)` and `backward(ctx, *grads)`; call `apply`."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        warnings.warn(
            f"{type(self)} should not be instantiated. Methods on autograd functions are all static, so you "
            "should invoke them on the class itself. Instantiating an autograd function will raise an error "
            "in a future version of PyTorch.",
            DeprecationWarning,
            stacklevel=2,
        )

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise RuntimeError(
            "Legacy autograd function with non-static forward method is deprecated. Please use new-style "
            "autograd function with static forward method. (Example: "
            "https://pytorch.org/docs/stable/autograd.html#torch.autograd.Function)"
        )

    @staticmethod
    def forward(*args: Any, **kwargs: Any) -> Any:
        """Compute the output from the inputs."""
        raise NotImplementedError("You must implement the forward function for custom autograd.Function.")

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple, output: Any) -> None:
        """Save for backward, if forward takes no ctx."""
        raise NotImplementedError("setup_context is not implemented.")

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Any) -> Any:
        """Return the gradient of each input from those of the outputs."""
        raise NotImplementedError(
            "You must implement either the backward or vjp method for your custom autograd.Function to use "
            "it with backward mode AD."
        )

    vjp = backward

    @classmethod
    def rule(cls) -> Callable:
        """Return the learner's backward: under either of its two names, not both."""
        if cls.vjp is Function.vjp:
            return cls.backward
        if cls.backward is not Function.backward:
            raise RuntimeError(
                "Implementing both 'backward' and 'vjp' for a custom Function is not allowed. You should "
                "only implement one of them."
            )
        return cls.vjp

    @classmethod
    def apply(cls, *args: Any, **kwargs: Any) -> Any:
        """Run forward without recording, then hang the outputs on one node of this Function's own."""
        in_two = cls.setup_context is not Function.setup_context
        if kwargs or in_two:
            args = bound(cls.forward, args, kwargs, skip=0 if in_two else 1)
        node = node_type(cls)(args)
        ctx = node.context
        with modes.backward_mode(False):
            if in_two:
                output = cls.forward(*args)
                cls.setup_context(ctx, args, output)
            else:
                output = cls.forward(ctx, *args)
        recorded = modes.is_grad_enabled() and any(ctx.needs_input_grad)
        parts = list(output) if isinstance(output, tuple) else [output]
        _wire(node, args, parts, recorded)
        watch = events.observer()
        if watch is not None:
            skip = 0 if in_two else 1
            tensors = tuple(part for part in parts if isinstance(part, Tensor))
            names = _names(cls.forward, len(args), skip)
            named = SimpleNamespace(name=cls.__name__)
            watch(events.OpApplied((named, node if recorded else None, names, args, tensors, False)))
        return tuple(parts) if isinstance(output, tuple) else parts[0]


@functools.lru_cache(maxsize=256)
def node_type(function: type[Function]) -> type[FunctionNode]:
    """Return the node class of a Function: named after it, as PyTorch names it."""
    names = {"__slots__": (), "function": function, "__module__": "torch.autograd.function"}
    return type(f"{function.__name__}Backward", (FunctionNode,), names)


def bound(forward: Callable, args: tuple, kwargs: dict, skip: int) -> tuple:
    """Return arguments by position, keywords matched to the names of forward's parameters."""
    signature = inspect.signature(forward)
    parameters = list(signature.parameters.values())[skip:]
    for name in kwargs:
        if name not in {p.name for p in parameters}:
            raise TypeError(f"forward() got an unexpected keyword argument '{name}'")
    found = signature.replace(parameters=parameters).bind(*args, **kwargs)
    found.apply_defaults()
    return found.args


def _names(forward: Callable, count: int, skip: int) -> list[str]:
    names = [p.name for p in inspect.signature(forward).parameters.values() if p.kind is not p.VAR_POSITIONAL]
    return [*names[skip:], *(f"input[{i}]" for i in range(count))][:count]


# ----- outputs ----------------------------------------------------------------------------------
def _wire(node: FunctionNode, args: tuple, parts: list, recorded: bool) -> None:
    """Give the outputs their history, in place; then save what forward asked to save."""
    ctx = node.context
    _check_marks(ctx, recorded)
    inputs = {id(value) for value in args if isinstance(value, Tensor)}
    dirty, fixed = ({id(value) for value in marked} for marked in (ctx._dirty, ctx._fixed))
    if recorded:
        node.next_edges = tuple(
            gradient_edge(v) if needs_grad(v) else None for v in args if isinstance(v, Tensor)
        )
    node.tensors = tuple(isinstance(part, Tensor) for part in parts)
    node.outputs_info = tuple(
        info_of(p) if isinstance(p, Tensor) else ((), dtypes.default_dtype()) for p in parts
    )
    for tensor in ctx._dirty:
        tensor.bump()
    for index, part in enumerate(parts):
        if isinstance(part, Tensor):
            wanted = recorded and id(part) not in fixed and part.array.dtype.kind in "fc"
            history = (node, index) if wanted else None
            parts[index] = _placed(part, history, id(part) in inputs, id(part) in dirty)
    if dirty - {id(part) for part in parts}:
        raise RuntimeError(
            "Some elements marked as dirty during the forward method were not returned as output. The inputs "
            "that are modified inplace must all be outputs of the Function."
        )
    if recorded:
        node.saved["saved_tensors"] = tuple(_saved(node, value) for value in ctx._to_save)
    ctx._to_save = ctx._dirty = ctx._fixed = ()


def _placed(
    tensor: Tensor, history: tuple[FunctionNode, int] | None, is_input: bool, is_dirty: bool
) -> Tensor:
    """Hang one output on its node; an input returned as it is becomes a view of itself."""
    if history is None:
        if is_input and tensor.requires_grad:
            return views.detached(tensor)
        return _view_of(tensor) if is_input and not is_dirty else tensor
    node, index = history
    if is_dirty:
        if tensor.is_leaf and tensor.requires:
            raise RuntimeError("a leaf Variable that requires grad has been used in an in-place operation.")
        views.rebase(tensor, node)
        if tensor.base is None:
            tensor.output_nr = index
        return tensor
    if is_input:
        tensor = _view_of(tensor)
    events.changing()
    tensor.node, tensor.output_nr, tensor.requires = node, index, True
    if tensor.base is not None:
        tensor.view_of.kind = views.FUNCTION
    return tensor


def _view_of(tensor: Tensor) -> Tensor:
    same = make_at(tensor.array.view(), tensor.exotic, tensor.place)
    views.attach(TABLE["alias"], tensor, (same,), views.FUNCTION)
    return same


def _saved(node: FunctionNode, value: Any) -> SavedTensor | None:
    if value is None:
        return None
    return SavedTensor(value, value.output_nr if value.node is node else None)


def _check_marks(ctx: FunctionCtx, recorded: bool) -> None:
    """Refuse what is no tensor where only tensors can be marked or, if it comes to that, saved."""
    for value in ctx._dirty:
        if not isinstance(value, Tensor):
            raise RuntimeError("mark_dirty can only accept variables, but argument ")
    for value in ctx._fixed:
        if not isinstance(value, Tensor):
            raise RuntimeError("mark_non_differentiable only accepts variable arguments, but got ")
    for i, value in enumerate(ctx._to_save if recorded else ()):
        if value is not None and not isinstance(value, Tensor):
            raise TypeError(
                f"save_for_backward can only save variables, but argument {i} is of type "
                f"{type(value).__name__}"
            )


# ----- differentiable once ------------------------------------------------------------------------
class ErrorNode(Node):
    """Stands where a gradient must not go: running it raises."""

    __slots__ = ("message",)

    def __init__(self, message: str, leaf: Tensor) -> None:
        super().__init__(None, (gradient_edge(leaf),), ((leaf.array.shape, leaf.dtype),))
        self.seq = LEAF_SEQ
        self.message = message

    @property
    def type_name(self) -> str:
        return "Error"

    def run(self, grads: tuple, needed: tuple[bool, ...], create_graph: bool) -> list[Any]:
        """Refuse."""
        raise RuntimeError(self.message)


ErrorNode.__name__ = "Error"  # as PyTorch prints it


def once_differentiable(backward: Callable) -> Callable:
    """Mark a backward that cannot be differentiated itself; trying to do so raises."""

    @functools.wraps(backward)
    def inside(ctx: Any, *grads: Any) -> Any:
        with modes.backward_mode(False):
            found = backward(ctx, *grads)
        if not modes.is_grad_enabled() or not any(needs_grad(grad) for grad in grads):
            return found
        parts = found if isinstance(found, tuple) else (found,)
        refused = tuple(None if part is None else _refusing(part) for part in parts)
        return refused if isinstance(found, tuple) else refused[0]

    return inside


def _refusing(grad: Tensor) -> Tensor:
    leaf, out = views.detached(grad), views.detached(grad)
    leaf.requires = True
    out.node = ErrorNode(
        "trying to differentiate twice a function that was marked with @once_differentiable", leaf
    )
    out.requires = True
    return out
