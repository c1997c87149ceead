"""Linear maps, embeddings, dropout, and modules that only reshape."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from engine import create, events
from engine import dtype as dtypes
from engine.device import making
from engine.dtype import DType
from engine.nn import functional as F
from engine.nn import init
from engine.nn.module import Module, filling
from engine.tensor import Parameter, Tensor, make_at


def empty(*shape: int, dtype: DType | None = None) -> Parameter:
    """Return a parameter whose values are to be filled in."""
    held = dtype or dtypes.default_dtype()
    array = np.zeros(create.size_of(shape), held.numpy)
    return Parameter(make_at(array, held if held.is_odd else None, making()))


class Linear(Module):
    """input @ weight.T + bias."""

    def __init__(
        self,
        in_features: int,
        out_features: int,
        bias: bool = True,
        device: Any = None,
        dtype: DType | None = None,
    ) -> None:
        super().__init__()
        self.in_features = in_features
        self.out_features = out_features
        with filling(self, device):
            self.weight = empty(out_features, in_features, dtype=dtype)
            self.register_parameter("bias", empty(out_features, dtype=dtype) if bias else None)
            self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw the first values: uniform, within 1 / sqrt(in_features)."""
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            bound = 1 / math.sqrt(self.in_features) if self.in_features > 0 else 0
            init.uniform_(self.bias, -bound, bound)

    def forward(self, input: Tensor) -> Tensor:
        """Return the weighted sums."""
        return F.linear(input, self.weight, self.bias)

    def extra_repr(self) -> str:
        return (
            f"in_features={self.in_features}, out_features={self.out_features}, bias={self.bias is not None}"
        )


class Bilinear(Module):
    """input1 @ weight[k] @ input2 for every k, plus bias."""

    def __init__(
        self, in1_features: int, in2_features: int, out_features: int, bias: bool = True, device: Any = None,
        dtype: DType | None = None,
    ) -> None:  # fmt: skip
        super().__init__()
        if in1_features <= 0:
            raise ValueError(f"in1_features must be > 0, but got (in1_features={in1_features})")
        self.in1_features = in1_features
        self.in2_features = in2_features
        self.out_features = out_features
        with filling(self, device):
            self.weight = empty(out_features, in1_features, in2_features, dtype=dtype)
            self.register_parameter("bias", empty(out_features, dtype=dtype) if bias else None)
            self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw the first values: uniform, within 1 / sqrt(in1_features)."""
        bound = 1 / math.sqrt(self.weight.array.shape[1])
        for parameter in self.parameters():
            init.uniform_(parameter, -bound, bound)

    def forward(self, input1: Tensor, input2: Tensor) -> Tensor:
        """Return the weighted sums of products."""
        return F.bilinear(input1, input2, self.weight, self.bias)

    def extra_repr(self) -> str:
        return (
            f"in1_features={self.in1_features}, in2_features={self.in2_features}, "
            f"out_features={self.out_features}, bias={self.bias is not None}"
        )


class Identity(Module):
    """The input itself, whatever arguments it was made with."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()

    def forward(self, input: Any) -> Any:
        """Return the input."""
        return input


class Flatten(Module):
    """Merges neighbouring dimensions into one; by default all but the first."""

    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None:
        super().__init__()
        self.start_dim = start_dim
        self.end_dim = end_dim

    def forward(self, input: Tensor) -> Tensor:
        """Return the input in fewer dimensions."""
        return input.flatten(self.start_dim, self.end_dim)

    def extra_repr(self) -> str:
        return f"start_dim={self.start_dim}, end_dim={self.end_dim}"


class Unflatten(Module):
    """Splits one dimension into several."""

    def __init__(self, dim: int, unflattened_size: Any) -> None:
        super().__init__()
        self.dim = dim
        self.unflattened_size = unflattened_size

    def forward(self, input: Tensor) -> Tensor:
        """Return the input in more dimensions."""
        shape = list(input.array.shape)
        at = self.dim % len(shape)
        return input.view(*shape[:at], *self.unflattened_size, *shape[at + 1 :])

    def extra_repr(self) -> str:
        return f"dim={self.dim}, unflattened_size={self.unflattened_size}"


def draw_rows(weight: Tensor, padding_idx: int | None) -> None:
    """Draw the first values of a table from the normal distribution; its padding row is zero."""
    init.normal_(weight)
    if padding_idx is not None:
        events.overwriting(weight.array)
        weight.array[padding_idx] = 0
        weight.bump()
        events.emit(events.MemoryWritten("buffer"))


class Embedding(Module):
    """A row of numbers per index, learned."""

    def __init__(
        self, num_embeddings: int, embedding_dim: int, padding_idx: int | None = None,
        max_norm: float | None = None, norm_type: float = 2.0, scale_grad_by_freq: bool = False,
        sparse: bool = False, _weight: Tensor | None = None, _freeze: bool = False, device: Any = None,
        dtype: DType | None = None,
    ) -> None:  # fmt: skip
        super().__init__()
        if padding_idx is not None:
            if not -num_embeddings <= padding_idx < num_embeddings:
                raise AssertionError("Padding_idx must be within num_embeddings")
            padding_idx %= num_embeddings
        self.num_embeddings = num_embeddings
        self.embedding_dim = embedding_dim
        self.padding_idx = padding_idx
        self.max_norm = max_norm
        self.norm_type = norm_type
        self.scale_grad_by_freq = scale_grad_by_freq
        self.sparse = sparse
        with filling(self, device):
            if _weight is None:
                self.weight = empty(num_embeddings, embedding_dim, dtype=dtype)
                self.reset_parameters()
            else:
                self.weight = Parameter(_weight)
            self.weight.requires_grad_(not _freeze)

    @classmethod
    def from_pretrained(cls, embeddings: Tensor, freeze: bool = True, **options: Any) -> Embedding:
        """Return an embedding that starts from given rows."""
        return cls(*embeddings.array.shape, _weight=embeddings, _freeze=freeze, **options)

    def reset_parameters(self) -> None:
        """Draw the first values from the normal distribution; the padding row is zero."""
        draw_rows(self.weight, self.padding_idx)

    def forward(self, input: Tensor) -> Tensor:
        """Return the rows that the numbers in `input` name."""
        return F.embedding(
            input,
            self.weight,
            self.padding_idx,
            self.max_norm,
            self.norm_type,
            self.scale_grad_by_freq,
            self.sparse,
        )

    def extra_repr(self) -> str:
        text = f"{self.num_embeddings}, {self.embedding_dim}"
        shown = {
            "padding_idx": None,
            "max_norm": None,
            "norm_type": 2,
            "scale_grad_by_freq": False,
            "sparse": False,
        }
        for name, default in shown.items():
            value = getattr(self, name)
            if value != default if default is not False else value is not False:
                text += f", {name}={value}"
        return text


# ----- dropout ----------------------------------------------------------------------------------
class Dropout(Module):
    """Zeroes elements at random in training, and scales up the others."""

    function = staticmethod(F.dropout)

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        super().__init__()
        if p < 0 or p > 1:
            raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
        self.p = p
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """Return the thinned input, or the input itself outside training."""
        return type(self).function(input, self.p, self.training, self.inplace)

    def extra_repr(self) -> str:
        return f"p={self.p}, inplace={self.inplace}"


class Dropout1d(Dropout):
    """Zeroes whole channels of (N, C, L)."""

    function = staticmethod(F.dropout1d)


class Dropout3d(Dropout):
    """Zeroes whole channels of (N, C, D, H, W)."""

    function = staticmethod(F.dropout3d)


class Dropout2d(Dropout):
    """Zeroes whole channels of (N, C, H, W)."""

    function = staticmethod(F.dropout2d)


class AlphaDropout(Dropout):
    """Dropout for selu networks."""

    function = staticmethod(F.alpha_dropout)


class FeatureAlphaDropout(Dropout):
    """Dropout of whole channels for selu networks."""

    function = staticmethod(F.feature_alpha_dropout)


# ----- comparing --------------------------------------------------------------------------------
class CosineSimilarity(Module):
    """The cosine of the angle between vectors."""

    def __init__(self, dim: int = 1, eps: float = 1e-8) -> None:
        super().__init__()
        self.dim = dim
        self.eps = eps

    def forward(self, x1: Tensor, x2: Tensor) -> Tensor:
        """Return the cosines."""
        return F.cosine_similarity(x1, x2, self.dim, self.eps)


class PairwiseDistance(Module):
    """The p-norm of differences."""

    def __init__(self, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False) -> None:
        super().__init__()
        self.norm = p
        self.eps = eps
        self.keepdim = keepdim

    def forward(self, x1: Tensor, x2: Tensor) -> Tensor:
        """Return the distances."""
        return F.pairwise_distance(x1, x2, self.norm, self.eps, self.keepdim)
