"""The pipeline: code → isolated run → trace → scenes → drawing → the bytes of the answer. Knows no HTTP."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from time import monotonic
from typing import Any

import orjson

from app.explain import explained
from app.layout.dot import dot_text
from app.layout.fold import POLICIES, SMALL, Group, size
from app.layout.graph import read_graph
from app.layout.positions import from_graphviz, grid, is_grid, layered
from app.layout.render import LayoutFailed, Renderer
from app.layout.scenes import Scene, make_scenes, scene_changes
from app.layout.shapes import Shape
from app.sandbox.pool import Pool

# the tables of a trace are what a stranger's process wrote: a hole in them costs the drawing, not the trace
MOST_EDGES = 20_000  # of a drawing: nobody could read it, and laying it out would take the server's time
MALFORMED = (LookupError, TypeError, ValueError, AttributeError, RecursionError)
DEFAULT = "auto"  # how elements are grouped unless the reader says how
FLAT = 1_500  # boxes beside each other: what is more is not worth Graphviz's time
NOTHING_DRAWN = [Scene([], [], 0, 0, shape=Shape((), ()))], [[0, 0]]
log = logging.getLogger("gradstep")


class TooLarge(Exception):
    """A graph of more edges than are drawn."""

    def __init__(self, edges: int) -> None:
        super().__init__(f"{edges} edges")
        self.edges = edges


async def visualise(
    code: str,
    pool: Pool,
    renderer: Renderer,
    layout_seconds: float,
    options: dict[str, Any] | None = None,
) -> bytes:
    """Return the JSON of a program's trace, its drawing, its known errors. The trace goes on as it came.

    `options` are those of `Pool.run`.
    """
    trace = await pool.run(code, options or {})
    plan, errors = await asyncio.to_thread(read, trace)
    drawing = await draw(plan, renderer, layout_seconds)
    return b'{"trace":' + trace + b',"drawing":' + drawing + b',"errors":' + errors + b"}"


async def redraw(trace: bytes, policy: str, renderer: Renderer, seconds: float) -> bytes:
    """Return the JSON of a drawing folded by another policy; `trace` may be an answer of `visualise`."""
    plan, _ = await asyncio.to_thread(read, trace, policy)
    return await draw(plan, renderer, seconds)


@dataclass(slots=True)
class Plan:
    """What is to be drawn: scenes with their shapes, which of them each row is in, what else is told.

    `folded` plans the same folded, for when it takes too long.
    """

    scenes: list[Scene]
    changes: list[list[int]]
    told: dict[str, Any] = field(default_factory=dict)
    folded: Callable[[], Plan] | None = None


def read(trace: bytes, policy: str = DEFAULT) -> tuple[Plan, bytes]:
    """Return what a trace is drawn like, and the JSON of which explained errors it is about. Reads it once.

    One that is no trace, or has a hole, is drawn as nothing.
    """
    try:
        data = orjson.loads(trace)
        data = data.get("trace", data)
        return plan(data, policy), orjson.dumps(known_errors(data))
    except TooLarge as large:
        nothing = Plan(*NOTHING_DRAWN, {"too_large": {"edges": large.edges, "most": MOST_EDGES}})
        return nothing, orjson.dumps(known_errors(data))
    except MALFORMED:
        log.exception("a trace could not be drawn")
        return Plan(*NOTHING_DRAWN), b"[]"


def known_errors(data: dict) -> list[dict]:
    """Return which explained errors a trace is about."""
    try:
        return explained(data)
    except MALFORMED:
        return []


def plan(data: dict, policy: str = DEFAULT) -> Plan:
    """Return a trace's scenes, folded by a policy, and which of them each row is in. Raises TooLarge."""
    edges = sum(max(len(node["edges"]), len(node["args"])) for node in data["nodes"].values())
    if edges > MOST_EDGES:
        raise TooLarge(edges)
    graph = read_graph(data)
    scenes = make_scenes(data, graph, policy)
    told = {"fold": policy, "folds": [each for each in POLICIES if each not in ("auto", "none")]}
    planned = Plan(scenes, scene_changes(data, scenes), told)
    if policy != DEFAULT and any(len(scene.shape.boxes) > SMALL for scene in scenes):
        planned.folded = lambda: replace(plan(data, "auto"), told={**told, "fold": "auto", "late": policy})
    return planned


async def draw(plan: Plan, renderer: Renderer, seconds: float) -> bytes:
    """Return the JSON of a drawing; each shape is laid out once, all of them within `seconds`.

    What takes longer is drawn folded; what even then does is laid out plainly.
    """
    drawing = await drawn(plan, Layouts(renderer, monotonic() + seconds, plan.folded is not None))
    if drawing is None:
        folded = await asyncio.to_thread(plan.folded)
        drawing = await drawn(folded, Layouts(renderer, monotonic() + seconds, False))
    return orjson.dumps(drawing)


async def drawn(plan: Plan, layouts: Layouts) -> dict | None:
    """Return the drawing of a plan, or None if a shape takes too long that can be folded."""
    placed = []
    for scene in plan.scenes:
        name = await layouts.name(scene.shape)
        if name is None:
            return None
        groups = {path: told_of(group) for path, group in scene.groups.items()}
        placed.append({"layout": name, "place": scene.place, **({"groups": groups} if groups else {})})
    return {"layouts": layouts.found, "scenes": placed, "scene_at": plan.changes, **plan.told}


def told_of(group: Group) -> dict[str, Any]:
    """Return what the page says of a group."""
    told = {"kind": group.kind, "label": group.label, "line": group.line, "elements": size(group)}
    return {**told, "round": [group.count, group.of]} if group.of else told


class Layouts:
    """Shapes laid out, by name; those inside groups first."""

    def __init__(self, renderer: Renderer, deadline: float, strict: bool) -> None:
        self.found: dict[str, dict] = {}
        self._renderer, self._deadline, self._strict = renderer, deadline, strict
        self._names: dict[int, str] = {}

    async def name(self, shape: Shape) -> str | None:
        """Return the name of a shape's layout. None: it takes too long, and nothing less will do."""
        if id(shape) in self._names:
            return self._names[id(shape)]
        inside: dict[str, str] = {}
        for i, box in enumerate(shape.boxes):
            if box.inside is not None:
                inside[f"r{i}"] = await self.name(box.inside)
        layout = await self._lay_out(shape)
        if layout is None or None in inside.values():
            return None
        for role, name in inside.items():
            layout["elements"][role]["inside"] = name
        self._names[id(shape)] = name = f"l{len(self._names)}"
        self.found[name] = layout
        return name

    async def _lay_out(self, shape: Shape) -> dict | None:
        """Return a shape's layout by Graphviz; where that fails, a plain one or, if strict, none."""
        seconds = self._deadline - monotonic()
        if not shape.boxes:
            return layered(shape)
        if is_grid(shape):
            return grid(shape)
        if seconds > 0 and len(shape.boxes) <= FLAT:
            dot = await asyncio.to_thread(dot_text, shape)
            try:
                return from_graphviz(shape, await self._renderer.render(dot, seconds))
            except LayoutFailed as failure:
                log.warning("a drawing of %d boxes is not laid out: %s", len(shape.boxes), failure)
        return None if self._strict and len(shape.boxes) > SMALL else layered(shape)
