"""Messages about files, mixed precision and what else stands in for something."""

AUTOCAST_DISABLED = "CUDA is not available or torch_xla is imported. Disabling autocast."
SCALER_DISABLED = "torch.cuda.amp.GradScaler is enabled, but CUDA is not available.  Disabling."
ALLOWLIST = "https://pytorch.org/docs/stable/generated/torch.load.html"


def only_in_pytorch(what: str) -> str:
    return f"{what} is part of PyTorch, but it is not available here"


def device_type(given: str) -> str:
    kinds = "cpu, cuda, ipu, xpu, mkldnn, opengl, opencl, ideep, hip, ve, fpga, maia, xla, lazy, vulkan, mps"
    more = "meta, hpu, mtia, privateuseone device type at start of device string"
    return f"Expected one of {kinds}, {more}: {given}"


def not_seekable(kind: str) -> str:
    return (
        f"'{kind}' object has no attribute 'seek'. You can only torch.load from a file that is seekable. "
        "Please pre-load the data into a buffer like io.BytesIO and try to load from it instead."
    )


def weights_only(kind: str) -> str:
    """What loading more than tensors says since PyTorch 2.6; `kind` is the first such class."""
    return (
        "Weights only load failed. This file can still be loaded, to do so you have two options, "
        "\x1b[1mdo those steps only if you trust the source of the checkpoint\x1b[0m. "
        "\n\t(1) In PyTorch 2.6, we changed the default value of the `weights_only` argument in `torch.load` "
        "from `False` to `True`. Re-running `torch.load` with `weights_only` set to `False` will likely "
        "succeed, but it can result in arbitrary code execution. Do it only if you got the file from a "
        "trusted source."
        "\n\t(2) Alternatively, to load with `weights_only=True` please check the recommended steps in "
        "the following error message."
        f"\n\tWeightsUnpickler error: Unsupported global: GLOBAL {kind} was not an allowed global by "
        "default. "
        f"Please use `torch.serialization.add_safe_globals([{kind}])` or the "
        f"`torch.serialization.safe_globals([{kind}])` context manager to allowlist this global if you trust "
        "this class/function.\n\nCheck the documentation of torch.load to learn more about types accepted by "
        f"default with weights_only {ALLOWLIST}."
    )
