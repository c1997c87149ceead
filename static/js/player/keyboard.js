/** One table of keys: what each does and how it is called. The list shown by `?` is made from it. */

import { h } from "#js/dom.js";
import { t } from "#js/i18n.js";

/**
 * @typedef {ReturnType<typeof import("#js/player/player.js").createPlayer>} Player
 * @typedef {{player: Player, edit(): void, fit(): void, help(): void}} Actions
 * @typedef {{key: string, shift?: boolean, shown: string, text: string, run(to: Actions): void}} Key
 */

/** `shift` is compared only where it is given: `?` needs Shift on many keyboards. @type {Key[]} */
export const keys = [
  { key: "ArrowRight", shift: false, shown: "→", text: "key.next", run: (to) => to.player.next() },
  { key: "ArrowLeft", shift: false, shown: "←", text: "key.prev", run: (to) => to.player.prev() },
  { key: "ArrowRight", shift: true, shown: "⇧ →", text: "key.nextNode", run: (to) => to.player.nextNode() },
  { key: "ArrowLeft", shift: true, shown: "⇧ ←", text: "key.prevNode", run: (to) => to.player.prevNode() },
  { key: "Home", shown: "Home", text: "key.first", run: (to) => to.player.first() },
  { key: "End", shown: "End", text: "key.last", run: (to) => to.player.last() },
  { key: " ", shown: "Space", text: "key.toggle", run: (to) => to.player.toggle() },
  { key: "[", shown: "[", text: "key.slower", run: (to) => to.player.slower() },
  { key: "]", shown: "]", text: "key.faster", run: (to) => to.player.faster() },
  { key: "1", shown: "1", text: "key.story", run: (to) => to.player.setLevel("story") },
  { key: "2", shown: "2", text: "key.chain", run: (to) => to.player.setLevel("chain") },
  { key: "3", shown: "3", text: "key.engine", run: (to) => to.player.setLevel("engine") },
  { key: "n", shown: "n", text: "key.nextBackward", run: (to) => to.player.nextBackward() },
  { key: "p", shown: "p", text: "key.prevBackward", run: (to) => to.player.prevBackward() },
  { key: "e", shown: "e", text: "key.edit", run: (to) => to.edit() },
  { key: "f", shown: "f", text: "key.fit", run: (to) => to.fit() },
  { key: "?", shown: "?", text: "key.help", run: (to) => to.help() },
];

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
 * @param {{player: Player, edit(): void, fit(): void, signal: AbortSignal}} context
 */
export function mountKeyboard(page, { player, edit, fit, signal }) {
  const dialog = helpDialog(page);
  const actions = { player, edit, fit, help: () => dialog.showModal() };
  page.addEventListener(
    "keydown",
    (event) => {
      const entry = keyOf(event);
      if (!entry) return;
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

/** @param {Document} page */
function helpDialog(page) {
  const row = (/** @type {Key} */ entry) =>
    h("div", { class: "key" }, h("dt", null, h("kbd", null, entry.shown)), h("dd", null, t(entry.text)));
  const dialog = /** @type {HTMLDialogElement} */ (
    h(
      "dialog",
      { class: "keys", "data-testid": "keys", "aria-labelledby": "keys_title" },
      h("h2", { id: "keys_title" }, t("key.title")),
      h("dl", null, keys.map(row)),
      h("form", { method: "dialog" }, h("button", { class: "button" }, t("key.close"))),
    )
  );
  page.body.append(dialog);
  return dialog;
}
