/**
 * The local rule of the node that runs: its formula, and the same formula with the numbers of this moment.
 */
import { h } from "#js/dom.js";
import { t as word } from "#js/i18n.js";
import { formulaNumbers, formulaText } from "#js/panels/formula.js";
import { nodeSubject, receiver, tensorName } from "#js/panels/names.js";

const argument = (node, name) => node.args.find(([arg]) => arg === name)?.[1]?.tensor ?? null;

const simple = (name) => /^[\w.]+$/.test(name);

function partial(root, name) {
  return `∂${root}/∂${simple(name) ? name : `(${name})`}`;
}

function captions(trace, state, node, rule) {
  const names = {
    grad: partialOf(trace, state, node.outputs[0]),
    result: nodeSubject(trace, state, state.backward.running),
  };
  for (const name of Object.keys(rule.terms)) {
    const tensor = argument(node, name);
    if (tensor) names[name] = `${name} = ${tensorName(trace, state, tensor)}`;
  }
  return names;
}

function partialOf(trace, state, tensor) {
  const root = tensorName(trace, state, state.backward.roots[0]);
  return partial(simple(root) ? root : word("rule.root"), tensorName(trace, state, tensor));
}

function ruleBlock(trace, state, id, rule) {
  const node = trace.nodes[id];
  const tensor = argument(node, rule.input);
  const target = node.edges[rule.slot]?.[0] ?? null;
  const left = tensor ? partialOf(trace, state, tensor) : rule.input;
  const current =
    state.row.kind === "edge_flowed" && state.row.node === id ? state.row.slot === rule.slot : null;
  return h(
    "div",
    { class: "rule", "data-current": current === null ? null : String(current) },
    h(
      "p",
      { class: "rule-text" },
      h("span", { class: "partial" }, left),
      " = ",
      formulaText(trace, rule.formula, rule.terms),
    ),
    formulaNumbers(trace, rule.formula, rule.terms, {
      result: rule.result,
      captions: captions(trace, state, node, rule),
      into: target ? word("rule.to", { name: receiver(trace, state, target) }) : null,
    }),
  );
}

/**
 * A card {id, title, slot, render}: render returns the card's children, or null when it has nothing to
 * say.
 */
export const rule = {
  id: "rule",
  title: "panel.rule",
  slot: "inspector",
  render({ trace }, state) {
    const id = state.backward?.running;
    const rules = id ? state.rules.get(id) : null;
    if (!rules?.length || state.phase.get(id) !== "running") return null;
    return rules.map((each) => ruleBlock(trace, state, id, each));
  },
};
