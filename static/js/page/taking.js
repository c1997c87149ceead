/** The menu "Take away": has the run that is played made into a file, and gives it to the browser to keep. */

import { takeAway } from "#js/api.js";
import { tell } from "#js/code/notes.js";
import { h } from "#js/dom.js";
import { language, t } from "#js/i18n.js";
import { nameOf } from "#js/page/title.js";

const LONGEST = 40; // characters of a file's name

/**
 * @param {{notice: Element, player: any, played: string}} page
 * @param {() => object} program what a request for the run says
 */
export function mountTaking(page, program) {
  const list = document.getElementById("take-list");
  list?.addEventListener("click", async (event) => {
    const button = /** @type {Element} */ (event.target).closest("[data-take]");
    if (!button) return;
    /** @type {any} */ (list).hidePopover?.();
    const format = button.getAttribute("data-take");
    const { player, played } = page;
    if (!player) return tell(page, t("take.nothing"), "busy");
    tell(page, t("take.making"), "busy");
    const asked = { ...program(), format, level: player.level, step: player.k + 1 };
    const answer = await takeAway(asked, { t, lang: language() });
    tell(page, "message" in answer ? answer.message : null);
    if ("file" in answer) keep(answer.file, `${fileName(played)}.${format}`);
    return undefined;
  });
}

/** Give a file to the browser. @param {Blob} file @param {string} name */
function keep(file, name) {
  const url = URL.createObjectURL(file);
  const link = h("a", { href: url, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

/**
 * Return a file's name after the program: its letters and digits, in any script.
 * @param {string} program
 */
export function fileName(program) {
  const words = nameOf(program).match(/[\p{L}\p{N}]+/gu) ?? [];
  return [...["gradstep", ...words].join("-")].slice(0, LONGEST).join("");
}
