"""What people paste on the page: it runs, the page says what it mended, and their own text is never lost."""

from __future__ import annotations

from tests.browser.player import Player

SESSION = """\
>>> x = torch.tensor([1., 2.], requires_grad=True)
>>> y = (x * x).sum()
>>> y
tensor(5., grad_fn=<SumBackward0>)
>>> y.backward()
>>> print(x.grad)
tensor([2., 4.])
"""
EDITOR = ".cm-content, .plain-editor"


def test_a_session_runs_and_the_page_says_what_it_mended(player: Player, shoot):
    player.visit(SESSION).click("last")
    assert "tensor([2., 4.])" in player.output
    told = player.page.get_by_test_id("mended")
    assert "were taken away (lines 1–3, 5–6 of your text)" in told.text_content()
    assert "import torch" in told.text_content()
    shoot(player.page, "mended")


def test_the_editor_offers_the_mended_text_and_gives_the_own_text_back(player: Player):
    player.visit(SESSION)
    player.page.get_by_test_id("edit").click()
    assert player.page.locator(EDITOR).first.inner_text().startswith("import torch\n")
    player.page.get_by_test_id("mended").locator("summary").click()
    player.page.get_by_test_id("own-text").click()
    assert player.page.locator(EDITOR).first.inner_text().startswith(">>> x = torch.tensor")


def test_a_right_program_is_not_said_to_be_mended(player: Player):
    player.visit("import torch\nx = torch.ones(2)\n")
    assert player.page.get_by_test_id("mended").count() == 0
