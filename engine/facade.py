"""The module tree a learner gets for `import torch`: names only, no logic; frozen.

`privacy.py` says which attributes of the engine's objects stay out of reach.
"""

from __future__ import annotations

import functools
import types
from collections.abc import Callable
from typing import Any

from engine import (
    accelerators,
    amp,
    anomaly,
    autograd,
    checkpoint,
    compiled,
    create,
    data,
    device,
    distributions,
    factories,
    function,
    functions,
    gradcheck,
    graph,
    hooks,
    legacy,
    methods,
    modes,
    nn,
    optim,
    profiler,
    random,
    saved_files,
    star,
    switches,
    titles,
    transforms,
)
from engine import dtype as dtypes
from engine import format as text
from engine import functional as functional_derivatives
from engine import tensor as tensors
from engine.apply import rank
from engine.distributions import constraints
from engine.functions import linalg, memory, older, removed, special
from engine.functions.checked import checked
from engine.functions.parts import typename
from engine.local import state
from engine.matmul import matmul
from engine.nn import functional, init, reparameters, sequences, utils
from engine.nn.functional import bare, convolution
from engine.numeric import exchange, namespaces
from engine.ops.table import F
from engine.optim import schedulers
from engine.privacy import internal_names, is_engine_object, is_internal
from engine.warned import warn

__all__ = ["Namespace", "internal_names", "is_engine_object", "is_internal", "modules", "public"]


class Namespace(types.ModuleType):
    """A module object that cannot be changed."""

    def __init__(self, name: str, names: dict[str, Any]) -> None:
        super().__init__(name)
        self.__dict__.update(names)

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"module '{self.__name__}' cannot be changed here")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"module '{self.__name__}' cannot be changed here")

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(namespaces.missing(self.__name__, name))

    def __repr__(self) -> str:
        return f"<module '{self.__name__}'>"


class Switchboard(Namespace):
    """A module some of whose names are switches: they can be set, and nothing looks at them."""

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in accelerators.SWITCHES[self.__name__]:
            super().__setattr__(name, value)
        state().switches[self.__name__, name] = value

    def __getattr__(self, name: str) -> Any:
        known = accelerators.SWITCHES[self.__name__]
        if name in known:
            return state().switches.get((self.__name__, name), known[name])
        return super().__getattr__(name)


def public(*sources: Any) -> dict[str, Any]:
    """Return what the given modules offer learners: their `__all__`, else the functions they define."""
    found = {}
    for source in sources:
        listed = getattr(source, "__all__", None)
        for name in listed or [n for n in vars(source) if not n.startswith("_")]:
            value = getattr(source, name)
            if listed or (callable(value) and getattr(value, "__module__", "") == source.__name__):
                found[name] = value
    return found


IN_PLACE = (  # torch.relu_(x) and the like
    "abs acos acosh addmv arccos arccosh arcsin arcsinh arctan arctanh asin asinh atan atanh ceil "
    "clamp clamp_max clamp_min clip cos cosh deg2rad erf "
    "erfc exp exp2 expm1 fill fix floor frac index_put log log10 log1p log2 logit nan_to_num neg negative "
    "rad2deg reciprocal relu round rsqrt sigmoid sin sinc sinh sqrt square tan tanh trunc xlogy zero"
).split()
SPECIAL = {  # torch.special.<name> is another name of something in torch
    name: name
    for name in (
        "digamma erf erfc erfinv exp2 expm1 log1p log_softmax logit logsumexp polygamma round sinc softmax "
        "xlogy"
    ).split()
} | {"expit": "sigmoid", "gammaln": "lgamma", "psi": "digamma", "i0": "i0", "multigammaln": "mvlgamma"}
FROM_FUNCTIONAL = (  # torch.<name> is torch.nn.functional.<name>
    "bilinear conv1d conv2d conv3d conv_transpose1d conv_transpose2d conv_transpose3d cosine_similarity "
    "dropout layer_norm pairwise_distance pixel_shuffle pixel_unshuffle rms_norm "
    "adaptive_avg_pool1d avg_pool1d max_pool1d max_pool2d"
).split()


def _table_functions() -> dict[str, Callable]:
    found = {
        name: older.function(name, methods.public(row))
        for name, row in methods.single_rows("function").items()
    }
    found.update(
        (name, older.function(name, memory.taking_out(checked(getattr(functions, name)))))
        for name in functions.__all__
        if name not in ("axes", "named_type", "refuse_bools")
    )
    found.update((name, checked(function)) for name, function in linalg.IN_TORCH.items())
    found.update(removed.IN_TORCH)
    found.update(complex=F.complex, numel=lambda input: input.array.size, typename=typename)
    found["adaptive_max_pool1d"] = functools.partial(convolution.adaptive_max_pool1d, return_indices=True)
    found["constant_pad_nd"] = lambda input, pad, value=0: F.constant_pad_nd(input, tuple(pad), value)
    for name in IN_PLACE:
        found[name + "_"] = getattr(tensors.Tensor, name + "_")
    found.update((name, found[meaning]) for name, meaning in functions.ALIASES.items() if meaning in found)
    return found


def _torch() -> dict[str, Any]:
    names: dict[str, Any] = _table_functions()
    names.update(
        (n, checked(factories.offered(n)))
        for n in (
            "tensor as_tensor zeros ones empty full zeros_like ones_like empty_like full_like arange "
            "asarray linspace eye rand randn rand_like randn_like randint randperm normal manual_seed"
        ).split()
    )
    names.update(switches.names())
    names["vmap"] = transforms.vmap
    names.update((f.__name__, checked(f)) for f in bare.OFFERED)
    names.update({d.name: d for d in dtypes.DTYPES.values()} | dtypes.ALIASES)
    names.update(
        {n: getattr(modes, n) for n in ("no_grad", "enable_grad", "set_grad_enabled", "inference_mode")}
    )
    names.update(
        Tensor=tensors.Tensor,
        Size=tensors.Size,
        device=device.Device,
        get_default_device=device.get_default_device,
        set_default_device=device.set_default_device,
        get_device=lambda input: input.get_device(),
        dtype=dtypes.DType,
        matmul=memory.taking_out(checked(matmul)),
        Generator=random.Generator,
        is_tensor=lambda obj: isinstance(obj, tensors.Tensor),
        from_numpy=exchange.from_numpy,
        is_grad_enabled=modes.is_grad_enabled,
        is_inference_mode_enabled=modes.is_inference_mode_enabled,
        set_printoptions=text.set_printoptions,
        get_default_dtype=dtypes.default_dtype,
        set_default_dtype=dtypes.set_default_dtype,
        initial_seed=lambda: random.default_generator().initial_seed(),
        **legacy.constructors(),
        pi=3.141592653589793,
        e=2.718281828459045,
        inf=float("inf"),
        nan=float("nan"),
        promote_types=dtypes.promote_types,
        can_cast=dtypes.can_cast,
        autocast=amp.autocast,
        GradScaler=amp.GradScaler,
        compile=compiled.compile,
        **public(saved_files),
        result_type=_result_type,
        strided="torch.strided",
        preserve_format="torch.preserve_format",
        contiguous_format="torch.contiguous_format",
        __version__="2.13.0+cpu",
    )
    return names


def _result_type(first: Any, second: Any) -> dtypes.DType:
    """Return the dtype of an operation on two tensors or numbers."""
    return dtypes.promote([rank(first), rank(second)])


@functools.cache
def modules() -> dict[str, Namespace]:
    """Return every importable module by its full name: "torch", "torch.nn", ..."""
    names = _torch()
    tree: dict[str, dict[str, Any]] = {
        "torch.nn.functional": public(functional),
        "torch.nn.init": public(init),
        "torch.nn.utils": public(utils, reparameters),
        "torch.nn.utils.rnn": public(sequences),
        "torch.nn.parameter": {"Parameter": tensors.Parameter},
        "torch.nn": public(nn),
        "torch.optim.lr_scheduler": public(schedulers),
        "torch.optim": public(optim),
        "torch.autograd.graph": public(graph),
        "torch.autograd.functional": public(functional_derivatives),
        "torch.autograd.anomaly_mode": public(anomaly),
        "torch.autograd.function": public(function),
        "torch.autograd": {
            **public(anomaly, gradcheck),
            "backward": autograd.backward,
            "grad": autograd.grad,
            "Function": function.Function,
            "no_grad": modes.no_grad,
            "enable_grad": modes.enable_grad,
            "Variable": _variable,
            "set_grad_enabled": modes.set_grad_enabled,
            "inference_mode": modes.inference_mode,
        },
        "torch.utils.data": public(data),
        "torch.utils.checkpoint": public(checkpoint),
        "torch.utils": {},
        **accelerators.names(),
        **amp.names(),
        **profiler.names(),
        "torch.random": {"manual_seed": create.manual_seed},
        "torch.linalg": public(linalg),
        "torch.func": public(transforms),
        "torch.distributions": public(distributions),
        "torch.distributions.constraints": public(constraints),
        "torch.special": {name: names[meaning] for name, meaning in SPECIAL.items()} | public(special),
        **namespaces.names(),
        "torch": names
        | {name: getattr(functional, name) for name in FROM_FUNCTIONAL if hasattr(functional, name)},
    }
    made: dict[str, Namespace] = {}
    for name in sorted(tree, key=len, reverse=True):
        children = {n.rpartition(".")[2]: m for n, m in made.items() if n.rpartition(".")[0] == name}
        kind = Switchboard if name in accelerators.SWITCHES else Namespace
        offered = {**tree[name], **children}
        made[name] = kind(name, offered | star.offered(name, offered))
    made["torch"].__dict__["get_device_module"] = lambda device=None: made[
        "torch." + accelerators.get_device_module(device)
    ]
    titles.give([*titles.classes(made), hooks.RemovableHandle])
    return made


def _variable(data: tensors.Tensor, requires_grad: bool = False, volatile: bool = False) -> tensors.Tensor:
    """Return the tensor itself: `Variable` has been a no-op since PyTorch 0.4."""
    if volatile:
        warn("volatile was removed and now has no effect. Use `with torch.no_grad():` instead.")
    return data.requires_grad_() if requires_grad else data
