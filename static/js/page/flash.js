/** Numbers that are other than before a run flash once, where they stand; nothing else moves. */

import { set } from "#js/dom.js";

const LONG = 900; // milliseconds
const SHOWN = ".element .text, text.carried, .variable code, .term .cells > span";

/**
 * What each number on the page is called by: its place among those of its kind and holder.
 * @param {Element} root
 */
function* numbers(root) {
  const seen = new Map();
  for (const one of root.querySelectorAll(SHOWN)) {
    const holder = one.closest("[data-role], [data-panel]");
    const of = holder?.getAttribute("data-role") ?? holder?.getAttribute("data-panel") ?? "";
    const key = `${of} ${one.getAttribute("class") ?? one.tagName}`;
    const count = seen.get(key) ?? 0;
    seen.set(key, count + 1);
    yield /** @type {const} */ ([`${key} ${count}`, one]);
  }
}

/** The numbers that are shown now, by where they stand. @param {Element} root */
export const numbersShown = (root) => new Map([...numbers(root)].map(([key, one]) => [key, one.textContent]));

/** Let what is other than `before` flash. @param {Element} root @param {Map<string, string | null>} before */
export function flash(root, before) {
  for (const [key, one] of numbers(root)) {
    const was = before.get(key);
    if (was === undefined || was === one.textContent || !/\d/.test(one.textContent ?? "")) continue;
    set(one, "data-flash", true);
    setTimeout(() => set(one, "data-flash", null), LONG);
  }
}
