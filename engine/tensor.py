"""What a tensor is: an array and its place in the graph. The doors through which state is written."""

from __future__ import annotations

import warnings
import weakref
from functools import lru_cache
from typing import Any

import numpy as np

from engine import dtype as dtypes
from engine import errors, events, modes
from engine.dtype import DType
from engine.numeric.kinds import TITLE


class Size(tuple):
    """The shape of a tensor; prints as PyTorch's."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"torch.Size([{', '.join(map(repr, self))}])"

    def numel(self) -> int:
        """Return the number of elements."""
        return int(np.prod(self, dtype=np.int64))

    def __getitem__(self, index: Any) -> Any:
        found = super().__getitem__(index)
        return Size(found) if isinstance(index, slice) else found

    def __add__(self, other: Any) -> Size:
        return Size(tuple(self) + tuple(other))


class Tensor:
    """An array, and where its gradient goes.

    `array` holds the numbers (views share memory); `node` and `output_nr` say what made it;
    `requires` that it was asked to require grad or was recorded; `counter` is the version, shared
    by everything that shares memory; `base` is the tensor a view looks into, always the root.
    Operators and methods are given by methods.py.
    """

    array: np.ndarray
    node: Any = None
    output_nr = 0
    requires = False
    grad_tensor: Tensor | None = None
    counter: list[int] | None = None
    base: Tensor | None = None
    view_of: Any = None
    hooks: Any = None
    post_hooks: Any = None
    accumulator: Any = None
    retains = False
    exotic: DType | None = None
    wrapped = False
    batch: int | None = None
    inference = False
    place: Any = None  # the simulated device it is on; None: the CPU
    uninitialized = False  # a parameter or buffer of a lazy layer that has no shape yet

    def __init__(self, *data: Any, device: Any = None) -> None:
        from engine.create import legacy_array
        from engine.device import Device

        own(self)
        if device is not None and Device(device).type != "cpu":
            raise RuntimeError(errors.legacy_device(Device(device).type))
        self.array = legacy_array(data)
        events.emit(events.TensorMade(self))

    # ----- the doors -----
    def version_now(self) -> int:
        """Return how often the memory was written in place."""
        return 0 if self.counter is None else self.counter[0]

    def bump(self) -> None:
        """Count one write in place."""
        self.shared_counter()[0] += 1

    def shared_counter(self) -> list[int]:
        """Return the version counter, to be shared with whatever shares the memory."""
        if self.counter is None:
            self.counter = [0]
        return self.counter

    def write(self, values: Any, same: bool = False) -> None:
        """Overwrite the numbers in place and count it. `same`: elements that share memory get one value."""
        if not same and not writable(self.array):
            raise RuntimeError(errors.overlapping_write())
        events.overwriting(self.array)
        if same:
            np.copyto(self.array, values, where=values != self.array)
        else:
            self.array[...] = values
        self.bump()

    def aliased(self) -> Tensor:
        """Return the same memory and version counter without any history."""
        # Note: memory
        other = plain(self.array)
        if self.exotic is not None:
            other.exotic = self.exotic
        if self.place is not None:
            other.place = self.place
        if self.counter is None:
            self.counter = [0]
        other.counter = self.counter
        return other

    def set_grad(self, grad: Tensor | None, cause: str) -> None:
        """Put `grad` into the `.grad` slot and state it."""
        before = self.grad_tensor
        self.grad_tensor = grad
        if events.observer() is not None and (before is not None or grad is not None):
            arrays = [None if g is None else g.array for g in (before, grad)]
            events.emit(events.GradSet(self, *arrays, cause))

    # ----- autograd state -----
    @property
    def grad_fn(self) -> Any:
        """Return the node that made this tensor; a view whose base changed gets a new one now."""
        if self.base is not None:
            from engine.views import current_node

            return current_node(self)
        return self.node

    @property
    def requires_grad(self) -> bool:
        return self.requires or (self.base is not None and (self.base.requires or self.grad_fn is not None))

    @requires_grad.setter
    def requires_grad(self, value: bool) -> None:
        if not isinstance(value, bool):
            raise RuntimeError("requires_grad must be a bool")
        if value and not self.dtype.category >= dtypes.FLOAT:
            raise RuntimeError(errors.only_float_requires_grad_assigned())
        self.ask_grad(value)

    def ask_grad(self, value: bool) -> None:
        """Switch requires_grad, which only leaves can have switched off."""
        if self.grad_fn is not None and not value:
            raise RuntimeError(errors.only_leaves_change())
        if value and self.inference and not modes.is_inference_mode_enabled():
            raise RuntimeError(
                "Setting requires_grad=True on inference tensor outside InferenceMode is not allowed."
            )
        if self.grad_fn is None and self.requires != value:
            events.changing()
            self.requires = value

    def requires_grad_(self, requires_grad: bool = True) -> Tensor:
        """Ask for a gradient (or not) and return the tensor itself."""
        if requires_grad and not self.dtype.category >= dtypes.FLOAT:
            raise RuntimeError(errors.only_float_requires_grad_set())
        self.ask_grad(bool(requires_grad))
        return self

    def copied_for_grad(self) -> Tensor:
        """Return a recorded copy: what `.grad` becomes when the backward pass itself is recorded."""
        return make_at(np.empty_like(self.array), self.exotic, self.place).copy_(self)

    def __deepcopy__(self, memo: dict) -> Tensor:
        """Copy a leaf with its numbers and its `.grad`; other tensors refuse, as PyTorch's do."""
        if id(self) in memo:
            return memo[id(self)]
        if self.grad_fn is not None:
            raise RuntimeError(errors.deepcopy_of_result())
        copy = memo[id(self)] = object.__new__(type(self))
        copy.array = self.array.copy()
        copy.requires, copy.exotic, copy.place = self.requires, self.exotic, self.place
        if self.grad_tensor is not None:
            copy.grad_tensor = self.grad_tensor.__deepcopy__(memo)
        events.emit(events.TensorMade(copy))
        return copy

    @property
    def is_leaf(self) -> bool:
        return self.grad_fn is None

    @property
    def grad(self) -> Tensor | None:
        if self.grad_tensor is None and not self.retains and self.node is not None:
            warnings.warn(errors.NON_LEAF_GRAD, UserWarning, stacklevel=2)
        return self.grad_tensor

    @grad.setter
    def grad(self, value: Tensor | None) -> None:
        if value is not None:
            check_grad(self, value)
        self.set_grad(value, "assigned")

    @grad.deleter
    def grad(self) -> None:
        self.set_grad(None, "assigned")

    @property
    def retains_grad(self) -> bool:
        return self.retains

    def retain_grad(self) -> None:
        """Ask that `.grad` be kept although this is no leaf."""
        if not self.requires_grad:
            raise RuntimeError(errors.retain_without_grad())
        node = self.grad_fn
        if node is None or self.retains:
            return
        if node.retains is None:
            node.retains = {}
        node.hooked = True
        node.retains[self.output_nr] = weakref.ref(self)
        self.retains = True
        events.emit(events.RetainGradAsked(self))

    @property
    def data(self) -> Tensor:
        """Return the same memory without history and with a version counter of its own."""
        other = make_at(self.array, self.exotic, self.place)
        watch = events.observer()
        if watch is not None:
            watch(events.Detached(other, self, "data", other))
        return other

    @data.setter
    def data(self, value: Tensor) -> None:
        own(self)
        if not isinstance(value, Tensor):
            raise TypeError(f"Variable data has to be a tensor, but got {TITLE(type(value))}")
        events.changing()
        if value.place is not self.place or value.dtype is not self.dtype:
            self.accumulator = None  # it would expect gradients of the old kind
        before, self.array = self.array, value.array
        self.exotic = value.exotic
        self.place = value.place
        watch = events.observer()
        if watch is not None:
            watch(events.DataReplaced(self, value, before, self))

    @property
    def _version(self) -> int:
        if self.inference:
            raise RuntimeError("Inference tensors do not track version counter.")
        return self.version_now()

    @property
    def _base(self) -> Tensor | None:
        return self.base

    def _is_view(self) -> bool:
        return self.base is not None

    # ----- shape and kind -----
    @property
    def dtype(self) -> DType:
        return self.exotic or dtypes.of_array(self.array)

    @property
    def shape(self) -> Size:
        return Size(self.array.shape)

    @shape.setter
    def shape(self, value: Any) -> None:
        raise AttributeError("attribute 'shape' of 'torch._C.TensorBase' objects is not writable")

    @property
    def ndim(self) -> int:
        return self.array.ndim


class Parameter(Tensor):
    """A tensor that a Module registers when assigned; requires grad unless told otherwise."""

    def __init__(self, data: Any = None, requires_grad: bool = True) -> None:
        own(self)
        source = make(np.empty(0, dtypes.default_dtype().numpy)) if data is None else data
        if not isinstance(source, Tensor):
            raise TypeError(f"Parameter data has to be a tensor, but got {type(source).__name__}")
        self.array = source.array
        self.exotic = source.exotic
        self.place = source.place
        self.counter = source.shared_counter()
        if requires_grad and self.dtype.category < dtypes.FLOAT:
            raise RuntimeError(errors.only_float_requires_grad())
        self.requires = bool(requires_grad)
        events.emit(events.TensorMade(self))


def own(tensor: Any) -> None:
    """Refuse to make a tensor of an object that is none: an array must not land in a learner's own object."""
    if not isinstance(tensor, Tensor):
        raise TypeError(f"descriptor requires a 'torch.Tensor' object but received '{type(tensor).__name__}'")


_new = object.__new__
ndarray = np.ndarray


def read(tensor: Tensor, how: str) -> np.ndarray:
    """Return a tensor's array for the program to take numbers from, and state that it does."""
    watch = events.observer()
    if watch is not None:
        watch(events.ValueRead(tensor, how, tensor))
    return tensor.array


def plain(array: np.ndarray) -> Tensor:
    """Wrap an array as a tensor without history.

    What every operation asks of its operands is set, though it is what the class says: Python finds what an
    object has itself in a fifth of the time.
    """
    tensor = _new(Tensor)
    tensor.array = array
    tensor.exotic = tensor.base = tensor.place = tensor.node = tensor.counter = None
    tensor.requires = tensor.inference = False
    tensor.output_nr = 0
    return tensor


def make(array: Any, exotic: DType | None = None) -> Tensor:
    """Wrap an array as a tensor without history. NumPy's scalars become 0-d arrays."""
    tensor = plain(array if type(array) is ndarray else np.asarray(array))
    if exotic is not None:
        tensor.exotic = exotic
    return tensor


def make_at(array: Any, exotic: DType | None, place: Any) -> Tensor:
    """Wrap an array as a tensor that is at a place: on a simulated device, or (None) on the CPU."""
    tensor = make(array, exotic)
    if place is not None:
        tensor.place = place
    return tensor


def beside(like: Tensor, array: Any) -> Tensor:
    """Wrap an array as a tensor on the device of another."""
    return make_at(array, None, like.place)


class At(tuple):
    """(shape, dtype) of a node's output, and the simulated device that it is on."""

    place: Any

    def __new__(cls, shape: tuple, dtype: DType, place: Any) -> At:
        found = super().__new__(cls, (shape, dtype))
        found.place = place
        return found


def info_of(tensor: Tensor) -> tuple:
    """Return what a node writes down about one of its outputs: shape, dtype and, if simulated, device."""
    if tensor.place is None:
        return tensor.array.shape, tensor.dtype
    return At(tensor.array.shape, tensor.dtype, tensor.place)


def of_info(info: tuple, fill: Any) -> Tensor:
    """Return a tensor of the kind a node's output has, filled by `fill(shape, numpy dtype)`."""
    shape, dtype = info
    return make_at(fill(shape, dtype.numpy), dtype if dtype.is_odd else None, getattr(info, "place", None))


def strides_of(array: np.ndarray) -> tuple[int, ...]:
    """Return strides in elements, as PyTorch counts them."""
    return _in_elements(array.strides, array.itemsize)


@lru_cache(maxsize=1024)
def _in_elements(strides: tuple[int, ...], itemsize: int) -> tuple[int, ...]:
    return tuple([s // itemsize for s in strides])


def writable(array: np.ndarray) -> bool:
    """Return whether every element has memory of its own (an expanded array does not)."""
    return array.flags.writeable and not any(
        stride == 0 and size > 1 for stride, size in zip(array.strides, array.shape, strict=True)
    )


def check_grad(tensor: Tensor, value: Any) -> None:
    """Refuse what cannot be a gradient of `tensor`, in PyTorch's order and words."""
    if not isinstance(value, Tensor):
        raise TypeError(errors.grad_type(value))
    if value is tensor:
        raise RuntimeError(errors.own_grad())
    if value.dtype is not tensor.dtype:
        raise RuntimeError(errors.grad_dtype(value.dtype, tensor.dtype))
    if value.place is not tensor.place:
        raise RuntimeError(errors.GRAD_ELSEWHERE)
    if value.array.shape != tensor.array.shape:
        raise RuntimeError(errors.grad_size(value.array.shape, tensor.array.shape))
