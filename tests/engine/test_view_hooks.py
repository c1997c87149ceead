"""Hooks on a view whose base was written since: they stay with the node that they were first hung on."""

from __future__ import annotations

from engine import facade

torch = facade.modules()["torch"]


def changed_view(seen):
    """Return a base, a view of it with a hook, and a use of the view before the base was written."""
    base = torch.ones(2, requires_grad=True) * 1
    view = base.view(2)
    handle = view.register_hook(lambda g: seen.append(("first", g.tolist())))
    before = view * 5
    base.mul_(2)
    return base, view, before, handle


def test_later_hooks_join_those_at_the_old_node():
    seen = []
    _, view, before, _ = changed_view(seen)
    view.register_hook(lambda g: seen.append(("second", g.tolist())))
    (view * 3 + before).sum().backward()
    assert seen == [("first", [5.0, 5.0]), ("second", [5.0, 5.0])]


def test_nothing_runs_them_if_nobody_used_the_old_node():
    seen = []
    _, view, _, _ = changed_view(seen)
    assert view.grad_fn is not None
    view.register_hook(lambda g: seen.append("second"))
    (view * 3).sum().backward()
    assert seen == []


def test_removing_the_first_leaves_the_second_there():
    seen = []
    _, view, before, first = changed_view(seen)
    view.register_hook(lambda g: seen.append(("second", g.tolist())))
    first.remove()
    (view * 3 + before).sum().backward()
    assert seen == [("second", [5.0, 5.0])]


def test_writing_the_view_itself_lets_hooks_start_anew():
    seen = []
    _, view, _, _ = changed_view(seen)
    view.register_hook(lambda g: seen.append("second"))
    view.mul_(2)
    view.register_hook(lambda g: seen.append(("third", g.tolist())))
    (view * 3).sum().backward()
    assert seen == [("third", [3.0, 3.0])]


def test_writing_a_view_moves_its_base_to_a_new_node_with_hooks_of_its_own():
    seen = []
    base = torch.ones(2, requires_grad=True) * 1
    view = base.view(2)
    base.register_hook(lambda g: seen.append(("first", g.tolist())))
    view.mul_(2)
    base.register_hook(lambda g: seen.append(("second", g.tolist())))
    (base * 3).sum().backward()
    assert seen == [("second", [3.0, 3.0]), ("first", [6.0, 6.0])]
