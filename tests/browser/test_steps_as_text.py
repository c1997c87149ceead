"""The run as text: a table that the keyboard alone reaches, reads and leaves, made when it is asked for."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.browser.moments import TWO_PATHS
from tests.browser.player import Player

LONG = """import torch
w = torch.tensor([0.5, -1.0], requires_grad=True)
for step in range(150):
    loss = (w * w).sum()
    loss.backward()
"""
CELLS = "rows => rows.map(row => [...row.cells].map(cell => cell.textContent))"


def table_of(page: Page) -> list[list[str]]:
    """Return the texts of all rows."""
    return page.get_by_test_id("steps").locator("tbody tr").evaluate_all(CELLS)


def test_every_step_is_a_row_with_line_sentence_and_changes(player: Player):
    player.visit(TWO_PATHS).press("s")
    rows = table_of(player.page)
    assert [row[0] for row in rows] == [str(n) for n in range(1, len(rows) + 1)]
    assert rows[0][1] == "2" and rows[0][3] == "x = [1., 2.]"
    assert "x.grad: None → [1.5, 5.]" in [row[3] for row in rows]
    assert rows[-1][2].startswith("The program prints")
    assert all(row[2] for row in rows)
    said = [row[2] for row in rows]
    player.press("Escape").press("Home")
    assert [player.press("ArrowRight").sentence for _ in rows] == said


def test_it_is_made_when_opened_and_a_number_leads_to_its_step(player: Player):
    player.visit(TWO_PATHS)
    assert table_of(player.page) == []
    player.seek(player.steps // 2)
    button = player.page.get_by_test_id("as-text")
    button.focus()
    player.press("Enter")
    dialog = player.page.get_by_test_id("steps")
    expect(dialog).to_have_accessible_name("The run as text")
    here = dialog.locator("tr[aria-current=step] button")
    expect(here).to_be_focused()
    expect(here).to_have_text(str(player.page.locator(".count").text_content().split()[1]))
    player.press("Tab").press("Enter")
    expect(dialog).to_be_hidden()
    expect(button).to_be_focused()
    assert player.page.locator(".count").text_content().split()[1] == str(int(here.text_content()) + 1)


def test_a_long_run_is_shown_by_the_hundred(player: Player):
    player.visit(LONG).press("End").press("s")
    page = player.page
    dialog = page.get_by_test_id("steps")
    count = int(page.locator(".count").text_content().split()[-1])
    assert count > 500
    rows = table_of(page)
    assert 0 < len(rows) <= 100 and rows[-1][0] == str(count)
    assert dialog.locator("table").get_attribute("aria-rowcount") == str(count + 1)
    expect(page.get_by_test_id("steps-after")).to_be_disabled()
    page.get_by_test_id("steps-before").focus()
    player.press("Enter")
    expect(dialog.locator(".steps-scroll")).to_be_focused()
    assert table_of(page)[-1][0] == str(int(rows[0][0]) - 1)


def test_on_a_phone_it_fills_the_page_and_stays_a_table(open_player):
    player = open_player(viewport={"width": 360, "height": 640}, locale="zh-CN", has_touch=True)
    player.visit(TWO_PATHS)
    player.page.get_by_test_id("as-text").tap()
    dialog = player.page.get_by_test_id("steps")
    assert dialog.evaluate("e => e.scrollWidth <= e.clientWidth && e.clientWidth === innerWidth")
    rows = player.page.get_by_role("row")
    assert rows.count() == len(table_of(player.page)) + 1
    assert player.page.get_by_role("rowheader").count() == len(table_of(player.page))


def test_a_link_may_leave_it_out(player: Player):
    player.page.goto(f"{player.address}/sandbox?example=two-paths#hide=text")
    player.wait_for_trace().press("s")
    assert player.page.get_by_test_id("as-text").count() == 0
    assert player.page.locator("dialog[open]").count() == 0
