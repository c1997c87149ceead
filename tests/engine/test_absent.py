"""What is missing says by whom: by PyTorch, or by us alone."""

import pytest

from engine import absent, facade

MODULES = facade.modules()


@pytest.mark.parametrize(
    ("owner", "name"), [("torch", "fft"), ("torch.nn", "Transformer"), ("torch.optim", "Muon")]
)
def test_what_only_we_lack_says_so(owner, name):
    with pytest.raises(
        AttributeError, match=f"{owner}.{name} is part of PyTorch, but it is not available here"
    ):
        getattr(MODULES[owner], name)


def test_what_pytorch_lacks_too_says_what_python_says():
    with pytest.raises(AttributeError, match="module 'torch' has no attribute 'sigmoidd'"):
        _ = MODULES["torch"].sigmoidd
    with pytest.raises(AttributeError, match="'Tensor' object has no attribute 'foo'"):
        _ = MODULES["torch"].ones(1).foo


def test_a_method_of_tensor_that_only_we_lack_says_so():
    with pytest.raises(AttributeError, match="Tensor.stft is part of PyTorch"):
        _ = MODULES["torch"].ones(1).stft


def test_nothing_that_is_here_is_called_absent():
    for owner, names in absent.ABSENT.items():
        if owner in MODULES:
            here = {name for name in names if name in vars(MODULES[owner])}
            assert not here, f"take {here} of {owner} out of engine/absent.txt"


def test_what_a_tensor_lacks_is_not_listed_and_can_be_set():
    x = MODULES["torch"].ones(1)
    assert not hasattr(x, "stft") and "stft" not in dir(x)
    x.stft = 3
    assert x.stft == 3
