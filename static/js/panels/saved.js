/** What the node at hand keeps for its backward rule, and whether it has been let go. */
import { h } from "#js/dom.js";
import { t as word } from "#js/i18n.js";
import { inline } from "#js/panels/numbers.js";
import { tensorName } from "#js/panels/names.js";
import { subject } from "#js/trace/stops.js";

function nodeAtHand(trace, state) {
  const row = trace.rows[subject(trace, state.k)];
  if (row?.kind === "op_applied") return row.node;
  return state.backward?.running ?? null;
}

function line(trace, state, [name, tensor, value], freed) {
  const named = tensor ? tensorName(trace, state, tensor) : null;
  const label = named && named !== name ? `${name} = ${named}` : name;
  return h(
    "p",
    { class: "pair", "data-freed": freed ? "true" : null },
    h("span", null, h("code", null, label)),
    h(
      "span",
      { class: "kept" },
      value ? inline(trace, value, "value", 16) : null,
      h("em", null, word(freed ? "saved.freed" : "saved.kept")),
    ),
  );
}

/** What a hook keeps in the place of a tensor. */
function packedLine(trace, name, row, freed) {
  const what = word(row.kept === "Placeholder" ? "saved.placeholder" : "saved.packed", { kept: row.kept });
  return h(
    "p",
    { class: "pair", "data-freed": freed ? "true" : null },
    h("span", null, h("code", null, name)),
    h(
      "span",
      { class: "kept" },
      inline(trace, row.value, "plain", 12),
      h("em", null, freed ? word("saved.freed") : what),
    ),
  );
}

export const saved = {
  id: "saved",
  title: "panel.saved",
  slot: "inspector",
  render({ trace }, state) {
    const node = nodeAtHand(trace, state);
    const fact = node && !trace.nodes[node]?.variable ? state.saved.get(node) : null;
    if (!fact) return null;
    if (!fact.names.length) return h("p", { class: "card-note" }, word("saved.nothing"));
    const packed = fact.packed.filter((row) => row.packed === null);
    return fact.names.map((entry) => {
      const row = entry[1] === null && entry[2] === null ? packed.shift() : null;
      return row ? packedLine(trace, entry[0], row, fact.freed) : line(trace, state, entry, fact.freed);
    });
  },
};
