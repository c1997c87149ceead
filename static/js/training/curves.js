/** The losses over the iterations as lines; clipping as what it does: each norm, and what is left of it. */

import { h, svg, write } from "#js/dom.js";
import { t as word } from "#js/i18n.js";
import { axis, canvas, line, makeMark, makeSlider, round, say, WIDTH } from "#js/training/plot.js";
import { brief, linear, logarithmic } from "#js/training/scale.js";

/** @typedef {import("#js/trace/training.js").Curve} Curve */
/** @typedef {import("#js/trace/training.js").Point} Point */
/** @typedef {import("#js/trace/training.js").Clip} Clip */
/** @typedef {import("#js/training/cursor.js").Cursor} Cursor */
/** @typedef {import("#js/training/scale.js").Scale} Scale */
/** @typedef {{count: number, signal: AbortSignal, cursor: Cursor}} Context */
/** @typedef {{x: number, y: number | null, round: number, k: number}} Dot */

const HEIGHT = 100;
const DOTS = 80; // so many points of a curve at most are drawn as dots, too
const SPREAD = 50; // the largest number against the smallest, from where a scale is logarithmic
const LOOKS = 4;

/**
 * Where the points of a curve lie across, 0 to 1: those of one round beside each other, in their order.
 * @param {Point[]} points
 * @param {number} count
 */
export function across(points, count) {
  /** @type {Map<number, number>} */
  const sizes = new Map();
  for (const { round: i } of points) sizes.set(i, (sizes.get(i) ?? 0) + 1);
  /** @type {Map<number, number>} */
  const seen = new Map();
  return points.map(({ round: i }) => {
    const nth = seen.get(i) ?? 0;
    seen.set(i, nth + 1);
    return (i + (nth + 0.5) / (sizes.get(i) ?? 1)) / count;
  });
}

/** @param {(number | null)[]} numbers */
export function scaleOf(numbers) {
  const known = /** @type {number[]} */ (numbers.filter((y) => y !== null && Number.isFinite(y)));
  const least = known.reduce((a, b) => Math.min(a, b), Infinity);
  const most = known.reduce((a, b) => Math.max(a, b), -Infinity);
  return least > 0 && most / least > SPREAD ? logarithmic(numbers) : linear(numbers);
}

/** How far down a number lies, or null. @param {Scale} scale */
const down = (scale) => (/** @type {number | null} */ y) => {
  const share = scale.place(y);
  return share === null ? null : 4 + (1 - share) * (HEIGHT - 8);
};

/** @param {Dot[]} dots */
function drawn(dots) {
  let pen = "M";
  let d = "";
  for (const { x, y } of dots) {
    if (y !== null) d += `${pen}${round(x)} ${round(y)}`;
    pen = y === null ? "M" : "L";
  }
  const few = dots.length > DOTS ? [] : dots.filter(({ y }) => y !== null);
  return [line("line", d), line("dots", few.map(({ x, y }) => `M${round(x)} ${round(y ?? 0)}h0`).join(""))];
}

/** @param {string} name @param {number} c */
const nameOf = (name, c) =>
  h(
    "span",
    { class: "curve-name", "data-curve": c % LOOKS },
    svg("svg", { viewBox: "0 0 22 4", "aria-hidden": "true" }, svg("path", { d: "M0 2H22" })),
    h("code", null, name),
  );

/** The numbers of one curve in one round. @param {Point[]} points */
function told(points) {
  const last = brief(points[points.length - 1]?.y);
  return points.length > 1 ? word("training.several", { count: points.length, last }) : last;
}

/** @param {string} id @param {any} names @param {Scale} scale @param {any[]} rest */
const rowOf = (id, names, scale, ...rest) =>
  h(
    "section",
    { class: `plot-row ${id}-row`, "data-testid": id },
    h("span", { class: "plot-name" }, names, axis(scale)),
    ...rest,
  );

/**
 * The dot of an iteration that is nearest to a place of the plot.
 * @param {Dot[]} dots
 * @param {number} i
 * @param {number} x 0 to 1 @param {number} y 0 to 1
 */
function nearest(dots, i, x, y) {
  const far = (/** @type {Dot} */ dot) => (dot.x - x * WIDTH) ** 2 + ((dot.y ?? 0) - y * HEIGHT) ** 2;
  const here = dots.filter((dot) => dot.round === i).sort((a, b) => far(a) - far(b));
  return here[0] ?? null;
}

/**
 * The chart of the losses.
 * @param {Curve[]} curves
 * @param {Context} context
 */
export function losses(curves, { count, signal, cursor }) {
  const scale = scaleOf(curves.flatMap(({ points }) => points.map(({ y }) => y)));
  const place = down(scale);
  const dots = curves.map(({ points }) => {
    const xs = across(points, count);
    return points.map((point, i) => ({ ...point, x: xs[i] * WIDTH, y: place(point.y) }));
  });
  const all = dots.flat();
  const mark = makeMark(HEIGHT);
  const looks = curves.map((_, c) => svg("g", { class: "curve", "data-curve": c % LOOKS }, drawn(dots[c])));
  const plot = h("div", { class: "plot tall" }, canvas(HEIGHT, mark.element, looks));
  const now = curves.map(() => h("span", null));
  const of = (/** @type {number} */ i, /** @type {number} */ c) =>
    curves[c].points.filter((point) => point.round === i);
  let chosen = 0;
  makeSlider(plot, {
    ...{ name: word("training.losses"), count, signal, cursor },
    at: (x, y) => [Math.floor(x * count), nearest(all, Math.floor(x * count), x, y)?.k ?? null],
    move(iterations, lines) {
      chosen = (chosen + lines + curves.length) % curves.length;
      const i = Math.max(0, Math.min(count - 1, cursor.i() + iterations));
      cursor.point(i, of(i, chosen)[0]?.k ?? null);
    },
  });
  const names = curves.map(({ name }, c) => nameOf(name, c));
  return {
    element: rowOf("losses", names, scale, plot, h("span", { class: "plot-now" }, now)),
    /** @param {number} i */
    show(i) {
      mark.move(i, count);
      const texts = curves.map((_, c) => told(of(i, c)));
      now.forEach((element, c) => write(element, texts[c]));
      say(plot, i, count, curves.map(({ name }, c) => `${name} ${texts[c]}`).join("; "));
    },
  };
}

/** What is left of a norm after clipping. @param {Clip} clip */
const left = ({ total, factor }) => (total === null || factor === null ? null : total * Math.min(1, factor));

/**
 * From each norm a line down to what is left of it; the bound.
 * @param {Clip[]} clips
 * @param {Scale} scale
 * @param {number} count
 */
function stems(clips, scale, count) {
  const points = clips.map(({ round: i, k }) => ({ round: i, k, y: null }));
  const at = across(points, count).map((x) => round(x * WIDTH));
  const place = down(scale);
  const y = (/** @type {number | null} */ number) => round(place(number) ?? HEIGHT);
  const each = (/** @type {(clip: Clip, x: number, i: number) => string} */ draw) =>
    clips.map((clip, i) => draw(clip, at[i], i)).join("");
  const dot = (/** @type {number} */ x, /** @type {number | null} */ number) =>
    number === null ? "" : `M${x} ${y(number)}h0`;
  return [
    line(
      "bound",
      each((clip, x, i) => `${i ? "L" : "M"}${x} ${y(clip.bound)}`),
    ),
    line(
      "stems",
      each((clip, x) => (left(clip) === clip.total ? "" : `M${x} ${y(clip.total)}V${y(left(clip))}`)),
    ),
    line(
      "dots before",
      each((clip, x) => dot(x, clip.total)),
    ),
    line(
      "dots after",
      each((clip, x) => dot(x, left(clip))),
    ),
  ];
}

/** @param {Clip | null} clip */
function clipText(clip) {
  if (!clip) return "–";
  const { total, bound, factor } = clip;
  const numbers = {
    total: brief(total),
    bound: brief(bound),
    factor: brief(factor),
    left: brief(left(clip)),
  };
  return word(factor !== null && factor < 1 ? "training.clipped" : "training.unclipped", numbers);
}

/**
 * The chart of clipping.
 * @param {Clip[]} clips
 * @param {Context} context
 */
export function clipping(clips, { count, signal, cursor }) {
  const scale = scaleOf(clips.flatMap((clip) => [clip.total, left(clip), clip.bound]));
  const mark = makeMark(HEIGHT);
  const plot = h("div", { class: "plot tall" }, canvas(HEIGHT, mark.element, stems(clips, scale, count)));
  const now = h("span", { class: "plot-now" });
  const of = (/** @type {number} */ i) => clips.findLast((clip) => clip.round === i) ?? null;
  makeSlider(plot, {
    ...{ name: word("training.clipping"), count, signal, cursor },
    at: (x) => [Math.floor(x * count), of(Math.floor(x * count))?.k ?? null],
    move(iterations) {
      const i = Math.max(0, Math.min(count - 1, cursor.i() + iterations));
      cursor.point(i, of(i)?.k ?? null);
    },
  });
  return {
    element: rowOf("clips", word("training.clipping"), scale, plot, now),
    /** @param {number} i */
    show(i) {
      mark.move(i, count);
      write(now, clipText(of(i)));
      say(plot, i, count, clipText(of(i)));
    },
  };
}
