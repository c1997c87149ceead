"""Messages about the graph: backward, requires_grad and .grad, writing in place, views."""

from __future__ import annotations

from typing import Any

from engine.numeric.kinds import TITLE

HINT = (
    " Hint: enable anomaly detection to find the operation that failed to compute its gradient, "
    "with torch.autograd.set_detect_anomaly(True, check_nan=False)."
)
HINT_IN_ANOMALY = (
    " Hint: the backtrace further above shows the operation that failed to compute its gradient. "
    "The variable in question was changed in there or anywhere later. Good luck!"
)


# ----- backward ------------------------------------------------------------------------------
def second_backward() -> str:
    return (
        "Trying to backward through the graph a second time (or directly access saved tensors after "
        "they have already been freed). Saved intermediate values of the graph are freed when you call "
        ".backward() or autograd.grad(). Specify retain_graph=True if you need to backward through the "
        "graph a second time or if you need to access saved tensors after calling backward."
    )


def changed_in_place(tensor: Any, expected: int, anomaly: bool = False) -> str:
    node = tensor.grad_fn
    origin = f", which is output {tensor.output_nr} of {op_word(node)}," if node is not None else ""
    return (
        "one of the variables needed for gradient computation has been modified by an inplace "
        f"operation: [{tensor.dtype.legacy} {list(tensor.array.shape)}]{origin} is at version "
        f"{tensor.version_now()}; expected version {expected} instead."
        + (HINT_IN_ANOMALY if anomaly else HINT)
    )


def op_word(node: Any) -> str:
    """Return a node's name as in-place errors print it: ExpBackward0 is Exp, PowBackward2 is Pow2."""
    head, found, tail = node.name().rpartition("Backward")
    return head + tail.removesuffix("0") if found and (not tail or tail.isdigit()) else node.name()


def not_scalar() -> str:
    return "grad can be implicitly created only for scalar outputs"


def not_float_root(dtype: Any) -> str:
    return f"grad can be implicitly created only for real scalar outputs but got {dtype!r}"


def no_grad_fn(index: int = 0) -> str:
    return f"element {index} of tensors does not require grad and does not have a grad_fn"


def gradient_shape(index: int, given: Any, output: Any) -> str:
    return (
        f"Mismatch in shape: grad_output[{index}] has a shape of {given} and output[{index}] "
        f"has a shape of {output}."
    )


def gradient_complex(index: int, given: Any, output: Any) -> str:
    return (
        "For complex Tensors, both grad_output and output are required to have the same dtype. "
        f"Mismatch in dtype: grad_output[{index}] has a dtype of {given} and output[{index}] has a "
        f"dtype of {output}."
    )


def gradient_type(value: Any) -> str:
    return f"gradients can be either Tensors or None, but got {type(value).__name__}"


def gradient_count(tensors: int, grads: int) -> str:
    return f"got {tensors} tensors and {grads} gradients"


def empty_inputs(api: str) -> str:
    return f"`inputs` argument to `{api}()` cannot be empty."


def unused_input(index: int) -> str:
    return (
        f"The differentiated Tensor at index {index} appears to not have been used in the graph. "
        "Set allow_unused=True if this is the desired behavior."
    )


def input_without_grad() -> str:
    return "One of the differentiated Tensors does not require grad"


def invalid_gradient(node: Any, index: int, got: Any, expected: Any) -> str:
    return (
        f"Function {node.name()} returned an invalid gradient at index {index} - got {list(got)} but "
        f"expected shape compatible with {list(expected)}"
    )


def not_differentiable(op: str) -> str:
    return f"derivative for aten::{op} is not implemented"


def no_formula(what: str) -> str:
    return f"the derivative for '{what}' is not implemented."


def leaf_asked_about() -> str:
    return (
        "A leaf node was passed to _will_engine_execute_node but we are currently running autograd.grad(). "
        "This is currently not supported."
    )


def leaf_in_graph() -> str:
    return "leaf variable has been moved into the graph interior"


# ----- requires_grad, .grad ------------------------------------------------------------------
def only_float_requires_grad() -> str:
    return "Only Tensors of floating point and complex dtype can require gradients"


def only_float_requires_grad_set() -> str:
    return "only Tensors of floating point dtype can require gradients"


def only_float_requires_grad_assigned() -> str:
    return "only Tensors of floating point and complex dtype can require gradients"


def only_leaves_change() -> str:
    return (
        "you can only change requires_grad flags of leaf variables. If you want to use a computed "
        "variable in a subgraph that doesn't require differentiation use var_no_grad = var.detach()."
    )


def retain_without_grad() -> str:
    return "can't retain_grad on Tensor that has requires_grad=False"


def hook_without_grad() -> str:
    return "cannot register a hook on a tensor that doesn't require gradient"


def grad_size(given: Any, own: Any) -> str:
    return (
        f"attempting to assign a gradient of size '{list(given)}' to a tensor of size '{list(own)}'. "
        "Please ensure that the gradient and the tensor are the same size"
    )


def grad_dtype(given: Any, own: Any) -> str:
    return (
        f"attempting to assign a gradient with dtype '{given.c_name}' to a tensor with grad_dtype "
        f"'{own.short}'. The gradient must match the tensor's grad_dtype (defaults to the tensor's "
        "dtype). You can set the tensor's grad_dtype attribute with a specific dtype, or None to allow "
        "any dtype. Set grad_dtype with caution. Diverging the dtypes of a tensor and its gradient may "
        "break downstream systems that assume they match."
    )


def grad_type(value: Any) -> str:
    return f"assigned grad expected to be a Tensor or None but got grad of type {TITLE(type(value))}"


def own_grad() -> str:
    return "can't assign Variable as its own grad"


NON_LEAF_GRAD = (
    "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its .grad attribute "
    "won't be populated during autograd.backward(). If you indeed want the .grad field to be populated "
    "for a non-leaf Tensor, use .retain_grad() on the non-leaf Tensor. If you access the non-leaf Tensor "
    "by mistake, make sure you access the leaf Tensor instead. See "
    "github.com/pytorch/pytorch/pull/30531 for more information."
)
CREATE_GRAPH = (
    "Using backward() with create_graph=True will create a reference cycle between the parameter and "
    "its gradient which can cause a memory leak. We recommend using autograd.grad when creating the "
    "graph to avoid this. If you have to use this function, make sure to reset the .grad fields of your "
    "parameters to None after use to break the cycle and avoid the leak."
)
TENSOR_OF_TENSOR = (
    "To copy construct from a tensor, it is recommended to use sourceTensor.detach().clone() or "
    "sourceTensor.detach().clone().requires_grad_(True), rather than torch.tensor(sourceTensor)."
)
SCALAR_OF_GRAD = (
    "Converting a tensor with requires_grad=True to a scalar may lead to unexpected behavior.\n"
    "Consider using tensor.detach() first."
)


# ----- in place, views -----------------------------------------------------------------------
def leaf_in_place() -> str:
    return "a leaf Variable that requires grad is being used in an in-place operation."


def leaf_view_in_place() -> str:
    return "a view of a leaf Variable that requires grad is being used in an in-place operation."


def multi_view_in_place(node: Any, output_nr: int) -> str:
    return (
        f"Output {output_nr} of {op_word(node)} is a view and is being modified inplace. This view is "
        "the output of a function that returns multiple views. Such functions do not allow the output "
        "views to be modified inplace. You should replace the inplace operation by an out-of-place one."
    )


def function_view_in_place(node: Any, output_nr: int) -> str:
    return (
        f"Output {output_nr} of {op_word(node)} is a view and is being modified inplace. This view was "
        "created inside a custom Function (or because an input was returned as-is) and the autograd "
        "logic to handle view+inplace would override the custom backward associated with the custom "
        "Function, leading to incorrect gradients. This behavior is forbidden. You can fix this by "
        "cloning the output of the custom Function."
    )


_AMBIGUOUS = (
    " Given that this use case is ambiguous and error-prone, it is forbidden. You can clarify your code "
    "by moving both the view and the inplace either both inside the no_grad block (if you don't want the "
    "inplace to be tracked) or both outside (if you want the inplace to be tracked)."
)


def no_grad_view_in_place() -> str:
    return (
        "A view was created in no_grad mode and is being modified inplace with grad mode enabled."
        + _AMBIGUOUS
    )


def no_grad_view_of_changed_base() -> str:
    return (
        "A view was created in no_grad mode and its base or another view of its base has been modified "
        "inplace with grad mode enabled." + _AMBIGUOUS
    )


def cant_detach_view() -> str:
    return (
        "Can't detach views in-place. Use detach() instead. If you are using DistributedDataParallel "
        "(DDP) for training, and gradient_as_bucket_view is set as True, gradients are views of DDP "
        "buckets, and hence detach_() cannot be called on these gradients. To fix this error, please "
        "refer to the Optimizer.zero_grad() function in torch/optim/optimizer.py as the solution."
    )


def result_type(found: Any, wanted: Any) -> str:
    return f"result type {found.short} can't be cast to the desired output type {wanted.short}"


def output_shape(own: Any, found: Any) -> str:
    return f"output with shape {list(own)} doesn't match the broadcast shape {list(found)}"


def partial_overlap() -> str:
    return (
        "unsupported operation: some elements of the input tensor and the written-to tensor refer to a "
        "single memory location. Please clone() the tensor before performing the operation."
    )


def filling_shared(name: str) -> str:
    return (
        f"Use of {name}_ on expanded tensors is deprecated. Please clone() the tensor before performing this "
        "operation. This also applies to advanced indexing e.g. "
        + ("tensor[mask] = scalar" if name != "index_put" else "tensor[indices] = tensor")
    )


def overlapping_write() -> str:
    return (
        "unsupported operation: more than one element of the written-to tensor refers to a single "
        "memory location. Please clone() the tensor before performing the operation."
    )


def batched_shape(index: int, given: Any, output: Any) -> str:
    return (
        "If `is_grads_batched=True`, we interpret the first dimension of each grad_output as the batch "
        "dimension. The sizes of the remaining dimensions are expected to match the shape of "
        f"corresponding output, but a mismatch was detected: grad_output[{index}] has a shape of {given} "
        f"and output[{index}] has a shape of {output}. If you only want some tensors in `grad_output` to "
        "be considered batched, consider using vmap."
    )


def inference_saved() -> str:
    return (
        "Inference tensors cannot be saved for backward. Please do not use Tensors created in inference "
        "mode in computation tracked by autograd. To work around this, you can make a clone to get a "
        "normal tensor and use it in autograd, or use `torch.no_grad()` instead of "
        "`torch.inference_mode()`."
    )


def deepcopy_of_result() -> str:
    return (
        "Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol at the "
        "moment.  If you were attempting to deepcopy a module, this may be because of a "
        "torch.nn.utils.weight_norm usage, see https://github.com/pytorch/pytorch/pull/103001"
    )


def out_requires_grad(op: str) -> str:
    return (
        f"{op}(): functions with out=... arguments don't support automatic differentiation, but one of the "
        "arguments requires grad."
    )
