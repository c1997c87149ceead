"""torch.utils.data: datasets, and loaders that hand them out in batches, shuffled in PyTorch's own order."""

from __future__ import annotations

import bisect
import itertools
import math
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from engine import create, errors, events, random
from engine import dtype as dtypes
from engine.numeric import exchange
from engine.numeric.kinds import generic, ndarray
from engine.ops.table import F
from engine.samplers import (
    BatchSampler,
    RandomSampler,
    Sampler,
    SequentialSampler,
    SubsetRandomSampler,
    WeightedRandomSampler,
    drawn_seed,
)  # fmt: skip
from engine.tensor import Tensor, make

__all__ = [
    "BatchSampler", "ConcatDataset", "DataLoader", "Dataset", "IterableDataset", "RandomSampler", "Sampler",
    "SequentialSampler", "Subset", "SubsetRandomSampler", "TensorDataset", "WeightedRandomSampler",
    "default_collate", "random_split",
]  # fmt: skip


# ----- datasets ---------------------------------------------------------------------------------
class Dataset:
    """Samples by number. A subclass gives `__getitem__` and `__len__`."""

    def __class_getitem__(cls, item: Any) -> type:
        return cls

    def __getitem__(self, index: Any) -> Any:
        raise NotImplementedError("Subclasses of Dataset should implement __getitem__.")

    def __add__(self, other: Dataset) -> ConcatDataset:
        return ConcatDataset([self, other])


class IterableDataset(Dataset):
    """Samples one after the other. A subclass gives `__iter__`."""


class TensorDataset(Dataset):
    """Samples are the rows of one or more tensors."""

    def __init__(self, *tensors: Tensor) -> None:
        if any(tensors[0].array.shape[0] != tensor.array.shape[0] for tensor in tensors):
            raise AssertionError("Size mismatch between tensors")
        self.tensors = tensors

    def __getitem__(self, index: Any) -> tuple:
        return tuple(tensor[index] for tensor in self.tensors)

    def __len__(self) -> int:
        return self.tensors[0].array.shape[0]


class ConcatDataset(Dataset):
    """Several datasets end to end."""

    def __init__(self, datasets: Iterable[Any]) -> None:
        self.datasets = list(datasets)
        if not self.datasets:
            raise AssertionError("datasets should not be an empty iterable")
        self.cumulative_sizes = list(itertools.accumulate(len(d) for d in self.datasets))

    def __len__(self) -> int:
        return self.cumulative_sizes[-1]

    def __getitem__(self, idx: int) -> Any:
        if idx < 0:
            if -idx > len(self):
                raise ValueError("absolute value of index should not exceed dataset length")
            idx += len(self)
        which = bisect.bisect_right(self.cumulative_sizes, idx)
        start = self.cumulative_sizes[which - 1] if which else 0
        return self.datasets[which][idx - start]


class Subset(Dataset):
    """Some samples of a dataset, by number."""

    def __init__(self, dataset: Any, indices: Sequence[int]) -> None:
        self.dataset = dataset
        self.indices = indices

    def __getitem__(self, idx: Any) -> Any:
        if isinstance(idx, list):
            return self.dataset[[self.indices[i] for i in idx]]
        return self.dataset[self.indices[idx]]

    def __len__(self) -> int:
        return len(self.indices)


def random_split(
    dataset: Any, lengths: Sequence[float], generator: random.Generator | None = None
) -> list[Subset]:
    """Split a dataset at random into parts of given lengths, or of given shares that add up to 1."""
    if math.isclose(sum(lengths), 1) and sum(lengths) <= 1:
        lengths = _shares(len(dataset), lengths)
    if sum(lengths) != len(dataset):
        raise ValueError("Sum of input lengths does not equal the length of the input dataset!")
    order = (generator or random.default_generator()).randperm(sum(lengths)).tolist()
    ends = itertools.accumulate(lengths)
    return [Subset(dataset, order[end - n : end]) for end, n in zip(ends, lengths, strict=True)]


def _shares(total: int, lengths: Sequence[float]) -> list[int]:
    """Return shares as whole numbers; what is left over goes round, one each."""
    for i, share in enumerate(lengths):
        if share < 0 or share > 1:
            raise ValueError(f"Fraction at index {i} is not between 0 and 1")
    found = [math.floor(total * share) for share in lengths]
    for i in range(total - sum(found)):
        found[i % len(found)] += 1
    for i, n in enumerate(found):
        if n == 0:
            warnings.warn(
                f"Length of split at index {i} is 0. This might result in an empty dataset.",
                UserWarning,
                stacklevel=3,
            )
    return found


# ----- the loader -------------------------------------------------------------------------------
class DataLoader:
    """Hands out a dataset in batches. Workers are not started: batches are made when they are asked for."""

    def __init__(
        self, dataset: Any, batch_size: int | None = 1, shuffle: bool | None = None, sampler: Any = None,
        batch_sampler: Any = None, num_workers: int = 0, collate_fn: Callable | None = None,
        pin_memory: bool = False, drop_last: bool = False, timeout: float = 0, worker_init_fn: Any = None,
        multiprocessing_context: Any = None, generator: random.Generator | None = None, *,
        prefetch_factor: int | None = None, persistent_workers: bool = False, pin_memory_device: str = "",
    ) -> None:  # fmt: skip
        if num_workers < 0:
            raise ValueError(
                "num_workers option should be non-negative; use num_workers=0 to disable multiprocessing."
            )
        if persistent_workers and num_workers == 0:
            raise ValueError("persistent_workers option needs num_workers > 0")
        self.dataset = dataset
        self.num_workers = num_workers
        self.generator = generator
        self.pin_memory = pin_memory
        self.pin_memory_device = pin_memory_device
        self.streams = isinstance(dataset, IterableDataset)
        if self.streams and shuffle:
            raise ValueError(
                "DataLoader with IterableDataset: expected unspecified shuffle option, but got "
                f"shuffle={shuffle}"
            )
        if sampler is not None and shuffle:
            raise ValueError("sampler option is mutually exclusive with shuffle")
        if batch_sampler is not None:
            if batch_size != 1 or shuffle or sampler is not None or drop_last:
                raise ValueError(
                    "batch_sampler option is mutually exclusive with batch_size, shuffle, sampler, and "
                    "drop_last"
                )
            batch_size, drop_last = None, False
        elif batch_size is None and drop_last:
            raise ValueError(
                "batch_size=None option disables auto-batching and is mutually exclusive with drop_last"
            )
        if sampler is None and not self.streams:
            sampler = RandomSampler(dataset, generator=generator) if shuffle else SequentialSampler(dataset)
        elif sampler is None:
            sampler = itertools.repeat(None)
        if batch_size is not None and batch_sampler is None:
            batch_sampler = BatchSampler(sampler, batch_size, drop_last)
        self.batch_size = batch_size
        self.drop_last = drop_last
        self.sampler = sampler
        self.batch_sampler = batch_sampler
        self.collate_fn = collate_fn or (default_collate if batch_sampler is not None else _as_tensors)

    def __iter__(self) -> Iterator[Any]:
        numbers = iter(self.sampler if self.batch_sampler is None else self.batch_sampler)
        if self.pin_memory_device:
            text = errors.pin_memory_device(self.pin_memory_device)
            warnings.warn(text, UserWarning, stacklevel=2)
        if self.pin_memory:
            warnings.warn(errors.PIN_MEMORY_IGNORED, UserWarning, stacklevel=2)
        drawn_seed(self.generator)  # PyTorch draws one for its workers, whether there are any or not
        return self._batches(numbers)

    def _batches(self, numbers: Iterator[Any]) -> Iterator[Any]:
        if self.streams:
            yield from self._streamed(iter(self.dataset), numbers)
            return
        for number in numbers:
            yield self.collate_fn(self._samples(number))

    def _streamed(self, samples: Iterator[Any], numbers: Iterator[Any]) -> Iterator[Any]:
        for number in numbers:
            if self.batch_sampler is None:
                yield from (self.collate_fn(sample) for sample in samples)
                return
            batch = list(itertools.islice(samples, len(number)))
            if not batch or (self.drop_last and len(batch) < len(number)):
                return
            yield self.collate_fn(batch)

    def _samples(self, number: Any) -> Any:
        """Return the sample or samples of one batch; the rows of plain tensors are taken unseen."""
        data = self.dataset
        while isinstance(data, Subset):
            data = data.dataset
        quiet = isinstance(data, TensorDataset) and not any(t.requires_grad for t in data.tensors)
        with events.observed_by(None if quiet else events.observer()):
            return self.dataset[number] if self.batch_sampler is None else [self.dataset[i] for i in number]

    def __len__(self) -> int:
        if not self.streams:
            return len(self.sampler if self.batch_sampler is None else self.batch_sampler)
        length = len(self.dataset)
        if self.batch_size is None:
            return length
        return length // self.batch_size if self.drop_last else math.ceil(length / self.batch_size)


def default_collate(batch: Sequence[Any]) -> Any:
    """Join samples: tensors are stacked, numbers become a tensor, dicts and tuples are joined inside."""
    first = batch[0]
    if isinstance(first, Tensor):
        return _stacked(batch)
    if isinstance(first, ndarray):
        return _stacked([make(exchange.numbers_of(each)) for each in batch])
    if isinstance(first, generic):
        return create.tensor(list(batch))
    if isinstance(first, float):
        return create.tensor(list(batch), dtype=dtypes.float64)
    if isinstance(first, int):
        return create.tensor(list(batch))
    if isinstance(first, (str, bytes)):
        return batch
    if isinstance(first, Mapping):
        return {key: default_collate([each[key] for each in batch]) for key in first}
    if isinstance(first, tuple) and hasattr(first, "_fields"):
        return type(first)(*(default_collate(parts) for parts in zip(*batch, strict=False)))
    if isinstance(first, Sequence):
        if any(len(each) != len(first) for each in batch):
            raise RuntimeError("each element in list of batch should be of equal size")
        return [default_collate(parts) for parts in zip(*batch, strict=True)]
    raise TypeError(
        "default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; found "
        + str(type(first))
    )


def _stacked(batch: Sequence[Tensor]) -> Tensor:
    """Stack tensors; plain data is stated as made, not as computed."""
    if any(each.requires_grad for each in batch):
        return F.stack(tuple(batch), 0)
    with events.observed_by(None):
        made = F.stack(tuple(batch), 0)
    events.emit(events.TensorMade(made))
    return made


def _as_tensors(sample: Any) -> Any:
    """Return one sample as a loader without batches gives it: arrays as tensors, the rest as it is."""
    if isinstance(sample, ndarray):
        return create.as_tensor(sample)
    if isinstance(sample, tuple):
        return (
            tuple(_as_tensors(part) for part in sample)
            if hasattr(sample, "_fields")
            else [_as_tensors(p) for p in sample]
        )
    return sample
