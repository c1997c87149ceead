/**
 * The local rule of the node that runs: its formula, and the same formula with the numbers of this moment.
 */
import { h } from "#js/dom.js";
import { t as word } from "#js/i18n.js";
import { formulaNumbers, formulaText } from "#js/panels/formula.js";
import { nodeSubject, receiver, tensorName } from "#js/panels/names.js";
import { term, together } from "#js/panels/numbers.js";
import { shapeText } from "#js/trace/values.js";

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

/**
 * What a rule's result is summed to before it goes on: {k, after}, or null where it goes on as it is.
 */
export function reduction(trace, from, node, slot) {
  for (let k = from; k < trace.rows.length; k += 1) {
    const row = trace.rows[k];
    if (row.kind === "reduced_to_shape" && row.node === node && row.slot === slot)
      return { k, after: row.after };
    if (row.kind === "node_entered" || row.kind === "backward_ended") return null;
  }
  return null;
}

/** The row in which the running node ran, at or before row k. */
function ranAt(trace, k, node) {
  let at = k;
  while (at >= 0 && !(trace.rows[at].kind === "node_ran" && trace.rows[at].node === node)) at -= 1;
  return at;
}

/** The line below an equation: the result summed to its input's shape, which is what travels. */
function summed(trace, state, reduced, into) {
  if (!reduced || reduced.k > state.k) return null;
  const shape = shapeText(trace.values[reduced.after].shape);
  return h(
    "div",
    { class: "equation" },
    h("span", { class: "sign plain" }, word("rule.summed", { shape })),
    together("→", term(trace, reduced.after, "result", into)),
  );
}

function ruleBlock(trace, state, id, rule) {
  const node = trace.nodes[id];
  const tensor = argument(node, rule.input);
  const target = node.edges[rule.slot]?.[0] ?? null;
  const left = tensor ? partialOf(trace, state, tensor) : rule.input;
  const into = target ? word("rule.to", { name: receiver(trace, state, target) }) : null;
  const reduced = reduction(trace, Math.max(0, ranAt(trace, state.k, id)), id, rule.slot);
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
      into: reduced ? null : into,
      tone: reduced ? "grad" : "result",
    }),
    summed(trace, state, reduced, into),
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
