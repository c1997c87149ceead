"""A write in place is told with its version and with the node that the tensor hangs on from then on."""

HEAD = "import torch\na = torch.tensor([1., 2., 3.], requires_grad=True)\nx = a * 1\n"


def moves(trace: dict) -> list[tuple]:
    """Return (before, after) by name of every rebased row."""
    nodes = {None: None, **{n: entry["name"] for n, entry in trace["nodes"].items()}}
    return [(nodes[row["before"]], nodes[row["after"]]) for row in trace["rows"] if row["kind"] == "rebased"]


def test_a_write_counts_one_version(rows):
    found = rows(HEAD + "x.add_(1)\nx.mul_(2)", "version_bumped")
    assert [(row["before"], row["after"]) for row in found] == [(0, 1), (1, 2)]


def test_views_share_the_version_of_their_memory(rows):
    found = rows(HEAD + "v = x[:2]\nv.add_(1)\nx.add_(1)", "version_bumped")
    assert [(row["before"], row["after"]) for row in found] == [(0, 1), (1, 2)]
    assert found[0]["tensor"] != found[1]["tensor"]


def test_a_tensor_that_is_written_hangs_on_the_new_operation(run):
    assert moves(run(HEAD + "x.add_(1)")) == [("MulBackward0", "AddBackward0")]


def test_writing_through_a_view_moves_the_view_and_its_root(run):
    trace = run(HEAD + "v = x[:2]\nv.mul_(10)")
    assert moves(trace) == [("SliceBackward0", "AsStridedBackward0"), ("MulBackward0", "CopySlices")]


def test_a_view_whose_root_was_written_is_moved_when_it_is_looked_at(run):
    trace = run(HEAD + "v = x[:2]\nx.mul_(10)\nv.sum()")
    assert moves(trace) == [("MulBackward0", "MulBackward0"), ("SliceBackward0", "AsStridedBackward0")]
    kinds = [row["kind"] for row in trace["rows"]]
    assert kinds[-3:] == ["rebased", "op_applied", "echo"]


def test_a_tensor_without_history_gets_one(run):
    assert moves(run("import torch\na = torch.ones(2, requires_grad=True)\nx = torch.zeros(2)\nx += a")) == [
        (None, "AddBackward0")
    ]


def test_without_recording_only_the_version_changes(rows):
    source = HEAD + "with torch.no_grad():\n    a.sub_(1)"
    assert [row["kind"] for row in rows(source, "version_bumped", "rebased")] == ["version_bumped"]


def test_the_rows_follow_the_operation_they_belong_to(rows):
    kinds = [row["kind"] for row in rows(HEAD + "x.add_(1)")]
    assert kinds[-3:] == ["op_applied", "version_bumped", "rebased"]
