"""Attention with several heads, and the transformer layer around it."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

from engine.nn import functional as F
from engine.nn import init
from engine.nn.functional.attention import bias_of
from engine.nn.layers import Dropout, Linear, empty
from engine.nn.module import Module, filling
from engine.nn.normalization import LayerNorm
from engine.ops.table import F as rows
from engine.tensor import Tensor, make_at

MIXED_MASKS = (
    "Support for mismatched key_padding_mask and attn_mask is deprecated. Use same type for both instead."
)


class NonDynamicallyQuantizableLinear(Linear):
    """A Linear under the name PyTorch prints for the projection after the heads."""


class MultiheadAttention(Module):
    """Each head looks up values by how well their keys match its queries."""

    def __init__(
        self, embed_dim: int, num_heads: int, dropout: float = 0.0, bias: bool = True,
        add_bias_kv: bool = False, add_zero_attn: bool = False, kdim: int | None = None,
        vdim: int | None = None, batch_first: bool = False, device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        if embed_dim <= 0 or num_heads <= 0:
            raise ValueError(
                f"embed_dim and num_heads must be greater than 0, got embed_dim={embed_dim} and "
                f"num_heads={num_heads} instead"
            )
        super().__init__()
        if add_bias_kv or add_zero_attn or {kdim, vdim} - {None, embed_dim}:
            raise NotImplementedError(
                "MultiheadAttention(add_bias_kv, add_zero_attn, kdim, vdim) is not available here; "
                "project keys and values with nn.Linear before"
            )
        self.embed_dim = embed_dim
        self.num_heads = num_heads
        self.dropout = dropout
        self.batch_first = batch_first
        self.head_dim = embed_dim // num_heads
        if self.head_dim * num_heads != embed_dim:
            raise AssertionError("embed_dim must be divisible by num_heads")
        with filling(self, device):
            self.in_proj_weight = empty(3 * embed_dim, embed_dim, dtype=dtype)
            self.register_parameter("in_proj_bias", empty(3 * embed_dim, dtype=dtype) if bias else None)
        self.out_proj = NonDynamicallyQuantizableLinear(
            embed_dim, embed_dim, bias=bias, device=device, dtype=dtype
        )
        self._reset_parameters()

    def _reset_parameters(self) -> None:
        init.xavier_uniform_(self.in_proj_weight)
        if self.in_proj_bias is not None:
            init.zeros_(self.in_proj_bias)
            init.zeros_(self.out_proj.bias)

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, key_padding_mask: Tensor | None = None,
        need_weights: bool = True, attn_mask: Tensor | None = None, average_attn_weights: bool = True,
        is_causal: bool = False,
    ) -> tuple:  # fmt: skip
        """Return the attended values and, if wanted, how much each query looked at each key."""
        batched = query.array.ndim == 3
        query, key, value = self._turned(query, key, value, batched)
        length, batch, _ = query.array.shape
        heads, width = self.num_heads, self.head_dim
        q, k, v = (
            p.view(p.array.shape[0], batch * heads, width).transpose(0, 1)
            for p in self._projected(query, key, value)
        )
        mask = self._mask(attn_mask, key_padding_mask, q, batch)
        weights = None
        if need_weights:
            q = q * math.sqrt(1.0 / float(width))
            turned = k.transpose(-2, -1)
            scores = rows.bmm(q, turned) if mask is None else rows.baddbmm(mask, q, turned)
            weights = scores.softmax(-1)
            if self.dropout > 0.0 and self.training:
                weights = F.dropout(weights, self.dropout)
            found = rows.bmm(weights, v).transpose(0, 1).reshape(length * batch, self.embed_dim)
            weights = weights.view(batch, heads, length, -1)
            weights = weights.mean(1) if average_attn_weights else weights
        else:
            found = self._unweighted(q, k, v, mask, batch)
        out = F.linear(found, self.out_proj.weight, self.out_proj.bias).view(length, batch, -1)
        if not batched:
            return out.squeeze(1), weights if weights is None else weights.squeeze(0)
        return out.transpose(1, 0) if self.batch_first else out, weights

    def _turned(self, query: Tensor, key: Tensor, value: Tensor, batched: bool) -> tuple:
        """Return the inputs as (length, batch, features); the same tensor stays the same tensor."""
        if not batched:
            change: Callable = lambda x: x.unsqueeze(1)  # noqa: E731
        elif self.batch_first:
            change = lambda x: x.transpose(1, 0)  # noqa: E731
        else:
            return query, key, value
        if key is value:
            if query is key:
                query = key = value = change(query)
                return query, key, value
            query, key = change(query), change(key)
            return query, key, key
        return change(query), change(key), change(value)

    def _projected(self, query: Tensor, key: Tensor, value: Tensor) -> list[Tensor]:
        """Return queries, keys and values; those of one input are computed in one product."""
        weight, bias, size = self.in_proj_weight, self.in_proj_bias, self.embed_dim
        if key is value and query is key:
            return _parts(F.linear(query, weight, bias), 3)
        if key is value:
            weights = rows.split_with_sizes(weight, (size, 2 * size), 0)
            biases = (None, None) if bias is None else rows.split_with_sizes(bias, (size, 2 * size), 0)
            return [F.linear(query, weights[0], biases[0]), *_parts(F.linear(key, weights[1], biases[1]), 2)]
        weights = weight.chunk(3)
        biases = (None,) * 3 if bias is None else bias.chunk(3)
        return [F.linear(x, w, b) for x, w, b in zip((query, key, value), weights, biases, strict=True)]

    def _mask(self, attn_mask: Any, padding: Any, q: Tensor, batch: int) -> Tensor | None:
        """Return both masks as one tensor of numbers to add to the scores."""
        found = None if attn_mask is None else _added(attn_mask, q)
        if found is not None and found.array.ndim == 2:
            found = found.unsqueeze(0)
        if padding is None:
            return found
        if attn_mask is not None and attn_mask.dtype is not padding.dtype:
            warnings.warn(MIXED_MASKS, UserWarning, stacklevel=2)
        keys = padding.array.shape[-1]
        wide = _added(padding, q).view(batch, 1, 1, keys).expand(-1, self.num_heads, -1, -1)
        wide = wide.reshape(batch * self.num_heads, 1, keys)
        return wide if found is None else found + wide

    def _unweighted(self, q: Tensor, k: Tensor, v: Tensor, mask: Any, batch: int) -> Tensor:
        """Attend without keeping the weights."""
        q, k, v = (x.view(batch, self.num_heads, -1, self.head_dim) for x in (q, k, v))
        if mask is not None and mask.array.ndim == 3:
            mask = (
                mask.unsqueeze(0)
                if mask.array.shape[0] == 1
                else mask.view(batch, self.num_heads, *mask.array.shape[1:])
            )
        dropped = self.dropout if self.training else 0.0
        out = F.scaled_dot_product_attention(q, k, v, mask, dropped)
        length = q.array.shape[2]
        return out.permute(2, 0, 1, 3).contiguous().view(length * batch, self.embed_dim)


def _parts(projected: Tensor, count: int) -> list[Tensor]:
    """Cut a joint projection into its parts, each in memory of its own."""
    *front, last = projected.array.shape
    wide = projected.view(*front, count, last // count).unsqueeze(0).transpose(0, -2)
    wide = wide.squeeze(-2).contiguous()
    return [wide[i] for i in range(count)]


def _added(mask: Tensor, like: Tensor) -> Tensor:
    """Return a mask as numbers to add; True forbids here."""
    if mask.array.dtype.kind == "b":
        return bias_of(make_at(~mask.array, None, mask.place), False, like)
    return mask


class TransformerEncoderLayer(Module):
    """Attention, then two linear maps, each added to its input and normalised."""

    def __init__(
        self, d_model: int, nhead: int, dim_feedforward: int = 2048, dropout: float = 0.1,
        activation: Any = F.relu, layer_norm_eps: float = 1e-5, batch_first: bool = False,
        norm_first: bool = False, bias: bool = True, device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self.self_attn = MultiheadAttention(
            d_model, nhead, dropout, bias, batch_first=batch_first, device=device, dtype=dtype
        )
        self.linear1 = Linear(d_model, dim_feedforward, bias=bias, device=device, dtype=dtype)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, bias=bias, device=device, dtype=dtype)
        self.norm_first = norm_first
        self.norm1 = LayerNorm(d_model, layer_norm_eps, bias=bias, device=device, dtype=dtype)
        self.norm2 = LayerNorm(d_model, layer_norm_eps, bias=bias, device=device, dtype=dtype)
        self.dropout1 = Dropout(dropout)
        self.dropout2 = Dropout(dropout)
        named = {"relu": F.relu, "gelu": F.gelu}
        if isinstance(activation, str) and activation not in named:
            raise RuntimeError(f"activation should be relu/gelu, not {activation}")
        self.activation = named[activation] if isinstance(activation, str) else activation

    def forward(
        self, src: Tensor, src_mask: Tensor | None = None, src_key_padding_mask: Tensor | None = None,
        is_causal: bool = False,
    ) -> Tensor:  # fmt: skip
        """Return the transformed sequence."""
        if self.norm_first:
            x = src + self._attended(self.norm1(src), src_mask, src_key_padding_mask)
            return x + self._fed_forward(self.norm2(x))
        x = self.norm1(src + self._attended(src, src_mask, src_key_padding_mask))
        return self.norm2(x + self._fed_forward(x))

    def _attended(self, x: Tensor, mask: Any, padding: Any) -> Tensor:
        return self.dropout1(self.self_attn(x, x, x, padding, False, mask)[0])

    def _fed_forward(self, x: Tensor) -> Tensor:
        return self.dropout2(self.linear2(self.dropout(self.activation(self.linear1(x)))))
