"""Two programs side by side: one step for both, differences marked, lines switched, everything kept."""

from __future__ import annotations

import re

import pytest

from tests.browser.player import PICTURE, SEEK, Player, difference

PHONE = {"width": 390, "height": 844}
SHOWN = """
([steps]) => {
  const data = (id) => document.querySelector(`[data-testid=${id}]`).dataset;
  const runs = ({ mode, steps }) => mode === "play" && Number(steps) > 0;
  return ["first-program", "second-program"].every((id) => runs(data(id)))
    && Number(data("compare").steps) > 0 && !("busy" in data("compare"))
    && (steps === null || data("compare").steps !== steps);
}
"""


class Both:
    """The page as a test sees it."""

    def __init__(self, player: Player) -> None:
        self.player, self.page = player, player.page
        self.root = self.page.get_by_test_id("compare")

    def visit(self, query: str) -> Both:
        """Open the page and wait until both have run."""
        self.page.goto(f"{self.player.address}/compare{query}")
        return self.wait()

    def wait(self, steps: str | None = None) -> Both:
        """Wait until both programs are shown, with another number of steps if one is given."""
        self.page.wait_for_function(SHOWN, arg=[steps])
        self.player.settle()
        return self

    def press(self, key: str, times: int = 1) -> Both:
        """Press a key."""
        self.player.press(key, times)
        return self

    def picture(self) -> str:
        """All that the page shows of both."""
        return self.root.evaluate(PICTURE)

    def seek(self, k: int) -> Both:
        """Drag the scrubber."""
        self.page.get_by_test_id("scrubber").evaluate(SEEK, k)
        self.player.settle()
        return self

    def step_of(self, side: str) -> int:
        """Where a side stands."""
        return int(self.page.get_by_test_id(f"{side}-program").get_attribute("data-step"))

    @property
    def steps(self) -> str:
        """How many positions there are."""
        return self.root.get_attribute("data-steps")

    @property
    def step(self) -> int:
        """The position of both."""
        return int(self.root.get_attribute("data-step"))

    def differing(self) -> dict[str, list[str]]:
        """What the table of differences says: name → what each has."""
        rows = self.page.locator("[data-difference]").all()
        return {row.get_attribute("data-difference"): row.locator("td").all_text_contents() for row in rows}

    def grad(self, side: str, name: str) -> str:
        """The `.grad` shown on a side."""
        return self.page.locator(f'#{side} [data-var="{name}"]').get_attribute("data-grad")


@pytest.fixture
def both(player: Player) -> Both:
    """A wide page."""
    return Both(player)


def test_one_key_moves_both_and_what_differs_is_told_with_both_numbers(both: Both, shoot):
    both.visit("?example=zero-grad")
    assert both.differing() == {} and both.page.locator(".said button").count() == 0
    both.press("End")
    shoot(both.page, "compare")
    assert both.differing()["w"] == ["2.75", "4.75"]
    assert both.differing()["w.grad"] == ["-1.", "-5."]
    assert both.grad("first", "w") == "-1." and both.grad("second", "w") == "-5."
    assert both.differing()["output, line 2"] == ["1 2.5", "1 3.5"]
    marked = both.page.locator(".element[data-differs]")
    assert [box.get_attribute("data-var") for box in marked.all()] == ["w", "w"]
    both.press("Home")
    assert both.step == 0 and marked.count() == 0


def test_lines_that_differ_are_marked_and_a_step_of_one_alone_is_told(both: Both):
    both.visit("?example=zero-grad")
    for side in ("first", "second"):
        lines = both.page.locator(f"#{side} .line[data-differs]")
        assert [line.get_attribute("data-line") for line in lines.all()] == ["6"]
    both.press("d")
    assert both.step_of("first") > both.step_of("second")
    assert both.page.locator(".contrast-gap").is_visible()
    both.press("d", 3).press("Shift+D", 3)
    assert both.page.locator(".contrast-gap").is_visible()


def test_a_second_backward_fails_on_one_side_while_the_other_goes_on(both: Both):
    both.visit("?example=retain-graph").press("End")
    assert both.differing()["x.grad"] == ["[4., 8.]", "[2., 4.]"]
    assert both.differing()["error"][1].startswith("RuntimeError: Trying to backward through the graph")
    assert both.page.locator("#second [data-phase]").first.is_visible()


def test_jumping_about_ends_in_the_same_pictures_as_stepping(both: Both):
    both.visit("?example=detach")
    seen = {0: both.picture()}
    while both.step < int(both.steps):
        both.press("ArrowRight")
        seen[both.step] = both.picture()
    for k in [*list(seen)[::-2], *list(seen)[::3]]:
        assert difference(seen[k], both.seek(k).picture()) == "", k


def test_a_line_is_switched_off_and_on_in_one_program_and_the_step_stays(both: Both):
    code = "import torch\nw = torch.tensor(2.0, requires_grad=True)\n(w * 3).backward()\n(w * 5).backward()\n"
    code += "w.grad.zero_()\nprint(w.grad)\n"
    both.page.goto(f"{both.player.address}/compare")
    both.wait()
    steps = both.steps
    for side in ("first", "second"):
        both.page.locator(f"#{side} [data-do=edit]").click()
        both.page.locator(f"#{side} .cm-content").click()
        both.press("ControlOrMeta+a")
        both.page.keyboard.insert_text(code)
    both.press("ControlOrMeta+Enter").wait(steps).press("End")
    assert both.differing() == {}
    row = both.step_of("first")
    switch = both.page.locator('#second [data-switch="5"]')
    assert switch.get_attribute("aria-pressed") == "false"
    switch.press("Enter")
    both.page.locator('#second [data-switch="5"][aria-pressed="true"]').wait_for()
    both.player.settle()
    assert both.step_of("first") == row
    both.press("End")
    assert both.differing()["w.grad"] == ["0.", "8."]
    both.page.reload()
    both.wait()
    assert both.page.locator('#second [data-line="5"] code').text_content() == "# w.grad.zero_()"
    both.page.locator('#second [data-switch="5"]').click()
    both.page.locator('#second [data-switch="5"][aria-pressed="false"]').wait_for()
    both.press("End")
    assert both.differing() == {}


def test_a_click_on_a_line_takes_the_other_side_along_and_the_address_keeps_the_place(both: Both):
    both.visit("?example=detach")
    both.page.locator('#second [data-line="4"] .line-number').click()
    both.player.settle()
    assert both.step_of("first") > 0
    step = both.step
    both.page.wait_for_function("step => location.hash === `#s=${step}`", arg=step)
    assert re.match(r"\d+/\d+ · Without and with detach", both.page.title())
    both.page.reload()
    both.wait()
    assert both.step == step


def test_gradients_in_flight_that_differ_are_told_with_both_numbers(both: Both):
    both.visit("?example=detach")
    told = []
    while both.step < int(both.steps):
        both.press("ArrowRight")
        told += [cells for name, cells in both.differing().items() if name == "this step carries"]
    assert ["3. 9. ", "9. "] in told  # z's node: its gradient for y and for x, or for x alone


def test_values_are_copied_of_the_side_that_is_pointed_at(open_player):
    both = Both(open_player(permissions=["clipboard-read", "clipboard-write"])).visit("?example=zero-grad")
    both.press("End")
    for cell, text in ((".contrast [data-of=left]", "2.75"), (".contrast [data-of=right]", "4.75")):
        both.page.locator(f"{cell} [data-values]").first.hover()
        both.page.get_by_test_id("value").filter(has_text=text).first.wait_for()
        both.press("c")
        both.page.wait_for_function(
            "text => navigator.clipboard.readText().then(copied => copied === text)",
            arg=f"torch.tensor({text})",
        )
        both.page.mouse.move(3, 3)
        both.press("Escape")


def test_play_runs_to_both_ends(both: Both):
    both.visit("?example=detach#level=story")
    both.press("]", 4).press(" ")
    both.page.wait_for_function(
        "() => ['first', 'second'].every(id => { const d = document.getElementById(id).dataset;"
        " return d.step === d.steps; })",
        timeout=20_000,
    )


def test_on_a_phone_one_column_at_a_time(open_player, shoot):
    both = Both(open_player(viewport=PHONE, locale="zh-CN")).visit("?example=zero-grad").press("End")
    shoot(both.page, "compare-phone")
    assert both.page.locator("#first").is_visible() and not both.page.locator("#second").is_visible()
    both.page.locator("label[for=side-second]").click()
    assert both.page.locator("#second").is_visible() and not both.page.locator("#first").is_visible()
    assert both.page.locator("#second .element").first.is_visible()
    over = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert both.page.evaluate(over) <= 0
    assert both.differing()["w"] == ["2.75", "4.75"]


def test_the_sandbox_puts_its_program_beside_itself(both: Both):
    both.player.visit("import torch\nx = torch.ones(2, requires_grad=True)\nx.sum().backward()\n")
    both.page.locator("#examples").click()
    both.page.locator("#compare-this").click()
    both.wait().press("End")
    assert both.differing() == {} and both.step == int(both.steps) > 5
    ids = both.page.evaluate("() => [...document.querySelectorAll('[id]')].map((each) => each.id)")
    assert sorted(set(ids)) == sorted(ids)
