"""`torchvision`: data sets that would be downloaded become a few random pictures, transforms do little."""

from __future__ import annotations

from typing import Any

from app.sandbox.child.stand_ins.said import say
from engine import facade

PICTURES = 64  # in place of tens of thousands
SIZES = {
    "MNIST": (1, 28),
    "FashionMNIST": (1, 28),
    "KMNIST": (1, 28),
    "CIFAR10": (3, 32),
    "CIFAR100": (3, 32),
}


class Pictures:
    """Random pictures with labels, the same in every run; what a program does to each of them it may do."""

    __slots__ = ("_sg_shape", "_sg_transform", "classes")

    def __init__(self, shape: tuple[int, int, int], transform: Any) -> None:
        self._sg_shape, self._sg_transform = shape, transform
        self.classes = [str(i) for i in range(10)]

    def __len__(self) -> int:
        return PICTURES

    def __getitem__(self, index: int) -> tuple[Any, int]:
        index = int(index)
        if not -PICTURES <= index < PICTURES:
            raise IndexError("list index out of range")
        torch = facade.modules()["torch"]
        generator = torch.Generator().manual_seed(index % PICTURES)
        picture = torch.rand(*self._sg_shape, generator=generator)
        if self._sg_transform is not None:
            picture = self._sg_transform(picture)
        return picture, index % 10


def datasets() -> dict[str, Any]:
    """Return the names of `torchvision.datasets`."""

    def maker(name: str, channels: int, side: int) -> Any:
        def make(root: Any = None, train: bool = True, transform: Any = None, *_: Any, **__: Any) -> Pictures:
            say("torchvision", f"torchvision.datasets.{name}")
            return Pictures((channels, side, side), transform)

        make.__name__ = make.__qualname__ = name
        return make

    return {name: maker(name, *size) for name, size in SIZES.items()}


class Compose:
    """Transforms one after the other."""

    __slots__ = ("_sg_parts",)

    def __init__(self, transforms: Any) -> None:
        self._sg_parts = list(transforms)

    def __call__(self, picture: Any) -> Any:
        for part in self._sg_parts:
            picture = part(picture)
        return picture


class Normalize:
    """Subtract a mean and divide by a deviation, for each channel."""

    __slots__ = ("_sg_mean", "_sg_std")

    def __init__(self, mean: Any, std: Any, inplace: bool = False) -> None:
        self._sg_mean, self._sg_std = mean, std

    def __call__(self, picture: Any) -> Any:
        tensor = facade.modules()["torch"].tensor
        mean, std = (tensor(list(each)).view(-1, 1, 1) for each in (self._sg_mean, self._sg_std))
        return (picture - mean) / std


class Unchanged:
    """A transform that leaves a picture as it is: it is a tensor already, and of the right size."""

    __slots__ = ()

    def __init__(self, *_: Any, **__: Any) -> None:
        pass

    def __call__(self, picture: Any) -> Any:
        return picture


def transforms() -> dict[str, Any]:
    """Return the names of `torchvision.transforms`."""
    alike = "ToTensor PILToTensor Resize CenterCrop RandomCrop RandomHorizontalFlip RandomRotation".split()
    return {"Compose": Compose, "Normalize": Normalize, **dict.fromkeys(alike, Unchanged)}
