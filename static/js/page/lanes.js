/** The timeline of two runs: a lane for each, gaps where one has no like step, marks where numbers differ. */

import { h, set, svg } from "#js/dom.js";
import { t } from "#js/i18n.js";
import { status, transport } from "#js/player/timeline.js";
import { countUpTo } from "#js/trace/stops.js";
import { phases } from "#js/trace/tracks.js";

/** @typedef {import("#js/page/pair.js").Both} Both */

const WIDTH = 1000;
const LANES = [10, 36]; // y
const HEIGHT = 14;
const MIDDLE = 25;

/**
 * @param {Element} root
 * @param {{pair: Both, differing: boolean[], signal: AbortSignal}} context `differing`: at which positions
 *   the numbers of the two differ
 */
export function mountLanes(root, { pair, differing, signal }) {
  const listen = (/** @type {Element} */ element, /** @type {string} */ kind, /** @type {any} */ run) =>
    element.addEventListener(kind, run, { signal });
  const steering = /** @type {any} */ (pair);
  const meanings = ["forward", "backward", "gap", "differs"];
  const parts = [
    transport(steering, listen),
    track(pair, differing, listen),
    status(steering, listen, meanings),
  ];
  root.replaceChildren(...parts.map((part) => part.element));
  return { show: () => parts.forEach((part) => part.show(/** @type {any} */ ({ k: pair.k }))) };
}

/** @param {Both} pair @param {boolean[]} differing @param {any} listen */
function track(pair, differing, listen) {
  const unit = WIDTH / Math.max(1, pair.length);
  const lanes = pair.players.map((_, side) => runs(phaseAt(pair, side)).map((run) => drawn(run, side, unit)));
  const marks = runs(differing.map((differs) => (differs ? "differs" : ""))).map((run) => diamond(run, unit));
  const needle = svg("rect", { class: "needle", y: 2, width: 3, height: 56 });
  const picture = svg(
    "svg",
    { class: "lanes", viewBox: `0 0 ${WIDTH} 60`, preserveAspectRatio: "none", "aria-hidden": "true" },
    ...[lanes, marks, needle],
  );
  const scrubber = /** @type {HTMLInputElement} */ (
    h("input", {
      ...{ type: "range", class: "scrubber", "data-testid": "scrubber", min: 0, max: pair.length, step: 1 },
      ...{ value: 0, "aria-label": t("timeline.scrubber") },
    })
  );
  const follow = () => {
    pair.seek(nearest([-1, ...pair.stops], Number(scrubber.value) - 1));
    scrubber.value = String(pair.k + 1);
  };
  for (const kind of ["input", "change"]) listen(scrubber, kind, follow);
  return {
    element: h("div", { class: "track" }, picture, scrubber),
    show() {
      scrubber.value = String(pair.k + 1);
      const words = { step: pair.position, steps: pair.stops.length };
      set(scrubber, "aria-valuetext", t("timeline.step", words));
      set(needle, "x", round((pair.k + 1) * unit - 1.5));
    },
  };
}

/** The phase of a side at each position, "" where it has no row. @param {Both} pair @param {number} side */
function phaseAt(pair, side) {
  const { trace } = pair.players[side];
  const stretches = phases(trace);
  const of = (/** @type {number} */ k) => stretches.find(({ from, to }) => from <= k && k <= to)?.phase ?? "";
  const known = trace.rows.map((_, k) => k).map(of);
  return pair.pairs.map((rows) => {
    const row = rows[side];
    return row === null ? "" : known[row];
  });
}

/** Stretches of equal words, those of nothing left out. @param {string[]} words */
function runs(words) {
  /** @type {{word: string, from: number, to: number}[]} */
  const found = [];
  words.forEach((word, p) => {
    const last = found.at(-1);
    if (!word) return;
    if (last?.word === word && last.to === p - 1) last.to = p;
    else found.push({ word, from: p, to: p });
  });
  return found;
}

/** @param {{word: string, from: number, to: number}} run @param {number} side @param {number} unit */
const drawn = ({ word, from, to }, side, unit) =>
  svg("rect", {
    ...{ class: "phase full", "data-phase": word, x: round(from * unit), y: LANES[side] },
    ...{ width: round((to - from + 1) * unit), height: HEIGHT, rx: 2 },
  });

/** @param {{from: number, to: number}} run @param {number} unit */
const diamond = ({ from, to }, unit) =>
  svg("rect", {
    ...{ class: "differing", x: round(from * unit), y: MIDDLE + 2 },
    ...{ width: Math.max(3, round((to - from + 1) * unit)), height: 6, rx: 3 },
  });

/** @param {number[]} sorted @param {number} k */
function nearest(sorted, k) {
  const upTo = countUpTo(sorted, k);
  const [low, high] = [sorted[upTo - 1] ?? -1, sorted[upTo] ?? Infinity];
  return k - low <= high - k ? low : high;
}

/** @param {number} x */
const round = (x) => Math.round(x * 100) / 100;
