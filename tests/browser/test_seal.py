"""The seal: what was checked of a run, what was not and why, and a run that contradicts itself."""

from __future__ import annotations

import json
import re

import pytest
from playwright.sync_api import Route, expect

from tests.browser.player import Player
from tests.browser.snippets import TWO_PATHS

PHONE = {"width": 360, "height": 740}
OVERFLOW = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"
WHOLE = re.compile(r"^checked: (\d+) of \1 numbers re-derived$")
LARGE = """\
import torch
import torch.nn as nn
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1))
x, y = torch.randn(32, 8), torch.randn(32, 1)
((model(x) - y) ** 2).mean().backward()
"""


def seal(player: Player):
    return player.page.get_by_test_id("seal")


def details(player: Player):
    return player.page.locator("#seal-details")


def falsify(player: Player) -> list[int]:
    """Change on its way to the page what the first AccumulateGrad leaves; the list gets the row."""
    changed: list[int] = []

    def handle(route: Route) -> None:
        response = route.fetch()
        answer = response.json()
        rows = answer["trace"]["rows"]
        k = next(k for k, row in enumerate(rows) if row["kind"] == "grad_accumulated")
        rows[k]["after"] = next(v for v in answer["trace"]["values"] if v != rows[k]["after"])
        changed.append(k)
        route.fulfill(response=response, body=json.dumps(answer))

    player.page.route("**/api/traces", handle)
    return changed


def test_a_run_is_sealed_with_its_count(player: Player, shoot):
    player.visit(TWO_PATHS.code)
    expect(seal(player)).to_have_attribute("data-state", "whole")
    expect(seal(player).locator(".long")).to_have_text(WHOLE)
    expect(player.page.locator("#refusal")).to_be_hidden()
    shoot(player.page, "seal")


def test_the_seal_is_opened_and_closed_by_keyboard(player: Player):
    player.visit(TWO_PATHS.code)
    expect(seal(player)).to_have_attribute("data-state", "whole")
    seal(player).focus()
    player.page.keyboard.press("Enter")
    expect(details(player)).to_be_visible()
    player.page.keyboard.press("Escape")
    expect(details(player)).to_be_hidden()
    assert player.step == 0


def test_what_was_not_derived_is_counted_and_leads_to_its_row(player: Player, shoot):
    player.visit(LARGE)
    expect(seal(player)).to_have_attribute("data-state", "partly")
    checked, of = map(int, re.findall(r"\d+", seal(player).locator(".long").text_content()))
    seal(player).click()
    entries = details(player).locator("li").all_text_contents()
    assert sum(int(re.search(r"(\d+) in ", entry)[1]) for entry in entries) == of - checked > 0
    assert any("AddmmBackward0" in entry and "too large" in entry for entry in entries)
    shoot(player.page, "seal_details")
    link = details(player).locator("button").first
    row = int(re.search(r"\d+", link.text_content())[0])
    link.click()
    expect(details(player)).to_be_hidden()
    assert player.settle().step == row + 1


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_run_that_contradicts_itself_is_refused_loudly(open_player, shoot, scheme: str):
    player = open_player(color_scheme=scheme)
    changed = falsify(player)
    player.visit(TWO_PATHS.code)
    band = player.page.get_by_role("alert").filter(has_text="contradicts itself")
    expect(band).to_contain_text(f"row {changed[0]}")
    expect(band).to_contain_text("grad_accumulated.after")
    expect(seal(player)).to_have_text(re.compile(f"refused at row {changed[0]}"))
    assert player.page.evaluate(OVERFLOW) <= 0
    shoot(player.page, f"seal_refused_{scheme}")
    band.get_by_role("button").click()
    assert player.settle().step == changed[0] + 1


def test_the_next_run_takes_the_refusal_away(player: Player):
    falsify(player)
    player.visit(TWO_PATHS.code)
    expect(player.page.locator("#refusal")).to_be_visible()
    player.page.unroute("**/api/traces")
    player.click("edit").click("run").wait_for_trace()
    expect(seal(player)).to_have_attribute("data-state", "whole")
    expect(player.page.locator("#refusal")).to_be_hidden()


def test_the_first_picture_does_not_wait_for_the_seal(player: Player):
    player.page.route("**/api/traces/check", lambda route: None)
    player.visit(TWO_PATHS.code).click("last")
    assert player.step == player.steps
    expect(seal(player)).to_have_attribute("data-state", "checking")


def test_a_check_that_cannot_be_had_says_so(player: Player):
    player.page.route("**/api/traces/check", lambda route: route.fulfill(status=200, json={}))
    player.visit(TWO_PATHS.code)
    expect(seal(player)).to_have_attribute("data-state", "unchecked")
    expect(seal(player)).to_contain_text("not checked")


def test_the_seal_fits_a_phone_in_chinese(open_player, shoot):
    player = open_player(viewport=PHONE, has_touch=True, locale="zh-CN").visit(LARGE)
    expect(seal(player)).to_have_attribute("data-state", "partly")
    expect(seal(player).locator(".short")).to_have_text(re.compile(r"^\d+/\d+$"))
    assert re.search(r"[\u4e00-\u9fff]", seal(player).get_attribute("aria-label"))
    seal(player).click()
    box = details(player).bounding_box()
    assert box["x"] >= 0 and box["x"] + box["width"] <= PHONE["width"]
    assert player.page.evaluate(OVERFLOW) <= 0
    shoot(player.page, "seal_phone")
