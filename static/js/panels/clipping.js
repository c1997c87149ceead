/** Clipping: the norm of all gradients, the factor that comes of it, and each `.grad` before and after. */
import { h } from "#js/dom.js";
import { t as word } from "#js/i18n.js";
import { formulaNumbers, formulaText } from "#js/panels/formula.js";
import { tensorName } from "#js/panels/names.js";
import { inline } from "#js/panels/numbers.js";

const FACTOR = "min(1, max_norm / (total + 1e-6))";

function pair(label, ...values) {
  return h("p", { class: "pair" }, h("code", null, label), h("span", { class: "kept" }, values));
}

function norm(trace, row) {
  const terms = { max_norm: row.max_norm, total: row.total };
  const kind = row.norm_type === null ? "total" : word("clipping.norm", { p: row.norm_type });
  return [
    pair(kind, inline(trace, row.total, "grad")),
    h(
      "div",
      { class: "rule" },
      h("p", { class: "rule-text" }, "factor = ", formulaText(trace, FACTOR, terms)),
      formulaNumbers(trace, FACTOR, terms, { result: row.factor, into: "factor", tone: "value" }),
    ),
  ];
}

export const clipping = {
  id: "clipping",
  title: "panel.clipping",
  slot: "inspector",
  render({ trace }, state) {
    const row = state.row;
    if (row?.kind !== "grad_norm_clipped" && row?.kind !== "grad_value_clipped") return null;
    const bounds = row.kind === "grad_value_clipped" ? pair("clip_value", String(row.clip_value)) : null;
    const lines = row.tensors.map((tensor, i) =>
      pair(
        `${tensorName(trace, state, tensor)}.grad`,
        inline(trace, row.before[i], "plain", 14),
        " → ",
        inline(trace, row.after[i], "grad", 14),
      ),
    );
    return [bounds ?? norm(trace, row), lines];
  },
};
