/**
 * The computation graph: elements and edges of the present scene, shown as they are at a moment.
 * `show(state)` sets everything; `draw(row, t)` moves what travels. Places come from the server; what is open
 * among its groups is put together here.
 */
import { set, write } from "#js/dom.js";
import { compose } from "#js/graph/compose.js";
import { createFlow } from "#js/graph/flow.js";
import { createFolds } from "#js/graph/folds.js";
import { groupLook, regionLook } from "#js/graph/groups.js";
import { look, momentOf } from "#js/graph/looks.js";
import { createPicture } from "#js/graph/picture.js";
import { clear, paint } from "#js/graph/shapes.js";
import { makeStage } from "#js/graph/stage.js";
import { createTable } from "#js/graph/table.js";
import { around, createTree } from "#js/graph/tree.js";
import { t as word } from "#js/i18n.js";
import { culprits } from "#js/trace/findings.js";
import { countUpTo, nodeStops, stops, subject } from "#js/trace/stops.js";

const FAR = 480; // px: ends further apart than this are not shown together

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

/** Return what stands above the graph: which of how many backward passes. */
function createHeading(trace) {
  const begins = trace.rows.flatMap((row, k) => (row.kind === "backward_began" ? [k] : []));
  return (k) => {
    const n = countUpTo(begins, k);
    return n ? word("graph.backward", { n, total: begins.length }) : word("graph.forward");
  };
}

/** Say why there is nothing to be drawn. */
function whyEmpty(trace, drawing) {
  if (trace.outcome?.kind === "refused") return word("graph.refused");
  return drawing.too_large ? word("graph.tooLarge", drawing.too_large) : word("graph.none");
}

function listen(part, { onPress, onPoint, signal }) {
  set(part.group, "tabindex", 0);
  set(part.group, "role", "button");
  const on = (name, handler) => part.group.addEventListener(name, handler, { signal });
  on("click", () => onPress(part));
  on("keydown", (event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    event.stopPropagation();
    onPress(part);
  });
  for (const name of ["pointerenter", "focus"]) on(name, () => onPoint(part));
  for (const name of ["pointerleave", "blur"]) on(name, () => onPoint(null));
}

const idsIn = ({ tensors, node, accumulate }) => [...tensors, node, accumulate].filter(Boolean);

/** Show a part; one that stands for nothing in this scene is left out. */
function showPart(part, tree, moment, guilty) {
  const group = tree.group(part.role);
  if (part.kind === "region") return show(part, regionLook(group, part.box.width));
  const ids = tree.idsOf(part.role);
  const all = group ? tree.membersOf(part.role) : [ids];
  const guilt = all.some((each) => idsIn(each).some((id) => guilty.has(id)));
  set(part.group, "data-culprit", guilt ? "true" : null);
  if (group) return show(part, groupLook(moment, group, all, part.box.width));
  const standing = part.kind === "op" ? ids.node : ids.tensor;
  set(part.group, "hidden", !standing);
  set(part.group, "data-ids", standing ? idsIn(ids).join(" ") : null);
  if (!standing) clear(part);
  return standing ? show(part, look(moment, part, ids)) : null;
}

function show(part, seen) {
  paint(part, seen);
  return seen;
}

/** One scene on the stage: what is open in it, its picture, what flows. */
function createShown(trace, drawing, scene, listeners) {
  const tree = createTree(trace, drawing, scene);
  const picture = createPicture((part) => listen(part, listeners));
  const flow = createFlow(trace, tree);
  picture.root.append(flow.layer);
  return { tree, picture, flow, scene, key: null, parts: null };
}

/** Put together what is open, if that has changed. */
function arrange(shown, layouts, open) {
  const key = [...open].join(" ");
  if (shown.key === key) return;
  const composed = compose(layouts, shown.scene.layout, (path) => open.has(path));
  shown.key = key;
  shown.parts = shown.picture.arrange(composed);
  shown.flow.arrange(shown.parts);
}

/** The box of the element or of the folded group that an id stands in. */
function visibleBox({ tree, picture }, id, open) {
  const path = tree.pathOf(id);
  if (!path) return null;
  return picture.boxOf(around(path).find((group) => !open.has(group)) ?? path);
}

/** The place of what a step is about; where a gradient travels, both ends of its way. */
function about(shown, { row, focus }, open) {
  const boxOf = (id) => visibleBox(shown, id, open);
  const [to, from] = [boxOf(focus), row?.kind === "edge_flowed" ? boxOf(row.node) : null];
  if (!to || !from) return to;
  const [x, y] = [Math.min(to.x, from.x), Math.min(to.y, from.y)];
  const width = Math.max(to.x + to.width, from.x + from.width) - x;
  const height = Math.max(to.y + to.height, from.y + from.height) - y;
  return width > FAR || height > FAR ? to : { x, y, width, height };
}

/** Light the way that the reader points at in a list of paths. */
function lightPath({ tree, picture, parts }, open, hovered) {
  const way = hovered?.kind === "path" ? hovered : { nodes: [], edges: [] };
  const seen = (path) => path && (around(path).find((group) => !open.has(group)) ?? path);
  const [boxes, steps] = [new Set(way.nodes.map((id) => seen(tree.pathOf(id)))), new Set(way.edges)];
  set(picture.root, "data-lights", way.nodes.length > 0);
  for (const part of parts.boxes) set(part.group, "data-lit", boxes.has(part.role));
  for (const part of parts.edges.values()) {
    set(part.group, "data-lit", part.carried?.some(({ name }) => steps.has(name)) ?? false);
  }
}

/** Mount the graph of a trace; returns show, draw and fit. */
export function mount(root, { trace, drawing, player, signal, selection = null }) {
  const view = makeStage(root, { signal, why: whyEmpty(trace, drawing) });
  const heading = createHeading(trace);
  const folds = createFolds(trace);
  const table = createTable(root, { signal, redraw: () => show(player.state) });
  const known = new Map();
  let current = null;

  const isDrawn = ({ layout }) => Object.keys(drawing.layouts[layout].elements).length > 0;
  const listeners = { onPress, onPoint: () => {}, signal };

  function onPress(part) {
    const { tree } = current;
    if (tree.group(part.role)) {
      folds.choose(tree, part.role, part.kind !== "region");
      show(player.state);
      return;
    }
    const k = visit(trace, tree.idsOf(part.role), player.state.k);
    if (k !== null) player.seek(k);
  }

  /** The scene at a row, on the stage; scenes of one layout share what is drawn. */
  function enter(k) {
    const number = sceneAt(drawing, k);
    const scene = drawing.scenes[number];
    if (!scene || !isDrawn(scene)) return null;
    if (!known.has(number)) known.set(number, createShown(trace, drawing, scene, listeners));
    const next = known.get(number);
    if (current === next) return next;
    const alike = current?.scene.layout === scene.layout;
    current = next;
    view.hang(next.picture.root);
    if (!alike) view.zoom.setSize(drawing.layouts[scene.layout]);
    return next;
  }

  function show(state) {
    const shown = enter(state.k);
    set(view.empty, "hidden", shown !== null);
    write(view.caption, `${word("graph.title")} · ${heading(state.k)}`);
    set(view.stage, "hidden", shown === null);
    if (!shown) return;
    const moment = momentOf(trace, state, player.level);
    const open = folds.openAt(state.k, shown.tree);
    arrange(shown, drawing.layouts, open);
    view.zoom.follow(about(shown, state, open), shown.parts.bounds);
    const guilty = culprits(trace, state.k).ids;
    const seen = [];
    for (const part of [...shown.parts.boxes, ...shown.parts.regions]) {
      const look = showPart(part, shown.tree, moment, guilty);
      if (look && part.kind !== "region") seen.push({ part, seen: look });
    }
    shown.flow.show(moment);
    lightPath(shown, open, selection?.hovered);
    table.show(seen);
  }

  return { show, draw: (row, t) => current?.flow.draw(row, t), fit: () => view.zoom.fit() };
}
