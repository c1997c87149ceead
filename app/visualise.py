"""The pipeline: code → isolated run → trace → scenes → drawing → the bytes of the answer. Knows no HTTP."""

from __future__ import annotations

import asyncio
import logging
from time import monotonic
from typing import Any

import orjson

from app.explain import explained
from app.layout.dot import dot_text
from app.layout.graph import read_graph
from app.layout.positions import from_graphviz, layered
from app.layout.render import LayoutFailed, Renderer
from app.layout.scenes import Scene, Shape, make_scenes, scene_changes
from app.sandbox.pool import Pool

# the tables of a trace are what a stranger's process wrote: a hole in them costs the drawing, not the trace
MOST_EDGES = 20_000  # of a drawing: nobody could read it, and laying it out would take the server's time
MALFORMED = (LookupError, TypeError, ValueError, AttributeError)
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
    drawing = await draw(trace, renderer, layout_seconds)
    errors = orjson.dumps(await asyncio.to_thread(known_errors, trace))
    return b'{"trace":' + trace + b',"drawing":' + drawing + b',"errors":' + errors + b"}"


def known_errors(trace: bytes) -> list[dict]:
    """Return which explained errors a trace is about; one that is no trace is about none."""
    try:
        return explained(orjson.loads(trace))
    except MALFORMED:
        return []


async def draw(trace: bytes, renderer: Renderer, seconds: float) -> bytes:
    """Return the JSON of a trace's drawing; each shape is laid out once, all of them within `seconds`."""
    told: dict[str, Any] = {}
    try:
        scenes, changes = await asyncio.to_thread(plan, trace)
    except TooLarge as large:
        scenes, changes = NOTHING_DRAWN
        told["too_large"] = {"edges": large.edges, "most": MOST_EDGES}
    except MALFORMED:
        log.exception("a trace could not be drawn")
        scenes, changes = NOTHING_DRAWN
    deadline = monotonic() + seconds
    names: dict[Shape, str] = {}
    layouts: dict[str, dict] = {}
    for scene in scenes:
        if scene.shape not in names:
            names[scene.shape] = name = f"l{len(names)}"
            layouts[name] = await lay_out(scene.shape, renderer, deadline - monotonic())
    placed = [{"layout": names[scene.shape], "place": scene.place} for scene in scenes]
    return orjson.dumps({"layouts": layouts, "scenes": placed, "scene_at": changes, **told})


def plan(trace: bytes) -> tuple[list[Scene], list[list[int]]]:
    """Return a trace's scenes, and which of them each row is in. Raises TooLarge."""
    data = orjson.loads(trace)
    edges = sum(max(len(node["edges"]), len(node["args"])) for node in data["nodes"].values())
    if edges > MOST_EDGES:
        raise TooLarge(edges)
    scenes = make_scenes(data, read_graph(data))
    return scenes, scene_changes(data, scenes)


async def lay_out(shape: Shape, renderer: Renderer, seconds: float) -> dict:
    """Return a shape's layout by Graphviz, or a plain one where that fails."""
    if not shape.boxes or seconds <= 0:
        return layered(shape)
    dot = await asyncio.to_thread(dot_text, shape)
    try:
        return from_graphviz(shape, await renderer.render(dot, seconds))
    except LayoutFailed as failure:
        log.warning("a drawing of %d boxes is laid out plainly: %s", len(shape.boxes), failure)
        return layered(shape)
