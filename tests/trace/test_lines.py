"""Which variable holds which tensor, told after the statement that bound it."""

import pytest

HEAD = "import torch\nx = torch.tensor([1.0, 2.0], requires_grad=True)\n"
LAST = "\nprint('end')"


def bound(rows):
    """List what each row bound and unbound, as text, with the line it points at."""
    return [(row["at"][0], list(row["names"]), row["unbound"]) for row in rows]


def test_a_binding_stands_between_its_statement_and_the_next(run):
    found = [row["kind"] for row in run(HEAD + "y = x * 2\nz = y.sum()")["rows"]]
    assert found == ["tensor_made", "names_bound", "op_applied", "names_bound", "op_applied", "names_bound"]


def test_it_points_at_the_target(rows):
    source = HEAD + "a, b = x * 2, x * 3" + LAST
    row = rows(source, "names_bound")[-1]
    assert list(row["names"]) == ["a", "b"]
    assert row["at"] == [3, 0, 3, 4]


def test_another_name_for_the_same_tensor_is_a_binding_too(run):
    trace = run(HEAD + "y = x\nz = y")
    assert trace["tensors"]["t1"]["names"] == ["x", "y", "z"]


def test_the_first_name_comes_first_even_in_a_function(run):
    trace = run(HEAD + "def f(a):\n    b = a * 2\n    return b\nout = f(x)" + LAST)
    assert [t["names"] for t in trace["tensors"].values()] == [["x", "a"], ["b", "out"]]


def test_names_of_a_function_go_when_it_returns(rows):
    found = bound(rows(HEAD + "def f(a):\n    b = a * 2\n    return b\nout = f(x)" + LAST, "names_bound"))
    assert found[1:] == [(3, ["a"], []), (4, ["b"], []), (6, ["out"], []), (7, [], ["a", "b"])]


def test_a_local_name_hides_the_global_one_until_the_function_returns(rows):
    source = HEAD + "def f(x):\n    return x * 2\nf(torch.ones(2))" + LAST
    found = rows(source, "names_bound")
    shown = [row["names"].get("x") for row in found if "x" in row["names"]]
    assert shown == ["t1", "t2", "t1"]


def test_a_recursion_shows_the_innermost_names(rows):
    source = HEAD + "def f(n, a):\n    return a if n == 0 else f(n - 1, a * 2)\nf(3, x)" + LAST
    shown = [row["names"]["a"] for row in rows(source, "names_bound") if "a" in row["names"]]
    assert shown == ["t1", "t2", "t3"]


@pytest.mark.parametrize(
    "statement, names",
    [
        ("both = [x, x * 2]", ["both[0]", "both[1]"]),
        ("both = (x, 3)", ["both[0]"]),
        ("named = {'w': x, 1: x}", ["named['w']", "named[1]"]),
        ("model = torch.nn.Linear(1, 1)", ["model.weight", "model.bias"]),
    ],
)
def test_what_holds_tensors_names_them_by_their_place(rows, statement, names):
    assert list(rows(HEAD + statement + LAST, "names_bound")[-1]["names"]) == names


@pytest.mark.parametrize("value", ["3", "'x'", "[1, 2]", "None", "torch", "lambda: x", "range(3)", "[[x]]"])
def test_what_holds_none_is_no_row(rows, value):
    assert len(rows(HEAD + f"other = {value}" + LAST, "names_bound")) == 1


def test_a_list_that_grows_is_looked_at_again(rows):
    source = HEAD + "kept = []\nfor i in range(2):\n    kept.append(x * i)\n    print(i)"
    assert [list(row["names"]) for row in rows(source, "names_bound")[1:]] == [["kept[0]"], ["kept[1]"]]


def test_a_long_list_is_data(rows):
    assert len(rows(HEAD + "many = [x] * 65" + LAST, "names_bound")) == 1


def test_a_loop_variable_is_bound_anew_each_time(rows):
    found = rows(HEAD + "for p in [x, x * 2, x * 3]:\n    q = p.sum()" + LAST, "names_bound")
    assert [row["at"][:2] for row in found if "p" in row["names"]] == [[3, 4]] * 3


def test_a_deleted_name_is_unbound_where_it_is_deleted(rows):
    assert bound(rows(HEAD + "y = x * 2\nprint(1)\ndel y" + LAST, "names_bound"))[-1] == (5, [], ["y"])


def test_a_name_given_to_something_else_is_unbound(rows):
    assert rows(HEAD + "y = x * 2\nprint(1)\ny = 5" + LAST, "names_bound")[-1]["unbound"] == ["y"]


def test_what_is_bound_last_is_told_at_the_end(rows):
    assert rows(HEAD + "y = x * 2", "names_bound")[-1]["names"] == {"y": "t2"}
    assert rows(HEAD + "y = x * 2\nraise ValueError", "names_bound")[-1]["names"] == {"y": "t2"}


def test_a_module_inside_its_own_methods_keeps_the_name_outside(run):
    source = (
        "import torch\nclass Net(torch.nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.w = torch.nn.Parameter(torch.ones(1))\n"
        "    def forward(self, x):\n        return self.w * x\n"
        "net = Net()\nnet(torch.ones(1))"
    )
    parameters = [t["names"] for t in run(source)["tensors"].values() if t["parameter"]]
    assert parameters == [["net.w"]]


def test_a_layer_inside_a_module_has_its_path_even_if_put_in_later(run):
    source = (
        "import torch.nn as nn\nclass Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.body = nn.Linear(1, 1)\nnet = Net()\nprint(1)\nnet.head = nn.Linear(1, 1)" + LAST
    )
    names = [tensor["names"] for tensor in run(source)["tensors"].values()]
    assert names == [["net.body.weight"], ["net.body.bias"], ["net.head.weight"], ["net.head.bias"]]


def test_a_module_without_init_does_no_harm(run):
    source = (
        "import torch\nclass Net(torch.nn.Module):\n    def __init__(self):\n        pass\nnet = Net()" + LAST
    )
    assert run(source)["outcome"] == {"kind": "finished"}


def test_a_learners_list_is_not_asked(run):
    source = (
        HEAD
        + "class Odd(list):\n    def __iter__(self):\n        raise RuntimeError\n    def __len__(self):\n"
        "        raise RuntimeError\nodd = Odd()" + LAST
    )
    assert run(source)["outcome"] == {"kind": "finished"}


def test_names_in_a_generator_and_a_comprehension_do_no_harm(run):
    source = (
        HEAD
        + "def each(a):\n    for i in range(3):\n        yield a * i\n"
        + "t = [v + 1 for v in each(x)]\ns = sum(each(x))"
    )
    assert run(source)["outcome"] == {"kind": "finished"}
    assert run(source)["tensors"]["t3"]["names"] == ["t[0]"]
