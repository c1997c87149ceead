"""Checks a whole trace: walks its rows once, each part of the check looking at the rows it is about."""

from __future__ import annotations

from typing import Any

import numpy as np

import engine.verify.laws  # noqa: F401 - fills the table
from engine.verify.aliases import Aliases
from engine.verify.backward import Backward
from engine.verify.clipping import Clipping
from engine.verify.endings import Endings
from engine.verify.forward import Forward
from engine.verify.grads import Grads
from engine.verify.graph import Graph
from engine.verify.hooks import Hooks
from engine.verify.leaving import Leaving
from engine.verify.memory import Memory
from engine.verify.moving import Moving
from engine.verify.names import Names
from engine.verify.order import Order
from engine.verify.places import Places
from engine.verify.printed import Printed
from engine.verify.rates import Rates
from engine.verify.rebasing import Rebasing
from engine.verify.report import Report
from engine.verify.saving import Saving
from engine.verify.scopes import Scopes
from engine.verify.sightings import Sightings
from engine.verify.sparse import Sparse
from engine.verify.structure import check_structure
from engine.verify.updates import Updates
from engine.verify.warned import Warned
from engine.verify.world import Stop, World


def check(trace: Any, report: Report | None = None) -> Report:
    """Derive again whatever a trace claims, and report how much that was and what does not hold.

    Whoever gives the report may read in it how far the check has come.
    """
    report = Report() if report is None else report
    if not check_structure(trace, report):
        return report
    with np.errstate(all="ignore"):
        walk(World(trace, report))
    return report


def walk(world: World) -> None:
    """Let every part see every row: all may say whether it may stand here, some what it claims."""
    graph, grads, program = Graph(world), Grads(world), world.program
    backward, rates = Backward(world, graph, grads), Rates(world)
    parts = (
        Endings(world), Order(world), Places(world, program), Sightings(world, program),
        Names(world, program), Scopes(world, program), Updates(world, rates),
        rates, grads, Clipping(world), backward, Hooks(world, backward),
        Forward(world, graph), Moving(world), Rebasing(world, graph), Leaving(world, program),
        Printed(world, program), Saving(world), Sparse(world), Warned(world, program),
        Aliases(world, program),
    )  # fmt: skip
    if not world.report.holds:
        return  # tables that contradict themselves explain no row
    befores = [part.before for part in parts if hasattr(part, "before")]
    kinds: dict[str, list] = {}
    try:
        for k, row in enumerate(world.rows):
            world.enter(k, row)
            kind = row["kind"]
            world.report.rows = k
            if kind not in kinds:
                kinds[kind] = [getattr(part, f"on_{kind}") for part in parts if hasattr(part, f"on_{kind}")]
            for look in (*befores, *kinds[kind]):
                look(row)
    except Stop:
        return
    world.report.rows = len(world.rows)
    for part in (*parts, graph, Memory(world)):
        if hasattr(part, "ended"):
            part.ended()
