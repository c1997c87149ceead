"""What is on the screen together, and when."""

from __future__ import annotations

from app.layout.graph import read_graph
from app.layout.scenes import make_scenes, scene_changes
from tests.layout.program import Program


def staged(program: Program) -> tuple[list, list]:
    scenes = make_scenes(program.trace, read_graph(program.trace))
    return scenes, scene_changes(program.trace, scenes)


def training(rounds: int) -> tuple[Program, list[int]]:
    p = Program()
    w, x = p.leaf("w"), p.data("x")
    began = []
    for _ in range(rounds):
        began.append(len(p.trace["rows"]))
        y = p.op("mul", w, x, name="y")
        p.backward(p.op("sum", y, name="loss"))
        p.row("grad_set", tensor=w, before=None, after=None, cause="zero_grad")
    return p, began


def test_iterations_are_scenes_of_one_shape():
    p, began = training(3)
    scenes, changes = staged(p)
    assert len(scenes) == 3
    assert len({scene.shape for scene in scenes}) == 1
    assert [scene.place["t1"] for scene in scenes] == ["r0", "r0", "r0"]
    assert changes == [[0, 0], [began[1], 1], [began[2], 2]]


def test_rows_between_iterations_stay_in_the_scene_that_ended():
    p, began = training(2)
    _, changes = staged(p)
    zeroed = began[1] - 1
    assert p.trace["rows"][zeroed]["kind"] == "grad_set"
    assert all(row != zeroed for row, _ in changes)


def test_a_longer_value_in_one_iteration_widens_the_box_in_all():
    p = Program()
    w = p.leaf("w")
    for data in (1.0, [1.2345, 2.3456, 3.4567]):
        p.backward(p.op("exp", w, data=data))
    scenes, _ = staged(p)
    widths = [scene.shape.boxes[1].width for scene in scenes]
    assert widths[0] == widths[1] > 104 + 40


def test_two_losses_of_one_step_stand_side_by_side():
    p = Program()
    w = p.leaf("w")
    a, b = p.op("exp", w, name="a"), p.op("sin", w, name="b")
    p.backward(a)
    p.backward(b)
    scenes, changes = staged(p)
    assert len(scenes) == 1 and changes == [[0, 0]]


def test_an_early_graph_that_ends_late_does_not_swallow_many_iterations():
    p = Program()
    w = p.leaf("w")
    early = p.op("exp", w, name="early")
    for _ in range(80):
        p.backward(p.op("sin", w))
    p.backward(early)
    scenes, changes = staged(p)
    assert len(scenes) == 81
    assert changes[-1][1] == next(i for i, scene in enumerate(scenes) if early in scene.place)


def test_roots_of_one_backward_are_one_scene():
    p = Program()
    u, v = p.leaf("u"), p.leaf("v")
    a, b = p.op("exp", u), p.op("sin", v)
    p.backward(a, b)
    assert len(staged(p)[0]) == 1


def test_a_second_backward_through_a_graph_returns_to_its_scene():
    p = Program()
    w = p.leaf("w")
    a = p.op("exp", w, name="a")
    p.backward(a)
    again = len(p.trace["rows"])
    p.backward(a)
    scenes, changes = staged(p)
    assert len(scenes) == 1 and changes == [[0, 0]] and scenes[0].last > again


def test_what_no_backward_reaches_is_still_drawn():
    p = Program()
    w = p.leaf("w")
    a = p.op("exp", w, name="a")
    unused = p.op("sin", a, name="unused")
    p.backward(a)
    scenes, _ = staged(p)
    assert unused in scenes[0].place


def test_a_leaf_that_has_a_name_meanwhile_is_shown_though_not_used():
    p = Program()
    u, v = p.leaf("u"), p.leaf("v")
    p.backward(p.op("exp", u))
    p.backward(p.op("sin", v))
    scenes, _ = staged(p)
    assert [u in scene.place and v in scene.place for scene in scenes] == [True, True]


def test_a_leaf_whose_name_went_to_another_is_not_shown_later():
    p = Program()
    scenes_of = []
    for _ in range(2):
        w = p.leaf("w")
        scenes_of.append(w)
        p.backward(p.op("exp", w))
    scenes, _ = staged(p)
    assert [scenes_of[0] in scene.place for scene in scenes] == [True, False]
    assert scenes[0].shape == scenes[1].shape


def test_a_new_leaf_brings_its_scene_before_its_first_operation():
    p = Program()
    u = p.leaf("u")
    p.backward(p.op("exp", u))
    made = len(p.trace["rows"])
    v = p.leaf("v")
    p.backward(p.op("sin", v))
    assert staged(p)[1] == [[0, 0], [made, 1]]


def test_an_error_in_mid_pass_does_not_swallow_later_iterations():
    p = Program()
    w = p.leaf("w")
    p.backward(p.op("exp", w))
    p.trace["rows"].pop()  # the pass never ended: the program caught its error
    p.row("printed", text="caught\n")
    p.backward(p.op("exp", w))
    assert len(staged(p)[0]) == 2


def test_a_program_without_operations_is_one_scene():
    p = Program()
    w = p.leaf("w")
    scenes, changes = staged(p)
    assert [scene.place for scene in scenes] == [{w: "r0"}] and changes == [[0, 0]]


def test_an_empty_program_is_one_empty_scene():
    scenes, changes = staged(Program())
    assert [scene.place for scene in scenes] == [{}] and changes == [[0, 0]]


def test_every_operation_has_exactly_one_place():
    p, _ = training(4)
    scenes, _ = staged(p)
    for n, node in p.trace["nodes"].items():
        if "variable" not in node:
            assert sum(n in scene.place for scene in scenes) == 1
