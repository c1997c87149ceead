"""Stacks of transformer layers."""

from __future__ import annotations

import copy
import warnings
from typing import Any

from engine.nn import functional as F
from engine.nn.attention import MultiheadAttention, TransformerEncoderLayer
from engine.nn.containers import ModuleList
from engine.nn.layers import Dropout, Linear
from engine.nn.module import Module
from engine.nn.normalization import LayerNorm
from engine.tensor import Tensor

FAST = "enable_nested_tensor is True, but self.use_nested_tensor is False because "


def copies(layer: Module, count: int) -> ModuleList:
    """Return independent copies of a layer; their first numbers are the same."""
    return ModuleList([copy.deepcopy(layer) for _ in range(count)])


class TransformerEncoder(Module):
    """The same kind of encoder layer several times, one after another."""

    def __init__(
        self, encoder_layer: Module, num_layers: int, norm: Module | None = None,
        enable_nested_tensor: bool = True, mask_check: bool = True,
    ) -> None:  # fmt: skip
        super().__init__()
        self.layers = copies(encoder_layer, num_layers)
        self.num_layers = num_layers
        self.norm = norm
        self.enable_nested_tensor = self.use_nested_tensor = enable_nested_tensor
        self.mask_check = mask_check
        why = why_slow(encoder_layer)
        if enable_nested_tensor and why:
            warnings.warn(FAST + why, UserWarning, stacklevel=2)
            self.use_nested_tensor = False

    def forward(
        self, src: Tensor, mask: Tensor | None = None, src_key_padding_mask: Tensor | None = None,
        is_causal: bool | None = None,
    ) -> Tensor:  # fmt: skip
        """Return the sequence after all layers."""
        for layer in self.layers:
            src = layer(src, src_mask=mask, is_causal=False, src_key_padding_mask=src_key_padding_mask)
        return src if self.norm is None else self.norm(src)


def why_slow(layer: Module) -> str:
    """Return why PyTorch could not take its fast path for inference, or nothing."""
    if not isinstance(layer, TransformerEncoderLayer):
        return "encoder_layer was not TransformerEncoderLayer"
    if layer.norm_first:
        return "encoder_layer.norm_first was True"
    if not layer.self_attn.batch_first:
        return (
            "encoder_layer.self_attn.batch_first was not True(use batch_first for better inference "
            "performance)"
        )
    if layer.self_attn.in_proj_bias is None:
        return "encoder_layer.self_attn was passed bias=False"
    if layer.activation not in (F.relu, F.gelu):
        return "encoder_layer.activation_relu_or_gelu was not True"
    if layer.self_attn.num_heads % 2:
        return "encoder_layer.self_attn.num_heads is odd"
    return ""


class TransformerDecoderLayer(Module):
    """Attention to itself, attention to a memory, two linear maps; each added and normalised."""

    def __init__(
        self, d_model: int, nhead: int, dim_feedforward: int = 2048, dropout: float = 0.1,
        activation: Any = F.relu, layer_norm_eps: float = 1e-5, batch_first: bool = False,
        norm_first: bool = False, bias: bool = True, device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        place = {"bias": bias, "device": device, "dtype": dtype}
        self.self_attn = MultiheadAttention(d_model, nhead, dropout, batch_first=batch_first, **place)
        self.multihead_attn = MultiheadAttention(d_model, nhead, dropout, batch_first=batch_first, **place)
        self.linear1 = Linear(d_model, dim_feedforward, **place)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, **place)
        self.norm_first = norm_first
        self.norm1, self.norm2, self.norm3 = (LayerNorm(d_model, layer_norm_eps, **place) for _ in range(3))
        self.dropout1, self.dropout2, self.dropout3 = (Dropout(dropout) for _ in range(3))
        named = {"relu": F.relu, "gelu": F.gelu}
        if isinstance(activation, str) and activation not in named:
            raise RuntimeError(f"activation should be relu/gelu, not {activation}")
        self.activation = named[activation] if isinstance(activation, str) else activation

    def forward(
        self, tgt: Tensor, memory: Tensor, tgt_mask: Tensor | None = None, memory_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None, memory_key_padding_mask: Tensor | None = None,
        tgt_is_causal: bool = False, memory_is_causal: bool = False,
    ) -> Tensor:  # fmt: skip
        """Return the transformed sequence."""
        own, other = (tgt_mask, tgt_key_padding_mask), (memory_mask, memory_key_padding_mask)
        x = tgt
        if self.norm_first:
            x = x + self._own(self.norm1(x), *own)
            x = x + self._other(self.norm2(x), memory, *other)
            return x + self._fed_forward(self.norm3(x))
        x = self.norm1(x + self._own(x, *own))
        x = self.norm2(x + self._other(x, memory, *other))
        return self.norm3(x + self._fed_forward(x))

    def _own(self, x: Tensor, mask: Any, padding: Any) -> Tensor:
        return self.dropout1(self.self_attn(x, x, x, padding, False, mask)[0])

    def _other(self, x: Tensor, memory: Tensor, mask: Any, padding: Any) -> Tensor:
        return self.dropout2(self.multihead_attn(x, memory, memory, padding, False, mask)[0])

    def _fed_forward(self, x: Tensor) -> Tensor:
        return self.dropout3(self.linear2(self.dropout(self.activation(self.linear1(x)))))


class TransformerDecoder(Module):
    """The same kind of decoder layer several times, one after another."""

    def __init__(self, decoder_layer: Module, num_layers: int, norm: Module | None = None) -> None:
        super().__init__()
        self.layers = copies(decoder_layer, num_layers)
        self.num_layers = num_layers
        self.norm = norm

    def forward(
        self, tgt: Tensor, memory: Tensor, tgt_mask: Tensor | None = None, memory_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None, memory_key_padding_mask: Tensor | None = None,
        tgt_is_causal: bool | None = None, memory_is_causal: bool = False,
    ) -> Tensor:  # fmt: skip
        """Return the sequence after all layers."""
        for layer in self.layers:
            tgt = layer(tgt, memory, tgt_mask, memory_mask, tgt_key_padding_mask, memory_key_padding_mask)
        return tgt if self.norm is None else self.norm(tgt)
