/**
 * A parameter's update: each step of the optimizer's formula with its numbers, and what it keeps for the
 * next one. A scheduler's plan: the learning rate before and after.
 */
import { h } from "#js/dom.js";
import { t as word } from "#js/i18n.js";
import { formulaNumbers, formulaText } from "#js/panels/formula.js";
import { tensorName } from "#js/panels/names.js";
import { inline } from "#js/panels/numbers.js";
import { shortNumber } from "#js/trace/values.js";

/** "m" is PyTorch's exp_avg: what is below a number says both. */
function captions(trace, row, name) {
  const known = { p: name, g: `${name}.grad`, d: word("update.direction") };
  for (const [full, short] of row.state) {
    if (!short) continue;
    known[short] = `${short} = ${full}`;
    known[`${short}_before`] = word("update.before", { name: full });
  }
  return known;
}

function block(left, formula, terms, trace, options) {
  return h(
    "div",
    { class: "rule" },
    h(
      "p",
      { class: "rule-text" },
      h("span", { class: "partial" }, left),
      " ← ",
      formulaText(trace, formula, terms),
    ),
    formulaNumbers(trace, formula, terms, options),
  );
}

function steps(trace, state, row) {
  const name = tensorName(trace, state, row.tensor);
  const terms = { ...row.terms, p: row.before, g: row.grad };
  const told = captions(trace, row, name);
  return row.formula.split("; ").map((step) => {
    const [, short, formula] = /^(\w+) = (.*)$/.exec(step) ?? [null, null, step];
    const options = short
      ? { result: row.terms[short], captions: told, into: told[short], tone: "value" }
      : { result: row.after, captions: told, into: name, tone: "made" };
    return block(short ?? name, formula, terms, trace, options);
  });
}

function keeps(trace, row) {
  if (!row.state.length) return null;
  const lines = row.state.map(([full, , before, now]) =>
    h(
      "p",
      { class: "pair" },
      h("code", null, full),
      h(
        "span",
        { class: "kept" },
        before ? inline(trace, before, "plain", 12) : h("span", null, word("update.none")),
        " → ",
        inline(trace, now, "value", 12),
      ),
    ),
  );
  return [h("h4", null, word("update.keeps")), lines];
}

function plan(trace, row) {
  const rate = (x) => h("code", null, shortNumber(x, "float64"));
  const terms = { ...row.terms, lr: row.before };
  const numbers = row.formula.replace(/(?<![\w.])[A-Za-z_]\w*/g, (name) =>
    Object.hasOwn(terms, name) ? shortNumber(terms[name], "float64") : name,
  );
  return [
    h(
      "p",
      { class: "pair" },
      h("code", null, `${row.optimizer}.param_groups[${row.group}]["lr"]`),
      h("span", { class: "kept" }, rate(row.before), " → ", rate(row.after)),
    ),
    row.formula && row.formula !== "lr" ? h("p", { class: "rule-text" }, h("code", null, row.formula)) : null,
    row.formula && row.formula !== "lr" ? h("p", { class: "rule-text" }, h("code", null, numbers)) : null,
  ];
}

export const update = {
  id: "update",
  title: "panel.update",
  slot: "inspector",
  heading: (state) => (state.row?.kind === "lr_scheduled" ? "panel.plan" : "panel.update"),
  render({ trace }, state) {
    const row = state.row;
    if (row?.kind === "lr_scheduled") return plan(trace, row);
    if (row?.kind !== "parameter_updated") return null;
    return [steps(trace, state, row), keeps(trace, row)];
  },
};
