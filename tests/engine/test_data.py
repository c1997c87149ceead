"""Loaders: what they hand out, and what a trace sees of it. Orders are recorded in nn/programs/data.txt."""

from __future__ import annotations

import pytest

from engine import create, events, methods
from engine.data import DataLoader, Dataset, Subset, TensorDataset, random_split

assert methods


@pytest.fixture
def rows() -> TensorDataset:
    return TensorDataset(create.arange(12.0).view(6, 2), create.arange(6))


def test_a_batch_is_stated_as_made_not_row_by_row(rows):
    facts: list = []
    with events.observed_by(facts.append):
        x, y = next(iter(DataLoader(Subset(rows, [4, 1]), batch_size=2)))
    assert [type(fact).__name__ for fact in facts] == ["TensorMade", "TensorMade"]
    assert [fact.tensor for fact in facts] == [x, y]
    assert y.tolist() == [4, 1]


def test_data_that_requires_grad_stays_in_the_graph():
    x = create.ones(4, 2, requires_grad=True)
    (batch,) = next(iter(DataLoader(TensorDataset(x), batch_size=3)))
    assert batch.grad_fn.name() == "StackBackward0"
    batch.sum().backward()
    assert x.grad.sum().item() == 6.0


def test_every_pass_shuffles_anew_and_a_seed_repeats_it(rows):
    def orders() -> list:
        create.manual_seed(3)
        loader = DataLoader(rows, batch_size=6, shuffle=True)
        return [y.tolist() for _ in range(2) for _, y in loader]

    first = orders()
    assert first == orders() and first[0] != first[1]
    assert sorted(first[0]) == list(range(6))


def test_a_pass_without_shuffling_still_draws_a_seed(rows):
    create.manual_seed(0)
    list(DataLoader(rows, batch_size=3))
    after = create.rand(1).item()
    create.manual_seed(0)
    assert create.rand(1).item() != after


def test_the_last_batch_may_be_smaller_or_dropped(rows):
    sizes = [[len(y) for _, y in DataLoader(rows, batch_size=4, drop_last=drop)] for drop in (False, True)]
    assert sizes == [[4, 2], [4]]
    assert [len(DataLoader(rows, batch_size=4, drop_last=drop)) for drop in (False, True)] == [2, 1]


def test_a_split_takes_every_row_once(rows):
    parts = random_split(rows, [0.5, 0.3, 0.2])
    assert [len(part) for part in parts] == [4, 1, 1]
    assert sorted(i for part in parts for i in part.indices) == list(range(6))


def test_a_dataset_without_rows_is_refused_in_words():
    class Empty(Dataset):
        pass

    with pytest.raises(NotImplementedError, match="should implement __getitem__"):
        Empty()[0]
