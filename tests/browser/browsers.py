"""Finds a browser of the Chromium family, or installs one. Starts none; that is conftest.py's part."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path

PROGRAMS = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "microsoft-edge",
    "microsoft-edge-stable",
)
MAC = (
    "Google Chrome.app/Contents/MacOS/Google Chrome",
    "Chromium.app/Contents/MacOS/Chromium",
    "Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
)
WINDOWS = (
    r"Google\Chrome\Application\chrome.exe",
    r"Chromium\Application\chrome.exe",
    r"Microsoft\Edge\Application\msedge.exe",
)
WHERE = """
from playwright.sync_api import sync_playwright
with sync_playwright() as playwright:
    print(playwright.chromium.executable_path)
"""
SENTENCE = (
    "The browser tests need Chromium, Chrome or Edge: install one, "
    "or set GRADSTEP_BROWSER to the program's path."
)


class BrowserMissing(Exception):
    """No browser was found and none could be installed."""


def ensure() -> Path:
    """Return the path of a browser, installing one if there is none."""
    found = find()
    if not found and may_use_apt():
        say("No browser found; installing Debian's package chromium …")
        quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        run(["apt-get", "update"], quiet)
        run(["apt-get", "install", "-y", "chromium"], quiet)
        found = find()
    if not found:
        say("No browser found; downloading Playwright's own …")
        run([sys.executable, "-m", "playwright", "install", "chromium"], dict(os.environ))
        found = find()
    if not found:
        raise BrowserMissing(SENTENCE)
    return found


def find() -> Path | None:
    """Return the first browser in the usual places, None if there is none."""
    chosen = os.environ.get("GRADSTEP_BROWSER")
    if chosen:
        if not Path(chosen).is_file():
            raise BrowserMissing(f"GRADSTEP_BROWSER names {chosen}, which is not a file.")
        return Path(chosen)
    installed = next((path for path in usual_places() if path.is_file()), None)
    return installed or downloaded()


def usual_places() -> list[Path]:
    """List where an installed browser may be, the best first."""
    match platform.system():
        case "Darwin":
            return [
                root / app for root in (Path("/Applications"), Path.home() / "Applications") for app in MAC
            ]
        case "Windows":
            roots = [os.environ.get(name) for name in ("ProgramFiles", "ProgramFiles(x86)", "LocalAppData")]
            return [Path(root) / program for program in WINDOWS for root in roots if root]
        case _:
            return [Path(path) for path in map(shutil.which, PROGRAMS) if path]


def downloaded() -> Path | None:
    """Return Playwright's own browser, if it has been downloaded."""
    done = subprocess.run([sys.executable, "-c", WHERE], capture_output=True, text=True)
    path = Path(done.stdout.strip())
    return path if done.returncode == 0 and path.is_file() else None


def may_use_apt() -> bool:
    """Say whether Debian's own package can be installed: on Debian, by root."""
    try:
        release = platform.freedesktop_os_release()
    except OSError:
        return False
    return release.get("ID") == "debian" and bool(shutil.which("apt-get")) and os.geteuid() == 0


def run(command: list[str], environment: dict[str, str]) -> None:
    """Run an installer; its failing is not the end, since another way may work."""
    done = subprocess.run(
        command,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    )
    if done.returncode != 0:
        say(f"{' '.join(command)} failed:\n{done.stdout.strip()[-1500:]}")


def say(text: str) -> None:
    """Print progress where it can be seen at once."""
    print(text, file=sys.stderr, flush=True)
