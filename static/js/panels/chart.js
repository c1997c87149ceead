/** A small chart of the numbers a program plotted: lines, points and bars as SVG, made from a row. */
import { h, svg } from "#js/dom.js";
import { t as word } from "#js/i18n.js";

const WIDTH = 300;
const HEIGHT = 150;
const LEFT = 44;
const BOTTOM = 18;
const COLOURS = ["var(--value)", "var(--grad)", "var(--leaf)", "var(--engine)"];

/**
 * @typedef {(number | string)[]} Numbers
 * @typedef {{kind: "line" | "points" | "bars", label: string, x: Numbers, y: Numbers}} Series
 * @typedef {{title: string, x: string, y: string, series: Series[]}} Figure
 */

/** @param {(number | string)[]} numbers */
const finite = (numbers) => /** @type {number[]} */ (numbers.filter((n) => Number.isFinite(n)));

/**
 * The ends of an axis; a single number gets room on both sides.
 * @param {(number | string)[]} numbers
 * @returns {[number, number]}
 */
export function ends(numbers) {
  const all = finite(numbers);
  if (all.length === 0) return [0, 1];
  const low = all.reduce((a, b) => Math.min(a, b));
  const high = all.reduce((a, b) => Math.max(a, b));
  return low === high ? [low - 1, high + 1] : [low, high];
}

/**
 * Lines broken where a number is missing: SVG path data.
 * @param {[number, number][]} points
 */
export function path(points) {
  let pen = "M";
  const parts = [];
  for (const [x, y] of points) {
    if (Number.isFinite(x) && Number.isFinite(y)) {
      parts.push(`${pen}${x.toFixed(1)} ${y.toFixed(1)}`);
      pen = "L";
    } else pen = "M";
  }
  return parts.join("");
}

/** @param {number} n */
const short = (n) => String(Number(n.toPrecision(3)));

/**
 * @param {Series} series
 * @param {string} colour
 * @param {(x: any, y: any) => [number, number]} at
 * @param {number} ground
 */
function drawn(series, colour, at, ground) {
  const points = series.x.map((x, i) => at(x, series.y[i]));
  if (series.kind === "line")
    return svg("path", { d: path(points), fill: "none", stroke: colour, "stroke-width": 1.5 });
  const known = points.filter(([x, y]) => Number.isFinite(x) && Number.isFinite(y));
  if (series.kind === "points")
    return svg(
      "g",
      { fill: colour },
      known.map(([cx, cy]) => svg("circle", { cx, cy, r: 2 })),
    );
  const width = Math.max(1, (WIDTH - LEFT) / (2 * Math.max(1, known.length)));
  return svg(
    "g",
    { fill: colour },
    known.map(([x, y]) =>
      svg("rect", { x: x - width / 2, y: Math.min(y, ground), width, height: Math.abs(ground - y) }),
    ),
  );
}

/**
 * @param {Figure} figure
 */
export function chart({ title, x, y, series }) {
  const bars = series.some(({ kind }) => kind === "bars");
  const [left, right] = ends(series.flatMap((each) => each.x));
  const [low, high] = ends([...series.flatMap((each) => each.y), ...(bars ? [0] : [])]);
  const number = (/** @type {any} */ n) => (typeof n === "number" ? n : NaN);
  /** @type {(x: any, y: any) => [number, number]} */
  const at = (across, up) => [
    LEFT + 6 + ((number(across) - left) / (right - left)) * (WIDTH - LEFT - 12),
    6 + ((high - number(up)) / (high - low)) * (HEIGHT - BOTTOM - 12),
  ];
  const colour = (/** @type {number} */ i) => COLOURS[i % COLOURS.length];
  const text = (/** @type {string} */ words, /** @type {Record<string, unknown>} */ where) =>
    svg("text", { class: "chart-text", ...where }, words);
  const frame = svg("path", { class: "chart-frame", d: `M${LEFT} 0V${HEIGHT - BOTTOM}H${WIDTH}` });
  const picture = svg(
    "svg",
    { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": word("chart.label", { title }) },
    frame,
    text(short(high), { x: LEFT - 4, y: 12, "text-anchor": "end" }),
    text(short(low), { x: LEFT - 4, y: HEIGHT - BOTTOM, "text-anchor": "end" }),
    text(short(left), { x: LEFT, y: HEIGHT - 4 }),
    text(short(right), { x: WIDTH, y: HEIGHT - 4, "text-anchor": "end" }),
    text(x, { x: (LEFT + WIDTH) / 2, y: HEIGHT - 4, "text-anchor": "middle" }),
    series.map((each, i) => drawn(each, colour(i), at, at(left, Math.max(low, Math.min(high, 0)))[1])),
  );
  const labels = series.map((each, i) =>
    each.label
      ? h("span", { class: "chart-name", "data-series": i % COLOURS.length }, `${each.label} `)
      : null,
  );
  const caption = [title, y].filter(Boolean).join(" · ");
  const words = h("figcaption", null, caption, " ", labels);
  return h("figure", { class: "chart", "data-testid": "chart" }, words, picture);
}
