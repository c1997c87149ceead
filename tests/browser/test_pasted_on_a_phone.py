"""What people paste on a phone, in Chinese: mended, given back, rolled again, and nothing typed is lost."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page

from tests.browser.player import Player

PHONE = {"width": 390, "height": 844}
OVERFLOW = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"
MARK = "() => getComputedStyle(document.querySelector('label[for=pane-code]'), '::after').content"
EDITING = "() => document.querySelector('[data-testid=player]').dataset.mode === 'edit'"
EDITOR = ".cm-content, .plain-editor"
OWN = "() => document.querySelector('.cm-content, .plain-editor').innerText.startsWith('python')"
PASTED = """\
python
复制代码
1
2
3
4
x＝torch.rand(2，requires_grad=True)
y = (x &gt; 0.5).float() * x   // 只留下大的
y.sum().backward()
print(“梯度：”，x.grad)
"""


@pytest.fixture
def phone(open_player) -> Player:
    """The sandbox on a phone whose owner reads Chinese."""
    player = open_player(viewport=PHONE, has_touch=True, is_mobile=True, locale="zh-CN")
    player.page.goto(f"{player.address}/sandbox")
    return player


def code_pane(player: Player) -> Page:
    """Turn to the code, where the page says what it mended; its tab has a mark meanwhile."""
    player.page.locator("label[for=pane-code]").tap()
    return player.page


def typed(player: Player) -> str:
    """Return the text in the editor."""
    return player.page.locator(EDITOR).first.inner_text().replace("\u200b", "")


def test_a_pasted_page_is_mended_and_given_back_in_chinese(phone: Player, shoot):
    phone.edit(PASTED)
    phone.page.get_by_test_id("run").tap()
    phone.wait_for_trace()
    shoot(phone.page, "phone_mended_graph")
    assert phone.page.evaluate(MARK) == '"•"'
    code_pane(phone)
    assert phone.page.evaluate(OVERFLOW) <= 0
    shoot(phone.page, "phone_mended")
    told = phone.page.get_by_test_id("mended")
    text = told.text_content()
    for part in ("全角标点", "HTML 符号", "去掉了行号", "import torch", "改成了注释"):
        assert part in text, f"{part} is missing in {text}"
    told.locator("summary").tap()
    assert phone.page.evaluate(OVERFLOW) <= 0
    shoot(phone.page, "phone_mended_open")
    phone.page.get_by_test_id("own-text").tap()
    phone.page.wait_for_function(EDITING)
    phone.page.wait_for_function(OWN)  # a tap becomes a click only after a moment
    assert typed(phone).startswith("python\n复制代码\n1\n")
    phone.page.reload()
    assert typed(phone).startswith("python\n复制代码\n1\n")


def test_other_random_numbers_are_rolled_on_a_phone(phone: Player, shoot):
    phone.edit(PASTED)
    phone.page.get_by_test_id("run").tap()
    code_pane(phone.wait_for_trace())
    before = phone.page.get_by_test_id("seed").text_content()
    phone.page.get_by_test_id("roll").tap()
    phone.page.wait_for_function("() => location.search.includes('seed=1')")
    phone.wait_for_trace()
    phone.page.wait_for_function(
        "(t) => document.querySelector('[data-testid=seed]').textContent !== t", arg=before
    )
    code_pane(phone)
    assert phone.page.get_by_test_id("mended").is_visible()
    shoot(phone.page, "phone_rolled")


def test_everything_typed_survives_a_reload(phone: Player):
    phone.edit("x = torch.rand(2)\nprint(x)")
    phone.page.reload()
    assert typed(phone) == "x = torch.rand(2)\nprint(x)"
    phone.page.get_by_test_id("run").tap()
    code_pane(phone.wait_for_trace()).get_by_test_id("edit").tap()
    assert typed(phone).startswith("import torch\n")
    phone.page.keyboard.press("ControlOrMeta+End")
    phone.page.keyboard.insert_text("\nprint(x.sum())")
    phone.page.reload()
    assert typed(phone) == "import torch\nx = torch.rand(2)\nprint(x)\nprint(x.sum())"
