"""What `type(x)` prints, as PyTorch 2.13 does; recorded there."""

from __future__ import annotations

import pytest

from engine import facade, titles

MODULES = facade.modules()
torch = MODULES["torch"]
nn, optim = torch.nn, torch.optim
x = torch.ones(2, requires_grad=True)
PRINTED = {
    "torch.Tensor": lambda: x,
    "torch.nn.parameter.Parameter": lambda: nn.Parameter(x),
    "torch.nn.modules.linear.Linear": lambda: nn.Linear(1, 1),
    "torch.nn.modules.container.Sequential": nn.Sequential,
    "torch.nn.modules.loss.MSELoss": nn.MSELoss,
    "torch.nn.modules.activation.ReLU": nn.ReLU,
    "torch.optim.sgd.SGD": lambda: optim.SGD([x], 0.1),
    "torch.optim.lr_scheduler.StepLR": lambda: optim.lr_scheduler.StepLR(optim.SGD([x], 0.1), 1),
    "torch.dtype": lambda: torch.float32,
    "torch.device": lambda: torch.device("cpu"),
    "torch.Size": lambda: x.shape,
    "torch.return_types.max": lambda: x.max(0),
    "torch.utils.data.dataset.TensorDataset": lambda: torch.utils.data.TensorDataset(x),
    "torch.utils.hooks.RemovableHandle": lambda: x.register_hook(print),
    "MulBackward0": lambda: (x * 2).grad_fn,
    "AccumulateGrad": lambda: (x * 2).grad_fn.next_functions[0][0],
}


@pytest.mark.parametrize("printed", PRINTED)
def test_a_type_prints_as_it_does_in_pytorch(printed):
    assert str(type(PRINTED[printed]())) == f"<class '{printed}'>"


def test_no_class_that_a_program_gets_by_name_tells_of_the_engine():
    offered = [v for v in titles.classes(MODULES) if isinstance(v, type) and issubclass(v, (nn.Module,))]
    offered += [v for v in vars(optim).values() if isinstance(v, type)]
    assert [kind for kind in offered if kind.__module__.startswith("engine")] == []


def test_what_a_program_derives_keeps_its_own_name_and_ours_stay_ours():
    class Net(nn.Module):
        pass

    assert Net.__module__ == __name__
    assert not titles.is_ours(Net)
    assert titles.is_ours(nn.Linear)
    assert facade.is_engine_object(Net())
