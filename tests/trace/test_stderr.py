"""Warnings are rows exactly where a console would show them: as PyTorch 2.13 shows them under Python."""

import pytest

HEAD = (
    "import torch\nimport torch.nn as nn\nimport warnings\nx = torch.tensor([1., 2.], requires_grad=True)\n"
)

# (what stands from line 5 on, the lines at which PyTorch's console shows a warning; None: inside the library)
SHOWN = {
    "once a line, however often": ("y = x * 2\nfor i in range(3):\n    y.grad\ny.grad", [7, 8]),
    "not for a leaf": ("x.grad", []),
    "not where it is retained": ("y = x * 2\ny.retain_grad()\ny.grad", []),
    "once where the library calls": (
        "a, b = torch.zeros(3), torch.zeros(3, 1)\nnn.MSELoss()(a, b)\nnn.MSELoss()(a, b)",
        [None],
    ),
    "again where the program calls": (
        "a, b = torch.zeros(3), torch.zeros(3, 1)\nloss = nn.functional.mse_loss\nloss(a, b)\nloss(a, b)",
        [7, 8],
    ),
    "old flags": ("nn.MSELoss(size_average=False)\nnn.MSELoss(size_average=False)", [None]),
    "a tensor of a tensor": ("torch.tensor(x)\ntorch.tensor(x)", [5, 6]),
    "a scheduler too early": (
        "o = torch.optim.SGD([x], lr=.1)\ns = torch.optim.lr_scheduler.StepLR(o, 1)\ns.step()\ns.step()",
        [7],
    ),
    "an implicit dimension": ("nn.functional.softmax(x)\nnn.Softmax()(x)\nnn.Softmax()(x)", [5, None]),
    "the program's own": ("for i in range(2):\n    warnings.warn(f'no {i}')", [6, 6]),
    "none that is filtered": ("warnings.filterwarnings('ignore')\n(x * 2).grad", []),
    "all that are asked for": (
        "warnings.simplefilter('always')\nfor i in range(2):\n    (x * 2).grad",
        [7, 7],
    ),
    "none that is caught": ("with warnings.catch_warnings(record=True) as seen:\n    (x * 2).grad", []),
    "deprecations of the program": ("warnings.warn('old', DeprecationWarning)", [5]),
}


@pytest.mark.parametrize("name", SHOWN)
def test_a_warning_is_a_row_where_python_shows_it(name, rows):
    source, lines = SHOWN[name]
    assert [row["line"] for row in rows(HEAD + source, "warning")] == lines


def test_a_warning_says_category_message_and_place(rows):
    (row,) = rows("import warnings\nwarnings.warn('beware', FutureWarning)", "warning")
    assert row == {
        "kind": "warning", "at": [2, 0, 2, 38], "category": "FutureWarning", "message": "beware", "line": 2,
    }  # fmt: skip


def test_a_warning_is_forgotten_with_its_run(rows):
    for _ in range(2):
        assert len(rows(HEAD + "(x * 2).grad", "warning")) == 1


def test_a_warning_that_is_made_an_error_ends_the_program(run):
    trace = run(HEAD + "warnings.simplefilter('error')\n(x * 2).grad")
    assert trace["outcome"]["type"] == "UserWarning"


def test_what_numpy_warns_of_inside_the_engine_is_not_shown(rows):
    assert rows(HEAD + "torch.tensor([0.]).log()\ntorch.tensor([1.]) / torch.tensor([0.])", "warning") == []


def test_a_warning_with_a_learners_own_text_runs_no_harm(rows):
    source = "class Odd(UserWarning):\n    def __str__(self):\n        return 'odd'\nwarnings.warn(Odd())"
    (row,) = rows(HEAD + source, "warning")
    assert (row["category"], row["message"]) == ("Odd", "odd")
