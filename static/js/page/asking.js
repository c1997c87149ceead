/**
 * A click or Enter on a gradient asks why it is what it is, wherever it is shown: whatever shows one says so
 * by `data-why`, a place as in trace/gradients.js. Likewise `data-move`, {tensor}: a number that can be
 * moved.
 */

import { set } from "#js/dom.js";
import { choose } from "#js/page/panes.js";
import { indexOf, gradientOf, sourceOf } from "#js/trace/gradients.js";

const TARGET = "[data-why], [data-move]";
const ANSWERS = "pane-inspector"; // where the answer stands: on a phone it is a tab of its own

/**
 * @param {Element} root
 * @param {{trace: any, player: any, selection: any, move(tensor: string, element?: number[]): void, signal:
 *   AbortSignal}} context
 */
export function mountAsking(root, { trace, player, selection, questions, move, signal }) {
  /** @param {Event} event */
  function act(event) {
    if (!questions) return false; // nobody answers here
    const at = /** @type {Element} */ (event.target).closest?.(TARGET);
    if (!at || !root.contains(at)) return false;
    const flat = flatAt(at, /** @type {Element} */ (event.target));
    const told = at.getAttribute("data-why");
    if (told === null) {
      const { tensor, element } = JSON.parse(at.getAttribute("data-move") ?? "{}");
      if (!move) return false;
      choose(ANSWERS);
      move(tensor, element ?? indexOf(trace.tensors[tensor]?.shape ?? [], flat));
      return true;
    }
    return why(JSON.parse(told), flat);
  }

  /** @param {any} place @param {number} flat */
  function why(place, flat = 0) {
    const source = sourceOf(trace, player.state.k, place);
    const value = source && trace.values[/** @type {string} */ (gradientOf(trace, source.row))];
    if (!source || !value || value.shape.includes(0)) return false;
    const element = place.element ?? indexOf(value.shape, flat);
    const stale = place.tensor && player.state.grad.get(place.tensor) !== trace.rows[source.row].after;
    selection.pick({
      kind: "why",
      row: source.row,
      since: stale && source.since.length === 0 ? [null] : source.since,
      input_nr: place.input_nr ?? 0,
      element,
    });
    player.pause();
    choose(ANSWERS);
    root.querySelector('[data-panel="why"]')?.scrollIntoView?.({ block: "nearest" });
    return true;
  }

  set(root, "data-asks", Boolean(questions));
  root.addEventListener("click", (event) => act(event) && event.stopPropagation(), { signal, capture: true });
  root.addEventListener(
    "keydown",
    (event) => {
      const { key, target } = /** @type {KeyboardEvent} */ (event);
      const own = /** @type {Element} */ (target).matches?.(TARGET);
      if (key !== "Enter" || !own || !act(event)) return;
      event.preventDefault();
      event.stopPropagation();
    },
    { signal, capture: true },
  );
  return {
    /** Ask about the gradient that the present step shows; without one, close what was asked. */
    now() {
      const { k } = player.state;
      if (!why({ row: k })) selection.pick(null);
    },
  };
}

/**
 * Which cell of a matrix was meant: its number, 0 where there are no cells.
 * @param {Element} at
 * @param {Element} target
 */
function flatAt(at, target) {
  const cell = target.closest(".cells > span, .cells > button");
  const cells = cell?.parentElement;
  if (!cell || !cells || !at.contains(cells)) return 0;
  return [...cells.children].indexOf(cell);
}
