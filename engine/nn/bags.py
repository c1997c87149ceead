"""Bags of embeddings, and losses over alignments and several labels, as modules."""

from __future__ import annotations

from typing import Any

from engine.nn import functional as F
from engine.nn.layers import draw_rows, empty
from engine.nn.losses import Loss
from engine.nn.module import Module, filling
from engine.tensor import Parameter, Tensor


class EmbeddingBag(Module):
    """The sum, mean or maximum of rows of numbers, one per index, learned."""

    def __init__(
        self, num_embeddings: int, embedding_dim: int, max_norm: float | None = None, norm_type: float = 2.0,
        scale_grad_by_freq: bool = False, mode: str = "mean", sparse: bool = False,
        _weight: Tensor | None = None, include_last_offset: bool = False, padding_idx: int | None = None,
        device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self.num_embeddings, self.embedding_dim = num_embeddings, embedding_dim
        self.max_norm, self.norm_type = max_norm, norm_type
        self.scale_grad_by_freq = scale_grad_by_freq
        if padding_idx is not None:
            if not -num_embeddings <= padding_idx < num_embeddings:
                raise AssertionError("padding_idx must be within num_embeddings")
            padding_idx %= num_embeddings
        self.padding_idx = padding_idx
        with filling(self, device):
            if _weight is None:
                self.weight = empty(num_embeddings, embedding_dim, dtype=dtype)
                self.reset_parameters()
            else:
                self.weight = Parameter(_weight)
        self.mode, self.sparse, self.include_last_offset = mode, sparse, include_last_offset

    @classmethod
    def from_pretrained(cls, embeddings: Tensor, freeze: bool = True, **options: Any) -> EmbeddingBag:
        """Return bags that start from given rows."""
        made = cls(*embeddings.array.shape, _weight=embeddings, **options)
        made.weight.requires_grad_(not freeze)
        return made

    def reset_parameters(self) -> None:
        """Draw the first values from the normal distribution; the padding row is zero."""
        draw_rows(self.weight, self.padding_idx)

    def forward(
        self, input: Tensor, offsets: Tensor | None = None, per_sample_weights: Tensor | None = None
    ) -> Tensor:
        """Return one row per bag."""
        return F.embedding_bag(
            input, self.weight, offsets, self.max_norm, self.norm_type, self.scale_grad_by_freq, self.mode,
            self.sparse, per_sample_weights, self.include_last_offset, self.padding_idx,
        )  # fmt: skip

    def extra_repr(self) -> str:
        text = f"{self.num_embeddings}, {self.embedding_dim}"
        text += "" if self.max_norm is None else f", max_norm={self.max_norm}"
        text += "" if self.norm_type == 2 else f", norm_type={self.norm_type}"
        text += f", scale_grad_by_freq={self.scale_grad_by_freq}" if self.scale_grad_by_freq else ""
        return (
            text
            + f", mode={self.mode!r}"
            + ("" if self.padding_idx is None else f", padding_idx={self.padding_idx}")
        )


class MultiLabelMarginLoss(Loss):
    """By how much other classes come within 1 of those that an example has."""

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Return the loss."""
        return F.multilabel_margin_loss(input, target, reduction=self.reduction)


class CTCLoss(Loss):
    """Minus the logarithm of the probability of a labelling, over all its alignments with a sequence."""

    def __init__(self, blank: int = 0, reduction: str = "mean", zero_infinity: bool = False) -> None:
        super().__init__(reduction=reduction)
        self.blank, self.zero_infinity = blank, zero_infinity

    def forward(self, log_probs: Tensor, targets: Tensor, input_lengths: Any, target_lengths: Any) -> Tensor:
        """Return the loss."""
        return F.ctc_loss(
            log_probs, targets, input_lengths, target_lengths, self.blank, self.reduction, self.zero_infinity
        )
