"""One random change in an honest trace: it is hardly ever accepted, and never more than refused."""

from __future__ import annotations

import pytest

from tests.verify.mutations import unnoticed

MANY, FEW = 300, 9  # of so many changes; `python -m tests.verify.mutations` tells which go unnoticed


@pytest.mark.parametrize("seed", range(3))
def test_a_random_change_is_hardly_ever_accepted(seed: int):
    missed = unnoticed(MANY, seed)
    assert len(missed) <= FEW, "\n".join(missed)
