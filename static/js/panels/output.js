/** What the program has printed so far, and only so far; warnings among it, as a console shows both. */
import { h } from "#js/dom.js";
import { oncePerFrame } from "#js/frame.js";
import { chart } from "#js/panels/chart.js";
import { t as word } from "#js/i18n.js";

const TOLD = ["printed", "echo", "warning", "stand_in", "plotted"];

/** What stands in the output for a row that is no text. */
function shown(row) {
  if (row.kind === "plotted") return chart(row);
  return h("span", { class: "output-note" }, standInText(row), "\n");
}

/** Say what a call would have done elsewhere. */
function standInText({ module, call }) {
  const key = `stand_in.${module}`;
  return word(key, { call }) === key ? word("stand_in.other", { call }) : word(key, { call });
}

export const output = {
  id: "output",
  title: "panel.output",
  slot: "output",
  mount(root, { signal }) {
    const text = h("pre", {
      class: "output-text",
      "data-testid": "output",
      "data-empty": word("output.none"),
      tabindex: "0",
      role: "group",
      "aria-label": word("panel.output"),
    });
    root.append(text);
    let last = null;
    const scroll = oncePerFrame(() => (text.scrollTop = text.scrollHeight), signal);
    return {
      show(state) {
        const told = TOLD.includes(state.row?.kind);
        const key = `${state.output.length} ${told}`;
        if (key === last) return;
        last = key;
        const fresh = told ? state.output.length - 1 : -1;
        const extras = new Map(state.extras.map(({ row, piece }) => [piece, row]));
        const warned = new Set(state.warnings.map(({ piece }) => piece));
        text.replaceChildren(
          ...state.output.map((piece, i) =>
            h(
              "span",
              {
                "data-fresh": i === fresh ? "true" : null,
                "data-stream": warned.has(i) ? "stderr" : null,
              },
              extras.has(i) ? shown(extras.get(i)) : piece,
            ),
          ),
        );
        scroll();
      },
    };
  },
};
