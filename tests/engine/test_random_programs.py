"""Programs that Hypothesis draws: their gradients are what finite differences say, first and second order.

`python -m tests.oracle.record_programs FIRST LAST` holds random programs against PyTorch itself, where
torch is installed. The same examples are drawn every time (see tests/conftest.py).
"""

from __future__ import annotations

import numpy as np
from hypothesis import HealthCheck, assume, event, given, settings

from engine import facade
from tests.engine.strategies import Program, programs

torch = facade.modules()["torch"]
STEP = 1e-6
SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]


def start_of(program: Program) -> list[np.ndarray]:
    """Return the numbers of the leaves."""
    return [np.array(numbers).reshape(shape) for _, shape, numbers, _ in program.leaves]


def run(program: Program, values, *, track=True, backward=None, double=None, retain=None) -> tuple:
    """Run a program on these numbers; return its leaves and the losses that it wanted backward of."""
    tensors = {
        name: torch.tensor(value.tolist(), dtype=torch.float64, requires_grad=track and wants)
        for (name, _, _, wants), value in zip(program.leaves, values)
    }
    losses = []

    def door(x):
        losses.append(x)
        if backward is not None and x.requires_grad:
            backward(x)

    def ignore(x):
        return None

    names = {**tensors, "torch": torch, "backward": door, "double": double or ignore}
    names |= {"retain": retain or ignore}
    code = compile(program.body, "<program>", "exec", dont_inherit=True)
    exec(code, names)
    return [t for t in tensors.values()], losses


def total(program: Program, values) -> float:
    """Return the sum of all losses, as a number."""
    return sum(loss.item() for loss in run(program, values, track=False)[1])


def slopes(function, values, wanted) -> list[np.ndarray]:
    """Return the central differences of a function of arrays, by every wanted array."""
    found = []
    for k, value in enumerate(values):
        slope = np.zeros_like(value)
        for index in np.ndindex(value.shape) if wanted[k] else ():
            sides = []
            for step in (STEP, -STEP):
                moved = [v.copy() for v in values]
                moved[k][index] += step
                sides.append(function(moved))
            slope[index] = (sides[0] - sides[1]) / (2 * STEP)
        found.append(slope)
    return found


def gradients(program: Program, values, **doors) -> list[np.ndarray]:
    """Return what `.grad` holds after every backward call of the program; zeros for None."""
    doors.setdefault("backward", lambda x: x.backward(retain_graph=True))
    leaves, _ = run(program, values, **doors)
    return [np.array(x.grad.tolist()) if x.grad is not None else np.zeros(x.shape) for x in leaves]


def tame(program: Program, values) -> bool:
    """Say whether the numbers stay small enough for finite differences to mean something."""
    size = abs(total(program, values))
    return np.isfinite(size) and size < 1e3


def agree(got, want) -> None:
    """Compare gradients within what a step of 1e-6 in double precision can tell."""
    for a, b in zip(got, want):
        np.testing.assert_allclose(a, b, rtol=2e-5, atol=2e-6 * max(1.0, np.abs(b).max(initial=0)))


@given(programs())
@settings(max_examples=250, suppress_health_check=SLOW)
def test_gradients_are_what_finite_differences_say(program):
    values = start_of(program)
    assume(tame(program, values))
    wanted = [wants for *_, wants in program.leaves]
    event(f"{program.body.count('backward(')} backward calls")
    event(f"writes in place: {'_(' in program.body or '-=' in program.body or '/=' in program.body}")
    agree(gradients(program, values), slopes(lambda moved: total(program, moved), values, wanted))


def penalty(program: Program, values, backward: bool = False):
    """Return the sum of the squares of all gradients, made with create_graph, and the leaves."""
    leaves, losses = run(program, values)
    inputs = [x for x in leaves if x.requires_grad]
    roots = [loss for loss in losses if loss.requires_grad]
    if not roots:
        return None, leaves
    grads = torch.autograd.grad(sum(roots), inputs, create_graph=True, allow_unused=True)
    return sum((g * g).sum() for g in grads if g is not None), leaves


@given(programs())
@settings(max_examples=80, suppress_health_check=SLOW)
def test_second_derivatives_are_what_finite_differences_of_the_first_say(program):
    values = start_of(program)
    assume(tame(program, values))
    square, leaves = penalty(program, values)
    assume(torch.is_tensor(square) and square.requires_grad and square.item() < 1e4)
    square.backward()
    got = [np.array(x.grad.tolist()) if x.grad is not None else np.zeros(x.shape) for x in leaves]
    wanted = [wants for *_, wants in program.leaves]
    agree(got, slopes(lambda moved: penalty(program, moved)[0].item(), values, wanted))


@given(programs(hooks=True))
@settings(max_examples=80, suppress_health_check=SLOW)
def test_retained_gradients_are_what_autograd_grad_gives(program):
    values = start_of(program)
    assume(tame(program, values))
    retained, again = [], []
    run(
        program, values, backward=lambda x: x.backward(retain_graph=True),
        retain=lambda x: (x.requires_grad and x.retain_grad(), retained.append(x)),
    )  # fmt: skip
    _, losses = run(program, values, retain=again.append)
    roots = [loss for loss in losses if loss.requires_grad]
    for kept, other in zip(retained, again):
        if not kept.requires_grad or not roots:
            continue
        (grad,) = torch.autograd.grad(sum(roots), other, retain_graph=True, allow_unused=True)
        assert (kept.grad is None) == (grad is None)
        if grad is not None:
            np.testing.assert_allclose(kept.grad.tolist(), grad.tolist(), rtol=1e-10, atol=1e-12)


def doubled_by_hook(x):
    """Double the gradient of x on its way."""
    if x.requires_grad:
        x.register_hook(lambda grad: grad * 2)


@given(programs(hooks=True))
@settings(max_examples=80, suppress_health_check=SLOW)
def test_a_hook_that_doubles_is_the_operation_that_doubles_the_gradient_alone(program):
    values = start_of(program)
    assume(tame(program, values))
    lines = []
    for line in program.lines:
        name = line[len("double(") : -1]
        lines.append(f"{name} = 2 * {name} - {name}.detach()" if line.startswith("double(") else line)
    replaced = Program(program.leaves, tuple(lines))
    got = gradients(program, values, double=doubled_by_hook)
    for a, b in zip(got, gradients(replaced, values)):
        np.testing.assert_allclose(a, b, rtol=1e-8, atol=1e-10)


@given(programs(hooks=True))
@settings(max_examples=80, suppress_health_check=SLOW)
def test_a_program_run_twice_gives_the_same_bits(program):
    values = start_of(program)
    first, second = (gradients(program, values, double=doubled_by_hook) for _ in range(2))
    assert [a.tobytes() for a in first] == [b.tobytes() for b in second]
