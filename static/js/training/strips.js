/**
 * A number of each parameter over the iterations as a strip of shades on one logarithmic scale, and as a bar
 * for the iteration at hand: what vanishes towards the first layers, or explodes, is seen.
 */

import { h, set, svg, write } from "#js/dom.js";
import { t as word } from "#js/i18n.js";
import { canvas, makeMark, makeSlider, round, say, WIDTH } from "#js/training/plot.js";
import { brief, end, logarithmic, opacity, shade, SHADES } from "#js/training/scale.js";

/** @typedef {import("#js/trace/training.js").Curve} Curve */
/** @typedef {import("#js/training/curves.js").Context} Context */
/** @typedef {import("#js/training/scale.js").Scale} Scale */

/** The points of a curve by iteration; the last of each. @param {Curve} curve @param {number} count */
export function byIteration({ points }, count) {
  /** @type {(import("#js/trace/training.js").Point | null)[]} */
  const found = new Array(count).fill(null);
  for (const point of points) found[point.round] = point;
  return found;
}

/**
 * One path for each shade: neighbouring cells of one shade are one rectangle.
 * @param {Scale} scale
 * @param {ReturnType<typeof byIteration>} points
 * @param {number} y
 * @param {number} height
 */
function shades(scale, points, y, height) {
  /** @type {Map<string | number, string>} */
  const paths = new Map();
  const unit = WIDTH / points.length;
  for (let i = 0; i < points.length;) {
    const step = shade(scale, points[i]?.y);
    let to = i + 1;
    while (to < points.length && shade(scale, points[to]?.y) === step) to += 1;
    const cell = `M${round(i * unit)} ${y}H${round(to * unit)}V${y + height}H${round(i * unit)}Z`;
    if (step !== null) paths.set(step, (paths.get(step) ?? "") + cell);
    i = to;
  }
  return [...paths].map(([step, d]) =>
    svg("path", {
      class: "cell",
      d,
      "data-cell": step,
      "fill-opacity": typeof step === "number" ? opacity(step) : null,
    }),
  );
}

/** Few parameters have higher rows. @param {number} count */
const heightOf = (count) => (count > 10 ? 20 : 28);

/** @param {Curve[]} curves @param {Scale} scale @param {number} i @param {any[]} tables */
function extremes(curves, scale, i, tables) {
  const numbers = curves.map(({ name }, c) => ({ name, y: tables[c][i]?.y ?? null }));
  const known = numbers.filter(({ y }) => y !== null && scale.place(y) !== null);
  if (known.length < 2) return "";
  const [low, high] = [
    known.reduce((a, b) => (b.y < a.y ? b : a)),
    known.reduce((a, b) => (b.y > a.y ? b : a)),
  ];
  const values = { low: low.name, least: brief(low.y), high: high.name, most: brief(high.y) };
  return word("training.extremes", { ...values, times: brief(high.y / low.y) });
}

/** The frame that says which parameter is pointed at. @param {number} height */
function makeFrame(height) {
  const fixed = { class: "chosen", x: 0, width: WIDTH, height, "vector-effect": "non-scaling-stroke" };
  const element = svg("rect", fixed);
  return { element, move: (/** @type {number} */ c) => set(element, "y", c < 0 ? -2 * height : c * height) };
}

/** The bars and numbers of one iteration. @param {Scale} scale @param {number} count */
function makeNumbers(scale, count) {
  const bars = Array.from({ length: count }, () => h("i", { class: "bar" }));
  const numbers = bars.map(() => h("span", null));
  const lines = bars.map((bar, c) => h("span", { class: "bar-row" }, bar, numbers[c]));
  return {
    element: h("span", { class: "plot-now" }, lines),
    /** @param {number} c @param {number | null | undefined} y */
    show(c, y) {
      write(numbers[c], brief(y));
      set(bars[c], "style", `width: ${Math.round((scale.place(y ?? null) ?? 0) * 100)}%`);
    },
  };
}

/** The ends of the iterations, the shades of the scale. @param {Scale} scale @param {number} count */
const beneath = (scale, count) => [
  h("p", { class: "plot-ends", "aria-hidden": "true" }, h("span", null, "1"), h("span", null, String(count))),
  h(
    "p",
    { class: "plot-scale" },
    end(scale, scale.low),
    ramp(),
    end(scale, scale.high),
    h("span", null, word("training.log")),
  ),
];

/**
 * The strips of one kind of number.
 * @param {Curve[]} curves
 * @param {{name: string, kind: string} & Context} context
 */
export function strips(curves, { name, kind, count, signal, cursor }) {
  const scale = logarithmic(curves.flatMap(({ points }) => points.map(({ y }) => y)));
  const tables = curves.map((curve) => byIteration(curve, count));
  const row = heightOf(curves.length);
  const [mark, frame, numbers] = [
    makeMark(row * curves.length),
    makeFrame(row),
    makeNumbers(scale, curves.length),
  ];
  const cells = tables.map((points, c) => shades(scale, points, c * row + 1, row - 2));
  const plot = h("div", { class: "plot" }, canvas(row * curves.length, cells, frame.element, mark.element));
  const words = h("p", { class: "card-note" });
  let chosen = -1;
  const k = (/** @type {number} */ i) => tables[Math.max(0, chosen)]?.[i]?.k ?? null;
  makeSlider(plot, {
    ...{ name, count, signal, cursor },
    at(x, y) {
      chosen = Math.floor(y * curves.length);
      return [Math.floor(x * count), k(Math.floor(x * count))];
    },
    move(iterations, lines) {
      chosen = Math.max(0, Math.min(curves.length - 1, Math.max(0, chosen) + lines));
      const i = Math.max(0, Math.min(count - 1, cursor.i() + iterations));
      cursor.point(i, k(i));
    },
  });
  const names = curves.map((curve) => h("code", { title: curve.name }, h("bdi", null, curve.name)));
  const line = h(
    "div",
    { class: "plot-row" },
    h("span", { class: "plot-name" }, names),
    plot,
    numbers.element,
  );
  const fixed = { class: "strips", "data-kind": kind, "data-testid": "strips" };
  return {
    element: h("section", { ...fixed, style: `--row: ${row}px` }, line, beneath(scale, count), words),
    /** @param {number} i */
    show(i) {
      if (!cursor.isPointed()) chosen = -1;
      mark.move(i, count);
      frame.move(chosen);
      curves.forEach((_, c) => numbers.show(c, tables[c][i]?.y));
      write(words, i < 0 ? "" : extremes(curves, scale, i, tables));
      const one = Math.max(0, chosen);
      say(plot, i, count, `${curves[one].name} ${brief(tables[one][i]?.y)}`);
    },
  };
}

/** The shades of the scale. */
const ramp = () =>
  svg(
    "svg",
    { class: "ramp", viewBox: `0 0 ${SHADES} 1`, preserveAspectRatio: "none", "aria-hidden": "true" },
    Array.from({ length: SHADES }, (_, i) =>
      svg("rect", { x: i, width: 1, height: 1, "fill-opacity": opacity(i + 1) }),
    ),
  );
