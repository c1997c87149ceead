/** One table of keys: what each does and how it is called. The list shown by `?` is made from it. */

import { h } from "#js/dom.js";
import { t } from "#js/i18n.js";

/**
 * @typedef {ReturnType<typeof import("#js/player/player.js").createPlayer>} Player
 * @typedef {{
 *   player: Player, edit(): void, fit(): void, training(): void, search(): void, help(): void, copy(): void,
 *   present(): void, tour(): void, difference(by: 1 | -1): void, why?(): void, text?(): void,
 * }} Actions
 * @typedef {{
 *   key: string, shift?: boolean, shown: string, text: string, parts?: string[], run(to: Actions): void,
 * }} Key
 */

const DEEP = ["level", "engine"];

/**
 * `shift` is compared only where it is given: `?` needs Shift on many keyboards. A key does nothing where one
 * of its `parts` is left out of the page.
 * @type {Key[]}
 */
export const keys = [
  { key: "ArrowRight", shift: false, shown: "→", text: "key.next", run: (to) => to.player.next() },
  { key: "ArrowLeft", shift: false, shown: "←", text: "key.prev", run: (to) => to.player.prev() },
  { key: "ArrowRight", shift: true, shown: "⇧ →", text: "key.nextNode", run: (to) => to.player.nextNode() },
  { key: "ArrowLeft", shift: true, shown: "⇧ ←", text: "key.prevNode", run: (to) => to.player.prevNode() },
  { key: "Home", shown: "Home", text: "key.first", run: (to) => to.player.first() },
  { key: "End", shown: "End", text: "key.last", run: (to) => to.player.last() },
  { key: " ", shown: "Space", text: "key.toggle", run: (to) => to.player.toggle() },
  { key: "[", shown: "[", text: "key.slower", parts: ["speed"], run: (to) => to.player.slower() },
  { key: "]", shown: "]", text: "key.faster", parts: ["speed"], run: (to) => to.player.faster() },
  { key: "1", shown: "1", text: "key.story", parts: ["level"], run: (to) => to.player.setLevel("story") },
  { key: "2", shown: "2", text: "key.chain", parts: ["level"], run: (to) => to.player.setLevel("chain") },
  { key: "3", shown: "3", text: "key.engine", parts: DEEP, run: (to) => to.player.setLevel("engine") },
  { key: "n", shown: "n", text: "key.nextBackward", run: (to) => to.player.nextBackward() },
  { key: "p", shown: "p", text: "key.prevBackward", run: (to) => to.player.prevBackward() },
  { key: "e", shown: "e", text: "key.edit", parts: ["edit"], run: (to) => to.edit() },
  { key: "f", shown: "f", text: "key.fit", parts: ["graph"], run: (to) => to.fit() },
  { key: "/", shown: "/", text: "key.search", run: (to) => to.search() },
  { key: "l", shown: "l", text: "key.training", parts: ["training"], run: (to) => to.training() },
  { key: "c", shown: "c", text: "key.copy", run: (to) => to.copy() },
  { key: "w", shown: "w", text: "key.why", parts: ["why"], run: (to) => to.why?.() },
  { key: "s", shown: "s", text: "key.text", parts: ["text"], run: (to) => to.text?.() },
  { key: "P", shown: "⇧ p", text: "key.present", parts: ["present"], run: (to) => to.present() },
  { key: "d", shown: "d", text: "key.nextDifference", parts: ["compare"], run: (to) => to.difference(1) },
  { key: "D", shown: "⇧ d", text: "key.prevDifference", parts: ["compare"], run: (to) => to.difference(-1) },
  { key: "t", shown: "t", text: "key.tour", parts: ["tour"], run: (to) => to.tour() },
  { key: "?", shown: "?", text: "key.help", run: (to) => to.help() },
];

const AGAIN = { class: "button", value: "tour" };
const TYPING = "input:not([type=range]), textarea, select, [contenteditable], .cm-editor, dialog";
const OPENING = "a, summary"; // Space is theirs; a button is pressed with Enter, for Space plays

/**
 * Return the entry of the table that an event asks for, or null if the key belongs to what has the focus.
 * @param {KeyboardEvent} event
 * @returns {Key | null}
 */
export function keyOf(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return null;
  const target = /** @type {Element | null} */ (event.target);
  if (target?.closest?.(TYPING)) return null;
  if (event.key === " " && target?.closest?.(OPENING)) return null;
  const fits = (/** @type {Key} */ entry) =>
    entry.key === event.key && (entry.shift === undefined || entry.shift === event.shiftKey);
  return keys.find(fits) ?? null;
}

/**
 * Listen to the keys of the whole page.
 * @param {Document} page
 * @param {Omit<Actions, "help"> & {has(part: string): boolean, signal: AbortSignal}} context
 *   `has`: is a part of the page there?
 */
export function mountKeyboard(page, { has, signal, ...context }) {
  const isOn = (/** @type {Key} */ { parts = [] }) => parts.every(has);
  const dialog = helpDialog(page, keys.filter(isOn), has("tour"));
  dialog.addEventListener("close", () => dialog.returnValue === "tour" && context.tour());
  const help = () => {
    dialog.returnValue = "";
    dialog.showModal();
  };
  const actions = { ...context, help };
  page.addEventListener(
    "keydown",
    (event) => {
      const entry = keyOf(event);
      if (!entry || !isOn(entry)) return;
      event.preventDefault();
      entry.run(actions);
    },
    { signal },
  );
  // Some browsers press a button when Space is let go, whatever became of its keydown.
  page.addEventListener("keyup", (event) => event.key === " " && keyOf(event) && event.preventDefault(), {
    signal,
  });
  signal.addEventListener("abort", () => dialog.remove(), { once: true });
  return { help: actions.help };
}

/** @param {Document} page @param {Key[]} shown @param {boolean} tours */
function helpDialog(page, shown, tours) {
  const tour = tours && h("button", { ...AGAIN, "data-testid": "tour-again" }, t("tour.again"));
  const row = (/** @type {Key} */ entry) =>
    h("div", { class: "key" }, h("dt", null, h("kbd", null, entry.shown)), h("dd", null, t(entry.text)));
  const dialog = /** @type {HTMLDialogElement} */ (
    h(
      "dialog",
      { class: "keys", "data-testid": "keys", "aria-labelledby": "keys_title" },
      h("h2", { id: "keys_title" }, t("key.title")),
      h("dl", null, shown.map(row)),
      h("form", { method: "dialog" }, tour, h("button", { class: "button" }, t("key.close"))),
    )
  );
  page.body.append(dialog);
  return dialog;
}
