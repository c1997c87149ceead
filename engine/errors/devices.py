"""What PyTorch says about devices: names it does not know, and devices that a build for the CPU lacks."""

from __future__ import annotations

from typing import Any

NO_ACCELERATOR = "Cannot access accelerator device when none is available."
NEGATIVE_INDEX = "Device index must not be negative"
EMPTY_NAME = "Device string must not be empty"
NO_PINNED_MEMORY = (
    "pin_memory=True requires a CUDA or other accelerator backend; no pinned memory allocator is available "
    "on this system."
)
PINNED_DEVICE = "The argument 'device' of Tensor.is_pinned() is deprecated. Please do not pass this argument."
PIN_MEMORY_IGNORED = (
    "'pin_memory' argument is set as true but no accelerator is found, then device pinned memory won't be "
    "used."
)
MTIA = (
    "Torch not compiled with MTIA enabled. Ensure you have `import mtia.host_runtime.torch_mtia."
    "dynamic_library` in your python src file and include `//mtia/host_runtime/torch_mtia:torch_mtia` as "
    "your target dependency!"
)


def pin_memory_device(device: str) -> str:
    return (
        "pin_memory_device is deprecated, the current accelerator will be used as the device,ignore "
        f"pin_memory_device='{device}'."
    )


def not_compiled(what: str) -> str:
    return f"Torch not compiled with {what} enabled"


def unknown_device(types: tuple[str, ...], name: str) -> str:
    return f"Expected one of {', '.join(types)} device type at start of device string: {name}"


def invalid_device(text: str) -> str:
    return f"Invalid device string: '{text}'"


def device_index(number: str, text: str) -> str:
    return f"Could not parse device index '{number}' in device string '{text}'"


def index_twice(text: str) -> str:
    return f"type (string) must not include an index because index was passed explicitly: {text}"


def device_arguments(kinds: str, wrong: str = "") -> str:
    reason = f"      didn't match because some of the {wrong}\n" if wrong else ""
    return (
        f"device() received an invalid combination of arguments - got ({kinds}), but expected one of:\n"
        f" * (torch.device device)\n{reason} * (str type, int index = -1)\n"
    )


def device_argument(function: str, kind: str, position: str = "") -> str:
    return f"{function}(): argument 'device'{position} must be torch.device, not {kind}"


def must_be(what: str) -> str:
    return f"Invalid device, must be {what} device"


def not_linked(kind: str) -> str:
    return f"PyTorch is not linked with support for {kind} devices"


def without_mps(what: str) -> str:
    return f"Cannot execute {what}() without MPS backend."


BACKENDS = {"mps": "MPS", "xla": "XLA", "vulkan": "Vulkan", "ipu": "IPU", "lazy": "Lazy", "ve": "VE"}
BACKENDS |= {"fpga": "FPGA", "maia": "MAIA", "hip": "HIP"}
KERNELS = {  # the first of the backends that have one; the others follow for both
    "aten::empty.memory_format": "CPU, Meta, QuantizedCPU, QuantizedMeta, MkldnnCPU, SparseCPU, SparseMeta, "
    "SparseCsrCPU, SparseCsrMeta",
    "aten::empty_strided": "CPU, Meta, QuantizedCPU",
}
EVERYWHERE = (
    "BackendSelect, Python, FuncTorchDynamicLayerBackMode, Functionalize, Conjugate, Negative, ZeroTensor, "
    "ADInplaceOrView, AutogradOther, AutogradCPU, AutogradCUDA, AutogradHIP, AutogradXLA, AutogradMPS, "
    "AutogradIPU, AutogradXPU, AutogradHPU, AutogradVE, AutogradLazy, AutogradMTIA, AutogradMAIA, "
    "AutogradPrivateUse1, AutogradPrivateUse2, AutogradPrivateUse3, AutogradMeta, AutogradNestedTensor, "
    "Tracer, AutocastCPU, AutocastMTIA, AutocastMAIA, AutocastXPU, AutocastMPS, AutocastCUDA, "
    "FuncTorchBatched, BatchedNestedTensor, FuncTorchVmapMode, Batched, VmapMode, FuncTorchGradWrapper, "
    "PythonTLSSnapshot, FuncTorchDynamicLayerFrontMode, PreDispatch, PythonDispatcher"
)


def no_kernel(operation: str, kind: str) -> str:
    """Return the dispatcher's first paragraph; PyTorch lists the source files of all kernels below it."""
    return (
        f"Could not run '{operation}' with arguments from the '{BACKENDS[kind]}' backend. This could be "
        "because the operator doesn't exist for this backend, or was omitted during the selective/custom "
        "build process (if using custom build). If you are a Facebook employee using PyTorch on mobile, "
        f"please visit https://fburl.com/ptmfixes for possible resolutions. '{operation}' is only available "
        f"for these backends: [{KERNELS[operation]}, {EVERYWHERE}].\n\n"
    )


def no_generator(kind: str) -> str:
    if kind == "mps":
        return without_mps("getNewGenerator")
    if kind == "xpu":
        return "Cannot get XPU generator without ATen_xpu library."
    return without_library("get CUDA generator")


def without_library(what: str) -> str:
    """Return the sentence of a CUDA library that is not there; PyTorch's goes on about linking one in."""
    return (
        f"Cannot {what} without ATen_cuda library. PyTorch splits its backend into two shared libraries: a "
        "CPU library and a CUDA library; this error has occurred because you are trying to use some CUDA "
        "functionality, but the CUDA library has not been loaded by the dynamic linker for some reason.  The "
        "CUDA library MUST be loaded, EVEN IF you don't directly use any symbols from the CUDA library! One "
        "common culprit is a lack of -Wl,--no-as-needed in your link arguments; many dynamic linkers will "
        "delete dynamic library dependencies if you don't depend on any of their symbols.  You can check if "
        "this has occurred by using ldd on your binary to see if there is a dependency on *_cuda.so library."
    )


def legacy_type(name: str) -> str:
    return f"type {name} not available. Torch not compiled with CUDA enabled."


def legacy_device(kind: str) -> str:
    return f"legacy constructor expects device type: cpu but device type: {kind} was passed"


# ----- between devices -----------------------------------------------------------------------------
GRAD_ELSEWHERE = "assigned grad has data located on a different device"


def two_devices(first: Any, other: Any) -> str:
    return (
        f"Expected all tensors to be on the same device, but found at least two devices, {first} and {other}!"
    )


def different_device(name: str, device: Any, common: Any, method: str) -> str:
    return (
        f"Expected all tensors to be on the same device, but got {name} is on {device}, different from "
        f"other tensors on {common} (when checking argument in method wrapper_sim_{method})"
    )


def convolution_types(input: Any, weight: Any) -> str:
    rest = " or input should be a MKLDNN tensor and weight is a dense tensor" if input.place is None else ""
    return f"Input type ({input.type()}) and weight type ({weight.type()}) should be the same{rest}"


def gradient_device(node: Any, slot: int, wanted: Any, found: Any) -> str:
    return f"Function {node.name()} returned an {root_device(slot, wanted, found)}"


def root_device(index: int, wanted: Any, found: Any) -> str:
    return f"invalid gradient at index {index} - expected device {wanted} but got {found}"


def numpy_of_device(device: Any) -> str:
    return (
        f"can't convert {device} device type tensor to numpy. Use Tensor.cpu() to copy the tensor to host "
        "memory first."
    )


# ----- ours: what PyTorch has and this engine has not --------------------------------------------
def no_meta() -> str:
    return "tensors on the 'meta' device are part of PyTorch, but they are not available here"


def simulated_index(index: int, count: int) -> str:
    return f"the simulated devices are sim:0 to sim:{count - 1}; there is no sim:{index}"


def refused(kind: Any, factory: bool, operation: str) -> Exception:
    """Return what PyTorch raises where a tensor is to be on a device that a build for the CPU lacks."""
    match kind:
        case "cuda" | "xpu":
            return AssertionError(not_compiled(kind.upper()))
        case "mtia":
            return AssertionError(MTIA)
        case "hpu" | "privateuseone":
            return ModuleNotFoundError(f"No module named 'torch.{kind}'")
        case "meta":
            return NotImplementedError(no_meta())
    if kind in BACKENDS and (factory or kind == "lazy"):
        return NotImplementedError(no_kernel(operation, kind))
    return RuntimeError(not_linked(kind))
