"""A run that was taken away: its file plays from the disk, without a network and without a complaint."""

from __future__ import annotations

import json
import sys

import pytest
from playwright.sync_api import Browser

from app import cli
from tests.browser.conftest import TOURED, WIDE
from tests.browser.player import Player

HOSTILE = """import torch
x = torch.tensor([1.0, 2.0], requires_grad=True)  # </script><script>window.broken = 1</script><!--
y = (x * x).sum()
y.backward()
print("<img src=x onerror=window.broken=1>", x.grad)
"""


@pytest.fixture
def open_file(browser: Browser):
    """Open a file from the disk in a browser without a network; nothing may be asked for or complained of."""
    complaints: list[str] = []
    contexts = []

    def open_one(file, **options) -> Player:
        defaults = {"viewport": WIDE, "reduced_motion": "reduce", "locale": "en-US", "offline": True}
        contexts.append(browser.new_context(**{**defaults, **options}))
        contexts[-1].add_init_script(TOURED)
        page = contexts[-1].new_page()
        page.on("console", lambda m: complaints.append(f"{m.type}: {m.text}"))
        page.on("pageerror", lambda error: complaints.append(f"uncaught: {error}"))
        page.on("request", lambda asked: complaints.extend(foreign(asked.url)))
        page.goto(file.as_uri())
        return Player(page, "").wait_for_trace()

    yield open_one
    for context in contexts:
        context.close()
    assert complaints == []


def foreign(url: str) -> list[str]:
    """Say what was asked of anything but the file itself."""
    return [] if url.startswith(("file:", "data:")) else [f"asked for {url}"]


@pytest.fixture
def exported(tmp_path):
    """Make the file of a program by the command line, in a process of its own: this one has an event loop."""
    import subprocess

    def export(code: str, *options: str):
        out = tmp_path / "taken.html"
        command = [sys.executable, "-m", "app", "export", "-", "--html", str(out), *options]
        subprocess.run(
            command, input=code.encode(), check=True, timeout=60, cwd=cli.__file__.rsplit("app", 1)[0]
        )
        return out

    return export


def test_a_file_plays_offline_from_the_disk_to_its_last_number(open_file, exported, shoot):
    player = open_file(exported(HOSTILE))
    assert player.step == 0 and player.page.title().endswith("gradstep")
    assert player.press("ArrowRight").step > 0
    player.click("last")
    assert player.step == player.steps
    assert player.leaf("x").get_attribute("data-grad") == "[2., 4.]"
    assert "<img src=x onerror=window.broken=1> tensor([2., 4.])" in player.output
    assert player.page.evaluate("window.broken") is None
    player.press("ArrowLeft")
    assert player.step < player.steps
    shoot(player.page, "taken")


def test_what_needs_a_server_is_not_offered_and_one_sentence_says_so(open_file, exported):
    player = open_file(exported(HOSTILE))
    page = player.page
    player.click("last").press("e").press("w")
    assert player.root.get_attribute("data-mode") == "play"
    for gone in (
        "#edit",
        "#run",
        "#examples",
        "[data-testid=seal]",
        "[data-testid=fold]",
        "[data-panel=why]",
    ):
        assert page.locator(gone).count() == 0 or not page.locator(gone).first.is_visible(), gone
    page.locator("#about").click()
    assert "gradstep has to be running" in page.locator("#about-file").inner_text()


def test_the_program_can_be_copied_back_as_it_was(open_file, exported):
    player = open_file(exported(HOSTILE), permissions=["clipboard-read", "clipboard-write"])
    player.page.locator("#about").click()
    player.click("copy-program")
    player.page.get_by_text("Copied.").wait_for()
    assert player.page.evaluate("navigator.clipboard.readText()") == HOSTILE


def test_language_level_and_step_are_as_they_were_chosen(open_file, exported):
    player = open_file(exported(HOSTILE, "--lang", "zh", "--level", "story", "--step", "3"))
    assert (player.step, player.root.get_attribute("data-level")) == (3, "story")
    assert player.page.locator("html").get_attribute("lang") == "zh-Hans"
    assert player.page.get_by_text("关于这个文件").first.is_visible()


def test_a_program_that_was_refused_is_a_file_that_says_why(open_file, exported):
    player = open_file(exported("import socket\n"))
    assert "socket" in player.page.locator(".inspector").inner_text()


@pytest.mark.parametrize("width", [390, 360])
def test_a_file_fits_a_phone(open_file, exported, width, shoot):
    player = open_file(exported(HOSTILE), viewport={"width": width, "height": 844}, color_scheme="dark")
    player.click("last")
    assert player.page.evaluate("document.documentElement.scrollWidth") <= width
    shoot(player.page, f"taken_{width}")


def test_the_sandbox_gives_the_run_it_plays_at_the_step_it_shows(open_player, open_file, tmp_path, shoot):
    player = open_player(accept_downloads=True).visit(HOSTILE).press("ArrowRight", 3)
    page, step = player.page, player.step
    page.get_by_test_id("take").click()
    shoot(page, "take_away")
    with page.expect_download() as coming:
        page.locator("[data-take=html]").click()
    file = tmp_path / coming.value.suggested_filename
    coming.value.save_as(file)
    assert file.name.startswith("gradstep-") and file.suffix == ".html"
    assert open_file(file).step == step
    page.get_by_test_id("take").click()
    with page.expect_download() as coming:
        page.locator("[data-take=json]").click()
    assert json.loads(coming.value.path().read_bytes())["source"] == HOSTILE
