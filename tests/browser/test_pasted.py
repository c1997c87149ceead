"""What people paste on the page: it runs, the page says what it mended, and their own text is never lost."""

from __future__ import annotations

from urllib.parse import urlencode

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


def test_a_bare_expression_is_shown_beside_its_line_and_in_the_output(player: Player):
    player.visit("import torch\nx = torch.tensor([1., 2.], requires_grad=True)\nx.sum().backward()\nx.grad\n")
    player.click("first")
    beside = player.page.locator('[data-line="4"] .line-echo')
    assert not beside.is_visible() and player.output == ""
    player.click("last")
    assert beside.text_content() == "tensor([1., 1.])" and player.output == "tensor([1., 1.])\n"


def test_other_random_numbers_are_rolled_and_kept_in_the_address(player: Player):
    player.visit("import torch\nprint(torch.rand(2))").click("last")
    first = player.output
    assert "seed 0" in player.page.get_by_test_id("seed").text_content()
    player.page.get_by_test_id("roll").click()
    player.page.wait_for_function("() => location.search.includes('seed=1')")
    player.wait_for_trace().page.get_by_text("start from seed 1").wait_for()
    player.click("last")
    second = player.output
    assert second != first
    player.page.reload()
    player.wait_for_trace().click("last")
    assert player.output == second


def test_an_error_message_that_was_pasted_leads_to_its_explanation(player: Player, shoot):
    message = "RuntimeError: grad can be implicitly created only for scalar outputs"
    player.page.goto(f"{player.address}/sandbox?{urlencode({'code': message})}")
    player.page.get_by_test_id("explained").click()
    assert "grad can be implicitly created" in player.page.get_by_test_id("explanation").text_content()
    shoot(player.page, "explanation")


def test_the_error_of_a_run_leads_to_its_explanation(player: Player):
    player.visit("import torch\nx = torch.ones(2, requires_grad=True)\n(x * 2).backward()")
    assert player.page.get_by_test_id("explained").get_attribute("href") == "/errors/scalar-outputs"


def test_plotted_numbers_become_a_small_chart_under_the_output(player: Player, shoot):
    code = "import matplotlib.pyplot as plt\nplt.plot([3, 2, 1.5], label='loss')\nplt.title('training')\n"
    player.visit(code).click("last")
    chart = player.page.get_by_test_id("chart")
    assert "training" in chart.text_content() and chart.locator("path[stroke]").count() == 1
    shoot(player.page, "chart")
