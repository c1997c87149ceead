"""bfloat16 stays bfloat16 through operations that promote nothing, and its views stay views."""

import pytest

from engine import facade

torch = facade.modules()["torch"]
DATA = [0.5, -1.25, 2.0]
TEXTS = (
    "a.clone() a.flip(0) a.cumsum(0) a.sort()[0] a.max(0)[0] torch.cat([a,a]) a.softmax(0) a.roll(1) "
    "a.relu() a.repeat(2) a.mean() a.topk(2)[0]"
).split()


@pytest.mark.parametrize("text", TEXTS)
def test_an_operation_keeps_bfloat16(text):
    a = torch.tensor(DATA, dtype=torch.bfloat16)
    assert eval(text, {"a": a, "torch": torch}).dtype is torch.bfloat16


@pytest.mark.parametrize("text", ["a.argmax()", "a.isnan()", "a.sort()[1]", "a.float()", "a.double()"])
def test_what_is_asked_for_in_another_dtype_comes_in_it(text):
    a = torch.tensor(DATA, dtype=torch.bfloat16)
    assert eval(text, {"a": a}).dtype is not torch.bfloat16


def test_writing_through_a_view_reaches_its_base():
    a = torch.tensor(DATA, dtype=torch.bfloat16)
    a[1:].fill_(3.0)
    assert a.tolist() == [0.5, 3.0, 3.0]
