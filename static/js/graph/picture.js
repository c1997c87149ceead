/**
 * The elements of the page for one scene: a part for each box, each head of an open group and each edge of a
 * composed picture. Parts are kept while a scene is shown, and put where they now stand.
 */
import { set, svg } from "#js/dom.js";
import { pathOf } from "#js/graph/compose.js";
import { makeEdge, makePart, place } from "#js/graph/shapes.js";

const MANY = 400; // boxes: beyond, only those near the stage are on the page
const NEAR = 300; // px of the picture around the stage

function makeLayers() {
  const layers = { levels: svg("g", { class: "levels" }), elements: svg("g", { class: "elements" }) };
  layers.labels = svg("g", { class: "labels", "aria-hidden": "true" });
  const root = svg("g", { class: "layout" }, layers.levels, layers.elements, layers.labels);
  return { ...layers, root };
}

function keep(map, key, make) {
  if (!map.has(key)) map.set(key, make());
  return map.get(key);
}

const meet = (a, b) =>
  a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;

/** What is near a view: it, with a margin. */
function around({ x, y, width, height }) {
  return { x: x - NEAR, y: y - NEAR, width: width + 2 * NEAR, height: height + 2 * NEAR };
}

/** Put nodes into a parent in this order, touching only what is not there already. */
function fill(parent, nodes) {
  const old = parent.childNodes;
  const same = old.length === nodes.length && nodes.every((node, i) => old[i] === node);
  if (!same) parent.replaceChildren(...nodes);
}

/** The ground and the edges of each level, the outer ones first. */
function levelsOf({ regions, edges, buses }) {
  const levels = new Map([["", []]]);
  for (const { role, ground } of regions) levels.set(`${role}/`, [ground]);
  for (const { level, group } of [...buses, ...edges.values()]) levels.get(level).push(group);
  return [...levels.values()].flat();
}

/** @param {(part: any) => void} onMake called once for each box and head of a group */
export function createPicture(onMake) {
  const layers = makeLayers();
  const made = { boxes: new Map(), regions: new Map(), edges: new Map(), buses: new Map() };
  let culled = null; // what was near the stage last
  let shown = { boxes: [], regions: [], edges: new Map(), bounds: null, many: false };

  function partOf(map, kind, path, box) {
    const part = keep(map, path, () => {
      const fresh = makePart(kind, path, box);
      onMake(fresh);
      return fresh;
    });
    place(part, box);
    return part;
  }

  function edgePart(key, spec) {
    const part = keep(made.edges, key, () => makeEdge(key));
    Object.assign(part, { level: spec.level, from: spec.from, to: spec.to, points: spec.points });
    spec.path ??= pathOf(spec.points);
    set(part.base, "d", spec.drop ? pathOf(spec.drop) : spec.path);
    set(part.trail, "d", spec.path);
    set(part.group, "data-goes-on", spec.goesOn ? "true" : null);
    return part;
  }

  function busPart(key, { points, from, level }, edges) {
    const line = keep(made.buses, key, () => svg("path", { class: "line" }));
    set(line, "d", pathOf(points));
    const group = keep(made.buses, `${key} group`, () => svg("g", { class: "edge bus" }, line));
    return { group, level, edges: [...edges.values()].filter((edge) => edge.from === from) };
  }

  /** Draw a composed picture; returns the parts of its boxes, heads of groups, edges and buses. */
  function arrange(composed) {
    const boxes = [...composed.boxes].map(([path, { kind, box }]) => partOf(made.boxes, kind, path, box));
    const regions = composed.regions.map(({ path, box }) => partOf(made.regions, "region", path, box));
    const edges = new Map([...composed.edges].map(([key, spec]) => [key, edgePart(key, spec)]));
    const buses = [...composed.buses].map(([key, spec]) => busPart(key, spec, edges));
    shown = { boxes, regions, edges, buses, bounds: composed.bounds, many: boxes.length > MANY };
    fill(layers.levels, levelsOf(shown));
    if (!shown.many) fill(layers.elements, [...boxes, ...regions].map(({ group }) => group));
    fill(layers.labels, [...edges.values()].map(({ label }) => label));
    return shown;
  }

  /** Of a large picture, keep on the page what a view shows; returns the parts that are on it. */
  function cull(view) {
    if (!shown.many) return shown;
    const key = [view.x, view.y, view.width, view.height].join(" ");
    if (culled?.of === shown && culled.key === key) return culled.parts;
    const near = around(view);
    const boxes = shown.boxes.filter(({ box }) => meet(box, near));
    fill(layers.elements, [...boxes, ...shown.regions].map(({ group }) => group));
    culled = { of: shown, key, parts: { ...shown, boxes } };
    return culled.parts;
  }

  return { root: layers.root, arrange, cull, boxOf: (path) => made.boxes.get(path)?.box ?? null };
}
