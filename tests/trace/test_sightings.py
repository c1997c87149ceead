"""A tensor that comes into view without a row that made it: the row that names it tells what it holds."""

import pytest

HEAD = "import torch\nx = torch.tensor([2., 3.], requires_grad=True)\ny = (x ** 3).sum()\n"
STEPPED = "y.backward()\nopt = torch.optim.SGD([x], lr=0.5, momentum=0.5)\nopt.step()\n"
LAYER = "bn = torch.nn.BatchNorm1d(1, momentum=0.5)\nz = bn(torch.tensor([[1.], [3.]]))\n"


def seen(trace, name):
    """Return the numbers that a name was last said to hold when it was bound."""
    row = [r for r in trace["rows"] if r["kind"] == "names_bound" and name in r["names"]][-1]
    return trace["values"][row["seen"][row["names"][name]]]["data"]


@pytest.mark.parametrize(
    "text, expected",
    [
        ("g, = torch.autograd.grad(y, x)", [12, 27]),
        ("g, = torch.autograd.grad(y, x, create_graph=True)", [12, 27]),
        ("g = torch.autograd.grad(y, x)[0]", [12, 27]),
        ("y.backward()\ng = x.grad", [12, 27]),
        ("y.backward()\ng = x.grad\ng.mul_(2)", [12, 27]),
        ("y.backward()\nx.retain_grad()\ng = x.grad\ng.zero_()", [12, 27]),
        (STEPPED + "g = opt.state[x]['momentum_buffer']", [12, 27]),
        (STEPPED + "g = opt.state_dict()['state'][0]['momentum_buffer']", [12, 27]),
        (LAYER + "g = bn.running_mean", [1]),
        (LAYER + "g = dict(bn.named_buffers())['running_var']", [1.5]),
        ("g = torch.autograd.functional.vjp(lambda a: a * a, x, torch.ones(2))[1]", None),
    ],
)
def test_a_name_never_stands_for_a_tensor_whose_value_is_not_told(run, text, expected):
    trace = run(HEAD + text)
    told = {}
    for row in trace["rows"]:
        told |= row.get("seen", {})
        told |= dict(zip(row.get("outputs", ()), row.get("values", ())))
        told |= {row["tensor"]: row["value"]} if row["kind"] in ("tensor_made", "detached") else {}
        bound = row["names"] if row["kind"] == "names_bound" else {}
        assert set(bound.values()) <= set(told)
    if expected is not None:
        assert seen(trace, "g") == expected


def test_an_operation_tells_what_it_is_given_if_nothing_has(rows):
    (row,) = rows(HEAD + "z = torch.autograd.grad(y, x)[0] * 2", "op_applied")[2:]
    (tensor,) = row["seen"]
    assert ["self", {"tensor": tensor}] in row["args"]


def test_what_rows_have_told_is_not_told_again(run):
    trace = run(HEAD + "y.backward()\ng = x.grad\nh = g\nz = h * 2")
    assert sum("seen" in row for row in trace["rows"]) == 1


def test_what_has_changed_while_it_had_no_name_is_told_again(run):
    step = "y = (x ** 3).sum()\ny.backward()\ng = x.grad\n"
    trace = run(HEAD + step + "del g\n" + step)
    assert seen(trace, "g") == [24, 54]


def test_a_name_that_a_hook_binds_stands_before_what_the_hook_has_done(run):
    text = "def hook(grad):\n    h = grad * 2\n    return h\ny.register_hook(hook)\ny.backward()"
    kinds = [(r["kind"], *r.get("names", ())) for r in run(HEAD + text)["rows"]]
    assert kinds.index(("names_bound", "h")) < kinds.index(("hook_ran",))
