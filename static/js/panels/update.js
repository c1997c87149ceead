/** A parameter's update: the optimizer's formula with the numbers of this step. */
import { h } from "#js/dom.js";
import { formulaNumbers, formulaText } from "#js/panels/formula.js";
import { tensorName } from "#js/panels/names.js";

export const update = {
  id: "update",
  title: "panel.update",
  slot: "inspector",
  render({ trace }, state) {
    const row = state.row;
    if (row?.kind !== "parameter_updated") return null;
    const name = tensorName(trace, state, row.tensor);
    const terms = { ...row.terms, p: row.before, g: row.grad };
    return [
      h(
        "p",
        { class: "rule-text" },
        h("span", { class: "partial" }, name),
        " ← ",
        formulaText(trace, row.formula, terms),
      ),
      formulaNumbers(trace, row.formula, terms, {
        result: row.after,
        captions: { p: name, g: `${name}.grad` },
        into: name,
        tone: "made",
      }),
    ];
  },
};
