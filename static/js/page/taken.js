/** A page that was taken away: one run that plays without a server. Everything it needs is in the file. */

import { showNotes } from "#js/code/notes.js";
import { set, write } from "#js/dom.js";
import { t, use } from "#js/i18n.js";
import { noticed } from "#js/panels/doctor.js";
import { rowInHash, viewIn } from "#js/player/address.js";
import { copyText } from "#js/page/copying.js";
import { choose } from "#js/page/panes.js";
import { openSession } from "#js/page/session.js";
import { nameOf } from "#js/page/title.js";
import { openView } from "#js/page/view.js";

const NEED_A_SERVER = ["edit", "why", "seal"];

/** @param {string} id */
const part = (id) => document.getElementById(id) ?? document.createElement("div");

/**
 * @param {Record<string, string>} words the dictionary
 * @param {import("#js/api.js").Run} run
 */
export function openTaken(words, run) {
  use(words);
  const { level, step, name } = JSON.parse(part("boot").textContent || "{}");
  const root = /** @type {Element} */ (document.querySelector("[data-testid=player]"));
  const { source, expression, rows, outcome } = run.trace;
  const called = name || nameOf(source, expression?.typed);
  const stay = () => undefined;
  write(part("name"), called);
  set(root, "data-mode", "play");
  choose(outcome.kind === "refused" ? "pane-code" : "pane-graph");
  const player = openSession(root, run, {
    settings: { level: viewIn(location.hash).level ?? level },
    program: { text: source, run: stay, replace: stay, edit: stay },
    name: called,
    view: openView(root, NEED_A_SERVER),
    signal: new AbortController().signal,
    alone: true,
  });
  player.seek(rowInHash(location.hash) ?? (outcome.kind === "refused" ? rows.length : step) - 1);
  tell(root, run.trace, player);
  part("copy-program").addEventListener("click", async () => {
    write(part("copied"), t((await copyText(source)) ? "taken.copied" : "taken.notCopied"));
  });
  /** @type {HTMLElement | null} */ (root.querySelector("[data-testid=next]"))?.focus();
}

/** What is noted of the run above its code. @param {Element} root @param {any} trace @param {any} player */
function tell(root, trace, player) {
  const place = root.querySelector("[data-slot=notes]");
  if (!place) return;
  const nothing = () => undefined;
  showNotes(place, {
    mends: trace.mended,
    errors: [], // they are explained on the server's pages
    findings: noticed(trace),
    onGo(/** @type {number} */ row) {
      choose("pane-inspector");
      player.seek(row);
    },
    onUndo: false,
    seeded: trace.rows.filter((/** @type {any} */ row) => row.kind === "seeded"),
    onRoll: nothing,
    onBack: nothing,
  });
}
