"""A simulated device keeps PyTorch's rules: what is where, what may meet, and what each refusal says."""

import pytest

from engine import facade
from engine.apply import apply
from engine.ops.table import TABLE
from engine.places import device_of
from engine.tensor import Tensor
from tests.engine.samples import SAMPLES, arguments

torch = facade.modules()["torch"]
nn = torch.nn
SIM = torch.device("sim:0")


def refusal(call, kind=RuntimeError):
    with pytest.raises(kind) as caught:
        call()
    return str(caught.value)


def leaf(*values, device="sim:0"):
    return torch.tensor(values, device=device, requires_grad=True)


# ----- naming and printing ----------------------------------------------------------------------
def test_a_simulated_device_prints_its_own_name_everywhere():
    x = leaf(1.0, 2.0)
    assert repr(x) == "tensor([1., 2.], device='sim:0', requires_grad=True)"
    assert repr(x * 2) == "tensor([2., 4.], device='sim:0', grad_fn=<MulBackward0>)"
    assert x.type() == "torch.sim.FloatTensor" and str(x.device) == "sim:0"
    assert "no hardware" in torch.sim.get_device_name()


def test_a_simulated_device_never_passes_for_a_real_one():
    x = leaf(1.0)
    assert not (x.is_cuda or x.is_cpu or torch.cuda.is_available() or torch.accelerator.is_available())
    assert torch.accelerator.current_accelerator() is None


def test_no_number_means_the_first():
    assert torch.ones(1, device="sim").device == SIM
    assert torch.ones(1).to("sim").get_device() == 0


def test_there_are_four():
    assert torch.sim.device_count() == 4
    assert "there is no sim:4" in refusal(lambda: torch.ones(1, device="sim:4"))


# ----- where things are -------------------------------------------------------------------------
@pytest.mark.parametrize(
    "make",
    [
        lambda d: torch.zeros(2, device=d), lambda d: torch.tensor([1.0], device=d),
        lambda d: torch.rand(2, device=d), lambda d: torch.arange(3, device=d),
        lambda d: torch.ones_like(torch.ones(2), device=d), lambda d: torch.ones(2).new_zeros(2, device=d),
        lambda d: torch.as_tensor(torch.ones(2), device=d),
        lambda d: torch.normal(0.0, 1.0, (2,), device=d), lambda d: torch.tril_indices(2, 2, device=d),
        lambda d: nn.Linear(2, 2, device=d).weight, lambda d: nn.BatchNorm1d(2, device=d).running_mean,
        lambda d: nn.LSTM(1, 1, device=d).bias_hh_l0,
        lambda d: nn.MultiheadAttention(2, 1, device=d).out_proj.bias,
    ],
)  # fmt: skip
def test_what_takes_a_device_puts_it_there(make):
    assert make("sim:1").device == torch.device("sim:1")
    with torch.device("sim:2"):
        assert make("sim:1").device == torch.device("sim:1")


@pytest.mark.parametrize(
    "derive",
    [
        lambda x: x * 2, lambda x: x.sum(), lambda x: x[0], lambda x: x[torch.tensor([0])],
        lambda x: x.view(2, 1), lambda x: x.detach(), lambda x: x.data, lambda x: x.clone(),
        lambda x: torch.cat([x, x]), lambda x: torch.stack([x, x]), lambda x: x.max(0)[1],
        lambda x: torch.sort(x)[0], lambda x: x @ x, lambda x: torch.zeros_like(x), lambda x: x.new_ones(1),
        lambda x: torch.nonzero(x), lambda x: x > 1, lambda x: nn.functional.dropout(x),
        lambda x: x.unique(), lambda x: x.double(), lambda x: x.split(1)[1],
        lambda x: torch.where(x > 1, x, 0.0), lambda x: x + torch.tensor(1.0),
        lambda x: torch.quantile(x, 0.5), lambda x: x.take_along_dim(torch.tensor([0], device="sim:0"), 0),
        lambda x: torch.tensor(x.detach()),
    ],
)  # fmt: skip
def test_results_are_where_their_operands_are(derive):
    assert derive(leaf(1.0, 2.0)).device == SIM


def test_factories_follow_the_default_device():
    with torch.device("sim:3"):
        assert torch.zeros(1).device == torch.device("sim:3") == torch.get_default_device()
        assert nn.Linear(1, 1).weight.device == torch.device("sim:3")
        assert torch.zeros_like(torch.ones(1, device="cpu")).device == torch.device("cpu")
    assert torch.zeros(1).device == torch.device("cpu")


def test_a_module_is_moved_in_place_with_its_gradients_and_buffers():
    model = nn.Sequential(nn.Linear(1, 1), nn.BatchNorm1d(1))
    weight = model[0].weight
    model(torch.ones(2, 1)).sum().backward()
    model.to("sim:1")
    assert weight is model[0].weight
    assert {t.device for t in (weight, weight.grad, model[1].running_mean)} == {torch.device("sim:1")}
    model(torch.ones(2, 1, device="sim:1")).sum().backward()
    assert model.cpu()[0].weight.grad.device == torch.device("cpu")


@pytest.mark.parametrize("name", ["SGD", "Adam", "AdamW", "RMSprop", "Adagrad"])
def test_an_optimiser_keeps_its_state_beside_the_parameter(name):
    model = nn.Linear(2, 1).to("sim:0")
    options = {"momentum": 0.9} if name == "SGD" else {}
    optimizer = getattr(torch.optim, name)(model.parameters(), lr=0.1, **options)
    model(torch.ones(1, 2, device="sim:0")).sum().backward()
    optimizer.step()
    for key, value in optimizer.state[model.weight].items():
        assert value.device == (torch.device("cpu") if key == "step" else SIM), key


def test_the_numbers_are_those_of_the_cpu():
    def train(device):
        torch.manual_seed(0)
        model = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1)).to(device)
        optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
        x = torch.randn(5, 3).to(device)
        for _ in range(3):
            optimizer.zero_grad()
            model(x).pow(2).mean().backward()
            optimizer.step()
        return [p.tolist() for p in model.parameters()]

    assert train("sim:0") == train("cpu")


# ----- what must not meet -----------------------------------------------------------------------
def test_two_devices_in_one_operation_are_refused_as_pytorch_does():
    x, y = leaf(1.0, 2.0), leaf(1.0, 2.0, device="cpu")
    two = "Expected all tensors to be on the same device, but found at least two devices, sim:0 and cpu!"
    assert refusal(lambda: x + y) == refusal(lambda: y + x) == two
    assert refusal(lambda: y.detach().add_(x.detach())) == two
    assert refusal(lambda: x * leaf(1.0, device="sim:1")) == two.replace("cpu!", "sim:1!")


def test_some_operations_name_the_argument():
    w, x = torch.ones(2, 2, device="sim:0"), torch.ones(2, 2)
    text = refusal(lambda: w @ x)
    assert text == (
        "Expected all tensors to be on the same device, but got mat2 is on cpu, different from other tensors "
        "on sim:0 (when checking argument in method wrapper_sim_mm)"
    )
    assert "got index is on cpu" in refusal(lambda: w.gather(0, torch.tensor([[0]])))


def test_a_convolution_names_the_types():
    layer = nn.Conv1d(1, 1, 1).to("sim:0")
    assert refusal(lambda: layer(torch.ones(1, 1, 2))) == (
        "Input type (torch.FloatTensor) and weight type (torch.sim.FloatTensor) should be the same or input "
        "should be a MKLDNN tensor and weight is a dense tensor"
    )


def test_a_single_number_on_the_cpu_may_join():
    x, s = leaf(1.0, 2.0), torch.tensor(3.0, requires_grad=True)
    (x * s).sum().backward()
    assert s.grad.device == torch.device("cpu") and s.grad.item() == 3.0
    assert x.grad.tolist() == [3.0, 3.0]


def test_a_gradient_cannot_be_set_elsewhere():
    x = leaf(1.0)
    assert "located on a different device" in refusal(lambda: setattr(x, "grad", torch.ones(1)))
    assert refusal(lambda: x.backward(torch.ones(1))) == (
        "invalid gradient at index 0 - expected device sim:0 but got cpu"
    )


def test_a_function_that_returns_its_gradient_elsewhere_is_refused():
    class Away(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            return grad.cpu()

    x = leaf(1.0, 2.0)
    assert refusal(lambda: Away.apply(x).sum().backward()) == (
        "Function AwayBackward returned an invalid gradient at index 0 - expected device sim:0 but got cpu"
    )


def test_numpy_needs_the_cpu():
    x = torch.ones(1, device="sim:0")
    assert refusal(x.numpy, TypeError).startswith("can't convert sim:0 device type tensor to numpy.")
    assert x.cpu().numpy().tolist() == x.numpy(force=True).tolist() == [1.0]


# ----- copies -----------------------------------------------------------------------------------
def test_a_copy_to_another_device_is_an_operation_and_goes_back():
    x = leaf(1.0, 2.0, device="cpu")
    y = x.to("sim:0")
    assert y.grad_fn.name() == "ToCopyBackward0" and y.to("sim:0") is y and y.is_leaf is False
    (y * y).sum().backward()
    assert x.grad.tolist() == [2.0, 4.0] and x.grad.device == torch.device("cpu")


def test_one_copy_changes_device_and_dtype():
    x = leaf(1.5, device="cpu")
    y = x.to("sim:1", torch.float64)
    assert (y.dtype, y.device) == (torch.float64, torch.device("sim:1"))
    y.sum().backward()
    assert x.grad.dtype is torch.float32


def test_copying_into_a_tensor_crosses_devices():
    x = leaf(1.0, 2.0, device="cpu")
    y = torch.zeros(2, device="sim:0")
    y.copy_(x * 1)
    y.sum().backward()
    assert y.device == SIM and x.grad.tolist() == [1.0, 1.0]


def test_second_derivatives_cross_devices():
    x = leaf(2.0, device="cpu")
    y = x.to("sim:0") ** 3
    (first,) = torch.autograd.grad(y.cpu().sum(), x, create_graph=True)
    (second,) = torch.autograd.grad(first.sum(), x)
    assert (first.item(), second.item()) == (12.0, 12.0)


def test_a_node_is_on_the_device_of_its_output():
    x = leaf(1.0, device="cpu")
    y = x.to("sim:1")
    z = y.cpu()
    assert device_of(y.grad_fn) == torch.device("sim:1") and device_of(z.grad_fn) is None
    assert device_of(y.grad_fn.next_functions[0][0]) is None


def test_writing_through_a_view_stays_on_its_device():
    x = leaf(1.0, 2.0)
    y = x * 1
    y[0] = 5.0
    (y * 2).sum().backward()
    assert x.grad.tolist() == [0.0, 2.0] and x.grad.device == SIM


# ----- every operation --------------------------------------------------------------------------
def moved(value):
    """Return an argument with its tensors on a simulated device, leaves as leaves."""
    if isinstance(value, tuple):
        return tuple(map(moved, value))
    if not isinstance(value, Tensor):
        return value
    return value.detach().to(SIM).requires_grad_(value.requires_grad)


@pytest.mark.parametrize("name", sorted(set(SAMPLES) - {"to.device"}))
def test_every_operation_and_its_gradient_stay_on_the_device(name):
    op = TABLE[name]
    for entry in SAMPLES[name]:
        args = [moved(value) for value in arguments(op, entry)]
        found = apply(op, *args)
        outputs = found if isinstance(found, tuple) else (found,)
        assert all(out.device == SIM for out in outputs)
        for out in outputs:
            if out.requires_grad:
                out.backward(torch.ones_like(out), retain_graph=True)
        leaves = [a for arg in args for a in (arg if isinstance(arg, tuple) else (arg,))]
        assert all(a.grad is None or a.grad.device == SIM for a in leaves if isinstance(a, Tensor))
