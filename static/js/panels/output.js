/** What the program has printed so far, and only so far; warnings among it, as a console shows both. */
import { h } from "#js/dom.js";
import { t as word } from "#js/i18n.js";

export const output = {
  id: "output",
  title: "panel.output",
  slot: "output",
  mount(root) {
    const text = h("pre", {
      class: "output-text",
      "data-testid": "output",
      "data-empty": word("output.none"),
      tabindex: "0",
      "aria-label": word("panel.output"),
    });
    root.append(text);
    let last = null;
    return {
      show(state) {
        const told = state.row?.kind === "printed" || state.row?.kind === "warning";
        const key = `${state.output.length} ${told}`;
        if (key === last) return;
        last = key;
        const fresh = told ? state.output.length - 1 : -1;
        const warned = new Set(state.warnings.map(({ piece }) => piece));
        text.replaceChildren(
          ...state.output.map((piece, i) =>
            h(
              "span",
              {
                "data-fresh": i === fresh ? "true" : null,
                "data-stream": warned.has(i) ? "stderr" : null,
              },
              piece,
            ),
          ),
        );
        text.scrollTop = text.scrollHeight;
      },
    };
  },
};
