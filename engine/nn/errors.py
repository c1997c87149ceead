"""Every message torch.nn words, one function each."""

from __future__ import annotations

from typing import Any

from engine.tensor import Tensor


def typename(value: Any) -> str:
    """Return the name messages give a value's type: torch.FloatTensor, int, torch.nn.modules.Linear."""
    if isinstance(value, Tensor):
        return value.dtype.type_name
    kind = type(value)
    return kind.__qualname__ if kind.__module__ in ("builtins", "__main__") else f"{kind.__module__}.{kind.__qualname__}"


# ----- modules -------------------------------------------------------------------------------
def no_forward(module: str) -> str:
    return f'Module [{module}] is missing the required "forward" function'


def module_assignment(value: Any, name: str, what: str, wanted: str) -> str:
    return f"cannot assign '{typename(value)}' as {what} '{name}' ({wanted} expected)"


def missing_attribute(owner: str, name: str) -> str:
    return f"'{owner}' object has no attribute '{name}'"


def not_a_parameter(value: Any, name: str) -> str:
    return f"cannot assign '{typename(value)}' object to parameter '{name}' (torch.nn.Parameter or None required)"


def not_a_buffer(value: Any, name: str) -> str:
    return f"cannot assign '{typename(value)}' object to buffer '{name}' (torch Tensor or None required)"


def module_to_dtype(dtype: Any) -> str:
    return f"nn.Module.to only accepts floating point or complex dtypes, but got desired dtype={dtype!r}"


# ----- state dicts ---------------------------------------------------------------------------
def state_dict_errors(module: str, found: list[str]) -> str:
    return f"Error(s) in loading state_dict for {module}:\n\t" + "\n\t".join(found)


def key_list(what: str, keys: list[str]) -> str:
    names = ", ".join(f'"{key}"' for key in keys)
    return f"{what} key(s) in state_dict: {names}. "


def state_size(name: str, given: Any, own: Any) -> str:
    return (
        f"size mismatch for {name}: copying a param with shape {given} from checkpoint, the shape in "
        f"current model is {own}."
    )


def state_kind(name: str, value: Any) -> str:
    return (
        f'While copying the parameter named "{name}", expected torch.Tensor or Tensor-like object from '
        f"checkpoint but received {type(value)}"
    )


def not_a_state_dict(value: Any) -> str:
    return f"Expected state_dict to be dict-like, got {type(value)}."


# ----- losses --------------------------------------------------------------------------------
def old_reduction(reduction: str) -> str:
    return f"size_average and reduce args will be deprecated, please use reduction='{reduction}' instead."


def probability_dtype(dtype: Any) -> str:
    return f"Expected floating point type for target with class probabilities, got {dtype.short}"


def batch_sizes(own: int, target: int) -> str:
    return f"Expected input batch_size ({own}) to match target batch_size ({target})."


def bce_sizes(target: Any, own: Any) -> str:
    return (
        f"Using a target size ({target}) that is different to the input size ({own}) is deprecated. Please "
        "ensure they have the same size."
    )


KL_MEAN = (
    "reduction: 'mean' divides the total loss by both the batch size and the support size.'batchmean' divides "
    "only by the batch size, and aligns with the KL div math definition.'mean' will be changed to behave the "
    "same as 'batchmean' in the next major release."
)


# ----- layers --------------------------------------------------------------------------------
def index_dtype(dtype: Any) -> str:
    return (
        "Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, Int; but got "
        f"{dtype.type_name} instead (while checking arguments for embedding)"
    )


def normalized_shape(shape: Any, own: Any) -> str:
    sizes = ", ".join(map(str, shape))
    return (
        f"Given normalized_shape=[{sizes}], expected input with shape [*, {sizes}], but got input of "
        f"size{list(own)}"
    )


def conv_input(name: str, dims: int, own: Any) -> str:
    return (
        f"Expected {dims + 1}D (unbatched) or {dims + 2}D (batched) input to {name}, but got input of size: "
        f"{list(own)}"
    )


def pool_padding(padding: int, kernel: int, dilation: int) -> str:
    return (
        f"pad should be at most half of effective kernel size, but got pad={padding}, kernel_size={kernel} and "
        f"dilation={dilation}"
    )


EVEN_KERNEL = (
    "Using padding='same' with even kernel lengths and odd dilation may require a zero-padded copy of the input "
    "be created"
)
DROPOUT2D = (
    "dropout2d: Received a 3D input to dropout2d and assuming that channel-wise 1D dropout behavior is desired - "
    "input is interpreted as shape (N, C, L), where C is the channel dim. This behavior will change in a future "
    "release to interpret the input as one without a batch dimension, i.e. shape (C, H, W). To maintain the 1D "
    "channel-wise dropout behavior, please switch to using dropout1d instead."
)


# ----- gradients -----------------------------------------------------------------------------
def nonfinite_norm(order: float) -> str:
    return (
        f"The total norm of order {order} for gradients from `parameters` is non-finite, so it cannot be "
        "clipped. To disable this error and scale the gradients by the non-finite norm anyway, set "
        "`error_if_nonfinite=False`"
    )


# ----- recurrent layers ------------------------------------------------------------------------
def input_size_of(wanted: int, got: int) -> str:
    return f"input.size(-1) must be equal to input_size. Expected {wanted}, got {got}"


def hidden_size_of(name: str, wanted: Any, got: Any) -> str:
    return f"Expected {name} size {tuple(wanted)}, got {list(got)}"
