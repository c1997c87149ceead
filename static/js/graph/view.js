/**
 * The computation graph: elements and edges of the present scene, shown as they are at a moment.
 * `show(state)` sets everything; `draw(row, t)` moves what travels. Places come from the server; what is open
 * among its groups is put together here.
 */
import { set, write } from "#js/dom.js";
import { createFolds } from "#js/graph/folds.js";
import { groupLook, regionLook } from "#js/graph/groups.js";
import { look as lookOf, momentOf } from "#js/graph/looks.js";
import { foldMenu } from "#js/graph/menu.js";
import { createMinimap } from "#js/graph/minimap.js";
import { createScenes } from "#js/graph/scenes.js";
import { clear, paint } from "#js/graph/shapes.js";
import { makeStage } from "#js/graph/stage.js";
import { createTable } from "#js/graph/table.js";
import { around } from "#js/graph/tree.js";
import { isSame, watch } from "#js/graph/watch.js";
import { t as word } from "#js/i18n.js";
import { culprits } from "#js/trace/findings.js";
import { countUpTo, nodeStops, stops, subject } from "#js/trace/stops.js";

const FAR = 480; // px: ends further apart than this are not shown together

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

/** The nodes and tensors that stand on an element, or in a group. */
function idsIn(tree, path) {
  const owned = tree.group(path) ? tree.membersOf(path) : [tree.idsOf(path)];
  return owned.flatMap(({ tensors, node, accumulate }) => [...tensors, node, accumulate].filter(Boolean));
}

/** The boxes that these ids stand in, and the groups around them. */
function pathsOf(tree, ids) {
  const paths = ids.map((id) => tree.pathOf(id)).filter(Boolean);
  return new Set(paths.flatMap((path) => [path, ...around(path)]));
}

/** The nodes and tensors that a row speaks of. */
function idsOfRow(row) {
  const { node, tensor, target, outputs = [], tensors = [] } = row ?? {};
  return [node, tensor, target, ...outputs, ...tensors.flat()].filter((id) => typeof id === "string");
}

/** The look of a part; null for one that stands for nothing in this scene. */
function lookNow(part, tree, moment) {
  const group = tree.group(part.role);
  if (part.kind === "region") return regionLook(group, part.box.width);
  if (group) return groupLook(moment, group, tree.membersOf(part.role), part.box.width);
  const ids = tree.idsOf(part.role);
  return (part.kind === "op" ? ids.node : ids.tensor) ? lookOf(moment, part, ids) : null;
}

/** Show a part, if what its look is made from has changed since it was last shown. */
function showPart(part, tree, moment, { guilty, spoken, look }) {
  const { width } = part.box;
  const row = spoken.has(part.role) ? moment.row : null;
  const { known, role, kind } = part;
  const isKnown = known && known.tree === tree && known.width === width && known.row === row;
  if (kind !== "region") set(part.group, "data-culprit", guilty.has(role) ? "true" : null);
  if (isKnown && isSame(known.reads, moment)) return known.seen;
  const { made: seen, reads } = look(row, (watched) => lookNow(part, tree, watched));
  if (kind !== "region" && !tree.group(role)) {
    set(part.group, "hidden", !seen);
    set(part.group, "data-ids", seen ? idsIn(tree, role).join(" ") : null);
  }
  if (seen) paint(part, seen);
  else clear(part);
  part.known = { tree, width, row, reads, seen };
  return seen;
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

/** Which parts are lit: those that stand for what is pointed at, on a way that is, or was sought. */
function light(shown, selection) {
  const { parts, tree, picture } = shown;
  const isDark = !selection?.hovered && !selection?.picked;
  if (isDark && shown.dark === parts) return;
  shown.dark = isDark ? parts : null;
  const way = selection?.hovered?.kind === "path" ? selection.hovered : { nodes: [], edges: [] };
  const of = (thing) => ({ element: thing?.ids, path: way.nodes })[thing?.kind] ?? [];
  const paths = (thing) => new Set(of(thing).map((id) => tree.pathOf(id)).filter(Boolean));
  const [lit, sought] = [paths(selection?.hovered), paths(selection?.picked)];
  const within = (set, role) => set.has(role) || [...set].some((path) => path.startsWith(`${role}/`));
  for (const { group, role } of parts.boxes) {
    set(group, "data-lit", lit.size && within(lit, role) ? "true" : null);
    set(group, "data-sought", sought.size && within(sought, role) ? "true" : null);
  }
  const steps = new Set(way.edges);
  set(picture.root, "data-lights", way.nodes.length > 0);
  for (const { group, carried } of parts.edges.values())
    set(group, "data-lit", carried?.some(({ name }) => steps.has(name)) ? "true" : null);
}

/** What a reader's pressing a part does: a group opens or folds, an element goes to its step. */
function press(part, { shown, folds, trace, player, show }) {
  const { tree } = shown;
  if (tree.group(part.role)) {
    folds.choose(tree, part.role, part.kind !== "region");
    show(player.state);
    return;
  }
  const k = visit(trace, tree.idsOf(part.role), player.state.k);
  if (k !== null) player.seek(k);
}

/** Show every part that is on the page; returns what is shown of each. */
function showParts(parts, tree, moment) {
  const guilty = pathsOf(tree, [...culprits(moment.trace, moment.state.k).ids]);
  const now = { guilty, spoken: pathsOf(tree, idsOfRow(moment.row)), look: watch(moment) };
  const seen = [];
  for (const part of [...parts.boxes, ...parts.regions]) {
    const shown = showPart(part, tree, moment, now);
    if (shown && part.kind !== "region") seen.push({ part, seen: shown });
  }
  return seen;
}

/** What stands around the picture. */
function showFrame(view, isThere, heading) {
  set(view.empty, "hidden", isThere);
  write(view.caption, `${word("graph.title")} · ${heading}`);
  set(view.stage, "hidden", !isThere);
}

/**
 * What travels at t; the box that a gradient is on its way to looks as it did a row before, until it arrives
 * (t = 1).
 */
function createTravel({ trace, player }) {
  let [shown, late] = [null, null]; // the box that looks as before, and in which row
  return ({ flow, parts, tree }, row, t) => {
    flow.draw(row, t);
    const path = row.kind === "edge_flowed" && t < 1 ? tree.pathOf(row.target) : null;
    if (shown && (!path || late !== row) && shown.known?.seen) paint(shown, shown.known.seen);
    const part = path && parts.boxes.find(({ role }) => role === path);
    if (part?.known?.seen && late !== row) {
      const before = lookNow(part, tree, momentOf(trace, player.stateBefore, player.level));
      if (before) paint(part, before);
    }
    [shown, late] = part ? [part, row] : [null, null];
  };
}

/** Mount the graph of a trace; returns show, draw and fit. */
export function mount(root, context) {
  const { trace, drawing, player, selection = null, redraw, signal } = context;
  const view = makeStage(root, { signal, why: whyEmpty(trace, drawing) });
  const heading = createHeading(trace);
  const folds = createFolds(trace);
  const table = createTable(root, { signal, redraw: () => show(player.state) });
  const minimap = createMinimap(root, { signal, onGo: (point) => view.zoom.centre(point) });
  const travel = createTravel(context);
  let [current, mapped] = [null, null];
  view.zoom.onMove(() => current && look());

  const listeners = {
    signal,
    onPress: (part) => press(part, { shown: current, folds, trace, player, show }),
    onPoint: (part) => selection?.hover(part && { kind: "element", ids: idsIn(current.tree, part.role) }),
  };

  let scenes = createScenes(trace, drawing, listeners);

  /** Group by another policy: the server draws the same run again. */
  const regroup = async (fold) => {
    const other = await redraw?.(fold);
    if (!other || signal.aborted) return false;
    scenes = createScenes(trace, other, listeners);
    folds.forget();
    current = null;
    show(player.state);
    return other.fold === fold;
  };
  view.addTool(redraw && foldMenu(trace, drawing, { onChoose: regroup, signal }));

  /** Show what is in view: of a large picture that is not all of it. */
  function look() {
    const seen = view.zoom.seen();
    const moment = momentOf(trace, player.state, player.level);
    table.show(showParts(current.picture.cull(seen), current.tree, moment));
    minimap.show(seen, current.focus);
  }

  function show(state) {
    const shown = scenes.enter(state.k);
    if (shown && shown !== current) view.hang(shown);
    current = shown ?? current;
    showFrame(view, shown !== null, heading(state.k));
    if (!shown) return;
    const picked = selection?.picked?.kind === "element" ? selection.picked.ids : null;
    const open = folds.openAt(state.k, shown.tree, picked);
    if (scenes.arrange(shown, open) || mapped !== shown) minimap.arrange(shown.parts);
    mapped = shown;
    const sought = picked && picked.map((id) => visibleBox(shown, id, open)).find(Boolean);
    shown.focus = sought ?? about(shown, state, open);
    view.zoom.follow(shown.focus, shown.parts.bounds, Boolean(sought));
    look();
    shown.flow.show(momentOf(trace, state, player.level));
    light(shown, selection);
  }

  return { show, draw: (row, t) => current && travel(current, row, t), fit: () => view.zoom.fit() };
}
