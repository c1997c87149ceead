"""Fixtures of the browser tests: the real server, a real browser, pages that must not complain."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Request, sync_playwright

from tests.browser import browsers
from tests.browser.player import Player
from tests.browser.server import serving

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
SCREENSHOTS = Path(__file__).parent / "screenshots"
TOURED = "try { localStorage.setItem('gradstep.toured', 'yes'); } catch {}"
WIDE = {"width": 1280, "height": 800}


@pytest.fixture(scope="package")
def address(tmp_path_factory) -> Iterator[str]:
    """The address of a running server."""
    with serving(tmp_path_factory.mktemp("server") / "log.txt") as where:
        yield where


@pytest.fixture(scope="package")  # while playwright runs, no other test could start an event loop
def browser() -> Iterator[Browser]:
    """A headless browser with a fresh profile."""
    with sync_playwright() as playwright:
        program = browsers.ensure()
        running = playwright.chromium.launch(executable_path=program, headless=True, args=FLAGS)
        yield running
        running.close()


@pytest.fixture
def open_player(browser: Browser, address: str) -> Iterator[Callable[..., Player]]:
    """Open pages, each in a profile of its own; afterwards none of them may have complained."""
    complaints: list[str] = []
    contexts = []

    def open_one(**options) -> Player:
        """Open an empty page; options are playwright's, and `tour`: have they never been here?"""
        defaults = {"viewport": WIDE, "color_scheme": "light", "reduced_motion": "reduce", "locale": "en-US"}
        shown = options.pop("tour", False)
        contexts.append(browser.new_context(**{**defaults, **options}))
        if not shown:
            contexts[-1].add_init_script(TOURED)
        page = contexts[-1].new_page()
        page.on(
            "console",
            lambda m: complaints.append(f"{m.type}: {m.text}") if m.type in ("error", "warning") else None,
        )
        page.on("pageerror", lambda error: complaints.append(f"uncaught: {error}"))
        page.on("requestfailed", lambda request: complaints.extend(failure(request)))
        return Player(page, address)

    yield open_one
    for context in contexts:
        context.close()
    assert complaints == []


def failure(request: Request) -> list[str]:
    """Say what failed; what is called off, by the reader or because its run has gone, has not."""
    ended = ("/api/traces/check", "/api/traces", "/api/gradients/why", "/api/gradients/slope")
    if request.url.endswith(ended) and "ABORTED" in (request.failure or ""):
        return []
    return [f"failed: {request.url} {request.failure}"]


@pytest.fixture
def player(open_player) -> Player:
    """A wide, light page with motion reduced."""
    return open_player()


@pytest.fixture(scope="session")
def shoot() -> Callable[[Page, str], None]:
    """Keep a screenshot, to be looked at by a person."""
    SCREENSHOTS.mkdir(exist_ok=True)

    def shoot_one(page: Page, name: str) -> None:
        page.screenshot(path=SCREENSHOTS / f"{name}.png")

    return shoot_one
