"""A lesson in a browser: asked, answered wrongly and rightly in each of four ways, kept, and found again."""

from __future__ import annotations

import json

import pytest
from playwright.sync_api import Page, expect

from tests.browser.player import Player

PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
FIRST = "what-backward-does"
STANDS_AT = "k => document.querySelector('[data-testid=player]').dataset.step === String(k + 1)"


class Lesson:
    """A lesson on a page, as a reader meets it."""

    def __init__(self, player: Player, slug: str, section: int = 1, lang: str = "en") -> None:
        self.player, self.page = player, player.page
        self.page.goto(f"{player.address}/lessons/{slug}?lang={lang}#p={section}")
        self.boot = json.loads(self.page.locator("#boot").text_content())
        self.wait(section)

    @property
    def shown(self):
        """The section that is on the screen."""
        return self.page.locator(".lesson-section:not([hidden])")

    @property
    def verdict(self):
        """What is said to an answer."""
        return self.shown.get_by_test_id("verdict")

    def wait(self, section: int) -> None:
        """Wait until a section is shown and the player stands at its step."""
        told = self.boot["sections"][section - 1]
        expect(self.shown).to_have_attribute("data-section", str(section - 1))
        self.page.wait_for_function(STANDS_AT, arg=told["k"])
        self.question = told["checkpoint"]
        if self.question:
            expect(self.shown.locator("form.checkpoint")).to_be_visible()

    def go_on(self, section: int) -> None:
        """Press Next, to a section."""
        self.page.get_by_test_id("section-after").click()
        self.wait(section)

    def type(self, text: str) -> None:
        """Answer with a number."""
        self.shown.locator("input[name=number]").fill(text)
        self.shown.locator("input[name=number]").press("Enter")

    def choose(self, right: bool) -> None:
        """Answer with one of the choices."""
        i = next(i for i, each in enumerate(self.question["choices"]) if each["right"] is right)
        self.shown.get_by_role("radio").nth(i).check()
        self.shown.locator("button[type=submit]").click()

    def expect_wrong(self, reason: str | None = None) -> None:
        """The answer is refused with a reason, the question stays open, and the step stays hidden."""
        expect(self.verdict).to_have_attribute("data-outcome", "wrong")
        expect(self.verdict.locator("p").first).to_contain_text(reason or "")
        expect(self.verdict.locator(".because")).to_have_count(0)

    def expect_right(self) -> None:
        """The answer is taken, explained, and shown by the player."""
        expect(self.verdict).to_have_attribute("data-outcome", "right")
        expect(self.verdict.locator(".because")).not_to_be_empty()
        self.page.wait_for_function(STANDS_AT, arg=self.question["reveal"])


def kept(page: Page, slug: str) -> dict:
    """What the device keeps of a lesson."""
    return json.loads(page.evaluate("localStorage.getItem('gradstep.lessons')"))[slug]


def test_a_number_is_refused_with_the_reason_for_it_then_taken_and_played(player: Player):
    lesson = Lesson(player, FIRST)
    lesson.type("2, 4")
    lesson.expect_wrong("twice x")
    lesson.type("77")
    lesson.expect_wrong("Square each number")
    lesson.type("[1., 4.]")
    lesson.expect_right()
    expect(player.page.locator('.op[data-phase="made"]')).to_contain_text("[1., 4.]")
    expect(player.page.get_by_test_id("section-after")).to_be_focused()


def test_a_node_is_clicked(player: Player):
    lesson = Lesson(player, FIRST, 2)
    before = player.step
    player.leaf("x").click()
    lesson.expect_wrong("at the node that made z")
    assert player.step == before
    player.page.locator(".op", has_text="SumBackward0").click()
    lesson.expect_right()


def test_a_choice_is_made(player: Player):
    lesson = Lesson(player, FIRST, 5)
    lesson.choose(right=False)
    lesson.expect_wrong("nothing has arrived yet")
    lesson.choose(right=True)
    lesson.expect_right()
    expect(lesson.shown.locator(".after")).to_be_visible()


def test_a_line_is_clicked(player: Player):
    lesson = Lesson(player, "once-and-gone", 3)
    code = player.page.locator('[data-slot="source"]')
    code.locator('[data-line="3"]').first.click()
    lesson.expect_wrong("went well")
    code.locator('[data-line="4"]').first.click()
    lesson.expect_right()


def test_who_gives_up_is_shown_the_answer(player: Player):
    lesson = Lesson(player, FIRST)
    lesson.shown.get_by_test_id("show-answer").click()
    expect(lesson.verdict).to_have_attribute("data-outcome", "shown")
    player.page.wait_for_function(STANDS_AT, arg=lesson.question["reveal"])
    assert kept(player.page, FIRST)["answers"] == {"forward-value": "shown"}


def test_what_has_not_run_yet_is_not_to_be_seen(player: Player):
    Lesson(player, FIRST)
    expect(player.leaf("x")).to_be_visible()
    for ghost in player.page.locator('[data-phase="ghost"]').all():
        expect(ghost).to_be_hidden()


def test_progress_outlives_a_reload_and_stands_in_the_contents(player: Player):
    lesson = Lesson(player, FIRST)
    lesson.type("1 4")
    lesson.expect_right()
    lesson.go_on(2)
    player.page.goto(f"{player.address}/lessons/{FIRST}")
    lesson.wait(2)
    player.page.get_by_test_id("section-before").click()
    lesson.wait(1)
    expect(lesson.verdict).to_have_attribute("data-outcome", "right")
    expect(lesson.shown.locator("input[name=number]")).to_be_disabled()
    player.page.goto(f"{player.address}/lessons")
    entry = player.page.locator(f'[data-lesson="{FIRST}"]')
    expect(entry.locator(".progress")).to_contain_text("1")
    expect(player.page.locator('[data-lesson="the-graph"] .progress')).to_be_hidden()


def test_the_language_is_switched_within_the_section(player: Player):
    lesson = Lesson(player, FIRST, 3)
    player.page.get_by_role("link", name="简体中文").click()
    expect(player.page.locator("html")).to_have_attribute("lang", "zh-Hans")
    lesson.wait(3)
    expect(lesson.shown.locator("h2")).to_contain_text("每个节点")


def test_links_lead_to_nodes_and_steps(player: Player):
    lesson = Lesson(player, FIRST, 2)
    lesson.shown.get_by_role("button", name="PowBackward0").click()
    expect(player.page.locator(".op.pointed")).to_contain_text("PowBackward0")
    lesson = Lesson(player, "the-graph", 5)
    lesson.choose(right=True)
    lesson.expect_right()
    link = lesson.shown.locator('[data-ref="step"]')
    k = int(link.get_attribute("data-step"))
    link.click()
    player.page.wait_for_function(STANDS_AT, arg=k)
    expect(player.leaf("x")).to_contain_text("-6.")


def test_the_next_section_begins_at_its_top_and_takes_the_focus(open_player):
    player = open_player(**PHONE)
    lesson = Lesson(player, FIRST, 3)
    lesson.type("1 1")
    lesson.expect_right()
    lesson.go_on(4)
    assert player.page.evaluate("scrollY") == 0
    expect(lesson.shown.locator("h2")).to_be_focused()


@pytest.mark.parametrize("slug, section", [(FIRST, 4), ("two-paths", 5)])
def test_on_a_phone_the_answer_and_the_graph_that_shows_it_are_on_the_screen_together(
    open_player, slug, section
):
    player = open_player(**PHONE)
    lesson = Lesson(player, slug, section)
    answer = lesson.question["answer"]
    lesson.type(" ".join(map(str, answer if isinstance(answer, list) else [answer])))
    lesson.expect_right()
    expect(lesson.verdict).to_be_in_viewport(ratio=1)
    expect(player.page.locator('[data-slot="graph"]')).to_be_in_viewport(ratio=0.9)
