"""What only moves numbers: views, joins, repeats, padding. Where each went is the derivative."""

from __future__ import annotations

import numpy as np

from engine.verify.laws.table import law, over, summed_to


def dropped(self, dim=None):
    """Return self without dimensions of size 1."""
    asked = over(dim, np.ndim(self)) if dim is not None else range(np.ndim(self))
    return np.squeeze(self, tuple(d for d in asked if self.shape[d] == 1))


def grown(self, size):
    """Return self repeated along dimensions of size 1, without copying; -1 keeps a size."""
    lead = len(size) - np.ndim(self)
    return np.broadcast_to(self, [self.shape[d - lead] if n == -1 else n for d, n in enumerate(size)])


def turned(self):
    """Return a matrix transposed."""
    return np.transpose(self)


def diagonal(self, offset=0, dim1=0, dim2=1):
    """Return the diagonals of the matrices in two dimensions."""
    return np.diagonal(self, offset, dim1, dim2)


def windows(self, dimension, size, step):
    """Return the windows along a dimension, put last."""
    if not np.ndim(self):
        return np.broadcast_to(self, (size,))
    view = np.lib.stride_tricks.sliding_window_view(self, size, axis=dimension)
    return np.moveaxis(np.moveaxis(view, dimension, 0)[::step], 0, dimension)


def by_strides(self, size, stride, storage_offset=None):
    """Return elements of the memory seen with another geometry, counted in elements."""
    memory = self
    while isinstance(memory.base, np.ndarray):
        memory = memory.base
    if not memory.flags.c_contiguous:
        raise ValueError("memory in another order")
    start = (self.__array_interface__["data"][0] - memory.__array_interface__["data"][0]) // self.itemsize
    at = start if storage_offset is None else storage_offset
    return np.lib.stride_tricks.as_strided(
        memory.reshape(-1)[at:], tuple(size), tuple(s * self.itemsize for s in stride)
    )


SQUEEZED = " ".join(f"SqueezeBackward{n}" for n in range(5))
for _name, _node, _function in (
    ("view reshape_alias unsafe_view reshape", "ViewBackward0 ReshapeAliasBackward0 UnsafeViewBackward0",
     lambda self, size: np.reshape(self, size)),
    ("expand", "ExpandBackward0", grown),
    ("permute", "PermuteBackward0", lambda self, dims: np.transpose(self, dims)),
    ("transpose", "TransposeBackward0 TransposeBackward1",
     lambda self, dim0, dim1: np.swapaxes(self, dim0, dim1) if np.ndim(self) else self),
    ("t", "TBackward0 TBackward1", turned),
    ("unsqueeze", "UnsqueezeBackward0 UnsqueezeBackward1", lambda self, dim: np.expand_dims(self, dim)),
    ("squeeze", SQUEEZED, dropped),
    ("alias detach", "AliasBackward0", lambda self: self[...]),
    ("diagonal", "DiagonalBackward0", diagonal),
    ("unfold", "UnfoldBackward0", windows),
    ("as_strided", "AsStridedBackward0", by_strides),
):  # fmt: skip
    law(_name, _function, _node, view=True, moves="self")
law(
    "",
    None,
    "ViewBackward0 ReshapeAliasBackward0 UnsafeViewBackward0 SqueezeBackward0 SqueezeBackward1 "
    "SqueezeBackward2 SqueezeBackward3 SqueezeBackward4",
    carries=True,
    self=lambda g, self_sym_sizes: np.reshape(g, self_sym_sizes),
)
law(
    "",
    None,
    "PermuteBackward0",
    carries=True,
    self=lambda g, dims: np.transpose(g, np.argsort([d % np.ndim(g) for d in dims])),
)
law(
    "",
    None,
    "TransposeBackward0 TransposeBackward1",
    carries=True,
    self=lambda g, dim0, dim1: np.swapaxes(g, dim0, dim1),
)
law("", None, "TBackward0 TBackward1", carries=True, self=lambda g: turned(g))
law("", None, "UnsqueezeBackward0 UnsqueezeBackward1", carries=True, self=lambda g, dim: np.squeeze(g, dim))
law("", None, "ExpandBackward0", self=lambda g, self_sym_sizes: summed_to(g, self_sym_sizes))
law("diagonal_copy", diagonal, "DiagonalBackward0_copy", moves="self")
law("", None, "CloneBackward0", exact=True, carries=True, self=lambda g: g)
law("clone contiguous lift_fresh", lambda self: np.array(self), exact=True, carries=True)


def converted(self, dtype=None):
    """Return a tensor in another dtype: as whole numbers without what is behind the point."""
    if "int" in str(dtype) and np.asarray(self).dtype.kind == "f":
        return np.trunc(self)
    return np.asarray(self) != 0 if dtype == "torch.bool" else self


law("to _to_copy type_as", converted, "ToCopyBackward0", self=lambda g: g)


# ----- joined, parted -----------------------------------------------------------------------------
def part(g, dim, tensors_sym_sizes, slot):
    """Return what of a gradient belongs to one of the tensors that were joined."""
    ends = np.cumsum([0, *(0 if tuple(size) == (0,) else size[dim] for size in tensors_sym_sizes)])
    return np.take(g, range(ends[slot], ends[slot + 1]), axis=dim)


def joined(tensors, dim=0):
    """Return tensors end to end; an empty vector among them counts for nothing."""
    return np.concatenate([x for x in tensors if x.shape != (0,)] or tensors, axis=dim)


def unbind(self: np.ndarray, dim: int = 0) -> list[np.ndarray]:
    """Return the slices along a dimension, as views also where they are single numbers."""
    moved = np.moveaxis(np.asarray(self), dim, 0)
    return [moved[i, ...] for i in range(len(moved))]


def parts(self, split_size, dim=0):
    """Return consecutive parts of one size; the last may be smaller."""
    return np.split(self, range(split_size, self.shape[dim], split_size), axis=dim) if split_size else [self]


law("cat", joined, "CatBackward0", exact=True, tensors=part)
law(
    "stack",
    lambda tensors, dim=0: np.stack(tensors, dim),
    "StackBackward0",
    exact=True,
    tensors=lambda g, dim, slot: np.take(g, slot, axis=dim),
)
law("split chunk", parts, "SplitBackward0 UnsafeSplitBackward0", view=True, moves="self")
law("unsafe_split", parts, exact=True)
law(
    "split_with_sizes",
    lambda self, split_sizes, dim=0: np.split(self, np.cumsum(split_sizes)[:-1], axis=dim),
    "SplitWithSizesBackward0",
    view=True,
    moves="self",
)
law("unbind", unbind, "UnbindBackward0", view=True, moves="self")

# ----- rearranged, repeated, filled up ------------------------------------------------------------
for _name, _node, _function in (
    ("repeat", "RepeatBackward0", lambda self, repeats: np.tile(self, repeats)),
    ("flip", "FlipBackward0", lambda self, dims: np.flip(self, over(dims, np.ndim(self)))),
    (
        "roll",
        "RollBackward0",
        lambda self, shifts, dims=(): np.roll(self, shifts, dims) if dims else np.roll(self, shifts[0]),
    ),
    ("rot90", "Rot90Backward0", lambda self, k=1, dims=(0, 1): np.rot90(self, k, dims)),
    ("tril", "TrilBackward0", lambda self, diagonal=0: np.tril(self, diagonal)),
    ("triu", "TriuBackward0", lambda self, diagonal=0: np.triu(self, diagonal)),
):
    law(_name, _function, _node, moves="self")


def on_diagonals(self, offset=0, dim1=-2, dim2=-1):
    """Return matrices of zeros with the last dimension on a diagonal."""
    n = self.shape[-1] + abs(offset)
    out = np.zeros((*self.shape[:-1], n, n), np.asarray(self).dtype)
    at = np.arange(self.shape[-1])
    out[..., at + max(-offset, 0), at + max(offset, 0)] = self
    return np.moveaxis(out, (-2, -1), (dim1, dim2))


def padded(self, pad, value=0):
    """Return self with `value` around it; a negative width cuts off."""
    widths = [(0, 0)] * (np.ndim(self) - len(pad) // 2)
    widths += [(pad[i], pad[i + 1]) for i in range(len(pad) - 2, -1, -2)]
    inner = self[
        tuple(slice(max(-a, 0), n - max(-b, 0)) for n, (a, b) in zip(self.shape, widths, strict=True))
    ]
    return np.pad(inner, [(max(a, 0), max(b, 0)) for a, b in widths], constant_values=value)


def edged(mode):
    """Return padding with self's own elements: mirrored, or the last one repeated."""

    def forward(self, padding):
        widths = [(0, 0)] * (np.ndim(self) - len(padding) // 2)
        widths += [(padding[i], padding[i + 1]) for i in range(len(padding) - 2, -1, -2)]
        return np.pad(self, widths, mode=mode)

    return forward


def shuffled(self, upscale_factor):
    """Return channels spread over pixels."""
    *lead, c, h, w = self.shape
    r = upscale_factor
    x = np.reshape(self, (*lead, c // r // r, r, r, h, w))
    n = len(lead)
    x = np.transpose(x, (*range(n + 1), n + 3, n + 1, n + 4, n + 2))
    return np.reshape(x, (*lead, c // r // r, h * r, w * r))


def unshuffled(self, downscale_factor):
    """Return pixels gathered into channels."""
    *lead, c, h, w = self.shape
    r, n = downscale_factor, len(lead)
    x = np.reshape(self, (*lead, c, h // r, r, w // r, r))
    x = np.transpose(x, (*range(n + 1), n + 2, n + 4, n + 1, n + 3))
    return np.reshape(x, (*lead, c * r * r, h // r, w // r))


law("", None, "FlipBackward0", self=lambda g, dims: np.flip(g, over(dims, np.ndim(g))))
law("diag_embed", on_diagonals, "DiagEmbedBackward0", moves="self")
law("constant_pad_nd", padded, exact=True)
law(
    "",
    None,
    "ConstantPadNdBackward0",
    exact=True,
    self=lambda g, pad: padded(g, tuple(-width for width in pad)),
)
for _n in (1, 2, 3):
    law(f"reflection_pad{_n}d", edged("reflect"), f"ReflectionPad{_n}DBackward0", moves="self")
    law(f"replication_pad{_n}d", edged("edge"), f"ReplicationPad{_n}DBackward0", moves="self")
law("pixel_shuffle", shuffled, "PixelShuffleBackward0", moves="self")
law("pixel_unshuffle", unshuffled, "PixelUnshuffleBackward0", moves="self")

# ----- complex numbers ----------------------------------------------------------------------------
law(
    "complex",
    lambda real, imag: real + 1j * imag,
    "ComplexBackward0",
    exact=True,
    real=lambda g: np.real(g),
    imag=lambda g: np.imag(g),
)
law(
    "view_as_real",
    lambda self: np.stack([np.real(self), np.imag(self)], -1),
    "ViewAsRealBackward0",
    exact=True,
    self=lambda g: g[..., 0] + 1j * g[..., 1],
)
law(
    "view_as_complex",
    lambda self: self[..., 0] + 1j * self[..., 1],
    "ViewAsComplexBackward0",
    exact=True,
    self=lambda g: np.stack([np.real(g), np.imag(g)], -1),
)
