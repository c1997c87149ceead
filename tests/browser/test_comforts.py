"""Small comforts: whole values, parts left out, presenting, stopping, undoing, coming back, the tour."""

from __future__ import annotations

import re

import pytest

from tests.browser.player import Player
from tests.browser.snippets import TWO_PATHS

ENDLESS = "import torch\nwhile True:\n    pass\n"
PROMPTED = ">>> import torch\n>>> x = torch.tensor(2.0, requires_grad=True)\n>>> (x * x).backward()\n"
LONG = (
    "import torch\nx = torch.linspace(0, 1, 7, requires_grad=True)\nb = torch.rand(40, 40)\n"
    "y = (x / 3).sum()\ny.backward()\n"
)
EDITOR = "[data-slot=editor] .cm-content"
PHONE = {"width": 390, "height": 844}
CLIPBOARD = {"permissions": ["clipboard-read", "clipboard-write"]}
READ = "() => navigator.clipboard.readText()"


def editor_text(player: Player) -> str:
    """What stands in the editor."""
    return "\n".join(player.page.locator(f"{EDITOR} .cm-line").all_text_contents())


# ----- values -----
def test_a_value_is_shown_whole_under_the_pointer_and_copied_as_python(open_player):
    player = open_player(**CLIPBOARD).visit(LONG).click("last")
    card = player.page.get_by_test_id("value")
    player.leaf("x").hover()
    card.wait_for()
    assert "0.16666667" in card.text_content() and "float32 (7,)" in card.text_content()
    card.get_by_role("button", name="Copy x.grad as Python").click()
    player.page.get_by_text("Copied: torch.tensor([0.3333").wait_for()
    copied = player.page.evaluate(READ)
    player.visit(f"import torch\nx = torch.ones(7) / 3\nprint(torch.equal(x, {copied}))\n").click("last")
    assert player.output == "True\n"


def test_numbers_of_the_sentence_and_on_edges_are_shown_whole_too(player: Player):
    player.visit(TWO_PATHS.code).click("last").press("ArrowLeft", 3)
    card = player.page.get_by_test_id("value")
    player.page.locator(".carried[data-values]").first.hover()
    card.wait_for()
    player.page.mouse.move(5, 5)
    card.wait_for(state="hidden")
    while not player.page.locator(".sentence [data-values]").count():
        player.press("ArrowLeft")
    number = player.page.locator(".sentence [data-values]").last
    number.hover()
    card.wait_for()
    assert "float32" in card.text_content()


def test_by_keyboard_alone_a_value_of_a_card_is_seen_whole_and_copied_with_c(open_player):
    player = open_player(**CLIPBOARD).visit(LONG).click("last")
    value = player.page.locator("[data-slot=inspector] [data-values]").first
    player.press("Tab")
    value.focus()
    player.page.get_by_test_id("value").wait_for()
    player.press("c")
    player.page.get_by_text("Copied: ").wait_for()
    assert player.page.evaluate(READ).startswith("torch.tensor(")
    player.press("Escape")
    assert not player.page.get_by_test_id("value").is_visible()


def test_c_without_a_value_pointed_at_offers_those_that_have_names(open_player):
    player = open_player(**CLIPBOARD).visit(LONG).click("last").press("c")
    card = player.page.get_by_test_id("value")
    assert card.get_by_role("button", name="Copy x as Python", exact=True).is_visible()
    assert card.get_by_role("button", name="Copy b as Python").is_disabled()  # 1,600 numbers are a summary
    player.press("Enter")
    player.page.get_by_text("Copied: torch.tensor([0.").wait_for()


# ----- the address -----
def test_the_address_says_step_level_and_what_is_left_out(player: Player):
    player.page.goto(f"{player.address}/sandbox?example=two-paths#s=14&level=story&hide=edit,engine,level")
    player.wait_for_trace()
    assert player.step == 14
    for name in ("edit", "run", "level"):
        assert not player.page.get_by_test_id(name).is_visible(), name
    assert not player.page.locator("[data-slot=queue]").is_visible()
    player.press("e")
    assert player.root.get_attribute("data-mode") == "play"
    player.press("ArrowRight")
    step = player.step
    player.page.wait_for_function("step => location.hash.includes(`s=${step}&`)", arg=step)
    assert player.page.url.endswith("&hide=edit,engine,level&level=story")
    player.page.reload()
    player.wait_for_trace()
    assert player.step == step


@pytest.mark.parametrize(
    "hide", ["code", "inspector", "graph,output", "code,graph,say", "code,graph,inspector"]
)
@pytest.mark.parametrize("viewport", [{"width": 1280, "height": 800}, PHONE])
def test_whatever_is_left_out_the_rest_fills_the_page(open_player, hide: str, viewport: dict):
    player = open_player(viewport=viewport)
    player.page.goto(f"{player.address}/sandbox?example=two-paths#s=20&hide={hide}")
    player.wait_for_trace()
    places = {"code": ".pane.code", "graph": ".pane.graph", "inspector": ".pane.inspector", "say": ".say"}
    out = [place for name, place in places.items() if name in hide]
    assert not any(player.page.locator(place).is_visible() for place in out)
    box = player.page.locator(".pane.timeline").bounding_box()
    assert box["width"] == pytest.approx(viewport["width"], abs=2)
    assert box["y"] + box["height"] == pytest.approx(viewport["height"], abs=2)
    over = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert player.page.evaluate(over) <= 0


def test_the_window_says_step_and_program(player: Player):
    player.page.goto(f"{player.address}/sandbox?example=two-paths")
    player.wait_for_trace()
    assert re.fullmatch(r"0/\d+ · One tensor, two paths · gradstep", player.page.title())
    player.press("ArrowRight", 3)
    player.page.wait_for_function("() => document.title.startsWith('3/')")
    player.visit(TWO_PATHS.code)
    assert ".backward()" in player.page.title()


# ----- presenting -----
def test_the_presenters_view_is_graph_sentence_and_timeline_and_escape_leaves_it(player: Player, shoot):
    player.visit(TWO_PATHS.code).press("ArrowRight", 12).press("Shift+P")
    shoot(player.page, "presenter")
    for place, seen in {".say": True, ".pane.graph": True, ".pane.timeline": True, ".pane.code": False,
                        ".pane.inspector": False, ".top": False}.items():  # fmt: skip
        assert player.page.locator(place).is_visible() is seen, place
    size = "() => parseFloat(getComputedStyle(document.querySelector('.sentence')).fontSize)"
    assert player.page.evaluate(size) >= 28
    player.page.wait_for_function("() => location.hash.includes('s=')")
    player.page.reload()
    player.wait_for_trace()
    assert player.step > 0 and not player.page.locator(".pane.code").is_visible()
    player.press("Escape")
    assert player.page.locator(".pane.code").is_visible()
    assert "present" not in player.page.url


# ----- running -----
def test_a_slow_run_shows_its_time_and_can_be_stopped(player: Player, shoot):
    player.visit(TWO_PATHS.code).press("ArrowRight", 5)
    step = player.step
    player.press("e")
    player.edit(ENDLESS)
    player.press("ControlOrMeta+Enter")
    stop = player.page.get_by_test_id("stop")
    stop.wait_for()
    shoot(player.page, "running")
    assert "of at most 5 s" in player.page.get_by_test_id("running").text_content()
    stop.click()
    assert not player.page.get_by_test_id("running").is_visible()
    assert player.page.locator("#notice").text_content().startswith("Stopped")
    assert player.step == step and editor_text(player).startswith("import torch\nwhile True")
    player.edit(TWO_PATHS.code)
    player.press("ControlOrMeta+Enter")
    player.page.wait_for_function("() => document.querySelector('[data-testid=player]').dataset.step === '0'")
    player.wait_for_trace()


def test_escape_stops_a_slow_run(player: Player):
    player.page.goto(f"{player.address}/sandbox")
    player.edit(ENDLESS)
    player.press("ControlOrMeta+Enter")
    player.page.get_by_test_id("stop").wait_for()
    player.press("Escape")
    assert player.page.locator("#notice").text_content().startswith("Stopped")


# ----- the editor -----
def test_undo_leads_back_across_a_mended_program_to_what_was_pasted(player: Player):
    player.page.goto(f"{player.address}/sandbox")
    player.edit(PROMPTED)
    player.press("ControlOrMeta+Enter")
    player.wait_for_trace()
    player.press("e")
    assert ">>>" not in editor_text(player)
    player.press("ControlOrMeta+z")
    assert editor_text(player) == PROMPTED
    player.press("ControlOrMeta+Shift+z")
    assert ">>>" not in editor_text(player)


def test_nothing_typed_is_lost_on_reload(player: Player):
    player.page.goto(f"{player.address}/sandbox?example=two-paths")
    player.wait_for_trace().press("e")
    player.page.locator(EDITOR).click()
    player.press("ControlOrMeta+End")
    player.page.keyboard.type("# not run yet")
    player.page.reload()
    player.page.locator(EDITOR).wait_for()
    assert editor_text(player).endswith("# not run yet")


# ----- the tour -----
def test_the_tour_comes_once_in_five_sentences_and_takes_no_focus(open_player, shoot):
    player = open_player(tour=True).visit(TWO_PATHS.code)
    tour = player.page.get_by_test_id("tour")
    assert tour.is_visible() and "1 of 5" in tour.text_content()
    player.press("ArrowRight")
    assert player.step > 0, "the keys are still the player's"
    told = set()
    for n in range(1, 6):
        shoot(player.page, f"tour-{n}")
        told.add(tour.get_by_role("status").text_content())
        inside = player.page.evaluate(
            "card => { const b = card.getBoundingClientRect();"
            " return b.top >= 0 && b.left >= 0 && b.right <= innerWidth && b.bottom <= innerHeight }",
            tour.element_handle(),
        )
        assert inside, n
        player.click("tour-next")
    assert len(told) == 5 and not tour.is_visible()
    player.page.reload()
    player.wait_for_trace()
    assert not tour.is_visible()


def test_the_tour_is_dismissed_by_escape_and_brought_back_by_keyboard(open_player):
    player = open_player(tour=True, viewport=PHONE, locale="zh-CN").visit(TWO_PATHS.code)
    tour = player.page.get_by_test_id("tour")
    assert tour.is_visible()
    player.press("Escape")
    assert not tour.is_visible()
    player.press("?")
    player.page.get_by_test_id("tour-again").press("Enter")
    player.settle()
    assert tour.is_visible()
    assert player.page.evaluate("() => document.activeElement.dataset.testid") == "tour-next"
    player.press("Enter")
    assert player.page.locator(".pane.graph").is_visible()
    player.press("Escape")
    player.press("t")
    assert tour.is_visible()
