/**
 * The list of views that show a run, each in its place of the page. To add one: its file, a line here.
 *
 * A view is mounted as `mount(place, context)` and returns {show(state), draw?(row, t), fit?(), toggle?()}.
 * The context: {trace, drawing, player, signal, selection, root, program, hidden}. `program` is {text,
 * run(text, more), replace(text, offersBack), edit(text)}: what was run; run another at the same step and
 * leave the editor alone (`more` goes into the request); put another into the editor, where it can be undone,
 * and run it, with a note that offers the way back if so asked; open the editor with it. `hidden` is a set of
 * names: what the address leaves out of the page.
 */

import { mount as code } from "#js/code/view.js";
import { mount as graph } from "#js/graph/view.js";
import { mountPanels } from "#js/panels/index.js";
import { mount as finder } from "#js/page/finder.js";
import { mount as linking } from "#js/page/linking.js";
import { mount as steps } from "#js/page/steps.js";
import { mount as timeline } from "#js/player/timeline.js";
import { mount as training } from "#js/training/view.js";

/**
 * @typedef {{show(state: any): unknown, draw?(row: any, t: number): unknown, fit?(): void,
 *   toggle?(): void, search?(): void, text?(): void}} View
 */

/** Slots that views fill, where the page has them; `null`: the view finds its places under the root. */
const views = [
  { slot: "source", mount: code },
  { slot: "graph", mount: graph },
  { slot: "training", mount: training },
  { slot: null, mount: mountPanels },
  { slot: "timeline", mount: timeline },
  { slot: null, mount: finder },
  { slot: null, mount: linking },
  { slot: null, mount: steps },
];
const FILLED = ["source", "output", "graph", "training", "queue", "say", "inspector", "timeline"];

/**
 * Mount every view under `root` for one run.
 * @param {Element} root
 * @param {any} context
 * @returns {Required<View>}
 */
export function mountViews(root, context) {
  const slot = (/** @type {string} */ name) =>
    root.querySelector(`[data-slot="${name}"]`) ?? document.createElement("div");
  for (const name of FILLED) slot(name).replaceChildren();
  const isThere = (/** @type {string | null} */ name) => !name || root.querySelector(`[data-slot="${name}"]`);
  const there = views.filter(({ slot: name }) => isThere(name) && !context.hidden?.has(name));
  /** @type {View[]} */
  const shown = there.map(({ slot: name, mount }) => mount(name ? slot(name) : root, context));
  return {
    show: (state) => shown.forEach((view) => view.show(state)),
    draw: (row, t) => shown.forEach((view) => view.draw?.(row, t)),
    fit: () => shown.forEach((view) => view.fit?.()),
    toggle: () => shown.forEach((view) => view.toggle?.()),
    search: () => shown.forEach((view) => view.search?.()),
    text: () => shown.forEach((view) => view.text?.()),
  };
}
