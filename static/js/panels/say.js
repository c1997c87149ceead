/** The sentence of the step, in plain words; read out by screen readers. */
import { h, set } from "#js/dom.js";
import { t as word } from "#js/i18n.js";
import { gradientOf } from "#js/trace/gradients.js";
import { sentence } from "#js/trace/words.js";

/** A number in it is shown whole, and can be copied, at the pointer and the focus: `v` is its value's id. */
function piece({ text, tone, code, v }) {
  if (v) {
    const values = JSON.stringify([["", v]]);
    return h("code", { "data-tone": tone, "data-values": values, tabindex: 0 }, text);
  }
  if (code) return h("code", { "data-tone": tone }, text);
  return tone ? h("em", { "data-tone": tone }, text) : text;
}

export const say = {
  id: "say",
  title: "panel.say",
  slot: "say",
  mount(root, { trace, questions = null }) {
    const line = h("p", { class: "sentence", "data-testid": "sentence", "aria-live": "polite" });
    const label = [word("panel.why"), " ", h("kbd", { "aria-hidden": "true" }, "w")];
    const ask = h("button", { class: "button small ask", type: "button" }, label);
    root.append(line, ...(questions ? [ask] : []));
    let last = null;
    return {
      show(state) {
        const parts = sentence(trace, state, state.row, word);
        const key = parts
          .map((part) => `${part.tone ?? ""}${part.code ? "`" : ""}${part.v ?? ""} ${part.text}`)
          .join("\u0000");
        if (key !== last) line.replaceChildren(...parts.map(piece));
        last = key;
        const isAsked = Boolean(questions) && gradientOf(trace, state.k) !== null;
        set(ask, "data-off", !isAsked);
        set(ask, "disabled", !isAsked);
        set(ask, "data-why", isAsked ? JSON.stringify({ row: state.k }) : null);
        line.dataset.kind = state.row?.kind ?? "start";
      },
    };
  },
};
