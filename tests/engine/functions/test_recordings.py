"""Functions of torch print what PyTorch prints: numbers, warnings, refusals."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.engine.nn.recordings import printed_by_ours, programs, recording
from tests.oracle.agreement import texts


@pytest.mark.parametrize("program", programs("functions"), ids=lambda path: path.stem)
def test_prints_what_pytorch_prints(program: Path):
    want = recording(program).read_text(encoding="utf-8").splitlines()
    got = printed_by_ours(program).splitlines()
    different = [line for w, g in zip(want, got) for line in texts(w, g, program.stem)]
    assert not different and len(want) == len(got)
