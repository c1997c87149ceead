/**
 * The whole run as text: a table of its steps with line, sentence and changed values, in a dialog. Rows are
 * made when it is opened, a page of them at a time; a step's number leads there.
 */

import { h, set, write } from "#js/dom.js";
import { t as word } from "#js/i18n.js";
import { history } from "#js/trace/history.js";
import { tellSteps } from "#js/trace/told.js";

/** @typedef {import("#js/trace/told.js").Told} Told */
/** @typedef {import("#js/trace/labels.js").Part} Part */

const PAGE = 100;
const COLUMNS = ["step", "line", "what", "changes"];

/** @param {Part} part */
const piece = ({ text, tone, code }) =>
  code || tone ? h(code ? "code" : "em", { "data-tone": tone }, text) : text;

/** @param {Told["changes"][number]} change */
function changeText({ name, before, after }) {
  const from = before === null ? " = " : [": ", h("code", null, before), " → "];
  return h("p", null, piece(name), from, h("code", null, after));
}

/** Roles are said: on a phone a row is drawn as a block, which would take them away. @param {Told} told */
function lineOf({ n, k, line, parts, changes }) {
  const go = h(
    "button",
    { type: "button", class: "step-go", "data-k": k, title: word("steps.go", { step: n }) },
    n,
  );
  return h(
    "tr",
    { role: "row", "data-k": k, "aria-rowindex": n + 1 },
    h("th", { role: "rowheader", scope: "row" }, go),
    h("td", { role: "cell", "data-label": word("steps.column.line") }, line ?? "—"),
    h("td", { role: "cell", class: "step-said" }, parts.map(piece)),
    h("td", { role: "cell", class: "step-changes" }, changes.map(changeText)),
  );
}

/** The dialog, empty. */
function build() {
  const column = { role: "columnheader", scope: "col" };
  const head = COLUMNS.map((name) => h("th", column, word(`steps.column.${name}`)));
  const body = h("tbody", { role: "rowgroup" });
  const title = h("h2", { id: "steps_title" }, word("steps.title"));
  const range = h("p", { class: "steps-range", role: "status" });
  const button = (/** @type {string} */ id, /** @type {string} */ key) =>
    h("button", { type: "button", class: "button small", "data-testid": id }, word(key));
  const [before, after] = [button("steps-before", "steps.before"), button("steps-after", "steps.after")];
  const close = h("form", { method: "dialog" }, h("button", { class: "button small" }, word("key.close")));
  const top = h("thead", { role: "rowgroup" }, h("tr", { role: "row", "aria-rowindex": 1 }, head));
  const table = h("table", { role: "table", "aria-labelledby": "steps_title" }, top, body);
  const place = h(
    "div",
    { class: "steps-scroll", tabindex: 0, role: "region", "aria-labelledby": "steps_title" },
    table,
  );
  const dialog = /** @type {HTMLDialogElement} */ (
    h(
      "dialog",
      { class: "steps", "data-testid": "steps", "aria-labelledby": "steps_title" },
      h("div", { class: "steps-head" }, title, range, before, after, close),
      place,
    )
  );
  return { dialog, table, body, place, range, before, after };
}

/**
 * The dialog of one run: `ask` opens it at the present step.
 * @param {{trace: import("#js/trace/reducer.js").Trace, signal: AbortSignal,
 *   player: ReturnType<typeof import("#js/player/player.js").createPlayer>}} context
 */
function createDialog({ trace, player, signal }) {
  const { dialog, table, body, place, range, before, after } = build();
  const told = history(trace);
  let page = 0;

  function show() {
    const { level, stops } = player;
    const [from, to] = [page * PAGE, Math.min((page + 1) * PAGE, stops.length)];
    body.replaceChildren(...tellSteps(trace, { level, from, to, at: told.at, t: word }).map(lineOf));
    set(table, "aria-rowcount", stops.length + 1);
    write(range, word("steps.range", { from: from + 1, to, count: stops.length }));
    for (const button of [before, after]) set(button, "hidden", stops.length <= PAGE);
    set(before, "disabled", page === 0);
    set(after, "disabled", to >= stops.length);
    place.scrollTop = 0;
    const here = body.querySelector(`tr[data-k="${stops[player.position - 1]}"]`);
    if (here) set(here, "aria-current", "step");
    return here;
  }
  function ask() {
    player.pause();
    page = Math.max(0, Math.floor((player.position - 1) / PAGE));
    dialog.showModal();
    const here = show();
    here?.scrollIntoView({ block: "center" });
    const first = here?.querySelector("button") ?? place;
    /** @type {HTMLElement} */ (first).focus({ preventScroll: true });
  }
  const turn = (/** @type {number} */ by) => {
    page += by;
    show();
    place.focus();
  };
  before.addEventListener("click", () => turn(-1), { signal });
  after.addEventListener("click", () => turn(1), { signal });
  const follow = (/** @type {Event} */ { target }) => {
    const go = /** @type {Element} */ (target).closest("button[data-k]");
    if (!go) return;
    dialog.close();
    player.seek(Number(go.getAttribute("data-k")));
  };
  body.addEventListener("click", follow, { signal });
  return { dialog, ask };
}

/**
 * @param {Element} root
 * @param {Parameters<typeof createDialog>[0] & {hidden?: Set<string>}} context
 */
export function mount(root, { hidden, ...context }) {
  const status = root.querySelector(".status");
  if (!status || hidden?.has("text")) return { show: () => {} };
  const attributes = { type: "button", class: "button small as-text", title: word("steps.title") };
  const open = h("button", { ...attributes, "data-testid": "as-text" }, word("steps.open"));
  status.querySelector(".count")?.after(open);
  const { dialog, ask } = createDialog(context);
  document.body.append(dialog);
  context.signal.addEventListener("abort", () => dialog.remove(), { once: true });
  open.addEventListener("click", ask, { signal: context.signal });
  return { show: () => {}, text: ask };
}
