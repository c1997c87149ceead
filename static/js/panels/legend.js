/** Before the first step: what the colours mean and which keys move. */
import { h } from "#js/dom.js";
import { t as word } from "#js/i18n.js";
import { termed } from "#js/panels/terms.js";

const MEANINGS = ["value", "grad", "leaf", "engine"];
const KEYS = [
  ["→ ←", "step"],
  ["Space", "play"],
  ["Shift →", "node"],
  ["?", "all"],
];

export const legend = {
  id: "legend",
  title: "panel.legend",
  slot: "inspector",
  render(ctx, state) {
    if (state.k >= 0) return null;
    const meaning = (name) => h("li", { "data-meaning": name }, termed(`legend.${name}`));
    const key = ([shown, name]) =>
      h("p", { class: "key-row" }, h("kbd", null, shown), h("span", null, word(`legend.key.${name}`)));
    return [h("ul", { class: "meanings" }, MEANINGS.map(meaning)), KEYS.map(key)];
  },
};
