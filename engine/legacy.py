"""`torch.FloatTensor` and its like, from before there were dtypes: they make tensors and name a dtype."""

from __future__ import annotations

from typing import Any

from engine import create
from engine import dtype as dtypes
from engine.numeric.kinds import ndarray
from engine.tensor import Tensor

NAMES = {
    "FloatTensor": dtypes.float32, "DoubleTensor": dtypes.float64, "HalfTensor": dtypes.float16,
    "LongTensor": dtypes.int64, "IntTensor": dtypes.int32, "ShortTensor": dtypes.int16,
    "CharTensor": dtypes.int8, "ByteTensor": dtypes.uint8, "BoolTensor": dtypes.bool_,
}  # fmt: skip


class LegacyType:
    """`torch.FloatTensor`: called, it makes a tensor of sizes or data; it also stands for the dtype."""

    __slots__ = ("__name__", "_dtype")

    def __init__(self, name: str, dtype: dtypes.DType) -> None:
        self.__name__, self._dtype = name, dtype

    def __call__(self, *data: Any) -> Tensor:
        """Return a tensor of a fixed dtype from sizes or a list, as the old constructors do."""
        if len(data) == 1 and isinstance(data[0], (list, tuple)):
            return create.tensor(data[0], dtype=self._dtype)
        if len(data) == 1 and type(data[0]) is ndarray:
            return create.as_tensor(data[0], self._dtype)
        return create.zeros(*data, dtype=self._dtype)

    def __instancecheck__(self, value: Any) -> bool:
        return isinstance(value, Tensor) and value.dtype is self._dtype

    def __repr__(self) -> str:
        return f"<class 'torch.{self.__name__}'>"


def constructors() -> dict[str, LegacyType]:
    """Return every one of them by name."""
    return {name: LegacyType(name, dtype) for name, dtype in NAMES.items()}


def dtype_named(kind: Any) -> Any:
    """Return the dtype that `tensor.type(kind)` means by anything but a text."""
    if isinstance(kind, LegacyType):
        return kind._dtype
    if not isinstance(kind, dtypes.DType):
        raise TypeError("dtype must be a type, str, or dtype object")
    return kind
