"""Whatever is written, each named tensor that looks into that memory is told, with what it shows now."""

import pytest

HEAD = "import torch\nx = torch.tensor([[1., 2.], [3., 4.]])\n"
LEAF = "import torch\nw = torch.tensor([1., 2.], requires_grad=True)\n(w * w).sum().backward()\n"


@pytest.fixture
def changes(run):
    """Return what runs a program and gives (by, written, {name: numbers}) of each such row."""

    def of(source: str) -> list[tuple]:
        trace = run(source)
        names = {t: (entry["names"] or [None])[0] for t, entry in trace["tensors"].items()}
        found = [row for row in trace["rows"] if row["kind"] == "aliases_changed"]
        told = [{names[t]: trace["values"][v]["data"] for t, v in row["tensors"]} for row in found]
        return [(row["by"], names.get(row["written"]), new) for row, new in zip(found, told)]

    return of


def test_a_view_shows_what_is_written_through_its_root(changes):
    assert changes(HEAD + "v = x[0]\nx.mul_(2)") == [("tensor", "x", {"v": [2.0, 4.0]})]


def test_the_root_and_other_views_show_what_is_written_through_a_view(changes):
    assert changes(HEAD + "v, c = x[0], x[:, 0]\nv.zero_()") == [
        ("tensor", "v", {"x": [[0.0, 0.0], [3.0, 4.0]], "c": [0.0, 3.0]})
    ]


def test_a_view_of_other_elements_is_not_told(changes):
    assert changes(HEAD + "v = x[0]\nx[1] = 9.") == [("tensor", None, {"x": [[1.0, 2.0], [9.0, 9.0]]})]


def test_the_root_is_told_though_it_has_no_name(run):
    trace = run("import torch\nv = torch.ones(2, 2).mul(3)[0]\nv.mul_(2)")
    (row,) = [row for row in trace["rows"] if row["kind"] == "aliases_changed"]
    assert [trace["values"][v]["data"] for _, v in row["tensors"]] == [[[6.0, 6.0], [3.0, 3.0]]]


@pytest.mark.parametrize("alias", ["x.data", "x.detach()", "x.view(4).view(2, 2)", "x.t().t()"])
def test_every_way_to_share_memory_counts(changes, alias):
    now = [[10.0, 20.0], [30.0, 40.0]]
    assert changes(HEAD + f"a = {alias}\nx.mul_(10)") == [("tensor", "x", {"a": now})]
    assert changes(HEAD + f"a = {alias}\na.mul_(10)") == [("tensor", "a", {"x": now})]


def test_lists_show_their_tensors(changes):
    assert changes(HEAD + "rows = [x[0], x[1]]\nx.add_(1)") == [
        ("tensor", "x", {"rows[0]": [2.0, 3.0], "rows[1]": [4.0, 5.0]})
    ]


def test_numpy_writes_without_a_row_of_its_own(changes):
    assert changes(HEAD + "a = x.numpy()\nv = x[1]\na[1, 1] = 9") == [
        ("numpy", None, {"x": [[1.0, 2.0], [3.0, 9.0]], "v": [3.0, 9.0]})
    ]
    assert changes("import torch\nimport numpy as np\na = np.zeros(2)\nt = torch.from_numpy(a)\na += 1") == [
        ("numpy", None, {"t": [1.0, 1.0]})
    ]


def test_numpy_that_only_reads_changes_nothing(changes):
    assert changes(HEAD + "a = x.numpy()\nprint(a.sum() + 1)") == []


def test_numpy_writes_gradients_too(rows):
    *_, last = rows(LEAF + "w.grad.numpy()[0] = 0", "grad_set")
    assert last["cause"] == "numpy" and last["before"] != last["after"]


def test_a_step_shows_in_what_was_meant_as_a_copy(changes):
    assert changes(LEAF + "old = w.data\ntorch.optim.SGD([w], lr=0.5).step()") == [
        ("tensor", "w", {"old": [0.0, 0.0]})
    ]


def test_a_gradient_under_another_name_is_added_to(changes):
    assert changes(LEAF + "g = w.grad\n(w * w).sum().backward()") == [("grad", "w", {"g": [4.0, 8.0]})]


def test_a_name_that_was_given_away_is_not_told(changes):
    assert changes(HEAD + "v = x[0]\nv = 0\nx.mul_(2)") == []


def test_a_write_of_the_same_numbers_changes_nothing(changes):
    assert changes(HEAD + "v = x[0]\nx.mul_(1)") == []


def test_rows_written_at_once_and_later_say_the_same(run):
    source = HEAD + "v = x[0]\nd = x.data\nfor i in range(3):\n    x.mul_(2)\n    u = x[1]\nd.zero_()"
    later, at_once = run(source), run(source + "  # weak")
    assert later["rows"] == at_once["rows"]
