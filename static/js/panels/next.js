/**
 * The nodes of this backward in the order in which they run: done, running, ready, waiting for so many
 * paths.
 */
import { h, set, write } from "#js/dom.js";
import { t as word } from "#js/i18n.js";
import { nodeSubject } from "#js/panels/names.js";

const BEFORE = 3;
const SHOWN = 9;

/** @type {WeakMap<object, Map<number, {node: string, k: number}[]>>} */
const passes = new WeakMap();

/** All nodes of the running backward: those that are entered, then those that nothing has reached. */
export function nodes(trace, state) {
  if (!state.backward) return [];
  if (!passes.has(trace)) passes.set(trace, new Map());
  const known = passes.get(trace);
  const { k } = state.backward;
  if (!known.has(k)) known.set(k, nodesOf(trace, state));
  return known.get(k);
}

function nodesOf(trace, state) {
  const entered = order(trace, state.backward.k);
  const known = new Set(entered.map(({ node }) => node));
  const all = new Set([...state.backward.root_nodes.filter(Boolean), ...state.expected.keys()]);
  return [...entered, ...[...all].filter((node) => !known.has(node)).map((node) => ({ node, k: Infinity }))];
}

/** The rows in which nodes are entered in the backward that begins at row `from`, nested ones left out. */
export function order(trace, from) {
  const entered = [];
  let depth = 0;
  for (let k = from; k < trace.rows.length; k += 1) {
    const { kind, node } = trace.rows[k];
    if (kind === "backward_began") depth += 1;
    if (kind === "backward_ended") depth -= 1;
    if (depth === 0) break;
    if (depth === 1 && kind === "node_entered") entered.push({ node, k });
  }
  return entered;
}

function status(state, node, k) {
  if (k < state.k && state.backward?.running !== node) return { text: word("phase.ran"), phase: "ran" };
  const phase = state.phase.get(node);
  if (state.backward?.running === node && k <= state.k)
    return { text: word("phase.running"), phase: "running" };
  if (phase === "ready") return { text: word("phase.ready"), phase };
  const total = state.expected.get(node) ?? 0;
  const left = state.missing.get(node) ?? total;
  if (total === 0) return { text: word("phase.ready"), phase: "ready" };
  if (left < total || k === Infinity)
    return { text: word("next.arrived", { arrived: total - left, total }), phase: "waiting" };
  return { text: word(total === 1 ? "next.waitsOne" : "next.waits", { total }), phase: "waiting" };
}

function makeRow(ctx, signal) {
  const name = h("code", null);
  const about = h("span", { class: "about" });
  const state = h("span", { class: "standing" });
  const button = h(
    "button",
    { class: "node-row", type: "button" },
    h("span", { class: "who" }, name, " ", about),
    state,
  );
  const row = { item: h("li", null, button), button, name, about, state, k: null };
  button.addEventListener("click", () => row.k !== null && ctx.player.seek(row.k), { signal });
  return row;
}

/** The row from k on in which a node has run, or -1. */
function ranFrom({ rows }, node, k) {
  for (let i = k; i < rows.length; i += 1)
    if (rows[i].node === node && ["node_ran", "grad_accumulated"].includes(rows[i].kind)) return i;
  return -1;
}

function fill(row, { trace }, state, { node, k }) {
  const { text, phase } = status(state, node, k);
  const ran = ranFrom(trace, node, k);
  row.k = ran < 0 ? (k === Infinity ? null : k) : ran;
  set(row.button, "disabled", row.k === null ? "" : null);
  set(row.button, "data-phase", phase);
  write(row.name, trace.nodes[node].name);
  write(row.about, nodeSubject(trace, state, node));
  write(row.state, text);
}

function empty(row) {
  row.k = null;
  set(row.button, "data-phase", null);
  for (const text of [row.name, row.about, row.state]) write(text, "");
}

function visible(all, state) {
  const now = Math.max(0, all.filter(({ k }) => k <= state.k).length - 1);
  const from = all.length <= SHOWN ? 0 : Math.min(Math.max(0, now - BEFORE), all.length - SHOWN);
  return {
    shown: all.slice(from, from + SHOWN),
    before: from,
    after: Math.max(0, all.length - from - SHOWN),
  };
}

export const next = {
  id: "next",
  title: "panel.next",
  slot: "inspector",
  mount(root, ctx) {
    const rows = Array.from({ length: SHOWN }, () => makeRow(ctx, ctx.signal));
    const before = h("p", { class: "more" });
    const after = h("p", { class: "more" });
    root.append(
      before,
      h(
        "ol",
        { class: "node-list" },
        rows.map((row) => row.item),
      ),
      after,
    );
    const show = (state) => {
      const all = nodes(ctx.trace, state);
      const part = visible(all, state);
      rows.forEach((row, i) => {
        set(row.item, "hidden", !part.shown[i]);
        if (part.shown[i]) fill(row, ctx, state, part.shown[i]);
        else empty(row);
      });
      set(before, "hidden", !part.before);
      set(after, "hidden", !part.after);
      write(before, word("next.earlier", { count: part.before }));
      write(after, word("next.later", { count: part.after }));
      return all.length > 0;
    };
    return { show };
  },
};
