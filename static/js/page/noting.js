/** What is noted of a run above its code, with the ways that lead on from it. Runs nothing itself. */

import { showNotes } from "#js/code/notes.js";
import { hreflangs, keepSeed } from "#js/player/address.js";
import { keepPlayed } from "#js/player/drafts.js";
import { noticed } from "#js/panels/doctor.js";

const SEEDS = 2 ** 32;

/**
 * Offer the mended text in the editor, and the way back; the draft stays what the reader wrote. Tell what is
 * wrong with the program, and how to take a change back that was made because of that.
 * @param {any} page
 * @param {any} answer
 * @param {string} code
 * @param {Record<string, (...args: any[]) => unknown>} actions `run`, `edit` and `goTo` take the page first;
 *   `replace` puts another program in the place of this one
 */
export function note(page, { trace, errors = [] }, code, { replace, run, edit, goTo }) {
  const { source, mended, rows } = trace;
  const before = page.fixed?.after === code ? page.fixed.before : null;
  if (mended) page.mended = { own: code, program: source, mends: mended };
  else if (code !== page.mended?.program) page.mended = null;
  if (mended) put(page, source);
  showNotes(page.slot("notes"), {
    mends: page.mended?.mends,
    errors,
    findings: noticed(trace),
    onGo: (row) => goTo(page, row, "pane-inspector"),
    onUndo: before !== null && (() => replace(before)),
    seeded: rows.filter((/** @type {any} */ row) => row.kind === "seeded"),
    onRoll() {
      page.seed = (page.seed + 1) % SEEDS;
      keepSeed(page.seed, hreflangs());
      run(page, code);
    },
    onBack() {
      keepPlayed(""); // who comes back finds this text, not its run
      put(page, page.mended?.own ?? code);
      edit(page);
    },
  });
}

/** Put a text into the editor that is not the reader's. @param {any} page @param {string} text */
function put(page, text) {
  page.quiet = true;
  page.editor.setText(text);
  page.quiet = false;
}
