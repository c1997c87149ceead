/** The sentence of the step, in plain words; read out by screen readers. */
import { h } from "#js/dom.js";
import { t as word } from "#js/i18n.js";
import { sentence } from "#js/trace/words.js";

function piece({ text, tone, code }) {
  if (code) return h("code", { "data-tone": tone }, text);
  return tone ? h("em", { "data-tone": tone }, text) : text;
}

export const say = {
  id: "say",
  title: "panel.say",
  slot: "say",
  mount(root, { trace }) {
    const line = h("p", { class: "sentence", "data-testid": "sentence", "aria-live": "polite" });
    root.append(line);
    let last = null;
    return {
      show(state) {
        const parts = sentence(trace, state, state.row, word);
        const key = parts
          .map((part) => `${part.tone ?? ""}${part.code ? "`" : ""}${part.text}`)
          .join("\u0000");
        if (key !== last) line.replaceChildren(...parts.map(piece));
        last = key;
        line.dataset.kind = state.row?.kind ?? "start";
      },
    };
  },
};
