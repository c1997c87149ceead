"""torch.utils.checkpoint: keep less for backward and compute it again when it is needed."""

from __future__ import annotations

import warnings
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from engine import autograd, events, local, modes, random, views
from engine import backward as engine
from engine.function import Function
from engine.tensor import Tensor

__all__ = ["CheckpointError", "checkpoint", "checkpoint_sequential"]


def _omitted(name: str) -> str:
    return (
        f"torch.utils.checkpoint{name}: the use_reentrant parameter should be passed explicitly. Starting "
        f"in PyTorch 2.9, calling checkpoint{name[1:]} without use_reentrant will raise an exception. "
        "use_reentrant=False is recommended, but if you need to preserve the current default behavior, "
        "you can pass use_reentrant=True. Refer to docs for more details on the differences between the "
        "two variants."
    )


NOT_IN_GRAD = (
    "When use_reentrant=True, torch.utils.checkpoint is incompatible with .grad() or passing an `inputs` "
    "parameter to .backward(). To resolve this error, you can either set use_reentrant=False, or call "
    ".backward() without passing the `inputs` argument."
)


class CheckpointError(RuntimeError):
    """What was computed again is not what was computed before."""


def checkpoint(
    function: Callable, *args: Any, use_reentrant: bool | None = None, early_stop: bool = True, **kwargs: Any
) -> Any:
    """Call `function` without keeping what backward needs; backward calls it again."""
    if use_reentrant is None:
        warnings.warn(_omitted(""), UserWarning, stacklevel=1)
        use_reentrant = True
    preserve = kwargs.pop("preserve_rng_state", True)
    for option in ("context_fn", "determinism_check", "debug"):
        kwargs.pop(option, None)
    if not use_reentrant:
        return _kept_in_placeholders(function, args, kwargs, preserve, early_stop)
    if kwargs:
        raise ValueError("Unexpected keyword arguments: " + ",".join(kwargs))
    if not any(isinstance(arg, Tensor) and arg.requires_grad for arg in args):
        warnings.warn(
            "None of the inputs have requires_grad=True. Gradients will be None", UserWarning, stacklevel=1
        )
    return CheckpointFunction.apply(function, preserve, *args)


def checkpoint_sequential(
    functions: Any, segments: int, input: Any, use_reentrant: bool | None = None, **kwargs: Any
) -> Any:
    """Call functions one after the other, all but the last segment under checkpoints."""
    if use_reentrant is None:
        warnings.warn(
            _omitted("_sequential").replace(".checkpoint_", ".checkpoint_"), UserWarning, stacklevel=2
        )
        use_reentrant = True
    parts = list(functions)
    size = len(parts) // segments
    for start in range(0, size * (segments - 1), size):
        input = checkpoint(_chain(parts[start : start + size]), input, use_reentrant=use_reentrant, **kwargs)
    return _chain(parts[size * (segments - 1) :])(input)


def _chain(functions: list[Callable]) -> Callable:
    def run(input: Any) -> Any:
        for function in functions:
            input = function(input)
        return input

    return run


@contextmanager
def _drawing_again(state: Any) -> Iterator[None]:
    """Let random numbers come from where they came before; afterwards go on as if nothing was drawn."""
    if state is None:
        yield
        return
    generator = random.default_generator()
    now = generator.get_state()
    generator.set_state(state)
    try:
        yield
    finally:
        generator.set_state(now)


# ----- reentrant: a node whose backward runs a backward of its own -----------------------------------
class CheckpointFunction(Function):
    """Runs a function without recording; its backward runs it again, recording, and then backward through "
    "it."""

    @staticmethod
    def forward(ctx: Any, function: Callable, preserve: bool, *args: Any) -> Any:
        """Call the function."""
        ctx.function = function
        ctx.state = random.default_generator().get_state() if preserve else None
        ctx.others = [None if isinstance(arg, Tensor) else arg for arg in args]
        ctx.save_for_backward(*(arg for arg in args if isinstance(arg, Tensor)))
        ctx.places = [i for i, arg in enumerate(args) if isinstance(arg, Tensor)]
        events.emit(events.CheckpointBegan(function, True))
        found = function(*args)
        events.emit(events.CheckpointEnded(function, None, None))
        return found

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> tuple:
        """Call the function again on detached inputs and return their gradients."""
        call = engine.running.get()
        if call is not None and call.targets is not None:
            raise RuntimeError(NOT_IN_GRAD)
        inputs = list(ctx.others)
        for place, saved in zip(ctx.places, ctx.saved_tensors, strict=True):
            inputs[place] = views.detached(saved)
            inputs[place].requires = saved.requires_grad
        events.emit(events.RecomputeBegan(ctx.function))
        with _drawing_again(ctx.state), modes.backward_mode(create_graph=True):
            outputs = ctx.function(*inputs)
        events.emit(events.RecomputeEnded(ctx.function, None, False))
        outputs = (outputs,) if isinstance(outputs, Tensor) else outputs
        pairs = [
            (o, g) for o, g in zip(outputs, grads, strict=True) if isinstance(o, Tensor) and o.requires_grad
        ]
        if not pairs:
            raise RuntimeError("none of output has requires_grad=True, this checkpoint() is not necessary")
        autograd.backward([o for o, _ in pairs], [g for _, g in pairs])
        return (None, None, *(i.grad_tensor if isinstance(i, Tensor) else None for i in inputs))


# ----- not reentrant: placeholders for what would have been saved -------------------------------------
class StopRecomputation(Exception):
    """All that was saved has been computed again: the rest need not run."""


class Placeholder:
    """Stands for one saved tensor; `values` holds it again, per backward call, until it is used."""

    __slots__ = ("__weakref__", "values")

    def __init__(self) -> None:
        self.values: dict[Any, Any] = {}


class Frame:
    """One checkpointed call: how to run it again, and the placeholders it left, in order."""

    def __init__(self, function: Callable, run: Callable[[], Any], early_stop: bool) -> None:
        self.function = function
        self.run = run
        self.early_stop = early_stop
        self.watch = events.observer()
        self.placeholders: list[weakref.ref[Placeholder]] = []
        self.bytes = 0
        self._counted: list[weakref.ref] = []  # arrays whose bytes are counted
        self.done: weakref.WeakSet = weakref.WeakSet()

    def pack(self, tensor: Tensor) -> Placeholder:
        """Keep a placeholder instead of a tensor."""
        made = Placeholder()
        self.placeholders.append(weakref.ref(made))
        if self.watch is not None and not any(known() is tensor.array for known in self._counted):
            self._counted.append(weakref.ref(tensor.array))
            self.bytes += tensor.array.nbytes
        return made

    def unpack(self, placeholder: Placeholder) -> Tensor:
        """Return the tensor, running the function again if this backward call has not yet done so."""
        call = engine.running.get() or Looking()
        if call not in self.done:
            self.done.add(call)
            self._recompute(call)
        if call not in placeholder.values:
            raise CheckpointError(
                "torch.utils.checkpoint: Unpack is being triggered for a tensor that was already unpacked "
                "once. If you are calling ctx.saved_tensors in backward, make sure to do so only once. "
                "Otherwise please open an issue with details on your use case."
            )
        return placeholder.values.pop(call)

    def _recompute(self, call: Any) -> None:
        """Run the function until everything it had saved is there again; this is the learner's code, and "
        "seen."""
        count = 0

        def pack(tensor: Tensor) -> Tensor:
            nonlocal count
            if count >= len(self.placeholders):
                raise CheckpointError(
                    "torch.utils.checkpoint: trying to save more tensors during recomputation than during "
                    "the original forward pass.\n"
                )
            tensor = views.detached(tensor) if tensor.requires_grad else tensor
            placeholder = self.placeholders[count]()
            if placeholder is not None:
                placeholder.values[call] = tensor
            count += 1
            if self.early_stop and count == len(self.placeholders):
                raise StopRecomputation
            return tensor

        pack.__name__ = "checkpoint()"  # no learner's function is called that
        with events.observed_by(self.watch):
            events.emit(events.RecomputeBegan(self.function))
        early = False
        try:
            with (
                local.saved_hooks(pack, lambda tensor: tensor),
                events.observed_by(self.watch),
                modes.backward_mode(create_graph=True),
            ):
                self.run()
        except StopRecomputation:
            early = True
        with events.observed_by(self.watch):
            events.emit(events.RecomputeEnded(self.function, count, early))
        if count != len(self.placeholders):
            raise CheckpointError(
                "torch.utils.checkpoint: A different number of tensors was saved during the original "
                "forward and recomputation.\nNumber of tensors saved during forward: "
                f"{len(self.placeholders)}\nNumber of tensors saved during recomputation: {count}.\n"
            )


class Looking:
    """Stands for no backward call: somebody looked at a saved tensor."""


def _kept_in_placeholders(
    function: Callable, args: tuple, kwargs: dict, preserve: bool, early_stop: bool
) -> Any:
    """Call the function, every saved tensor replaced by a placeholder."""
    state = random.default_generator().get_state() if preserve else None

    def again() -> None:
        with _drawing_again(state):
            function(*args, **kwargs)

    if not modes.is_grad_enabled():
        return function(*args, **kwargs)
    frame = Frame(function, again, early_stop)
    events.emit(events.CheckpointBegan(function, False))
    with local.saved_hooks(frame.pack, frame.unpack):
        found = function(*args, **kwargs)
    events.emit(events.CheckpointEnded(function, len(frame.placeholders), frame.bytes))
    return found
