/** What is held in memory after this step, by what it is for, and how the step changed it. */
import { h } from "#js/dom.js";
import { t as word } from "#js/i18n.js";
import { bytesText, hasHidden, memory, reached } from "#js/trace/memory.js";

const KINDS = ["graph", "grads", "optimizer"];
const NOTHING = { graph: 0, grads: 0, optimizer: 0 };

function line(kind, text, change) {
  const sign = change > 0 ? "+" : "−";
  return h(
    "p",
    { class: "pair", "data-memory": kind },
    h("span", null, word(`memory.${kind}`)),
    h(
      "span",
      { class: "kept" },
      change === 0 ? null : h("em", null, `${sign}${bytesText(Math.abs(change))}`),
      h("code", null, text),
    ),
  );
}

export const held = {
  id: "memory",
  title: "panel.memory",
  slot: "inspector",
  render({ trace }, state) {
    const now = memory(trace)[state.k] ?? NOTHING;
    const before = memory(trace)[state.k - 1] ?? NOTHING;
    if (KINDS.every((kind) => now[kind] === 0 && before[kind] === 0)) return null;
    const [least, hidden] = [reached(trace, state), hasHidden(trace, state.k)];
    const loose = least < now.graph;
    const graph = `${hidden ? "≥ " : ""}${loose ? `${bytesText(least)} – ` : ""}${bytesText(now.graph)}`;
    return [
      KINDS.map((kind) =>
        line(kind, kind === "graph" ? graph : bytesText(now[kind]), now[kind] - before[kind]),
      ),
      loose ? h("p", { class: "card-note" }, word("memory.loose")) : null,
      hidden ? h("p", { class: "card-note" }, word("memory.hidden")) : null,
    ];
  },
};
