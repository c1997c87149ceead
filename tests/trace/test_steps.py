"""Rows of optimisers and schedulers: what is kept for the next step, and the rate before and after."""

import math
import re

import pytest

HEAD = "import torch\nw = torch.tensor([1., -2.], requires_grad=True)\n"
TAIL = "for step in range(2):\n    (w ** 2).sum().backward()\n    o.step()\n"

# what PyTorch keeps in `optimizer.state[w]`, in its order
KEPT = {
    "SGD([w], lr=.1)": [],
    "SGD([w], lr=.1, momentum=.9)": ["momentum_buffer"],
    "SGD([w], lr=.1, momentum=.9, nesterov=True, weight_decay=.1)": ["momentum_buffer"],
    "SGD([w], lr=.1, momentum=.9, dampening=.5, maximize=True)": ["momentum_buffer"],
    "Adam([w])": ["step", "exp_avg", "exp_avg_sq"],
    "Adam([w], amsgrad=True, weight_decay=.1)": ["step", "exp_avg", "exp_avg_sq", "max_exp_avg_sq"],
    "AdamW([w], maximize=True)": ["step", "exp_avg", "exp_avg_sq"],
    "RMSprop([w])": ["step", "square_avg"],
    "RMSprop([w], momentum=.9, centered=True)": ["step", "square_avg", "momentum_buffer", "grad_avg"],
    "Adagrad([w], lr_decay=.1, weight_decay=.1)": ["step", "sum"],
}


@pytest.mark.parametrize("optimizer", KEPT)
def test_an_update_tells_all_that_is_kept_for_the_parameter(optimizer, rows):
    first, second = rows(f"{HEAD}o = torch.optim.{optimizer}\n{TAIL}", "parameter_updated")
    assert [name for name, *_ in second["state"]] == KEPT[optimizer]
    after = {name: now for name, _, _, now in first["state"]}
    assert {name: was for name, _, was, _ in second["state"]} == after


@pytest.mark.parametrize("optimizer", KEPT)
def test_every_name_of_a_formula_is_told(optimizer, run):
    trace = run(f"{HEAD}o = torch.optim.{optimizer}\n{TAIL}")
    for row in trace["rows"]:
        if row["kind"] == "parameter_updated":
            terms = {**row["terms"], "p": row["before"], "g": row["grad"]}
            for step in row["formula"].split("; "):
                names = set(re.findall(r"[a-z_]\w*(?!\w*\()", step.rpartition(" = ")[2]))
                assert names <= set(terms), (step, names - set(terms))


def test_optimisers_are_numbered_for_a_name_may_be_bound_anew(rows):
    source = (
        HEAD + "for i in range(2):\n    o = torch.optim.SGD([w], lr=.1)\n    w.sum().backward()\n    o.step()"
    )
    steps = rows(source, "optimizer_step")
    assert [(row["optimizer"], row["which"]) for row in steps] == [("o", 0), ("o", 1)]


def planned(rows, scheduler: str, count: int = 4) -> list[dict]:
    source = f"{HEAD}o = torch.optim.SGD([w], lr=1.)\no.step()\ns = torch.optim.lr_scheduler.{scheduler}\n"
    return rows(f"{source}for i in range({count}):\n    s.step()", "lr_scheduled")


# the rates that PyTorch 2.13 gives
RATES = {
    "StepLR(o, 2)": [1.0, 0.1, 0.1, 0.010000000000000002],
    "MultiStepLR(o, [1, 3], gamma=.5)": [0.5, 0.5, 0.25, 0.25],
    "ExponentialLR(o, .5)": [0.5, 0.25, 0.125, 0.0625],
    "LambdaLR(o, lambda e: 1 / (e + 1))": [0.5, 1 / 3, 0.25, 0.2],
    "CosineAnnealingLR(o, 4)": [0.8535533905932737, 0.5, 0.14644660940672627, 0.0],
    "PolynomialLR(o, 4)": [0.75, 0.5, 0.25, 0.0],
}


@pytest.mark.parametrize("scheduler", RATES)
def test_a_schedulers_step_is_a_row_with_the_rate_before_and_after(scheduler, rows):
    found = planned(rows, scheduler)
    assert [row["after"] for row in found] == RATES[scheduler]
    assert [row["before"] for row in found] == [1.0, *RATES[scheduler][:-1]]
    assert [row["epoch"] for row in found] == [1, 2, 3, 4]


@pytest.mark.parametrize("scheduler", [s for s in RATES if "Lambda" not in s])
def test_the_formula_of_a_plan_gives_the_rate(scheduler, rows):
    for row in planned(rows, scheduler):
        known = {"lr": row["before"], "cos": math.cos, "pi": math.pi, **row["terms"]}
        assert eval(row["formula"], {}, known) == pytest.approx(row["after"], abs=1e-15)


def test_warming_up_begins_with_a_row_for_the_rate_is_written_at_once(rows):
    found = planned(rows, "LinearLR(o, .5, total_iters=2)", 2)
    assert [(row["epoch"], row["after"]) for row in found] == [(0, 0.5), (1, 0.75), (2, 1.0)]


def test_one_row_for_each_group(rows):
    source = (
        "import torch\na, b = torch.ones(1, requires_grad=True), torch.ones(1, requires_grad=True)\n"
        "o = torch.optim.SGD([{'params': [a]}, {'params': [b], 'lr': .2}], lr=.1)\no.step()\n"
        "torch.optim.lr_scheduler.ExponentialLR(o, .5).step()"
    )
    assert [(r["group"], r["before"], r["after"]) for r in rows(source, "lr_scheduled")] == [
        (0, 0.1, 0.05), (1, 0.2, 0.1),
    ]  # fmt: skip


def test_a_plateau_that_is_none_leaves_the_rate(rows):
    source = (
        HEAD
        + "o = torch.optim.SGD([w], lr=1.)\ns = torch.optim.lr_scheduler.ReduceLROnPlateau(o, patience=0)\n"
    )
    found = rows(source + "for loss in (2., 1., 1.):\n    s.step(loss)", "lr_scheduled")
    assert [(row["before"], row["after"]) for row in found] == [(1.0, 1.0), (1.0, 1.0), (1.0, 0.1)]
