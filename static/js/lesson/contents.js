/** The table of contents: what has been read, and where to go on. */

import { write } from "#js/dom.js";
import { t, use } from "#js/i18n.js";
import { progressOf } from "#js/lesson/progress.js";

/** @param {string} id */
const island = (id) => JSON.parse(document.getElementById(id)?.textContent || "{}");

use(island("i18n"));
for (const { slug, questions } of island("boot").lessons ?? []) {
  const item = document.querySelector(`[data-lesson="${slug}"]`);
  const { answers, done } = progressOf(slug);
  const given = questions.filter((/** @type {string} */ id) => answers[id]).length;
  if (!item || (!given && !done)) continue;
  item.setAttribute("data-done", String(Boolean(done)));
  const line = /** @type {HTMLElement} */ (item.querySelector(".progress"));
  line.hidden = false;
  write(line, t("lessons.progress", { n: given, total: questions.length }));
}
