/**
 * What travels on edges: which edge carries what at a moment, and the dots that move with t. Backward, a
 * gradient goes from an operation to its input; forward, a value comes the other way on the same curve.
 */
import { set, svg, write } from "#js/dom.js";
import { along, lengthOf, points, spots } from "#js/graph/curves.js";
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
    { class: "dot", "aria-hidden": "true" },
    svg("circle", { class: "halo", r: 12 }),
    svg("circle", { r: 6 }),
  );
}

function makePill() {
  const rect = svg("rect", { height: 24, rx: 12, y: -12 });
  const text = svg("text", { class: "text mono", "text-anchor": "middle", y: 4.2, "font-size": 12 });
  return { group: svg("g", { class: "pill", "aria-hidden": "true" }, rect, text), rect, text };
}

function showPill(pill, spot, words) {
  const width = words.length * 7.3 + 20;
  set(pill.group, "hidden", !spot);
  set(pill.group, "transform", spot && `translate(${spot.x} ${spot.y})`);
  set(pill.rect, "width", width);
  set(pill.rect, "x", -width / 2);
  write(pill.text, words);
}

function stateOf(edge, { state, row }, node) {
  if (row && row.node === node && MOVING[row.kind] && (row.slot ?? edge.slot) === edge.slot)
    return MOVING[row.kind].state;
  if (!node || (state.phase.get(node) ?? "ghost") === "ghost") return "ghost";
  return edge.slot !== null && state.flow.has(`${node}:${edge.slot}`) ? "passed" : "made";
}

/** Draw the coloured part of an edge up to t; its arrow head comes when it is whole. */
function moveTrail(edge, moving, t) {
  const whole = !moving || t >= 1;
  for (const name of ["marker-start", "marker-end"])
    set(edge.trail, name, whole && moving?.end === name ? moving.head : null);
  set(edge.trail, "stroke-dasharray", whole ? null : `${edge.length} ${edge.length}`);
  set(edge.trail, "stroke-dashoffset", whole ? null : (moving.backward ? t - 1 : 1 - t) * edge.length);
}

/** Place a dot on its line; a dot that has arrived, or has no line, is gone. */
function moveDot(dot, line, moving, t) {
  const gone = !line || t >= 1;
  const { x, y } = gone ? { x: 0, y: 0 } : along(line, moving.backward ? 1 - t : t);
  set(dot, "hidden", gone);
  set(dot, "transform", gone ? null : `translate(${x.toFixed(1)} ${y.toFixed(1)})`);
  set(dot, "data-tone", gone ? null : moving.tone);
}

/** As many dots as values ever travel at once: those that enter one operation. */
function makeDots(built) {
  const entering = new Map();
  for (const { to } of built.edges.values()) entering.set(to, (entering.get(to) ?? 0) + 1);
  return Array.from({ length: Math.max(1, ...entering.values()) }, makeDot);
}

/** How wide the longest gradient is that each edge ever carries, by edge. */
function carriedWidths(built, trace, roleOf) {
  const keys = new Map([...built.edges.values()].map((edge) => [`${edge.to}:${edge.slot}`, edge.key]));
  const widths = new Map();
  for (const row of trace.rows) {
    const key = row.kind === "edge_flowed" ? keys.get(`${roleOf.get(row.node)}:${row.slot}`) : null;
    if (key)
      widths.set(key, Math.max(widths.get(key) ?? 0, short(trace, row.grad, LONGEST).length * 7.3 + 20));
  }
  return widths;
}

/**
 * Follow the edges of one built layout. `roleOf` says on which element each node of the run stands;
 * `owner(role)` of show, which node an element stands for at present.
 */
export function createFlow(built, trace, roleOf) {
  const lines = new Map([...built.edges].map(([key, edge]) => [key, points(edge.path)]));
  const spot = spots(built.layout, lines, carriedWidths(built, trace, roleOf));
  const pill = makePill();
  const dots = makeDots(built);
  const layer = svg("g", { class: "flow" }, dots, pill.group);
  const sparse = built.edges.size <= CROWDED;
  for (const [key, edge] of built.edges) {
    edge.length = lengthOf(lines.get(key));
    set(edge.label, "x", spot.get(key).x);
    set(edge.label, "y", spot.get(key).y + 4);
  }
  built.root.append(layer);

  function showEdge(edge, moment, node) {
    const { state, row } = moment;
    const now = stateOf(edge, moment, node);
    const moving = now === "flowing" || now === "forward" ? MOVING[row.kind] : null;
    set(edge.group, "data-state", now);
    moveTrail(edge, moving, 1);
    write(
      edge.label,
      now === "passed" && sparse ? short(trace, state.flow.get(`${node}:${edge.slot}`), LONGEST) : "",
    );
    if (now === "flowing") showPill(pill, spot.get(edge.key), short(trace, row.grad, LONGEST));
  }

  return {
    show(moment, owner) {
      showPill(pill, null, "");
      for (const dot of dots) moveDot(dot, null, null, 1);
      for (const edge of built.edges.values()) showEdge(edge, moment, owner(edge.to));
    },
    draw(row, t) {
      const moving = MOVING[row.kind];
      if (!moving) return;
      const carried = [...built.edges.values()].filter(
        (edge) => edge.group.getAttribute("data-state") === moving.state,
      );
      carried.forEach((edge, i) => {
        moveTrail(edge, moving, t);
        moveDot(dots[i], lines.get(edge.key), moving, t);
      });
    },
  };
}
