/** The input buffers of this backward: what has arrived at nodes that have not run yet. */
import { h } from "#js/dom.js";
import { t as word } from "#js/i18n.js";
import { queueLabel } from "#js/panels/names.js";
import { asked, inline } from "#js/panels/numbers.js";

const MOST = 8;

/** How many edges that lead to a node have brought something; a nested backward keeps a count of its own. */
function arrived(state, node) {
  const { kept } = state.backward;
  const { expected, missing } = kept && !state.expected.has(node) ? kept : state;
  const total = expected.get(node) ?? 0;
  return total === 0 ? "" : word("next.arrived", { arrived: total - (missing.get(node) ?? total), total });
}

export const buffers = {
  id: "buffers",
  title: "panel.buffers",
  slot: "inspector",
  render({ trace, player }, state) {
    if (player?.level !== "engine" || !state.backward) return null;
    const all = [...state.buffer].filter(([key]) => trace.nodes[key.split(":")[0]]);
    const lines = all.slice(0, MOST).map(([key, v]) => {
      const [node, nr = "0"] = key.split(":");
      const place = trace.nodes[node].outputs.length > 1 ? ` [${nr}]` : "";
      return h(
        "li",
        null,
        h(
          "p",
          { class: "pair" },
          h("code", null, `${queueLabel(trace, state, node)}${place}`),
          asked(inline(trace, v, "grad", 16), { node, input_nr: Number(nr) }),
        ),
        h("p", { class: "queue-note" }, arrived(state, node)),
      );
    });
    if (lines.length === 0) return null;
    return h("ul", { class: "hooks" }, lines);
  },
};
