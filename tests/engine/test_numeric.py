"""The guarded numpy says what NumPy says, and meets tensors as PyTorch's recordings do."""

from __future__ import annotations

import contextvars
import itertools
import json
import operator
import warnings
from pathlib import Path
from typing import Any

import numpy
import pytest

from engine import facade
from engine.numeric import runs
from tests.engine.boundary import evaluate
from tests.engine.nn.recordings import printed_by_ours, programs, recording
from tests.oracle.agreement import texts

DATA = Path(__file__).parent / "data"
MODULES = facade.modules()
OURS, TORCH = MODULES["numpy"], MODULES["torch"]
EXPRESSIONS = (DATA / "numpy.txt").read_text(encoding="utf-8").splitlines()
BOUNDARY = json.loads((DATA / "arrays.json").read_text(encoding="utf-8"))
KINDS = "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 complex64".split()
OPERATORS = "add sub mul truediv floordiv mod pow and_ or_ lshift eq lt ge".split()


def said(np: Any, text: str) -> tuple[list[str], list[str]]:
    """Return what an expression is, as a type and in words, or its error; and the warnings."""
    names = {"np": np, "A": np.array([[1.0, 2.0], [3.0, 4.0]]), "V": np.array([1.0, 2.0])}
    with warnings.catch_warnings(record=True) as noted:
        warnings.simplefilter("always")
        try:
            value = eval(text, names)
            found = [
                "dtype" if "DType" in type(value).__name__ else type(value).__name__,
                repr(value),
                str(value),
            ]
        except Exception as error:
            found = ["error", type(error).__name__, str(error)]
    return found, [f"{each.category.__name__}: {each.message}" for each in noted]


def in_a_run(function: Any, *args: Any, seed: int = 0) -> Any:
    """Call something as the first thing in a run of its own."""

    def call() -> Any:
        runs.start(seed)
        return function(*args)

    return contextvars.copy_context().run(call)


# ----- NumPy itself -------------------------------------------------------------------------------
@pytest.mark.parametrize("text", EXPRESSIONS)
def test_an_expression_is_what_numpy_makes_of_it(text: str):
    with numpy.errstate(divide="warn", over="warn", under="ignore", invalid="warn"):
        want = said(numpy, text)
    assert said(OURS, text) == want


@pytest.mark.parametrize("name", OPERATORS)
def test_kinds_mix_as_in_numpy(name: str):
    compute = getattr(operator, f"__{name.strip('_')}__")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for a, b in itertools.product(KINDS, KINDS):
            for pick in (lambda x: x, lambda x: x[0]):
                found = []
                for np in (numpy, OURS):
                    left = np.array([3, 0, 1]).astype(a)
                    right = np.array([2, 1, 0]).astype(b)
                    try:
                        found.append(repr(compute(pick(left), right)) + repr(compute(left, pick(right))))
                    except TypeError as error:
                        found.append(str(error))
                assert found[0] == found[1], (a, name, b)


@pytest.mark.parametrize("number", [2, 2.5, True, 1j, -1, 300])
def test_python_numbers_are_weak_beside_arrays_and_scalars(number: Any):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for kind, name in itertools.product(KINDS, ("add", "mul", "truediv", "pow")):
            compute = getattr(operator, f"__{name}__")
            found = []
            for np in (numpy, OURS):
                array = np.array([3, 1]).astype(kind)
                try:
                    found.append([repr(compute(array, number)), repr(compute(array[0], number))])
                except (OverflowError, TypeError, ValueError) as error:
                    found.append([type(error).__name__, str(error)])
            assert found[0] == found[1], (kind, name)


def test_there_is_nothing_that_numpy_has_not():
    for title, module in MODULES.items():
        if title.partition(".")[0] == "numpy" and title not in ("numpy.typing", "numpy.exceptions"):
            real = getattr(numpy, title.partition(".")[2], numpy)
            assert not [n for n in dir(module) if not hasattr(real, n) and n not in MODULES and n[0] != "_"]


@pytest.mark.parametrize("name", ["load", "frompyfunc", "fft", "memmap", "str_", "lib"])
def test_what_is_missing_says_so_with_its_name(name: str):
    with pytest.raises(AttributeError, match=f"^numpy.{name} is not available here$"):
        getattr(OURS, name)


def test_a_name_that_numpy_dropped_gets_numpys_explanation():
    with pytest.raises(AttributeError, match="`np.int` was a deprecated alias"):
        OURS.int  # noqa: B018
    with pytest.raises(AttributeError, match="use `np.float64` instead|Use `np.float64` instead"):
        OURS.float_  # noqa: B018


# ----- random -------------------------------------------------------------------------------------
def test_a_seed_gives_numpys_own_numbers():
    def draw(np: Any) -> list[str]:
        np.random.seed(7)
        drawn = [np.random.randn(2), np.random.rand(), np.random.randint(0, 9, 3), np.random.permutation(4)]
        return [
            repr(each) for each in (*drawn, np.random.normal(1, 2, (2, 2)), np.random.choice([1.5, 2.5], 2))
        ]

    assert in_a_run(draw, OURS) == draw(numpy)


def test_without_a_seed_the_seed_of_the_run_decides():
    def draw() -> list[str]:
        random = OURS.random
        return [repr(random.rand(2)), repr(random.default_rng().random()), repr(random.rand())]

    assert in_a_run(draw) == in_a_run(draw) != in_a_run(draw, seed=1)
    assert in_a_run(draw)[0] == repr(numpy.random.RandomState(0).rand(2))


def test_two_generators_without_a_seed_differ():
    first, second = in_a_run(lambda: [OURS.random.default_rng().random() for _ in range(2)])
    assert first != second


def test_shuffling_moves_what_is_in_a_list_or_an_array():
    ours, theirs = list("abcde"), list("abcde")
    OURS.random.RandomState(0).shuffle(ours)
    numpy.random.RandomState(0).shuffle(theirs)
    array, real = OURS.arange(5), numpy.arange(5)
    OURS.random.default_rng(0).shuffle(array)
    numpy.random.default_rng(0).shuffle(real)
    assert ours == theirs and array.tolist() == real.tolist()


# ----- with tensors -------------------------------------------------------------------------------
@pytest.mark.parametrize("row", BOUNDARY, ids=lambda row: row["text"])
def test_tensors_and_arrays_meet_as_in_pytorch(row: dict):
    assert in_a_run(evaluate, TORCH, OURS, row["text"]) == row


@pytest.mark.parametrize("program", programs("numeric"), ids=lambda path: path.stem)
def test_prints_what_pytorch_and_numpy_print(program: Path):
    want = recording(program).read_text(encoding="utf-8").splitlines()
    got = printed_by_ours(program).splitlines()
    different = [line for w, g in zip(want, got, strict=False) for line in texts(w, g, program.stem)]
    assert not different and len(want) == len(got)


def test_memory_is_shared_both_ways():
    tensor = TORCH.ones(2, 2)
    array = tensor.numpy()
    array[0] = 5
    tensor.add_(1)
    again = TORCH.from_numpy(array.T)
    again[1, 1] = -1
    assert array.tolist() == tensor.tolist() == [[6, 6], [2, -1]] == again.t().tolist()


def test_giving_an_array_another_shape_leaves_the_tensor_alone():
    tensor = TORCH.zeros(4)
    array = tensor.numpy()
    array.shape = (2, 2)
    array[1, 1] = 3
    assert list(tensor.shape) == [4] and tensor.tolist() == [0, 0, 0, 3]


def test_writing_through_an_array_is_not_counted_as_a_version():
    tensor = TORCH.ones(2)
    tensor.numpy()[:] = 3
    assert tensor._version == 0
