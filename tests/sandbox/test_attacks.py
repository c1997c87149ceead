"""Every attack through both walls, and through the language wall alone; every ordinary program runs."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.sandbox import lockdown
from app.sandbox.child import run as child
from app.sandbox.limits import Limits
from app.sandbox.pool import Pool
from tests.sandbox import cases

ATTACKS = cases.programs("attacks")
LEGIT = cases.programs("legit")
ESCAPES = [name for name in ATTACKS if name[0] == "e"]
QUICK = replace(Limits(), wall=1.0)  # so that those who really use up their time do not take all of ours
MANY = len(ATTACKS) + len(LEGIT)


@pytest.fixture(scope="module")
def behind_both_walls() -> dict[str, dict]:
    """Return the traces of all attacks, each run in a locked-down child."""
    return cases.run_all(Pool(QUICK, size=4, waiting=MANY), ATTACKS)


@pytest.fixture(scope="module")
def behind_the_guard() -> dict[str, dict]:
    """Return the traces of the attacks on the language, in processes with no wall but resource limits."""
    child.warm_up()
    return {name: cases.without_the_process_wall(ATTACKS[name], QUICK) for name in ESCAPES}


@pytest.fixture(scope="module")
def ordinary() -> dict[str, dict]:
    """Return the traces of all ordinary programs."""
    return cases.run_all(Pool(size=2, waiting=MANY), LEGIT)


@pytest.mark.parametrize("name", ATTACKS)
def test_attack_is_contained(name: str, behind_both_walls: dict[str, dict]):
    assert not cases.verdict(ATTACKS[name], behind_both_walls[name])


@pytest.mark.skipif(not lockdown.can_fork(), reason="forks without a wall only where there is one")
@pytest.mark.parametrize("name", ESCAPES)
def test_escape_is_stopped_by_the_language_wall_alone(name: str, behind_the_guard: dict[str, dict]):
    assert not cases.verdict(ATTACKS[name], behind_the_guard[name])


@pytest.mark.parametrize("name", LEGIT)
def test_ordinary_program_runs(name: str, ordinary: dict[str, dict]):
    trace = ordinary[name]
    assert trace["outcome"] == {"kind": "finished"}, cases.printed(trace)
    assert cases.printed(trace) == cases.should_print(LEGIT[name])


def test_there_are_attacks_of_every_family():
    assert len(ATTACKS) >= 150 and {name[0] for name in ATTACKS} == {"c", "d", "e"}
