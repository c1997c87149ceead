"""Packages that are not here: common calls are accepted, and say once what they would have done."""

from __future__ import annotations

import pytest

from app.sandbox.pool import Pool
from tests.sandbox import cases

PLT = "import matplotlib.pyplot as plt\nimport numpy as np\nimport torch\n"


def rows(source: str, *kinds: str) -> list[dict]:
    """Run a program; return the rows of these kinds."""
    trace = cases.run_one(Pool(size=1), source)
    assert trace["outcome"] == {"kind": "finished"}, trace["outcome"]
    return [row for row in trace["rows"] if row["kind"] in kinds]


@pytest.mark.parametrize(
    "spelling",
    [
        "import matplotlib.pyplot as plt", "from matplotlib import pyplot as plt", "import matplotlib",
        "import torchvision", "import torchvision.transforms as T", "from torchvision import datasets",
        "from torchvision.datasets import MNIST", "from tqdm import tqdm", "from tqdm.auto import trange",
        "import tqdm", "from torchviz import make_dot", "from graphviz import Digraph",
    ],
)  # fmt: skip
def test_every_spelling_of_an_import_is_taken(spelling: str):
    assert rows(spelling, "error") == []


def test_what_is_plotted_is_a_row_of_plain_numbers_when_it_is_shown():
    source = (
        PLT + "plt.plot([1, 2, 4], label='y')\nplt.title('t')\nplt.xlabel('x')\nplt.legend()\nplt.show()\n"
    )
    (row,) = rows(source, "plotted")
    assert (row["title"], row["x"], row["y"], row["at"][0]) == ("t", "x", "", 8)
    assert row["series"] == [{"kind": "line", "label": "y", "x": [0, 1, 2], "y": [1.0, 2.0, 4.0]}]


def test_what_was_never_shown_is_drawn_at_the_end():
    (row,) = rows(PLT + "plt.scatter(np.arange(2), torch.ones(2))\n", "plotted")
    assert row["series"][0] == {"kind": "points", "label": "", "x": [0.0, 1.0], "y": [1.0, 1.0]}


@pytest.mark.parametrize(
    "call, series",
    [
        ("plt.plot([0, 1], [2, 3], 'r--')", [("line", [0.0, 1.0], [2.0, 3.0])]),
        ("plt.plot([0], [2], [4], [6])", [("line", [0.0], [2.0]), ("line", [4.0], [6.0])]),
        ("plt.bar([0, 1], [2, 3])", [("bars", [0.0, 1.0], [2.0, 3.0])]),
        ("plt.plot([float('nan'), float('inf')])", [("line", [0, 1], ["nan", "inf"])]),
        ("fig, ax = plt.subplots()\nax.plot([5])", [("line", [0], [5.0])]),
        ("plt.figure(figsize=(1, 1))\nplt.semilogy([torch.tensor(2.0)])", [("line", [0], [2.0])]),
        ("plt.plot(np.ones((2, 2)))", [("line", [0, 1], [1.0, 1.0]), ("line", [0, 1], [1.0, 1.0])]),
    ],
)  # fmt: skip
def test_common_ways_to_plot(call: str, series: list):
    found = [(s["kind"], s["x"], s["y"]) for row in rows(PLT + call, "plotted") for s in row["series"]]
    assert found == series


def test_a_tensor_that_requires_grad_is_no_plain_number():
    trace = cases.run_one(Pool(size=1), PLT + "plt.plot(torch.ones(2, requires_grad=True))")
    assert "Can't call numpy() on Tensor that requires grad" in trace["outcome"]["message"]


def test_long_series_are_thinned_and_many_figures_are_enough():
    (row,) = rows(PLT + "plt.plot(range(100000))", "plotted")
    assert len(row["series"][0]["x"]) <= 500
    assert len(rows(PLT + "for i in range(50):\n    plt.plot([i])\n    plt.show()", "plotted")) == 20


def test_a_call_that_does_nothing_says_so_once():
    source = (
        PLT
        + "from torchviz import make_dot\nfor i in range(3):\n    plt.savefig('a')\n    make_dot(i).render()"
    )
    assert [row["call"] for row in rows(source, "stand_in")] == ["plt.savefig", "torchviz.make_dot"]


def test_tqdm_iterates():
    source = (
        "from tqdm import tqdm, trange\nbar = tqdm([1, 2])\nprint(len(bar), [x for x in bar])\n"
        "for i in trange(2, desc='x'): print(i)\nwith tqdm(total=3) as p:\n    p.update(2)\n"
        "    print(p.n)\n"
    )
    assert "".join(row["text"] for row in rows(source, "printed")) == "2 [1, 2]\n0\n1\n2\n"


def test_pictures_stand_in_for_a_data_set():
    source = """
import torch
from torch.utils.data import DataLoader
from torchvision import datasets, transforms
t = transforms.Compose([transforms.ToTensor(), transforms.Normalize((0.5,), (0.5,))])
data = datasets.MNIST("data", train=True, download=True, transform=t)
x, y = next(iter(DataLoader(data, batch_size=4)))
print(len(data), x.shape, y)
"""
    assert rows(source, "printed")[0]["text"] == "64 torch.Size([4, 1, 28, 28]) tensor([0, 1, 2, 3])\n"
    assert [row["call"] for row in rows(source, "stand_in")] == ["torchvision.datasets.MNIST"]
