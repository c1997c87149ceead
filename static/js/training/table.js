/** The training view in words: a table of the rounds around the one at hand, made when it is opened. */

import { h, set, write } from "#js/dom.js";
import { t as word } from "#js/i18n.js";
import { byIteration } from "#js/training/strips.js";
import { brief } from "#js/training/scale.js";

const MOST = 200;

/** @typedef {import("#js/trace/training.js").Curve} Curve */

/**
 * The table of some iterations.
 * @param {Curve[]} curves
 * @param {{from: number, to: number, count: number, rows: number[]}} part
 */
function tableOf(curves, { from, to, count, rows }) {
  const tables = curves.map((curve) => byIteration(curve, count));
  const line = (/** @type {number} */ i) => {
    const go = h("button", { type: "button", class: "link", "data-k": rows[i] }, String(i + 1));
    const cells = tables.map((points) => h("td", null, brief(points[i]?.y)));
    return h("tr", { "data-round": i }, h("th", { scope: "row" }, go), cells);
  };
  const heads = [word("training.round"), ...curves.map(({ name }) => name)];
  const head = heads.map((name) => h("th", { scope: "col" }, name));
  const lines = Array.from({ length: to - from }, (_, n) => line(from + n));
  return h("table", null, h("thead", null, h("tr", null, head)), h("tbody", null, lines));
}

/**
 * @typedef {{count: number, signal: AbortSignal, rows: number[], columns(): Curve[], seek(k: number): void}}
 *   Context  `rows`: where each iteration begins
 * @param {Context} context
 */
export function createTable({ count, signal, columns, seek, rows }) {
  const range = h("p", { class: "card-note" });
  const label = word("training.words");
  const place = h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": label });
  const details = /** @type {HTMLDetailsElement} */ (
    h("details", { class: "training-words" }, h("summary", null, label), range, place)
  );
  let shown = "";
  place.addEventListener(
    "click",
    (event) => {
      const k = /** @type {Element} */ (event.target).closest("button")?.getAttribute("data-k");
      if (k) seek(Number(k));
    },
    { signal },
  );
  return {
    element: details,
    /** @param {number} i */
    show(i) {
      if (!details.open) return;
      const from = Math.max(0, Math.min(count - MOST, Math.max(0, i) - MOST / 2));
      const to = Math.min(count, from + MOST);
      const all = columns();
      const key = `${from} ${all.map(({ name }) => name)} ${all.map(({ points }) => points[0]?.y)}`;
      if (key !== shown) place.replaceChildren(tableOf(all, { from, to, count, rows }));
      shown = key;
      write(range, count > MOST ? word("training.range", { from: from + 1, to, count }) : "");
      for (const row of place.querySelectorAll("tr[data-round]"))
        set(row, "aria-current", row.getAttribute("data-round") === String(i) ? "true" : null);
    },
  };
}
