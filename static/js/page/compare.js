/** Two programs side by side: run together, aligned by meaning, moved by one timeline, differences marked. */

import { runCode } from "#js/api.js";
import { tell } from "#js/code/notes.js";
import { set } from "#js/dom.js";
import { t } from "#js/i18n.js";
import { hreflangs, keepInAddress, keepPlace, keepSeed, rowInHash, viewIn } from "#js/player/address.js";
import { addressOf, draft, isBack, keepDraft, leave } from "#js/player/drafts.js";
import { mountKeyboard } from "#js/player/keyboard.js";
import { mountContrast } from "#js/page/contrast.js";
import { mountLanes } from "#js/page/lanes.js";
import { createPair } from "#js/page/pair.js";
import { mountRunning } from "#js/page/running.js";
import { openRun } from "#js/page/session.js";
import { createSide } from "#js/page/side.js";
import { titleOf } from "#js/page/title.js";
import { align, commonLines } from "#js/trace/align.js";
import { carriedDifference, differences, sameNumbers } from "#js/trace/differences.js";
import { subject } from "#js/trace/stops.js";

/** @typedef {import("#js/api.js").Run} Run */
/** @typedef {ReturnType<typeof createSide>} Side */
/**
 * @typedef {{
 *   root: Element, notice: Element, sides: Side[], seed: number, name: string, given: string, busy: boolean,
 *   running: ReturnType<typeof mountRunning>, request: AbortController, session: AbortController,
 *   settings: import("#js/page/session.js").Settings[], pair: import("#js/page/pair.js").Both | null,
 *   ran: string[],
 * }} Page
 */

const ABSENT = ["text", "tour", "present", "training", "why"]; // what this page has no key for
const SEEDS = 2 ** 32;
const PROGRAM = ["first", "second", "example"]; // of the query

/**
 * @param {Element} root
 * @param {{first?: string, second?: string, run?: boolean, seed?: number, title?: string | null,
 *   seconds?: number}} boot
 */
export function openCompare(root, boot) {
  const given = [boot.first ?? "", boot.second ?? ""];
  const back = isBack();
  const kept = boot.run && !back ? null : draft(addressOf(location));
  const texts = kept === null ? given : JSON.parse(kept);
  const place = (/** @type {string} */ selector) =>
    root.querySelector(selector) ?? document.createElement("div");
  /** @type {Page} */
  const page = {
    ...{ root, sides: [], seed: boot.seed ?? 0, name: boot.title ?? "", given: JSON.stringify(given) },
    ...{ busy: false, pair: null, ran: [], settings: [startOf(), startOf()] },
    notice: place("#notice"),
    running: mountRunning(place("[data-slot=running]"), boot.seconds ?? 0),
    ...{ request: new AbortController(), session: new AbortController() },
  };
  page.sides = texts.map((/** @type {string} */ doc, /** @type {number} */ i) =>
    createSide(place(i === 0 ? "#first" : "#second"), {
      doc,
      onRun: () => run(page),
      onChange: () => keepDraft(addressOf(location), JSON.stringify(page.sides.map((side) => side.text()))),
      onRoll() {
        page.seed = (page.seed + 1) % SEEDS;
        keepSeed(page.seed, hreflangs());
        run(page);
      },
    }),
  );
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || event.defaultPrevented) return;
    event.preventDefault();
    run(page);
  });
  keepPlace(() => page.pair?.k ?? -1, leave);
  run(page, rowInHash(location.hash));
}

/** What a side begins with, before a run has set anything. */
const startOf = () => ({ level: viewIn(location.hash).level ?? undefined });

/**
 * Run both programs; they are shown when both have come, and a failure of either leaves everything as it was.
 * @param {Page} page
 * @param {number | null} [k] where to stand; without it at the same step as now
 */
async function run(page, k = null) {
  page.request.abort();
  const { signal } = (page.request = new AbortController());
  tell(page, null);
  set(page.root, "data-busy", true);
  const end = page.running.watch(signal, () => {
    page.request.abort();
    set(page.root, "data-busy", null);
    tell(page, t("run.stopped"), "busy");
  });
  const texts = page.sides.map((side) => side.text());
  const how = { t, seed: page.seed, signal };
  const answers = await Promise.all(texts.map((text) => runCode(text, how)));
  if (signal.aborted) return;
  end();
  set(page.root, "data-busy", null);
  const refused = answers.find((answer) => "message" in answer);
  if (refused && "message" in refused) tell(page, refused.message);
  const runs = answers.flatMap((answer) => ("run" in answer ? [answer.run] : []));
  if (runs.length === 2) open(page, runs, texts, k);
}

/**
 * @param {Page} page
 * @param {Run[]} runs
 * @param {string[]} texts that were sent
 * @param {number | null} k
 */
function open(page, runs, texts, k) {
  const stays = k === null ? placeBefore(page, texts) : null;
  page.session.abort();
  page.session = new AbortController();
  const { signal } = page.session;
  moveOn(page, texts);
  const [left, right] = runs.map(({ trace }) => trace);
  const { changed } = commonLines(left.source, right.source);
  const opened = page.sides.map((side, i) => {
    side.show(runs[i]);
    const program = { text: texts[i], run: () => run(page), replace: side.put, edit: () => side.edit() };
    const of = `[data-of="${["left", "right"][i]}"]`;
    const shared = { settings: page.settings[i], hidden: new Set(), signal, within: page.root };
    return openRun(side.root, runs[i], { ...shared, program, of });
  });
  page.sides.forEach((side, i) => side.decorate([changed.left, changed.right][i]));
  const lines = Math.max(left.source.split("\n").length, right.source.split("\n").length);
  /** @type {HTMLElement} */ (page.root).style.setProperty("--lines", String(lines));
  const pair = createPair([opened[0].player, opened[1].player], align(left, right), { signal });
  page.pair = pair;
  page.ran = texts;
  steer(page, pair, opened, signal);
  const start = stays ? pair.placeOf(stays.side, stays.row) : (k ?? -1);
  pair.seek(start);
}

/**
 * Which row of a program that has not changed is shown now: there the new pair begins.
 * @param {Page} page
 * @param {string[]} texts
 */
function placeBefore({ pair, ran }, texts) {
  if (!pair) return null;
  const side = /** @type {0 | 1} */ (texts[0] === ran[0] ? 0 : 1);
  return { side, row: pair.players[side].k };
}

/**
 * Let one timeline, one set of keys and one address move both.
 * @param {Page} page
 * @param {import("#js/page/pair.js").Both} pair
 * @param {ReturnType<typeof openRun>[]} opened
 * @param {AbortSignal} signal
 */
function steer(page, pair, opened, signal) {
  const traces = pair.players.map(({ trace }) => trace);
  const differing = pair.pairs.map(([i, j]) => i !== null && j !== null && !sameRow(traces, i, j));
  const place = (/** @type {string} */ name) =>
    /** @type {Element} */ (page.root.querySelector(`[data-slot=${name}]`));
  const lanes = mountLanes(place("timeline"), { pair, differing, signal });
  const names = /** @type {[string, string]} */ ([t("compare.first"), t("compare.second")]);
  const contrast = mountContrast(place("contrast"), { traces, names });
  const name = JSON.stringify(page.ran) === page.given ? page.name : "";
  const onWritten = () => (document.title = titleOf(name || t("compare.title"), pair));
  const keep = keepInAddress({ signal, onWritten });
  set(page.root, "data-steps", pair.length);
  const show = () => {
    const [left, right] = pair.players.map((player) => ({ trace: player.trace, state: player.state }));
    const found = [...carried(pair), ...differences(left, right)];
    const marked = new Set(found.flatMap((each) => ("name" in each ? [each.name] : [])));
    set(page.root, "data-step", pair.k + 1);
    lanes.show();
    contrast.show(found, pair.pairs[pair.k] ?? []);
    page.sides.forEach((side) => side.mark(marked));
    keep(pair.k, pair.level);
  };
  pair.onChange(show);
  show();
  onWritten();
  const notable = pair.pairs.map((rows, p) => (rows.includes(null) ? `${rows.indexOf(null)}` : differing[p]));
  mountKeyboard(document, {
    ...{ player: /** @type {any} */ (pair), signal, present: () => {}, tour: () => {} },
    has: (part) => !ABSENT.includes(part),
    edit: () => active(page).edit(),
    fit: () => opened.forEach(({ views }) => views.fit()),
    copy: () => (opened.find(({ copying }) => copying.isPointedAt()) ?? opened[0]).copying.copy(),
    search: () => opened[0].views.search(),
    difference: (by) => toDifference(pair, notable, by),
  });
  addEventListener("hashchange", () => pair.seek(rowInHash(location.hash) ?? pair.k), { signal });
}

/**
 * What the two carry in this step, where it is one step of both and the numbers differ.
 * @param {import("#js/page/pair.js").Both} pair
 */
function carried(pair) {
  const rows = pair.players.map(({ trace, k }) => (k < 0 ? -1 : subject(trace, k)));
  if (rows.includes(-1) || pair.placeOf(0, rows[0]) !== pair.placeOf(1, rows[1])) return [];
  const [left, right] = pair.players.map(({ trace }, side) => ({ trace, row: trace.rows[rows[side]] }));
  return carriedDifference(left, right);
}

/** @param {any[]} traces @param {number} i @param {number} j */
const sameRow = ([a, b], i, j) => sameNumbers({ trace: a, row: a.rows[i] }, { trace: b, row: b.rows[j] });

/**
 * Go where the next stretch of differences begins, or the one before: to its first stop, if it has any.
 * @param {import("#js/page/pair.js").Both} pair
 * @param {(string | boolean)[]} notable what is to be noted at each position
 * @param {1 | -1} by
 */
function toDifference(pair, notable, by) {
  const begins = notable.flatMap((what, p) => (what && what !== notable[p - 1] ? [p] : []));
  const places = begins.map((from) => {
    const stop = pair.stops.find((p) => p >= from) ?? from;
    return notable.slice(from, stop + 1).every((what) => what === notable[from]) ? stop : from;
  });
  const wanted = by > 0 ? places.find((p) => p > pair.k) : places.findLast((p) => p < pair.k);
  if (wanted !== undefined) pair.seek(wanted);
}

/** The side that the reader is at. @param {Page} page */
function active({ sides }) {
  const held = sides.find(({ root }) => root.contains(document.activeElement));
  const seen = sides.find(({ root }) => root.getClientRects().length > 0);
  return held ?? seen ?? sides[0];
}

/**
 * The address names two programs: once others are played, it must not.
 * @param {Page} page
 * @param {string[]} texts
 */
function moveOn({ given }, texts) {
  const kept = JSON.stringify(texts);
  const query = new URLSearchParams(location.search);
  if (kept === given || !PROGRAM.some((name) => query.has(name))) return;
  for (const name of PROGRAM) query.delete(name);
  const search = query.size > 0 ? `?${query}` : "";
  history.replaceState(null, "", location.pathname + search + location.hash);
  keepDraft(addressOf(location), kept);
  for (const link of hreflangs()) {
    const own = new URLSearchParams(link.search);
    for (const name of PROGRAM) own.delete(name);
    link.search = `?${own}`;
  }
}
