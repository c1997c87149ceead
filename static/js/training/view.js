/**
 * Training: what a loop did over its rounds, in the place of the graph. Offered where a loop went round at
 * least twice; made when it is first looked at.
 */

import { h, set, write } from "#js/dom.js";
import { t as word } from "#js/i18n.js";
import { loops } from "#js/trace/iterations.js";
import { training } from "#js/trace/training.js";
import { createCursor } from "#js/training/cursor.js";
import { clipping, losses } from "#js/training/curves.js";
import { strips } from "#js/training/strips.js";
import { createTable } from "#js/training/table.js";

/** @typedef {import("#js/trace/reducer.js").State} State */
/** @typedef {import("#js/trace/iterations.js").Loop} Loop */
/** @typedef {import("#js/trace/training.js").Training} Training */
/** @typedef {{signal: AbortSignal, player: any, trace: any, kind: {name: string}}} Context */

/** The loop that row k is in or after, else the first. @param {Loop[]} all @param {number} k */
export const loopNear = (all, k) => all.findLast(({ from }) => from <= k) ?? all[0];

/** The round that a row is in or after; -1 before the first. @param {Loop} loop @param {number} k */
export const roundOf = ({ rounds }, k) => rounds.findLastIndex(({ from }) => from <= k);

/** What can be shown for each parameter: [name, curves]. @param {Training} made */
function kinds({ grads, ratios, states, rates }) {
  /** @type {[string, import("#js/trace/training.js").Curve[]][]} */
  const all = [
    ["grads", grads],
    ["ratios", ratios],
  ];
  for (const { name, curves } of states) if (name !== "step") all.push([name, curves]);
  const varies = rates.filter(({ points }) => points.some(({ y }) => y !== points[0].y));
  all.push(["lr", varies]);
  return all.filter(([, curves]) => curves.length > 0);
}

/** @param {string} kind */
const titleOf = (kind) =>
  ["grads", "ratios", "lr"].includes(kind)
    ? word(`training.${kind}`)
    : word("training.state", { name: kind });

/** @param {string} kind */
const noteOf = (kind) =>
  ["grads", "ratios", "lr"].includes(kind) ? word(`training.${kind}.note`) : word("training.state.note");

/**
 * Radio buttons for what the strips show.
 * @param {string[]} names
 * @param {AbortSignal} signal
 * @param {(name: string) => void} choose
 */
function chooser(names, signal, choose) {
  const inputs = names.map((value) => {
    const input = h("input", { type: "radio", name: "training-kind", value });
    input.addEventListener("change", () => choose(value), { signal });
    return /** @type {HTMLInputElement} */ (input);
  });
  const chips = inputs.map((input, i) => h("label", null, input, h("span", null, titleOf(names[i]))));
  const legend = h("legend", { class: "visually-hidden" }, word("training.kind"));
  return {
    element: h("fieldset", { class: "chips-row", hidden: names.length === 0 }, legend, chips),
    /** @param {string} name */
    show(name) {
      for (const input of inputs) input.checked = input.value === name;
    },
  };
}

/**
 * The strips of the kind that is chosen.
 * @param {ReturnType<typeof kinds>} all
 * @param {{name: string}} kind
 * @param {any} context
 * @param {() => void} changed
 */
function chosenStrips(all, kind, context, changed) {
  const [place, note] = [h("div", { class: "strips-place" }), h("p", { class: "card-note" })];
  const chips = chooser(
    all.map(([name]) => name),
    context.signal,
    (name) => {
      kind.name = name;
      make();
      changed();
    },
  );
  /** @type {{element: Element, show(i: number): void} | null} */
  let strip = null;
  const chosen = () => all.find(([name]) => name === kind.name) ?? all[0] ?? null;
  function make() {
    const found = chosen();
    if (!found) return;
    const [name, curves] = found;
    strip = strips(curves, { ...context, name: titleOf(name), kind: name });
    place.replaceChildren(strip.element);
    write(note, noteOf(name));
    chips.show(name);
  }
  make();
  return {
    elements: [chips.element, note, place],
    curves: () => chosen()?.[1] ?? [],
    show: (/** @type {number} */ i) => strip?.show(i),
  };
}

/**
 * The charts of one loop.
 * @param {Loop} loop
 * @param {Context} context
 */
function charts(loop, { trace, player, signal, kind }) {
  const made = training(trace, loop);
  const count = loop.rounds.length;
  const now = () => roundOf(loop, player.k);
  const seek = (/** @type {number} */ k) => player.seek(k);
  const cursor = createCursor({ count, now, seek, changed: () => show() });
  const context = { count, signal, cursor };
  const parts = [
    ...(made.losses.length ? [losses(made.losses, context)] : []),
    ...(made.clips.length ? [clipping(made.clips, context)] : []),
  ];
  const strip = chosenStrips(kinds(made), kind, context, () => show());
  const head = h("p", { class: "training-head", "data-testid": "training-head" });
  const rows = loop.rounds.map(({ from }) => from);
  const table = createTable({
    count,
    signal,
    seek,
    rows,
    columns: () => [...made.losses, ...strip.curves()],
  });
  function show() {
    const i = cursor.i();
    const key = cursor.isPointed() ? "training.pointed" : i < 0 ? "training.ahead" : "training.now";
    write(head, word(key, { i: i + 1, count, line: loop.line }));
    for (const part of [...parts, strip]) part.show(i);
    table.show(now());
  }
  table.element.addEventListener("toggle", show, { signal });
  const shown = [head, parts.map((part) => part.element), strip.elements, table.element];
  return { element: h("div", { class: "charts" }, shown), show };
}

/**
 * @param {Element} root
 * @param {{trace: any, player: any, signal: AbortSignal, root: Element}} context
 */
export function mount(root, { trace, player, signal, root: page }) {
  const all = loops(trace);
  const isOpen = () => all.length > 0 && page.getAttribute("data-centre") === "training";
  if (all.length === 0) {
    set(page, "data-centre", null);
    return { show() {}, toggle() {} };
  }
  const kind = { name: "grads" };
  /** @type {Map<Loop, ReturnType<typeof charts>>} */
  const made = new Map();
  const body = h("div", { class: "training-body", "data-testid": "training" });
  /** @type {Loop | null} */
  let shown = null;
  const buttons = ["graph", "training"].map((name) => {
    const element = h(
      "button",
      { type: "button", class: "pane-tab", "data-testid": `tab-${name}` },
      word(`centre.${name}`),
    );
    element.addEventListener("click", () => open(name === "training"), { signal });
    return { name, element };
  });
  root.replaceChildren(
    h(
      "div",
      { class: "pane-tabs", role: "group", "aria-label": word("centre.title") },
      buttons.map(({ element }) => element),
    ),
    body,
  );

  /** @param {boolean} wanted */
  function open(wanted) {
    set(page, "data-centre", wanted ? "training" : null);
    show(player.state);
  }

  /** @param {State} state */
  function show({ k }) {
    for (const { name, element } of buttons)
      set(element, "aria-pressed", String((name === "training") === isOpen()));
    set(body, "hidden", !isOpen());
    if (!isOpen()) return;
    const loop = loopNear(all, k);
    if (!made.has(loop)) made.set(loop, charts(loop, { trace, player, signal, kind }));
    const here = /** @type {ReturnType<typeof charts>} */ (made.get(loop));
    if (shown !== loop) body.replaceChildren(here.element);
    shown = loop;
    here.show();
  }
  return { show, toggle: () => open(!isOpen()) };
}
