/** The sandbox page: editor → server → player → views, keys, address. It wires them. */

import { askAbout, checkRun, runCode } from "#js/api.js";
import { createEditor } from "#js/code/editor.js";
import { mountFormula } from "#js/code/formula.js";
import { tell } from "#js/code/notes.js";
import { set } from "#js/dom.js";
import { t } from "#js/i18n.js";
import { hashOf, keepPlace, rowInHash, viewIn } from "#js/player/address.js";
import { addressOf, draft, isBack, keepDraft, keepPlayed, leave, played } from "#js/player/drafts.js";
import { keepValues, keptValues, moveOn } from "#js/player/drafts.js";
import { mountSeal } from "#js/player/seal.js";
import { mountChanges } from "#js/page/changes.js";
import { flash, numbersShown } from "#js/page/flash.js";
import { choose } from "#js/page/panes.js";
import { mountRunning } from "#js/page/running.js";
import { openSession } from "#js/page/session.js";
import { note } from "#js/page/noting.js";
import { mountTaking } from "#js/page/taking.js";
import { nameOf } from "#js/page/title.js";
import { openView } from "#js/page/view.js";
import { momentsOf } from "#js/trace/moments.js";
import { messageText } from "#js/trace/refusals.js";

/**
 * @typedef {import("#js/api.js").Run} Run
 * @typedef {ReturnType<typeof openSession>} Player
 * @typedef {{
 *   root: Element, notice: Element, given: string, slot(name: string): Element,
 *   name: string, view: ReturnType<typeof openView>, running: ReturnType<typeof mountRunning>,
 *   seal: ReturnType<typeof mountSeal>, formula: ReturnType<typeof mountFormula>,
 *   whatif: ReturnType<typeof mountChanges>,
 *   editor: ReturnType<typeof createEditor>,
 *   settings: import("#js/page/session.js").Settings,
 *   mended: {own: string, program: string, mends: import("#js/code/notes.js").Mend[]} | null, quiet: boolean,
 *   fixed: {before: string, after: string} | null, seed: number,
 *   request: AbortController, session: AbortController, player: Player | null, played: string,
 * }} Page
 */

const place = (/** @type {string} */ id) => document.getElementById(id) ?? document.createElement("div");

/**
 * @param {Element} root
 * @param {{code?: string, run?: boolean, seed?: number, title?: string | null, seconds?: number}} boot
 *   `run`: play `code` at once; `title`: how the page's own text calls that program
 */
export function openSandbox(root, boot) {
  const back = isBack();
  const code = (boot.run && !back ? null : draft(addressOf(location))) ?? boot.code ?? "";
  const slot = (/** @type {string} */ name) =>
    root.querySelector(`[data-slot="${name}"]`) ?? document.createElement("div");
  /** @type {Page} */
  const page = {
    root,
    slot,
    settings: { level: viewIn(location.hash).level ?? undefined },
    name: boot.title ?? "",
    view: openView(root),
    running: mountRunning(slot("running"), boot.seconds ?? 0),
    player: null,
    played: "",
    mended: null,
    fixed: null,
    quiet: false,
    seed: boot.seed ?? 0,
    given: boot.code ?? "",
    notice: document.getElementById("notice") ?? document.createElement("p"),
    seal: mountSeal(place("seal"), place("refusal"), (row) => goTo(page, row)),
    formula: mountFormula(slot("formula"), {
      stored: keptValues,
      onKeep: () => keepProgram(page),
      onValues(typed, values) {
        keepValues(typed, values);
        run(page, typed, hashOf(page.player?.k ?? -1), { stays: true });
      },
    }),
    whatif: mountChanges(slot("whatif"), (text) => run(page, text, "", { stays: true, moment: true })),
    request: new AbortController(),
    session: new AbortController(),
    editor: createEditor(slot("editor"), {
      doc: code,
      onRun: (/** @type {string} */ text) => run(page, text),
      onChange(/** @type {string} */ text) {
        page.formula.match(text);
        if (!page.quiet) keepDraft(addressOf(location), text);
      },
    }),
  };
  place("run").addEventListener("click", () => run(page, page.editor.text()));
  place("edit").addEventListener("click", () => edit(page));
  mountTaking(page, () => asIs(page, page.played));
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || event.defaultPrevented) return;
    event.preventDefault();
    run(page, page.editor.text());
  });
  const link = /** @type {HTMLAnchorElement | null} */ (document.getElementById("compare-this"));
  link?.addEventListener("click", () => {
    link.search = `?${new URLSearchParams({ first: page.editor.text() })}`;
  });
  keepPlace(() => Number(root.getAttribute("data-step")) - 1, leave);
  const plays = boot.run || !page.view.has("edit"); // who may not edit is given a run
  if ((plays && code === boot.code) || (back && code === played())) run(page, code, location.hash);
}

/**
 * Run a program; only the latest run is shown, and a failure or a stop leaves everything as it was.
 * @param {Page} page
 * @param {string} code
 * @param {string} [hash]
 * @param {{stays?: boolean, moment?: boolean, more?: object}} [how] `stays`: the reader is busy elsewhere,
 *   only what is shown changes; `moment`: whatever row that is now; `more`: what else the request says
 */
async function run(page, code, hash = "", { stays = false, moment = false, more = {} } = {}) {
  page.request.abort();
  const { signal } = (page.request = new AbortController());
  tell(page, null);
  set(page.root, "data-busy", true);
  const end = page.running.watch(signal, () => stop(page));
  const { seed, leaves, ...rest } = asIs(page, code);
  const how = { t, seed, leaves, more: { ...rest, ...more }, signal };
  const answer = await runCode(code, how);
  if ("aborted" in answer || signal.aborted) return;
  end();
  set(page.root, "data-busy", null);
  tell(page, "message" in answer ? answer.message : null);
  if (!("run" in answer)) return;
  const numbers = moment ? numbersShown(page.root) : null;
  const { player, settings } = page;
  const same = moment && player ? momentsOf(player.trace, answer.run.trace) : null;
  settings.picked = same ? same.picked(settings.picked) : null;
  open(page, answer.run, code, same && player ? hashOf(same.row(player.k)) : hash, stays);
  if (numbers) flash(page.root, numbers);
}

/** End the run under way: the server ends its process when the request is called off. @param {Page} page */
function stop(page) {
  page.request.abort();
  set(page.root, "data-busy", null);
  tell(page, t("run.stopped"), "busy");
  const mode = page.root.getAttribute("data-mode");
  if (mode === "edit") page.editor.focus();
  else focusOn(page, "[data-testid=next]");
}

/** @param {{root: Element}} page @param {string} selector */
const focusOn = ({ root }, selector) =>
  /** @type {HTMLElement | null} */ (root.querySelector(selector))?.focus();

/**
 * Put a run in place of the one before.
 * @param {Page} page
 * @param {Run} answer
 * @param {string} code
 * @param {string} hash
 * @param {boolean} stays
 */
function open(page, answer, code, hash, stays) {
  page.session.abort();
  page.session = new AbortController();
  keepPlayed(code);
  page.played = code;
  if (code !== page.given) moveOn(code);
  const { replace } = programOf(page, code);
  note(page, answer, code, { replace, run, edit, goTo });
  page.formula.show(answer.trace.expression);
  try {
    const { settings, view, session, whatif } = page;
    const program = programOf(page, code);
    const name = code === page.given && page.name ? page.name : nameOf(code, answer.trace.expression?.typed);
    const { signal } = session;
    page.player = openSession(page.root, answer, { settings, program, view, name, whatif, signal });
    begin(page, page.player, answer.trace.outcome, hash, stays);
    check(page, answer.text);
  } catch (error) {
    tell(page, t("run.broken", { message: /** @type {Error} */ (error).message }));
    throw error;
  }
}

/**
 * Have the run checked once its first picture stands; its seal says what came out.
 * @param {Page} page
 * @param {string} text
 */
async function check({ seal, session: { signal } }, text) {
  seal.show({ checking: true });
  await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  const found = signal.aborted ? { aborted: true } : await checkRun(text, { signal });
  if (!("aborted" in found)) seal.show(/** @type {any} */ (found));
}

/**
 * Show a row that something outside of the player speaks of, on a phone in the pane that tells of it.
 * @param {Page} page @param {number} row @param {string} [pane]
 */
function goTo({ root, player }, row, pane = "") {
  choose(pane);
  set(root, "data-mode", "play");
  player?.seek(row);
  focusOn({ root }, "[data-testid=next]");
}

/**
 * Stand where the reader expects to: at the step of the address, else before the first row. A program that
 * was not run has one row, which says why. The editor marks the fault for when it is opened again.
 * @param {Page} page
 * @param {Player} player
 * @param {{kind: string, at?: any, message?: string}} outcome
 * @param {string} hash
 * @param {boolean} stays
 */
function begin(page, player, outcome, hash, stays) {
  const refused = outcome.kind === "refused";
  page.editor.mark(outcome.at ?? null, outcome.message ? messageText(/** @type {any} */ (outcome), t) : null);
  player.seek(rowInHash(hash) ?? (refused ? player.length - 1 : -1));
  if (stays) return;
  set(page.root, "data-mode", "play");
  choose(refused ? "" : "pane-graph");
  focusOn(page, "[data-testid=next]");
}

/** A program as it is run: seed, values, changed numbers. @param {Page} page @param {string} code */
function asIs(page, code) {
  return { code, seed: page.seed, leaves: page.formula.valuesFor(code), ...page.whatif.of(code) };
}

/**
 * What views may do with the program; see `views.js`.
 * @param {Page} page
 * @param {string} text
 */
function programOf(page, text) {
  const again = (/** @type {string} */ changed, more = {}) =>
    run(page, changed, hashOf(page.player?.k ?? -1), { stays: true, more });
  return {
    text,
    run: again,
    move: page.whatif.move,
    ask: (/** @type {string} */ path, /** @type {object} */ body, /** @type {AbortSignal} */ signal) =>
      askAbout(path, { ...asIs(page, text), ...body }, { t, signal }),
    async replace(/** @type {string} */ changed, offersBack = false) {
      page.fixed = offersBack ? { before: text, after: changed } : null;
      page.editor.setText(changed);
      await again(changed);
      focusOn(page, "[data-testid=next]");
    },
    edit(/** @type {string} */ changed = page.editor.text()) {
      if (changed !== page.editor.text()) page.editor.setText(changed);
      edit(page);
    },
  };
}

/** @param {Page} page */
function edit(page) {
  if (!page.view.has("edit")) return;
  page.player?.pause();
  set(page.root, "data-mode", "edit");
  page.editor.focus();
}

/**
 * Put the program of a formula into the editor, as if it had been typed.
 * @param {Page} page
 */
function keepProgram(page) {
  page.editor.setText(page.player?.trace.source ?? page.editor.text());
  page.formula.show(null);
  edit(page);
}
