"""Every message torch.nn words, one function each."""

from __future__ import annotations

from typing import Any

from engine.tensor import Tensor


def typename(value: Any) -> str:
    """Return the name messages give a value's type: torch.FloatTensor, int, torch.nn.modules.Linear."""
    if isinstance(value, Tensor):
        return value.dtype.type_name
    kind = type(value)
    return (
        kind.__qualname__
        if kind.__module__ in ("builtins", "__main__")
        else f"{kind.__module__}.{kind.__qualname__}"
    )


# ----- modules -------------------------------------------------------------------------------
def no_forward(module: str) -> str:
    return f'Module [{module}] is missing the required "forward" function'


def module_assignment(value: Any, name: str, what: str, wanted: str) -> str:
    return f"cannot assign '{typename(value)}' as {what} '{name}' ({wanted} expected)"


def missing_attribute(owner: str, name: str) -> str:
    return f"'{owner}' object has no attribute '{name}'"


def not_a_parameter(value: Any, name: str) -> str:
    kind = typename(value)
    return f"cannot assign '{kind}' object to parameter '{name}' (torch.nn.Parameter or None required)"


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


def class_weights(classes: int, own: Any) -> str:
    return (
        f"weight tensor should be defined either for all {classes} classes or no classes but got weight "
        f"tensor of shape: {list(own)}"
    )


def bce_sizes(target: Any, own: Any) -> str:
    return (
        f"Using a target size ({target}) that is different to the input size ({own}) is deprecated. Please "
        "ensure they have the same size."
    )


KL_MEAN = (
    "reduction: 'mean' divides the total loss by both the batch size and the support size.'batchmean' "
    "divides only by the batch size, and aligns with the KL div math definition.'mean' will be changed to "
    "behave the same as 'batchmean' in the next major release."
)


# ----- arguments -----------------------------------------------------------------------------
def no_tensor(function: str, argument: str, position: int, value: Any) -> str:
    kind = type(value).__name__
    return f"{function}(): argument '{argument}' (position {position}) must be Tensor, not {kind}"


def bias_dtype(input: Any, bias: Any) -> str:
    return f"Input type ({input.c_name}) and bias type ({bias.c_name}) should be the same"


def scalar_type(wanted: Any, found: Any) -> str:
    return f"expected scalar type {wanted.short} but found {found.short}"


def few_channels(groups: int, weight: Any) -> str:
    return (
        f"Given groups={groups}, expected weight to be at least {groups} at dimension 0, but got weight of "
        f"size {list(weight)} instead"
    )


def uneven_channels(groups: int, weight: Any) -> str:
    return (
        f"Given groups={groups}, expected weight to be divisible by {groups} at dimension 0, but got weight "
        f"of size [{list(weight)}] instead"
    )


def bias_size(weight: Any, channels: int, bias: Any) -> str:
    return (
        f"Given weight of size {list(weight)}, expected bias to be 1-dimensional with {channels} elements, "
        f"but got bias of size {list(bias)} instead"
    )


def bilinear_size(index: int, own: int, wanted: int) -> str:
    return f"bilinear(): input{index} size does not match weight size: got {own} but expected {wanted}"


def pool1d_dims(own: Any) -> str:
    return (
        "max_pool1d: Expected 2D or 3D (batch mode) tensor with optional 0 dim batch size for input, but "
        f"got:{list(own)}"
    )


def reflection(argument: int, pad: tuple, dim: int, own: Any) -> str:
    return (
        f"Argument #{argument}: Padding size should be less than the corresponding input dimension, but got: "
        f"padding {pad} at dimension {dim} of input {list(own)}"
    )


def resampled_dims(dims: int, mode: str) -> str:
    return (
        f"Input Error: Only 3D, 4D and 5D input Tensors supported (got {dims}D) for the modes: nearest | "
        f"linear | bilinear | bicubic | trilinear | lanczos | area | nearest-exact (got {mode})"
    )


# ----- layers --------------------------------------------------------------------------------
def index_dtype(dtype: Any) -> str:
    return (
        "Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, Int; "
        f"but got {dtype.type_name} instead (while checking arguments for embedding)"
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
        f"pad should be at most half of effective kernel size, but got pad={padding}, kernel_size={kernel} "
        f"and dilation={dilation}"
    )


EVEN_KERNEL = (
    "Using padding='same' with even kernel lengths and odd dilation may require a zero-padded copy of the "
    "input be created"
)


def channel_dropout(name: str, ndim: int, inner: int, wanted: str) -> str:
    many = f"{inner} spatial dimension" + "s" * (inner > 1)
    return (
        f"{name}: Received a {ndim}-D input to {name}, which is deprecated and will result in an error in a "
        "future release. To retain the behavior and silence this warning, please use dropout instead. Note "
        f"that {name} exists to provide channel-wise dropout on inputs with {many}, a channel dimension, and "
        f"an optional batch dimension (i.e. {wanted} inputs)."
    )


def dropout1d(ndim: int) -> str:
    return (
        f"dropout1d: Expected 2D or 3D input, but received a {ndim}D input. Note that dropout1d exists to "
        "provide channel-wise dropout on inputs with 1 spatial dimension, a channel dimension, and an "
        "optional batch dimension (i.e. 2D or 3D inputs)."
    )


DROPOUT2D = (
    "dropout2d: Received a 3D input to dropout2d and assuming that channel-wise 1D dropout behavior is "
    "desired - input is interpreted as shape (N, C, L), where C is the channel dim. This behavior will "
    "change in a future release to interpret the input as one without a batch dimension, i.e. shape (C, "
    "H, W). To maintain the 1D channel-wise dropout behavior, please switch to using dropout1d instead."
)


# ----- gradients -----------------------------------------------------------------------------
def nonfinite_norm(order: float) -> str:
    return (
        f"The total norm of order {order} for gradients from `parameters` is non-finite, so it cannot be "
        "clipped. To disable this error and scale the gradients by the non-finite norm anyway, set "
        "`error_if_nonfinite=False`"
    )


NORM_OF_SPARSE = (
    "Could not run 'aten::linalg_vector_norm' with arguments from the 'SparseCPU' backend: sparse gradients "
    "cannot be clipped by their norm."
)


# ----- recurrent layers ------------------------------------------------------------------------
def input_size_of(wanted: int, got: int) -> str:
    return f"input.size(-1) must be equal to input_size. Expected {wanted}, got {got}"


def hidden_size_of(name: str, wanted: Any, got: Any) -> str:
    return f"Expected {name} size {tuple(wanted)}, got {list(got)}"
