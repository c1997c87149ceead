/** A small plot: the output of a backward call against one number near where it is, and the tangent. */

import { h, svg } from "#js/dom.js";
import { t } from "#js/i18n.js";
import { real } from "#js/trace/gradients.js";
import { shortNumber } from "#js/trace/values.js";

const [WIDE, HIGH, INSET] = [232, 112, 8];

const shown = (/** @type {number} */ x) =>
  Number.isFinite(x) ? shortNumber(x, "float32").replace(/\.$/, "") : String(x);

/**
 * Draw an answer of /api/gradients/slope, or null where it has no curve.
 * @param {any} answer
 * @param {string} name of the number
 * @param {number | null} gradient what backward gave for it: the slope of the tangent; null: as estimated
 */
export function curve(answer, name, gradient = null) {
  const points = answer.points
    .map((/** @type {any[]} */ point) => point.map(real))
    .filter((/** @type {number[]} */ point) => point.every(Number.isFinite));
  const [x, y] = [real(answer.value), real(answer.result)];
  if (points.length < 2 || !Number.isFinite(y)) return null;
  const xs = points.map((/** @type {number[]} */ [at]) => at);
  const ys = [...points.map((/** @type {number[]} */ [, result]) => result), y];
  const [left, right, low, high] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  const across = (/** @type {number} */ at) => INSET + ((at - left) / (right - left)) * (WIDE - 2 * INSET);
  const tall = high - low || 1;
  const up = (/** @type {number} */ at) => HIGH - INSET - ((at - low) / tall) * (HIGH - 2 * INSET);
  const place = (/** @type {number} */ a, /** @type {number} */ b) =>
    `${across(a).toFixed(1)},${up(b).toFixed(1)}`;
  const slope = gradient ?? slopeOf(answer);
  const told = t("whatif.slope", {
    name,
    value: shown(x),
    output: shown(y),
    slope: slope === null ? "–" : shown(slope),
  });
  const line = (/** @type {number} */ at) => place(at, y + (slope ?? 0) * (at - x));
  return h(
    "figure",
    { class: "curve", "data-testid": "curve" },
    svg(
      "svg",
      { viewBox: `0 0 ${WIDE} ${HIGH}`, width: WIDE, height: HIGH, role: "img", "aria-label": told },
      svg("polyline", { class: "curve-line", points: points.map(([a, b]) => place(a, b)).join(" ") }),
      slope === null
        ? null
        : svg("polyline", { class: "curve-tangent", points: `${line(left)} ${line(right)}` }),
      svg("circle", { class: "curve-here", cx: across(x).toFixed(1), cy: up(y).toFixed(1), r: 4.5 }),
    ),
    h("figcaption", null, told),
  );
}

/** The slope of the tangent; null where the two sides differ. @param {any} answer */
function slopeOf({ estimates }) {
  const last = estimates.at(-1);
  const [central, left, right] = [last?.central, last?.left, last?.right].map((each) => real(each ?? NaN));
  if (!Number.isFinite(central)) return null;
  const size = Math.max(1, Math.abs(left), Math.abs(right));
  const wide = Math.abs(real(estimates[0].right ?? NaN) - real(estimates[0].left ?? NaN));
  const isKink = Math.abs(right - left) > 1e-3 * size && Math.abs(right - left) > 0.2 * wide;
  return isKink ? null : central;
}
