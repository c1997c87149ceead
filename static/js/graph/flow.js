/**
 * What travels on edges: which edge carries what at a moment, and the dots that move with t. Backward, a
 * gradient goes from an operation to its input; forward, a value comes the other way on the same curves. A
 * way into or out of a group is drawn as several edges, one in each level; a drawn edge may carry several.
 */
import { set, svg, write } from "#js/dom.js";
import { along, beside, CROWDED as MANY, lengthOf, points, spots } from "#js/graph/curves.js";
import { short } from "#js/trace/values.js";

const CROWDED = 40;
const LONGEST = 16;
const MOVING = {
  edge_flowed: {
    state: "flowing",
    end: "marker-start",
    head: "url(#arrow_grad)",
    tone: "grad",
    backward: true,
  },
  op_applied: {
    state: "forward",
    end: "marker-end",
    head: "url(#arrow_value)",
    tone: "value",
    backward: false,
  },
};

function makeDot() {
  return svg(
    "g",
    { class: "dot", "aria-hidden": "true", hidden: true },
    svg("circle", { class: "halo", r: 12 }),
    svg("circle", { r: 6 }),
  );
}

function makePill() {
  const rect = svg("rect", { height: 24, rx: 12, y: -12 });
  const text = svg("text", { class: "text mono", "text-anchor": "middle", y: 4.2, "font-size": 12 });
  return { group: svg("g", { class: "pill", "aria-hidden": "true" }, rect, text), rect, text };
}

const widthOfPill = (words) => words.length * 7.3 + 20;

function showPill(pill, spot, words) {
  const width = widthOfPill(words);
  set(pill.group, "hidden", !spot);
  set(pill.group, "transform", spot && `translate(${spot.x} ${spot.y})`);
  set(pill.rect, "width", width);
  set(pill.rect, "x", -width / 2);
  write(pill.text, words);
}

/** Draw the coloured part of an edge up to t; its arrow head comes when it is whole. */
function moveTrail(part, moving, t, ends) {
  const whole = !moving || t >= 1;
  for (const name of ["marker-start", "marker-end"])
    set(part.trail, name, whole && ends && moving?.end === name ? moving.head : null);
  set(part.trail, "stroke-dasharray", whole ? null : `${part.length} ${part.length}`);
  set(part.trail, "stroke-dashoffset", whole ? null : (moving.backward ? t - 1 : 1 - t) * part.length);
}

/** Place a dot at a point; one that has arrived, or has no way, is gone. */
function moveDot(dot, point, moving) {
  set(dot, "hidden", !point);
  set(dot, "transform", point ? `translate(${point.x.toFixed(1)} ${point.y.toFixed(1)})` : null);
  set(dot, "data-tone", point ? moving.tone : null);
}

const clamp = (x) => Math.min(Math.max(x, 0), 1);

/** The edges of the run that something travels at a moment. */
function travelled(tree, row) {
  if (row?.kind === "edge_flowed") return [tree.edgeOf(row.node, row.slot)].filter(Boolean);
  return row?.kind === "op_applied" && row.node ? tree.edgesInto(row.node) : [];
}

/** Where a gradient on an edge is, for who asks why. */
const placeOf = ({ node, slot }) => JSON.stringify({ node, slot });

const isMade = (state, { node }) => (state.phase.get(node) ?? "ghost") !== "ghost";
const isPassed = (state, edge) => edge.slot !== null && state.flow.has(edge.name) && isMade(state, edge);

function stateOf(part, state) {
  if (state.flow.size > 0 && part.carried.some((edge) => isPassed(state, edge))) return "passed";
  return part.carried.some((edge) => isMade(state, edge)) ? "made" : "ghost";
}

/** How wide the longest gradient is that an edge of the run ever carries, by its name. */
function createWidths(trace) {
  let rows = null;
  return (name) => {
    if (!rows) {
      rows = new Map();
      for (const row of trace.rows) {
        if (row.kind !== "edge_flowed") continue;
        const key = `${row.node}:${row.slot}`;
        rows.set(key, [...(rows.get(key) ?? []), row.grad]);
      }
    }
    const widths = (rows.get(name) ?? []).map((grad) => widthOfPill(short(trace, grad, LONGEST)));
    return Math.max(0, ...widths);
  };
}

/** @type {WeakMap<object, {line: {x: number, y: number}[], length: number}>} */
const known = new WeakMap();

/** Measure an edge: points at equal distances, and its length. */
function lineOf(part) {
  if (!known.has(part.points)) {
    const line = points(part.points);
    known.set(part.points, { line, length: lengthOf(line) });
  }
  Object.assign(part, known.get(part.points));
  return part.line;
}

/** Measure the edges that are drawn, and find places for their words. */
function measured(widthOf, alike, { edges: parts, buses, boxes, regions }) {
  const sparse = parts.size <= CROWDED;
  const middle = (key) => along(lineOf(parts.get(key)), 0.5);
  const around = boxes.map(({ box }) => box);
  if (parts.size > MANY) return { parts, buses, boxes: around, sparse, spot: { get: middle } };
  const lines = new Map([...parts.values()].map((part) => [part.key, lineOf(part)]));
  const words = ({ key }) => {
    const single = alike.map((tree) => tree.carriedBy(key)).filter((carried) => carried.length === 1);
    return Math.max(0, ...single.map(([edge]) => widthOf(edge.name)));
  };
  const widths = new Map(sparse ? [...parts.values()].map((part) => [part.key, words(part)]) : []);
  const covers = (key) => regions.filter(({ role }) => !key.startsWith(`${role}/`)).map(({ box }) => box);
  const spot = spots(around, lines, widths, covers);
  for (const part of parts.values()) {
    const { x, y, tight } = spot.get(part.key);
    part.tight = tight;
    set(part.label, "x", x.toFixed(1));
    set(part.label, "y", (y + 4).toFixed(1));
  }
  return { parts, buses, boxes: around, sparse, spot };
}

function finish(way, moving) {
  const last = moving.backward ? 0 : way.length - 1;
  way.forEach((part, i) => moveTrail(part, moving, 1, i === last));
}

function startOf(way, { backward }) {
  const part = backward ? way[way.length - 1] : way[0];
  return along(part.line, backward ? 1 : 0);
}

/** Show the coloured part of a way at t, and its dot. */
function travel(way, dot, moving, t) {
  const total = way.reduce((sum, part) => sum + part.length, 0) || 1;
  let before = 0;
  let point = null;
  for (const part of way) {
    const from = moving.backward ? total - before - part.length : before;
    const own = part.length ? clamp((t * total - from) / part.length) : 1;
    moveTrail(part, moving, own, false);
    if (own > 0 && own < 1) point = along(part.line, moving.backward ? 1 - own : own);
    before += part.length;
  }
  moveDot(dot, t >= 1 ? null : (point ?? startOf(way, moving)), moving);
  if (t >= 1) finish(way, moving);
}

/** Where the number of what travels stands: where its label will, else clear of boxes. */
function spotOf({ spot, boxes }, { key, line }, words) {
  const found = spot.get(key);
  return found?.tight ? beside(boxes, line, widthOfPill(words)) : (found ?? null);
}

/** Show what an edge is and tells, if that has changed. */
function showEdge(trace, part, being, told) {
  const from = told === undefined ? null : part.carried[0];
  if (part.being === being && part.told === told && part.tells === from) return;
  Object.assign(part, { being, told, tells: from });
  set(part.group, "data-state", being);
  write(part.label, from ? short(trace, told, LONGEST) : "");
  set(part.label, "data-values", told ? JSON.stringify([["", told]]) : null);
  set(part.label, "data-why", from && placeOf(from));
}

/** The gradient that an edge's label tells, or undefined. */
function toldBy({ sparse }, part, state, being) {
  const [only, ...more] = part.carried;
  const single = sparse && !part.tight && only && more.length === 0 && only.slot !== null;
  return being === "passed" && single ? (state.flow.get(only.name) ?? null) : undefined;
}

/**
 * Follow the edges of one layout: `arrange` takes what is drawn, for all trees of scenes that look `alike`;
 * `enter` the tree of the scene that is shown; `show` and `draw` bring it up to date.
 */
export function createFlow(trace) {
  const widthOf = createWidths(trace);
  const pill = makePill();
  const dots = svg("g", { class: "dots" });
  const layer = svg("g", { class: "flow" }, dots, pill.group);
  let drawn = { parts: new Map(), buses: [], boxes: [], spot: new Map(), sparse: true };
  let moves = [];
  let tree = null;
  const coloured = new Set(); // edges with a trail

  function wayOf(edge) {
    const way = edge.way.map((key) => drawn.parts.get(key)).filter(Boolean);
    way.forEach(lineOf);
    return way;
  }

  function show({ state, row }) {
    const moving = MOVING[row?.kind];
    moves = travelled(tree, row).map(wayOf);
    const now = new Set(moves.flat());
    for (const part of coloured) moveTrail(part, null, 1);
    coloured.clear();
    for (const part of drawn.parts.values()) {
      const being = now.has(part) ? moving.state : stateOf(part, state);
      showEdge(trace, part, being, toldBy(drawn, part, state, being));
    }
    for (const { group, edges } of drawn.buses)
      set(group, "data-state", edges.some((part) => part.being !== "ghost") ? "made" : "ghost");
    for (const part of now) coloured.add(part);
    for (const way of moves) if (way.length) finish(way, moving);
    for (const dot of dots.childNodes) moveDot(dot, null);
    const longest = row?.kind === "edge_flowed" && moves[0]?.toSorted((a, b) => b.length - a.length)[0];
    const words = longest ? short(trace, row.grad, LONGEST) : "";
    const spot = longest ? spotOf(drawn, longest, words) : null;
    showPill(pill, spot, words);
    set(pill.group, "data-why", spot ? placeOf(row) : null);
  }

  return {
    layer,
    arrange: (shown, alike) => (drawn = measured(widthOf, alike, shown)),
    enter(next) {
      tree = next;
      for (const part of drawn.parts.values()) part.carried = tree.carriedBy(part.key);
    },
    show,
    draw(row, t) {
      const moving = MOVING[row.kind];
      if (!moving) return;
      while (dots.childNodes.length < moves.length) dots.append(makeDot());
      moves.forEach((way, i) => way.length && travel(way, dots.childNodes[i], moving, t));
    },
  };
}
