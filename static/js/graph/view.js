/**
 * The computation graph: elements and edges of the present scene, shown as they are at a moment.
 * `show(state)` sets everything; `draw(row, t)` moves what travels. Places come from the server; nothing
 * is laid out here.
 */
import { h, set, svg, write } from "#js/dom.js";
import { createFlow } from "#js/graph/flow.js";
import { look, momentOf } from "#js/graph/looks.js";
import { arrowHeads, build, clear, paint } from "#js/graph/shapes.js";
import { createTable } from "#js/graph/table.js";
import { createZoom } from "#js/graph/zoom.js";
import { t as word } from "#js/i18n.js";
import { nodeStops, stops, subject } from "#js/trace/stops.js";

const FAR = 480; // px: ends further apart than this are not shown together

/** Which tensors and nodes stand on each element of a scene. */
export function owners(trace, scene) {
  const found = new Map();
  for (const [id, role] of Object.entries(scene.place)) {
    if (!found.has(role)) found.set(role, { tensors: [], tensor: null, node: null, accumulate: null });
    const ids = found.get(role);
    const node = trace.nodes[id];
    if (!node) ids.tensors.push(id);
    else if (node.variable) ids.accumulate = id;
    else ids.node = id;
    ids.tensor = ids.tensors[0] ?? null;
  }
  return found;
}

/** The number of the scene at row k: the last that begins at or before it. */
export function sceneAt(drawing, k) {
  let scene = 0;
  for (const [from, number] of drawing.scene_at) if (from <= Math.max(k, 0)) scene = number;
  return scene;
}

/** The row to go to for an element: where its node runs next, else first, else where it is made. */
export function visit(trace, ids, k) {
  const node = ids.accumulate ?? ids.node;
  const runs = node
    ? nodeStops(trace, node).filter(
        (i) => trace.rows[i].node === node && trace.rows[i].kind !== "op_applied",
      )
    : [];
  const makes = ({ kind, tensor, outputs }) =>
    (["tensor_made", "detached"].includes(kind) && ids.tensors.includes(tensor)) ||
    (kind === "op_applied" && outputs.some((id) => ids.tensors.includes(id)));
  const made = () => stops(trace, "chain").find((i) => makes(trace.rows[subject(trace, i)]));
  return runs.find((i) => i > k) ?? runs[0] ?? made() ?? null;
}

function heading(trace, state) {
  const calls = trace.rows.filter((row) => row.kind === "backward_began").length;
  const begun = trace.rows.slice(0, state.k + 1).filter((row) => row.kind === "backward_began").length;
  return begun ? word("graph.backward", { n: begun, total: calls }) : word("graph.forward");
}

function tools(zoom, signal) {
  const button = (sign, label, action) => {
    const element = h(
      "button",
      { class: "button small", type: "button", "aria-label": label, title: label },
      sign,
    );
    element.addEventListener("click", action, { signal });
    return element;
  };
  return h(
    "div",
    { class: "graph-tools" },
    button("−", word("graph.zoomOut"), () => zoom.zoom(1 / 1.25)),
    button("+", word("graph.zoomIn"), () => zoom.zoom(1.25)),
    button(word("graph.fit"), word("graph.fitLong"), () => zoom.fit()),
  );
}

/** Say why there is nothing to be drawn. */
function whyEmpty(trace, drawing) {
  if (trace.outcome?.kind === "refused") return word("graph.refused");
  return drawing.too_large ? word("graph.tooLarge", drawing.too_large) : word("graph.none");
}

function makeStage(root, { signal, why }) {
  const drawing = svg(
    "svg",
    { class: "canvas", role: "group", "aria-label": word("graph.title") },
    arrowHeads(),
  );
  const caption = h("p", { class: "graph-caption" });
  const empty = h("p", { class: "graph-empty" }, why);
  const stage = h("div", { class: "stage" }, drawing);
  root.append(stage, caption, empty);
  const zoom = createZoom(stage, drawing, { signal });
  root.append(tools(zoom, signal));
  return { stage, drawing, caption, empty, zoom };
}

function listen(built, { idsOf, go, signal }) {
  for (const part of built.elements.values()) {
    set(part.group, "tabindex", 0);
    set(part.group, "role", "button");
    part.group.addEventListener("click", () => go(idsOf(part.role)), { signal });
    part.group.addEventListener(
      "keydown",
      (event) => {
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault();
        event.stopPropagation();
        go(idsOf(part.role));
      },
      { signal },
    );
  }
}

/** Put a built layout on the stage in place of the one before. */
function hang({ drawing, zoom }, { root, layout }) {
  drawing.replaceChildren(drawing.firstChild, root);
  set(drawing, "width", layout.width);
  set(drawing, "height", layout.height);
  zoom.setSize(layout);
}

/** The place of what a step is about; where a gradient travels, both ends of its way. */
function about({ elements }, { place }, { row, focus }) {
  const boxOf = (id) => elements.get(place[id])?.box ?? null;
  const [to, from] = [boxOf(focus), row?.kind === "edge_flowed" ? boxOf(row.node) : null];
  if (!to || !from) return to;
  const [x, y] = [Math.min(to.x, from.x), Math.min(to.y, from.y)];
  const width = Math.max(to.x + to.width, from.x + from.width) - x;
  const height = Math.max(to.y + to.height, from.y + from.height) - y;
  return width > FAR || height > FAR ? to : { x, y, width, height };
}

const nobody = { tensors: [], tensor: null, node: null, accumulate: null };

/** Show a part; one that stands for nothing in this scene is left out. */
function showPart(part, ids, moment) {
  const standing = part.kind === "op" ? ids.node : ids.tensor;
  set(part.group, "hidden", !standing);
  const standsFor = [...ids.tensors, ids.node, ids.accumulate].filter(Boolean);
  set(part.group, "data-ids", standing ? standsFor.join(" ") : null);
  const shown = standing ? look(moment, part, ids) : null;
  if (shown) paint(part, shown);
  else clear(part);
  return shown;
}

/** Mount the graph of a trace; returns show, draw and fit. */
export function mount(root, { trace, drawing, player, signal }) {
  const view = makeStage(root, { signal, why: whyEmpty(trace, drawing) });
  const builds = new Map();
  const isDrawn = ({ layout }) => Object.keys(drawing.layouts[layout].elements).length > 0;
  const scenes = drawing.scenes.map((scene) =>
    isDrawn(scene) ? { ...scene, owners: owners(trace, scene) } : null,
  );
  const table = createTable(root);
  let current = { built: null, flow: null, scene: null };

  const idsOf = (role) => current.scene?.owners.get(role) ?? nobody;
  const go = (ids) => {
    const k = visit(trace, ids, player.state.k);
    if (k !== null) player.seek(k);
  };

  function buildFor(id) {
    if (!builds.has(id)) {
      const built = build(drawing.layouts[id]);
      listen(built, { idsOf, go, signal });
      const places = scenes
        .filter((scene) => scene?.layout === id)
        .flatMap((scene) => Object.entries(scene.place));
      builds.set(id, { built, flow: createFlow(built, trace, new Map(places)) });
    }
    return builds.get(id);
  }

  function enter(scene) {
    if (current.scene === scene) return;
    const next = buildFor(scene.layout);
    const same = next.built === current.built;
    current = { ...next, scene };
    if (same) return;
    hang(view, next.built);
  }

  function show(state) {
    const scene = scenes[sceneAt(drawing, state.k)] ?? null;
    set(view.empty, "hidden", scene !== null);
    write(view.caption, `${word("graph.title")} · ${heading(trace, state)}`);
    set(view.stage, "hidden", scene === null);
    if (!scene) return;
    enter(scene);
    const moment = momentOf(trace, state);
    const shown = [];
    for (const part of current.built.elements.values()) {
      const seen = showPart(part, idsOf(part.role), moment);
      if (seen) shown.push({ part, seen });
    }
    current.flow.show(moment, (role) => idsOf(role).node);
    table.show(shown);
    view.zoom.follow(about(current.built, scene, state));
  }

  return { show, draw: (row, t) => current.flow?.draw(row, t), fit: () => view.zoom.fit() };
}
