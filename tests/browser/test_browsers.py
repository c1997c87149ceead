"""How a browser is found: installed, else Debian's package, else Playwright's own, else one sentence."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.browser import browsers

APT = ["apt-get", "apt-get"]


@pytest.fixture
def machine(monkeypatch):
    """A machine without a browser; `brings` says which installer leaves one, `ran` which were run."""

    class Machine:
        ran: list[str] = []
        debian_root = False
        brings: str | None = None

    def run(command: list[str], _environment) -> None:
        Machine.ran.append(command[0] if command[0] == "apt-get" else command[2])

    Machine.ran = []
    monkeypatch.setattr(browsers, "find", lambda: Path("b") if Machine.brings in Machine.ran else None)
    monkeypatch.setattr(browsers, "may_use_apt", lambda: Machine.debian_root)
    monkeypatch.setattr(browsers, "run", run)
    return Machine


def test_an_installed_browser_needs_no_installer(machine, monkeypatch):
    monkeypatch.setattr(browsers, "find", lambda: Path("chromium"))
    assert browsers.ensure() == Path("chromium")
    assert machine.ran == []


def test_root_on_debian_installs_debians_package(machine):
    machine.debian_root, machine.brings = True, "apt-get"
    assert browsers.ensure() == Path("b")
    assert machine.ran == APT


def test_elsewhere_playwright_brings_its_own(machine):
    machine.brings = "playwright"
    assert browsers.ensure() == Path("b")
    assert machine.ran == ["playwright"]


def test_playwright_is_the_second_way_on_debian(machine):
    machine.debian_root, machine.brings = True, "playwright"
    assert browsers.ensure() == Path("b")
    assert machine.ran == [*APT, "playwright"]


def test_without_any_way_it_says_one_sentence(machine):
    with pytest.raises(browsers.BrowserMissing, match=r"need Chromium, Chrome or Edge: install one"):
        browsers.ensure()


def test_a_browser_can_be_named(monkeypatch, tmp_path: Path):
    program = tmp_path / "browser"
    program.touch()
    monkeypatch.setenv("GRADSTEP_BROWSER", str(program))
    assert browsers.find() == program
    monkeypatch.setenv("GRADSTEP_BROWSER", str(tmp_path / "gone"))
    with pytest.raises(browsers.BrowserMissing, match="which is not a file"):
        browsers.find()


@pytest.mark.parametrize("system", ["Linux", "Darwin", "Windows"])
def test_every_system_has_its_usual_places(system: str, monkeypatch):
    monkeypatch.setattr(browsers.platform, "system", lambda: system)
    monkeypatch.setattr(browsers.shutil, "which", lambda name: f"/usr/bin/{name}")
    monkeypatch.setenv("ProgramFiles", r"C:\Program Files")
    assert any("chrom" in str(path).lower() for path in browsers.usual_places())
