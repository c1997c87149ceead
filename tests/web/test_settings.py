"""Settings from the environment, and that README.md lists them."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import pytest

from app.sandbox.limits import Limits
from app.settings import Settings, from_environment

README = Path(__file__).parents[2] / "app" / "README.md"


def test_a_silent_environment_gives_the_defaults():
    assert from_environment({"PATH": "/bin"}) == Settings()


def test_the_environment_is_heard():
    chosen = from_environment(
        {"GRADSTEP_WORKERS": "5", "GRADSTEP_LAYOUT_SECONDS": "0.5", "GRADSTEP_LIMIT_WALL": "9"}
    )
    assert (chosen.workers, chosen.layout_seconds, chosen.limits.wall) == (5, 0.5, 9.0)


@pytest.mark.parametrize("text", ["", "many", "0", "-1", "nan", "1.5"])
def test_a_wrong_number_is_named(text):
    with pytest.raises(ValueError, match="GRADSTEP_WORKERS"):
        from_environment({"GRADSTEP_WORKERS": text})


@pytest.mark.parametrize("text", ["nan", "inf", "-0.5"])
def test_time_without_end_is_refused(text):
    with pytest.raises(ValueError, match="GRADSTEP_LAYOUT_SECONDS"):
        from_environment({"GRADSTEP_LAYOUT_SECONDS": text})


@pytest.mark.parametrize("text", ["", "all", "127.0.0.1"])
def test_an_unknown_reader_of_the_numbers_is_refused(text):
    with pytest.raises(ValueError, match="GRADSTEP_METRICS must be one of loopback, everyone, nobody"):
        from_environment({"GRADSTEP_METRICS": text})


def test_proxies_are_addresses_and_networks():
    assert (
        from_environment({"GRADSTEP_PROXIES": "127.0.0.1, 10.0.0.0/8"}).proxies == "127.0.0.1/32,10.0.0.0/8"
    )
    assert from_environment({"GRADSTEP_PROXIES": "none"}).proxies == "none"


@pytest.mark.parametrize("text", ["*", "", "proxy.example", "10.0.0.1/8", "127.0.0.1,"])
def test_a_proxy_without_an_address_is_refused(text):
    with pytest.raises(ValueError, match="GRADSTEP_PROXIES"):
        from_environment({"GRADSTEP_PROXIES": text})


def test_the_readme_lists_every_setting():
    text = README.read_text(encoding="utf-8")
    names = [f"GRADSTEP_{one.name.upper()}" for one in fields(Settings) if one.name != "limits"]
    names += [f"GRADSTEP_LIMIT_{one.name.upper()}" for one in fields(Limits)]
    assert [name for name in names if f"`{name}`" not in text] == []
