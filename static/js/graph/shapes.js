/**
 * The drawn parts of a graph: a group for each element and each edge of a layout, and how texts are put
 * into them. Knows sizes and positions; knows nothing of states or events.
 */
import { set, svg, write } from "#js/dom.js";
import { short } from "#js/trace/values.js";

export const MONO = 0.605;
export const SANS = 0.56;
const INSET = 14;
const SLOT_ROWS = [67, 85, 103];

/** Shorten or shrink a text until it fits a width in px: first a smaller size, then an ellipsis. */
export function fitted(text, room, { size = 12, least = 10, ratio = MONO } = {}) {
  const needed = text.length * ratio;
  if (needed * size <= room) return { text, size };
  if (needed * least <= room) return { text, size: Math.floor((room / needed) * 10) / 10 };
  const count = Math.max(1, Math.floor(room / (ratio * least)) - 1);
  return { text: `${text.slice(0, count)}…`, size: least };
}

/** A value's text, whole: "tensor" is left out where it must be, the letters shrink, no digit is cut off. */
export function fittedValue(trace, v, room) {
  const texts = [short(trace, v, characters(room)), short(trace, v)];
  const shortest = texts[1].length < texts[0].length ? texts[1] : texts[0];
  const tight = shortest.length * MONO * 10 > room;
  const text = tight ? shortest.replace(/ tensor$/, "") : shortest;
  return { text, size: Math.min(12, Math.floor((room / (text.length * MONO)) * 10) / 10) };
}

/** About how wide a text in the page's sans is; CJK characters are as wide as they are high. */
export function textWidth(text, size) {
  let width = 0;
  for (const character of text) width += character > "\u2e7f" ? 1 : SANS;
  return width * size;
}

/** How many characters of the smallest mono (10 px) fit into a width; at most 22. */
export function characters(room) {
  return Math.min(22, Math.max(4, Math.floor(room / (10 * MONO))));
}

function text(name, x, y, attrs = {}) {
  return svg("text", { class: `text ${name}`, x, y, "font-size": 12, ...attrs });
}

const right = (name, x, y, attrs = {}) => text(name, x, y, { "text-anchor": "end", ...attrs });

function frame(role, box, kind, texts, extras = []) {
  const rect = svg("rect", { class: "box", width: box.width, height: box.height, rx: 12 });
  const group = svg(
    "g",
    { class: `element ${kind}`, "data-role": role, transform: `translate(${box.x} ${box.y})` },
    rect,
    extras,
    Object.values(texts),
  );
  const sizes = Object.entries(texts).map(([name, element]) => [name, element.getAttribute("font-size")]);
  return { role, kind, box, group, texts, sizes: Object.fromEntries(sizes) };
}

function leaf(role, box) {
  const end = box.width - INSET;
  const texts = {
    name: text("name", INSET, 22, { "font-size": 15 }),
    note: right("note", end, 22, { "font-size": 10.5 }),
    value: text("mono value", INSET, 41),
  };
  SLOT_ROWS.forEach((y, i) => {
    texts[`label${i}`] = text("label", INSET, y, { "font-size": 11 });
    texts[`text${i}`] = right("mono slot", end, y);
  });
  const extras = [
    svg("rect", { class: "now-band", x: 5, y: 54, width: box.width - 10, height: 19, rx: 5 }),
    svg("line", { class: "rule", x1: 0, x2: box.width, y1: 50, y2: 50 }),
    svg("line", { class: "sum-rule", x1: INSET, x2: end, y1: 90, y2: 90 }),
  ];
  return frame(role, box, "leaf", texts, extras);
}

function op(role, box) {
  const texts = {
    name: text("name", 12, 23, { "font-size": 14 }),
    bound: right("bound mono", box.width - 12, 23, { "font-size": 11.5 }),
    value: text("mono value", 12, 43),
    fn: text("fn", 12, 61, { "font-size": 10.5 }),
    badge: right("badge", box.width - 16, 4, { "font-size": 10.5 }),
  };
  return frame(role, box, "op", texts, [svg("rect", { class: "badge-box", y: -9, height: 18, rx: 9 })]);
}

function data(role, box) {
  const texts = {
    name: text("name", 12, 21, { "font-size": 13 }),
    note: right("note", box.width - 12, 21, { "font-size": 10.5 }),
    value: text("mono value", 12, 40),
  };
  return frame(role, box, "data", texts);
}

function group(role, box) {
  const { width, height } = box;
  const texts = {
    name: text("name", 12, 23, { "font-size": 14 }),
    note: right("note", width - 12, 23, { "font-size": 10.5 }),
    value: text("mono value", 12, 43, { "font-size": 11 }),
    fn: text("fn", 12, 61, { "font-size": 10.5 }),
    badge: right("badge", width - 16, 4, { "font-size": 10.5 }),
  };
  const behind = (by) => svg("rect", { class: "sheet", x: by, y: by, width, height, rx: 12 });
  const badge = svg("rect", { class: "badge-box", y: -9, height: 18, rx: 9 });
  const part = frame(role, box, "group", texts, [badge]);
  part.group.prepend(behind(8), behind(4));
  return part;
}

/** The head of an open group: its name, and the sign that folds it. Its ground lies under what it holds. */
function region(role, box) {
  const texts = {
    name: text("name", 12, 20, { "font-size": 12.5 }),
    note: text("note", 34, 20, { "font-size": 10.5 }),
    sign: right("sign", box.width - 14, 20, { "font-size": 15 }),
  };
  const part = frame(role, { ...box, height: 30 }, "region", texts);
  part.ground = svg("rect", { class: "ground", rx: 14 });
  return part;
}

const builders = { leaf, op, data, group, region };

/** Make the part of an element, of a folded group or of the head of an open one ("region"). */
export const makePart = (kind, path, box) => builders[kind](path, box);

/** Put a part where it stands now; a region's ground has its size. */
export function place(part, box) {
  part.box = box;
  set(part.group, "transform", `translate(${box.x.toFixed(1)} ${box.y.toFixed(1)})`);
  if (!part.ground) return;
  for (const name of ["x", "y", "width", "height"]) set(part.ground, name, box[name].toFixed(1));
  set(part.group.querySelector(".box"), "width", box.width);
  set(part.texts.sign, "x", box.width - 14);
}

/** Make the part of an edge. */
export function makeEdge(key) {
  const base = svg("path", { class: "line", "marker-end": "url(#arrow)" });
  const trail = svg("path", { class: "trail" });
  const label = svg("text", { class: "text mono carried", "font-size": 11, "text-anchor": "middle" });
  const group = svg("g", { class: "edge", "data-edge": key }, base, trail);
  return { key, group, base, trail, label };
}

function marker(id) {
  return svg(
    "marker",
    {
      id,
      viewBox: "0 0 8 8",
      refX: 7,
      refY: 4,
      markerWidth: 7,
      markerHeight: 7,
      markerUnits: "userSpaceOnUse",
      orient: "auto-start-reverse",
    },
    svg("path", { d: "M0 0L8 4L0 8z" }),
  );
}

function bigMarker(id) {
  const element = marker(id);
  element.setAttribute("markerWidth", 13);
  element.setAttribute("markerHeight", 13);
  element.setAttribute("refX", 6);
  return element;
}

/** The arrow heads shared by every edge; once in a document, also where it shows two graphs. */
export function arrowHeads() {
  if (document.getElementById("arrow")) return svg("defs", {});
  const heads = [marker("arrow"), bigMarker("arrow_grad"), bigMarker("arrow_value")];
  document.body.append(svg("svg", { class: "arrow-heads", "aria-hidden": "true" }, svg("defs", {}, heads)));
  return svg("defs", {});
}

function fill(element, look, usual) {
  const given = typeof look === "string" ? { text: look } : look;
  const { text: words = "", tone = null, size = usual, why = null, move = null } = given ?? {};
  write(element, words);
  set(element, "data-tone", tone);
  set(element, "font-size", size);
  set(element, "data-why", why && words ? JSON.stringify(why) : null);
  set(element, "data-move", move && words ? JSON.stringify(move) : null);
}

/** Show a look {texts, data, values} on a part; every text and attribute is set, so nothing old stays. */
export function paint(part, look) {
  for (const [name, element] of Object.entries(part.texts))
    fill(element, look.texts[name], part.sizes[name]);
  for (const [name, value] of Object.entries(look.data)) set(part.group, name, value);
  set(part.group, "data-values", look.values ? JSON.stringify(look.values) : null);
  if (part.texts.badge) paintBadge(part, look.texts.badge?.text ?? "");
}

/** Show nothing on a part. */
export function clear(part) {
  const isShown = (name) => name.startsWith("data-") && name !== "data-role";
  const shown = [...part.group.getAttributeNames().filter(isShown), "aria-label"];
  const data = Object.fromEntries(shown.map((name) => [name, null]));
  paint(part, { texts: {}, data, values: null });
}

function paintBadge(part, words) {
  const box = part.group.querySelector(".badge-box");
  const width = textWidth(words, 10.5) + 14;
  set(box, "hidden", !words);
  set(box, "width", width);
  set(box, "x", part.box.width - 9 - width);
}
