"""Large arrays in few numbers."""

import math

import numpy as np
import pytest

from engine.trace.summary import STEPS, WIDEST
from engine.trace.values import describe


def of(array: np.ndarray) -> dict:
    return describe(array, array.dtype.name)["summary"]


def size(part: dict) -> tuple[int, int]:
    return part["rows"], part["columns"]


def test_a_summary_counts_what_is_not_finite_and_measures_the_rest():
    array = np.full(300, 2.0, np.float32)
    array[0], array[1], array[2] = np.nan, np.inf, -np.inf
    found = of(array)
    assert (found["nan"], found["inf"]) == (1, 2)
    assert (found["min"], found["max"], found["mean"]) == (2.0, 2.0, 2.0)
    assert found["norm"] == pytest.approx(math.sqrt(297 * 4))


def test_a_summary_of_nothing_finite_says_nan():
    found = of(np.full(300, np.nan, np.float32))
    assert (found["min"], found["mean"], found["norm"]) == ("nan", "nan", 0.0)


def test_cells_and_picture_are_rows_and_columns_with_both_ends():
    found = of(np.arange(100 * 50, dtype=np.float32).reshape(100, 50))
    assert (size(found["cells"]), size(found["picture"])) == ((8, 8), (16, 16))
    assert (found["cells"]["data"][0][0], found["cells"]["data"][-1][-1]) == (0.0, 4999.0)
    assert (found["picture"]["levels"][0], found["picture"]["levels"][-1]) == ("0", "L")


def test_a_vector_is_one_row_and_many_axes_are_rows_of_the_last():
    assert size(of(np.zeros(300))["picture"]) == size(of(np.zeros(300))["cells"]) == (1, WIDEST)
    assert size(of(np.zeros((10, 10, 3)))["picture"]) == (32, 3)


def test_a_picture_of_a_transposed_matrix_is_transposed():
    array = np.random.default_rng(0).standard_normal((5, 400))
    levels = np.array(list(of(array)["picture"]["levels"])).reshape(5, 32)
    assert "".join(levels.T.ravel()) == of(array.T)["picture"]["levels"]


def test_each_cell_is_one_of_the_elements_in_the_picture():
    array = np.random.default_rng(0).standard_normal((77, 123)).astype(np.float32)
    found = of(array)
    most = max(abs(found["min"]), found["max"])
    cells = np.float32(found["cells"]["data"]).ravel().astype(np.float64)
    letters = [(chr(ord("A" if x > 0 else "a") + math.ceil(abs(x) / most * STEPS) - 1)) for x in cells]
    picture = np.array(list(found["picture"]["levels"])).reshape(16, 16)
    kept = np.linspace(0, 15, 8).round().astype(int)
    assert picture[np.ix_(kept, kept)].ravel().tolist() == letters


@pytest.mark.parametrize(
    ("element", "letter"),
    [(0.0, "0"), (1e-30, "A"), (-1e-30, "a"), (12.0, "L"), (-12.0, "l"), (1.0, "A"), (1.01, "B"),
     (-11.5, "l"), (math.nan, "!"), (-math.inf, "!")],
)  # fmt: skip
def test_a_letter_is_a_share_of_the_largest(element, letter):
    array = np.full(400, 12.0)
    array[0] = element
    assert of(array)["picture"]["levels"][:2] == letter + "L"


@pytest.mark.parametrize("fill", [0, False, 0.0])
def test_a_picture_of_zeros_is_zeros(fill):
    assert set(of(np.full((20, 20), fill))["picture"]["levels"]) == {"0"}


def test_a_picture_of_what_is_no_number_says_so():
    assert set(of(np.full(300, np.inf))["picture"]["levels"]) == {"!"}


def test_a_picture_of_complex_numbers_shows_their_size():
    array = np.full(300, 3 + 4j)
    array[0] = -5
    assert set(of(array)["picture"]["levels"]) == {"L"}


def test_a_summary_of_random_numbers_is_small():
    array = np.random.default_rng(0).standard_normal((64, 128)).astype(np.float32)
    assert len(str(of(array)).replace(" ", "")) < 1400
