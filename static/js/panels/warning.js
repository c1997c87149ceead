/** A warning in full: the sentence above it has room for its beginning only. */
import { h } from "#js/dom.js";
import { t as word } from "#js/i18n.js";
import { warningLine } from "#js/trace/stderr.js";

export const warning = {
  id: "warning",
  title: "panel.warning",
  slot: "inspector",
  render(_, state) {
    const row = state.row;
    if (row?.kind !== "warning") return null;
    const line = warningLine(row);
    const once = row.line === null ? "warning.once.library" : "warning.once.line";
    return [
      h("p", { class: "warning-message" }, h("strong", null, row.category), ": ", row.message),
      line === null ? null : h("p", { class: "card-note" }, word(once, { line })),
    ];
  },
};
