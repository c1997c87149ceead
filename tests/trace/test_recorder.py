"""From live facts to rows."""

import pytest

from engine.trace.run import Limits

X = "import torch\nx = torch.tensor([1.0, 2.0], requires_grad=True)\n"


def kinds(rows):
    return [row["kind"] for row in rows]


def at_text(source, row):
    line, column, end_line, end_column = row["at"]
    assert line == end_line
    return source.split("\n")[line - 1][column:end_column]


# ----- forward ----------------------------------------------------------------------------------
def test_an_operation_names_its_arguments_outputs_and_what_it_saves(run):
    trace = run(X + "y = x * 2.5")
    row = next(row for row in trace["rows"] if row["kind"] == "op_applied")
    assert (row["op"], row["args"]) == ("mul", [["self", {"tensor": "t1"}], ["other", {"text": "2.5"}]])
    assert trace["tensors"][row["outputs"][0]]["node"] == row["node"]
    assert trace["values"][row["values"][0]]["data"] == [2.5, 5.0]
    assert trace["nodes"][row["node"]]["outputs"] == row["outputs"]


def test_saved_tensors_are_told_by_name_id_and_value(rows):
    (row,) = rows(X + "y = x.exp()", "op_applied")
    assert row["saved"] == [["result", row["outputs"][0], row["values"][0]]]


def test_a_leaf_a_result_and_data_are_told_apart(run):
    tensors = run(X + "d = torch.zeros(2)\ny = x * d\nx2 = torch.ones(2).requires_grad_()")["tensors"]
    by_name = {entry["names"][0]: entry["kind"] for entry in tensors.values()}
    assert by_name == {"x": "leaf", "d": "data", "y": "result", "x2": "leaf"}


def test_an_operation_without_grad_has_no_node(rows):
    (row,) = rows("import torch\ny = torch.ones(2) * 3", "op_applied")
    assert row["node"] is None and row["saved"] == []


def test_a_row_keeps_the_value_of_its_moment(run):
    trace = run("import torch\nx = torch.zeros(2)\nx.add_(1)\nx.add_(1)")
    seen = [
        trace["values"][v]["data"]
        for row in trace["rows"]
        if row["kind"] == "op_applied"
        for v in row["values"]
    ]
    assert trace["values"][trace["rows"][0]["value"]]["data"] == [0, 0]
    assert seen == [[1, 1], [2, 2]]


def test_an_in_place_operation_is_named_with_its_underscore_and_moves_the_tensor(run):
    trace = run(X + "y = x * 2\ny.mul_(3)")
    first, second = (row for row in trace["rows"] if row["kind"] == "op_applied")
    assert (second["op"], second["inplace"], second["outputs"]) == ("mul_", True, first["outputs"])
    assert trace["tensors"][first["outputs"][0]]["node"] == second["node"]


def test_a_list_of_tensors_is_one_argument_each(run):
    trace = run(X + "y = torch.stack([x, x * 2])")
    row = [row for row in trace["rows"] if row["kind"] == "op_applied"][-1]
    assert [name for name, _ in row["args"]][:2] == ["tensors[0]", "tensors[1]"]
    assert trace["nodes"][row["node"]]["inputs"] == ["tensors[0]", "tensors[1]"]


def test_an_operation_in_a_module_names_it_with_its_path(run):
    trace = run(
        "import torch\nimport torch.nn as nn\nclass Net(nn.Module):\n    def __init__(self):\n"
        "        super().__init__()\n        self.fc = nn.Linear(2, 1)\n    def forward(self, x):\n"
        "        return self.fc(x)\nnet = Net()\nnet(torch.ones(1, 2))"
    )
    module = next(row["module"] for row in trace["rows"] if row["kind"] == "op_applied")
    assert trace["modules"][module] == {
        "type": "Linear", "path": "net.fc", "text": "Linear(in_features=2, out_features=1, bias=True)"
    }  # fmt: skip
    inside = [row["kind"] for row in trace["rows"] if row["kind"].startswith("module_")]
    assert inside == ["module_entered", "module_entered", "module_left", "module_left"]


def test_a_module_that_an_exception_left_is_left(rows):
    source = (
        "import torch\nimport torch.nn as nn\nfc = nn.Linear(2, 1)\ntry:\n    fc(torch.ones(1, 3))\n"
        "except RuntimeError:\n    pass\ny = torch.ones(2) * 2\nfc(torch.ones(1, 2))"
    )
    found = [(row["at"][0], row["module"]) for row in rows(source, "op_applied")]
    assert [module for line, module in found if line == 8] == [None]
    assert {module for line, module in found if line == 9} == {"m1"}


def test_parameters_are_known_as_such_by_their_paths(run):
    tensors = run("import torch.nn as nn\nmodel = nn.Linear(2, 1)")["tensors"]
    assert [(t["names"], t["parameter"]) for t in tensors.values()] == [
        (["model.weight"], True),
        (["model.bias"], True),
    ]


# ----- backward ---------------------------------------------------------------------------------
def test_rows_around_a_node_stand_in_the_order_of_what_happens(rows):
    found = kinds(rows(X + "y = (x * x).sum()\ny.backward()")[-15:])
    assert found == [
        "node_ready", "node_entered", "node_ran", "edge_flowed", "node_ready",
        "node_entered", "node_ran", "saved_freed", "edge_flowed", "edge_flowed", "grad_summed", "node_ready",
        "node_entered", "grad_accumulated", "node_ran", "backward_ended",
    ][-15:]  # fmt: skip


def test_backward_rows_point_at_the_backward_call(rows):
    source = X + "y = (x ** 2).sum(); y.backward(); z = 1"
    for row in rows(
        source, "backward_began", "node_entered", "edge_flowed", "grad_accumulated", "backward_ended"
    ):
        assert at_text(source, row) == "y.backward()"


def test_a_rule_is_the_formula_with_what_its_names_stand_for(run):
    trace = run(X + "y = (x ** 3).sum()\ny.backward()")
    rule = [row for row in trace["rows"] if row["kind"] == "node_ran"][1]["rules"][0]
    assert rule["formula"] == "grad * (exponent * self ** (exponent - 1))"
    terms = {name: trace["values"].get(v, {}).get("data", v) for name, v in rule["terms"].items()}
    assert terms == {"grad": [1, 1], "exponent": "3", "self": [1, 2]}
    assert trace["values"][rule["result"]]["data"] == [3, 12]


def test_a_formula_leaves_out_what_plain_numbers_decide(run):
    trace = run(X + "y = torch.add(x, x, alpha=2).sum()\ny.backward()\n(x + x).sum().backward()")
    rules = [row["rules"] for row in trace["rows"] if row["kind"] == "node_ran" and len(row["rules"]) == 2]
    assert [rule["formula"] for rule in rules[0]] == ["grad", "grad * alpha"]
    assert [rule["formula"] for rule in rules[1]] == ["grad", "grad"]
    assert "alpha" not in rules[1][1]["terms"]


def test_broadcasting_is_undone_in_a_row_of_its_own(run):
    trace = run("import torch\nb = torch.zeros(1, requires_grad=True)\n(torch.ones(3) * b).sum().backward()")
    (row,) = (row for row in trace["rows"] if row["kind"] == "reduced_to_shape")
    assert [trace["values"][row[key]]["data"] for key in ("before", "after")] == [[1, 1, 1], [3]]


def test_the_sum_across_calls_is_before_and_arriving_and_after(run):
    trace = run(X + "for _ in range(2):\n    (x * 3).sum().backward()")
    last = [row for row in trace["rows"] if row["kind"] == "grad_accumulated"][-1]
    assert [trace["values"][last[key]]["data"] for key in ("before", "arriving", "after")] == [
        [3, 3],
        [3, 3],
        [6, 6],
    ]


def test_several_roots_are_the_call_and_no_node(run):
    trace = run(X + "a = x.sum()\nb = (x * 2).sum()\ntorch.autograd.backward([a, b])")
    began = next(row for row in trace["rows"] if row["kind"] == "backward_began")
    assert all(began["missing"][node] == 0 for node in began["root_nodes"])
    assert "GraphRoot" not in {node["name"] for node in trace["nodes"].values()}


def test_a_backward_inside_a_hook_is_a_call_of_its_own(rows):
    source = (
        X + "z = torch.ones(1, requires_grad=True)\ndef hook(g):\n    with torch.enable_grad():\n"
        "        (z * 2).sum().backward()\ny = x * 2\ny.register_hook(hook)\ny.sum().backward()"
    )
    found = rows(source, "backward_began", "backward_ended")
    assert [(row["kind"], row["call"]) for row in found] == [
        ("backward_began", 0), ("backward_began", 1), ("backward_ended", 1), ("backward_ended", 0)
    ]  # fmt: skip


def test_a_call_that_failed_inside_a_hook_does_not_confuse_the_outer_one(rows):
    source = (
        X + "z = torch.ones(1, requires_grad=True)\nw = z.exp().sum()\nw.backward()\ndef hook(g):\n    try:\n"
        "        w.backward()\n    except RuntimeError:\n        pass\n"
        "y = x * 2\ny.register_hook(hook)\ny.sum().backward()"
    )
    assert [row["call"] for row in rows(source, "backward_ended")] == [0, 2, 1]


def test_hooks_have_their_names_and_their_own_places(rows):
    source = X + "y = x * 2\ny.register_hook(lambda g: g * 2)\ny.sum().backward()"
    registered, ran = rows(source, "hook_registered", "hook_ran")
    assert (registered["hook"], registered["when"]) == ("<lambda>", "tensor")
    assert ran["before"] != ran["after"]
    inside = [row for row in rows(source, "op_applied") if row["at"] and at_text(source, row) == "g * 2"]
    assert len(inside) == 1


# ----- .grad and optimisers -----------------------------------------------------------------------
GRAD = X + "(x * x).sum().backward()\n"


@pytest.mark.parametrize(
    "statement, cause, after",
    [
        ("x.grad = None", "assigned", None),
        ("x.grad.zero_()", "zero_", [0, 0]),
        ("x.grad[0] = 7", None, [7, 4]),
        ("x.grad.detach().mul_(2)", "mul_", [4, 8]),
    ],
)
def test_every_way_of_writing_a_grad_is_a_grad_set(run, statement, cause, after):
    trace = run(GRAD + statement)
    (row,) = (row for row in trace["rows"] if row["kind"] == "grad_set")
    assert trace["values"][row["before"]]["data"] == [2, 4]
    assert (row["after"] and trace["values"][row["after"]]["data"]) == after
    assert cause is None or row["cause"] == cause


def test_zero_grad_empties_each_grad_before_the_readers_eyes(rows):
    source = GRAD + "opt = torch.optim.SGD([x], lr=0.1)\nopt.zero_grad()"
    zero, emptied = rows(source, "zero_grad", "grad_set")
    assert (zero["owner"], zero["set_to_none"]) == ("opt", True)
    assert (emptied["cause"], emptied["after"]) == ("zero_grad", None)


def test_a_step_is_said_by_its_updates_alone(run):
    trace = run(GRAD + "opt = torch.optim.SGD([x], lr=0.5)\nopt.step()")
    step = kinds(trace["rows"]).index("optimizer_step")
    assert kinds(trace["rows"])[step:] == ["optimizer_step", "parameter_updated"]
    row = trace["rows"][-1]
    assert [trace["values"][row[key]]["data"] for key in ("before", "grad", "after")] == [
        [1, 2],
        [2, 4],
        [0, 0],
    ]
    assert row["terms"]["lr"] == 0.5


def test_an_update_by_hand_is_seen_as_the_operations_it_is(rows):
    found = rows(GRAD + "with torch.no_grad():\n    x -= 0.1 * x.grad", "op_applied")
    assert [row["op"] for row in found[-2:]] == ["mul", "sub_"]


# ----- errors -------------------------------------------------------------------------------------
def test_a_second_backward_tells_which_call_freed_the_node(run):
    source = X + "y = (x ** 2).sum()\ny.backward()\ny.backward()"
    trace = run(source)
    row = trace["rows"][-1]
    assert (row["kind"], row["type"], row["at"][0]) == ("error", "RuntimeError", 5)
    assert trace["nodes"][row["node"]]["name"] == "PowBackward0"
    freed = trace["rows"][row["cause"]["by"]]
    assert (row["cause"]["what"], freed["kind"], freed["node"]) == ("freed", "saved_freed", row["node"])
    assert row["cause"]["at"] == freed["at"] and freed["at"][0] == 4


def test_a_change_in_place_tells_which_statement_changed_the_tensor(run):
    trace = run(X + "y = x.exp()\nz = (y * y).sum()\ny.add_(1)\nz.backward()")
    row = trace["rows"][-1]
    assert row["cause"] == {"what": "changed", "tensor": "t2", "by": 7, "at": [5, 0, 5, 9]}
    assert trace["rows"][7]["op"] == "add_"


def test_a_step_of_the_optimiser_can_be_what_changed_it(run):
    trace = run(
        "import torch\nw = torch.ones(2, requires_grad=True)\nopt = torch.optim.SGD([w], lr=1.0)\n"
        "loss = (w * w).sum()\nloss.backward(retain_graph=True)\nopt.step()\nloss.backward()"
    )
    cause = trace["rows"][-1]["cause"]
    assert trace["rows"][cause["by"]]["kind"] == "parameter_updated" and cause["at"][0] == 6


def test_an_error_outside_backward_names_no_node(run):
    row = run(X + "x.sum().backward()\nx.foo")["rows"][-1]
    assert (row["type"], row["node"], row["cause"]) == ("AttributeError", None, None)


# ----- limits -------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "limit, source, limits",
    [
        ("rows", "while True: x = x * 1", Limits(rows=9)),
        ("output", "while True: print('a' * 10)", Limits(output=25)),
        ("elements", "y = torch.zeros(11)", Limits(elements=10)),
        ("made", "while True: x = x * 1", Limits(made=30)),
    ],
)
def test_a_limit_is_the_last_row_of_a_valid_trace(run, limit, source, limits):
    trace = run(X + source, limits=limits)
    assert (trace["rows"][-1]["kind"], trace["rows"][-1]["limit"]) == ("limit", limit)
    assert trace["outcome"] == {**trace["outcome"], "kind": "limit", "at": trace["rows"][-1]["at"]}
    assert trace["rows"][-1]["at"][0] == 3


def test_output_is_written_up_to_the_limit(run):
    rows = run("print('a' * 10)\nprint('b' * 10)", limits=Limits(output=15))["rows"]
    assert [row["text"] for row in rows if row["kind"] == "printed"] == ["aaaaaaaaaa\n", "bbbb"]


def test_no_except_of_a_learner_can_outrun_a_limit(run):
    source = X + "for _ in range(50):\n    try:\n        x = x * 2\n    except BaseException:\n        pass"
    trace = run(source, limits=Limits(rows=9))
    assert (
        trace["outcome"]["kind"] == "limit"
        and trace["rows"][-1]["kind"] == "limit"
        and len(trace["rows"]) <= 11
    )


def test_who_wants_the_trace_at_a_limit_gets_it_whole(run, validate):
    given = []
    run(X + "y = x * 1\nz = y * 1", limits=Limits(rows=4, stop=given.append))
    assert validate(given[0])["outcome"]["limit"] == "rows"


def test_rows_can_be_taken_while_they_come(validate):
    from engine.trace.run import Run

    run = Run(X + "y = x * 1\ny.sum().backward()\nprint(x.grad)")
    taken = []
    object.__setattr__(run.recorder.limits, "step", lambda: taken.append(run.recorder.take()))
    trace = run.trace()
    assert [row for part in taken for row in part["rows"]] == trace["rows"]
    assert {k: v for part in taken for k, v in part["values"].items()} == trace["values"]
    assert {k: v for part in taken for k, v in part["tensors"].items()}.keys() == trace["tensors"].keys()


def test_watching_keeps_nothing_of_the_program_alive(run):
    trace = run(
        "import torch\nimport gc, weakref\nx = torch.ones(3, requires_grad=True)\ny = x * 2\n"
        "seen = weakref.ref(y)\ny = y.sum()\ny = None\nprint(1)\ngc.collect()\nprint(seen())"
    )
    assert trace["rows"][-1]["text"] == "None\n"
