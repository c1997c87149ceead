/**
 * What of the page is shown: a teacher's link may leave parts out (`#hide=edit,engine`), and the presenter's
 * view (key P, `#present=1`) leaves only graph, sentence and timeline, in large type.
 */

import { set } from "#js/dom.js";

/** Names of a link's `hide`; besides these every card goes by the id of its panel: `rule`, `next`, `sums`. */
export const PARTS = [
  "edit", // all that changes the program: Edit, Run, examples, the fields of a formula
  "code", "output", "graph", "say", "inspector", "timeline", // the places of the player
  "engine", // the queue, what is kept for backward, and that level of detail
  "training", "level", "speed", "text", "seal", "header", "tour",
]; // prettier-ignore

const PRESENTED = ["code", "output", "inspector", "queue", "header", "edit"];
const OF_ENGINE = ["queue", "saved", "memory", "kept", "hooks", "buffers"];
const PANES = ["code", "graph", "inspector"];
const WIDTHS = { code: "minmax(300px, 27vw)", graph: "minmax(0, 1fr)", inspector: "minmax(290px, 24vw)" };

/**
 * Return everything that a set of names leaves out: a name may stand for several.
 * @param {Iterable<string>} names
 * @param {boolean} presents
 */
export function leftOut(names, presents = false) {
  const out = new Set([...names, ...(presents ? PRESENTED : [])]);
  if (out.has("engine")) for (const id of OF_ENGINE) out.add(id);
  return out;
}

/**
 * Return the CSS grid of a wide page without the panes that are left out, or null if all are there.
 * @param {Set<string>} out
 */
export function frameOf(out) {
  const columns = PANES.filter((pane) => !out.has(pane));
  const say = !out.has("say");
  if (columns.length === PANES.length && say) return null;
  const side = columns.includes("inspector");
  const across = (/** @type {string} */ name) => `"${columns.map(() => name).join(" ") || name}" auto`;
  const rows = [`"${columns.join(" ")}" minmax(0, 1fr)`];
  if (say && side) rows.unshift(`"${[...columns.slice(0, -1), "say"].join(" ")}" auto`);
  if (say && columns.length === 0) rows[0] = `"say" minmax(0, 1fr)`;
  if (say && !side && columns.length > 0) rows.push(across("say"));
  if (!say && columns.length === 0) rows.length = 0;
  const widths = columns.map((pane, i) => (wideEnough(columns, i) ? "minmax(0, 1fr)" : widthOf(pane)));
  return `${[...rows, across("time")].join(" ")} / ${widths.join(" ") || "minmax(0, 1fr)"}`;
}

/** @param {string} pane */
const widthOf = (pane) => /** @type {Record<string, string>} */ (WIDTHS)[pane];

/** Without the graph the panes share the width. @param {string[]} columns @param {number} i */
const wideEnough = (columns, i) => !columns.includes("graph") || columns[i] === "graph";

/**
 * Show the page without the parts of a set.
 * @param {Element} root the player
 * @param {Set<string>} out
 * @param {boolean} presents
 */
export function showWithout(root, out, presents) {
  set(document.body, "data-hide", out.size > 0 ? [...out].join(" ") : null);
  set(document.body, "data-presents", presents);
  const frame = frameOf(out);
  const { style } = /** @type {HTMLElement} */ (root);
  set(root, "data-framed", frame !== null);
  if (frame) style.setProperty("--frame", frame);
  else style.removeProperty("--frame");
  const tab = (/** @type {string} */ pane) =>
    /** @type {HTMLInputElement | null} */ (root.querySelector(`#pane-${pane}`));
  const left = PANES.filter((pane) => !out.has(pane));
  if (left.length > 0 && !left.some((pane) => tab(pane)?.checked)) {
    const chosen = tab(left.includes("graph") ? "graph" : left[0]);
    if (chosen) chosen.checked = true;
  }
}
