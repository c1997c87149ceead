/**
 * One row of the training view: names on the left, a plot over the iterations, the numbers of a round on the
 * right. A plot is pointed at, clicked and moved in by keys, as a slider over the iterations.
 */

import { h, set, svg } from "#js/dom.js";
import { t as word } from "#js/i18n.js";
import { end } from "#js/training/scale.js";

/** @typedef {import("#js/training/cursor.js").Cursor} Cursor */

export const WIDTH = 1000;

/** @param {number} i @param {number} count how many rounds there are */
export const middle = (i, count) => ((i + 0.5) / count) * WIDTH;

/** Two decimals are enough on a width of 1000. @param {number} x */
export const round = (x) => Math.round(x * 100) / 100;

/**
 * An SVG of 1000 × `height` units that is stretched to its place.
 * @param {number} height
 * @param {any[]} children
 */
export const canvas = (height, ...children) =>
  svg(
    "svg",
    { viewBox: `0 0 ${WIDTH} ${height}`, preserveAspectRatio: "none", "aria-hidden": "true" },
    ...children,
  );

/** A path whose pen is as wide on every side, however its SVG is stretched. */
export const line = (/** @type {string} */ name, /** @type {string} */ d) =>
  svg("path", { class: name, d, "vector-effect": "non-scaling-stroke" });

/** The line that marks a round. @param {number} height */
export function makeMark(height) {
  const element = line("plot-mark", `M0 0V${height}`);
  return {
    element,
    /** @param {number} i -1: nowhere @param {number} count */
    move: (i, count) =>
      set(element, "transform", i < 0 ? "translate(-9 0)" : `translate(${round(middle(i, count))} 0)`),
  };
}

/**
 * Where an event is in the plot: shares from 0 to 1 across and down.
 * @param {Element} plot
 * @param {any} event
 */
function place(plot, event) {
  const { left, top, width, height } = (plot.querySelector("svg") ?? plot).getBoundingClientRect();
  const share = (/** @type {number} */ x, /** @type {number} */ whole) =>
    Math.min(0.9999, Math.max(0, x / (whole || 1)));
  return { x: share(event.clientX - left, width), y: share(event.clientY - top, height) };
}

/**
 * Make an element a slider over the iterations.
 * @param {Element} plot
 * @param {{name: string, count: number, signal: AbortSignal, cursor: Cursor,
 *   at(x: number, y: number): [number, number | null], move(rounds: number, lines: number): void}} actions
 *   `at`: the round and the row at a place of the plot; `move`: by so many rounds, or lines of the plot
 */
export function makeSlider(plot, { name, count, signal, cursor, at, move }) {
  const fixed = {
    tabindex: 0,
    role: "slider",
    "aria-label": name,
    "aria-valuemin": 1,
    "aria-valuemax": count,
  };
  for (const [attribute, value] of Object.entries(fixed)) set(plot, attribute, value);
  const listen = (/** @type {string} */ kind, /** @type {(event: any) => void} */ run) =>
    plot.addEventListener(kind, run, { signal });
  const point = (/** @type {any} */ event) => {
    const { x, y } = place(plot, event);
    cursor.point(...at(x, y));
  };
  listen("pointermove", point);
  listen("pointerleave", cursor.leave);
  listen("blur", cursor.leave);
  listen("click", (event) => {
    point(event);
    cursor.go();
  });
  /** @type {Record<string, () => void>} */
  const keys = {
    ArrowLeft: () => move(-1, 0),
    ArrowRight: () => move(1, 0),
    ArrowUp: () => move(0, -1),
    ArrowDown: () => move(0, 1),
    PageUp: () => move(-10, 0),
    PageDown: () => move(10, 0),
    Home: () => move(-count, 0),
    End: () => move(count, 0),
    Enter: () => cursor.go(),
    Escape: () => cursor.leave(),
  };
  listen("keydown", (event) => {
    const isPlain = !(event.shiftKey || event.ctrlKey || event.metaKey || event.altKey);
    if (!isPlain || !Object.hasOwn(keys, event.key)) return;
    event.preventDefault();
    keys[event.key]();
  });
}

/**
 * Say what a slider stands at.
 * @param {Element} plot
 * @param {number} i
 * @param {number} total
 * @param {string} text
 */
export function say(plot, i, total, text) {
  set(plot, "aria-valuenow", Math.max(1, i + 1));
  set(
    plot,
    "aria-valuetext",
    i < 0 ? word("training.before") : word("training.value", { i: i + 1, total, text }),
  );
}

/** The ends of a scale beside a plot. @param {import("#js/training/scale.js").Scale} scale */
export const axis = (scale) =>
  h(
    "span",
    { class: "plot-axis", "aria-hidden": "true" },
    h("span", null, end(scale, scale.high)),
    scale.isLog ? h("span", null, "log") : null,
    h("span", null, end(scale, scale.low)),
  );
