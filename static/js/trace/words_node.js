/** The sentences of backward: the pass, its nodes, its edges, and where `.grad` is written. */

import {
  edgeTensor,
  inputTensor,
  isShare,
  nameOf,
  outputsOf,
  plainNode,
  sourceText,
} from "#js/trace/labels.js";
import { how, lacks } from "#js/trace/rules.js";
import { shapeText } from "#js/trace/values.js";
import { skipped } from "#js/trace/words_skipped.js";

/** @typedef {import("#js/trace/reducer.js").Row} Row */
/** @typedef {import("#js/trace/labels.js").Part} Part */
/** @typedef {import("#js/trace/speech.js").Saying} Saying */
/** @typedef {import("#js/trace/speech.js").Speaker} Speaker */
/** @typedef {import("#js/trace/speech.js").Values} Values */

/** @type {Record<string, (row: Row, to: Speaker) => Saying>} */
export const nodeWords = {
  backward_began(row, to) {
    const source = sourceText(to.trace, row.at);
    const expression = to.code(source ?? `${row.api}()`);
    const roots = to.list(row.roots.map((/** @type {string} */ id) => [rootOf(id, source, to)]));
    const grads = to.list(row.grads.map((/** @type {string | null} */ v) => [to.grad(v)]));
    return [
      {
        key: row.implicit ? "row.backward_began.implicit" : "row.backward_began",
        values: { expression, roots, grads },
      },
    ];
  },
  node_ready(row, to) {
    const key = to.state.expected.get(row.node) === 0 ? "row.node_ready.root" : "row.node_ready";
    if (row.handed_by && key === "row.node_ready") {
      const values = { node: to.node(row.node), from: to.code(row.handed_by), device: to.code(row.device) };
      return [{ key: "row.node_ready.handed", values }];
    }
    return [{ key, values: { node: to.node(row.node) } }];
  },
  node_entered: (row, to) => [
    { key: "row.node_entered", values: { node: to.node(row.node), grads: gradsOf(row.grads, to) } },
  ],
  hook_ran: (row, to) => [
    {
      key: row.before === row.after ? "row.hook_ran.same" : "row.hook_ran",
      values: {
        hook: to.code(row.hook),
        node: to.node(row.node),
        before: to.grad(row.before),
        after: to.grad(row.after),
      },
    },
  ],
  grad_retained: (row, to) => [
    {
      key: row.before === null ? "row.grad_retained" : "row.grad_retained.sum",
      values: { name: to.tensor(row.tensor), ...accumulation(row, to) },
    },
  ],
  grad_accumulated(row, to) {
    const values = { name: to.tensor(row.tensor), ...accumulation(row, to) };
    if (row.arriving === null) return [{ key: "row.grad_accumulated.none_came", values }];
    if (row.how === "nothing") return [{ key: "row.grad_accumulated.nothing", values }];
    return [{ key: row.before === null ? "row.grad_accumulated.first" : "row.grad_accumulated.sum", values }];
  },
  node_ran: (row, to) => [
    ...ran(row, to),
    ...skipped(row, to, inputOf),
    ...to.notFinite("row.node_ran.not_finite", row.grads),
  ],
  reduced_to_shape(row, to) {
    const shape = (/** @type {string} */ v) => to.code(shapeText(to.trace.values[v].shape));
    const values = {
      node: to.node(row.node),
      input: inputOf(row.node, row.slot, to),
      before: to.grad(row.before),
      after: to.grad(row.after),
      from: shape(row.before),
      to: shape(row.after),
    };
    return [{ key: "row.reduced_to_shape", values }];
  },
  saved_freed(row, to) {
    const names = to.list(row.names.map((/** @type {string} */ name) => [to.code(name)]));
    const key = row.names.length > 0 ? "row.saved_freed" : "row.saved_freed.nothing";
    return [{ key, values: { node: to.node(row.node), names } }];
  },
  edge_flowed(row, to) {
    const values = { node: to.node(row.node), target: to.node(row.target), grad: to.grad(row.grad) };
    const key = row.grad === null ? "row.edge_flowed.none" : "row.edge_flowed";
    return [{ key, values }, ...arrivedAt(row.target, to), ...completes(row, to)];
  },
  grad_summed(row, to) {
    const values = {
      node: to.node(row.node),
      before: to.grad(row.before),
      added: to.grad(row.added),
      after: to.grad(row.after),
    };
    const key = isFirstSum(row, to) ? "row.grad_summed" : "row.grad_summed.more";
    return [{ key, values }, ...completes(row, to)];
  },
  grad_captured(row, to) {
    const tensor = inputTensor(to.trace, row.node, row.input_nr);
    const name = tensor ? to.tensor(tensor) : to.node(row.node);
    return [{ key: "row.grad_captured", values: { name, grad: to.grad(row.grad) } }];
  },
  backward_ended: (row) => [{ key: "row.backward_ended", values: { n: String(row.call + 1) } }],
};

/**
 * Has nothing been summed at this place in this pass before?
 * @param {Row} row
 * @param {Speaker} to
 */
function isFirstSum(row, { trace, state }) {
  const here = trace.rows.slice(Math.max(0, state.backward?.k ?? 0), trace.rows.indexOf(row));
  return !here.some(
    ({ kind, node, input_nr }) => kind === "grad_summed" && node === row.node && input_nr === row.input_nr,
  );
}

/** @param {Row} row @param {Speaker} to */
const accumulation = (row, to) => ({
  grad: to.gradOf(row.tensor),
  before: to.stored(row.before),
  arriving: to.grad(row.arriving),
  after: to.stored(row.after),
});

/**
 * "1 of 2 paths": only where there is something to wait for.
 * @param {string} node
 * @param {Speaker} to
 * @returns {Saying}
 */
function arrivedAt(node, to) {
  const expected = to.state.expected.get(node) ?? 0;
  if (expected < 2) return [];
  const arrived = expected - (to.state.missing.get(node) ?? 0);
  const values = { arrived: String(arrived), expected: String(expected) };
  return [{ key: "row.arrived", values }];
}

/**
 * The last arrival makes the gradient of a variable whole; where a sum follows, the sum does.
 * @param {Row} row
 * @param {Speaker} to
 * @returns {Saying}
 */
function completes(row, to) {
  const { trace, state } = to;
  const node = row.target ?? row.node;
  const tensor = inputTensor(trace, node, row.input_nr);
  const isLast = state.missing.get(node) === 0 && trace.rows[state.k + 1]?.kind !== "grad_summed";
  if (!isLast || row.grad === null || !tensor || trace.nodes[node].variable) return [];
  if (!nameOf(trace, state, tensor)) return [];
  return [{ key: "row.complete", values: { name: to.output(node, tensor) } }];
}

/** @param {(string | null)[]} grads @param {Speaker} to */
const gradsOf = (grads, to) => to.list(grads.map((v) => [to.grad(v)]));

/** @param {string} node @param {number} slot @param {Speaker} to @returns {Part} */
function inputOf(node, slot, to) {
  const tensor = edgeTensor(to.trace, node, slot);
  if (!tensor) return { text: to.t("label.input", { name: to.trace.nodes[node].inputs[slot] ?? slot }) };
  return to.output(to.trace.nodes[node].edges[slot][0], tensor);
}

/**
 * The root by the name that the expression calls it by.
 * @param {string} tensor
 * @param {string | null} expression
 * @param {Speaker} to
 * @returns {Part}
 */
function rootOf(tensor, expression, to) {
  const name = expression?.match(/^\w+(?=\.)/)?.[0];
  const part = to.tensor(tensor);
  return name && to.state.names.get(name) === tensor ? { ...part, text: name } : part;
}

/** @param {Row} row @param {Speaker} to @returns {Saying} */
function ran(row, to) {
  if (to.trace.nodes[row.node].variable)
    return [{ key: "row.node_ran.leaf", values: { node: to.node(row.node) } }];
  const received = receivedBy(row, to);
  const slots = [...row.grads.keys()].filter((slot) => row.grads[slot] !== null);
  const values = {
    node: plainNode(to.trace, row.node),
    grad: gradsOf(received, to),
    output: outputOf(row.node, to),
  };
  if (slots.length === 0)
    return [{ key: received.length === 0 ? "row.node_ran.nothing" : "row.node_ran.unneeded", values }];
  const ways = slots.map((slot) => wayOf(row, slot, received, to));
  if (ways.every((way) => way.key === "how.same")) {
    const inputs = to.list(slots.map((slot) => [inputOf(row.node, slot, to)]));
    return [{ key: "row.node_ran.same", values: { ...values, inputs } }];
  }
  const told = ways.map(({ key, values: parts }) => (key ? to.fill(to.t(key), parts) : null));
  const targets = slots.map((slot) => target(row, slot, to));
  if (slots.length === 1) {
    return [
      {
        key: told[0] ? "row.node_ran.one" : "row.node_ran.plain",
        values: { ...values, targets: targets[0], how: told[0] ?? "" },
      },
    ];
  }
  const described = targets.map((parts, i) => {
    const text = told[i];
    return text ? to.fill(to.t("row.node_ran.with"), { target: parts, how: text }) : parts;
  });
  return [{ key: "row.node_ran.plain", values: { ...values, targets: to.list(described, "list.and_long") } }];
}

/**
 * The gradients that the rules were given: what they say themselves, else what the node was entered with.
 * @param {Row} row
 * @param {Speaker} to
 * @returns {string[]}
 */
function receivedBy(row, to) {
  const told = new Set(row.rules.map((/** @type {any} */ rule) => rule.terms.grad).filter(Boolean));
  if (told.size === 1) return [...told];
  return (to.state.received.get(row.node) ?? []).filter((v) => v !== null);
}

/** @param {string} node @param {Speaker} to */
function outputOf(node, to) {
  const outputs = outputsOf(to.trace, node);
  if (outputs.length === 0) return to.t("label.output");
  return to.list(outputs.map((id) => [to.output(node, id)]));
}

/**
 * What a node sends along one edge: a whole gradient, a share of it, or one still to be summed to shape.
 * @param {Row} row
 * @param {number} slot
 * @param {Speaker} to
 */
function target(row, slot, to) {
  const tensor = edgeTensor(to.trace, row.node, slot);
  const values = { result: to.grad(row.grads[slot]), input: inputOf(row.node, slot, to) };
  const shape = String(to.trace.values[row.grads[slot]].shape);
  const fits = tensor === null || shape === String(to.trace.tensors[tensor].shape);
  const share = isShare(to.trace, to.state, row.node, slot) ? "share" : "whole";
  return to.fill(to.t(`row.node_ran.${fits ? share : "unreduced"}`), values);
}

/**
 * How the rule of one edge works: a text of its family, "unchanged", its formula, or nothing known.
 * @param {Row} row
 * @param {number} slot
 * @param {(string | null)[]} received
 * @param {Speaker} to
 * @returns {{key: string | null, values: Values}}
 */
function wayOf(row, slot, received, to) {
  const rule = row.rules.find((/** @type {any} */ each) => each.slot === slot);
  const found = rule && how(to.trace, to.state, row.node, rule, edgeTensor(to.trace, row.node, slot));
  if (found) {
    const template = to.t(found.key);
    if (template !== found.key && !lacks(template, found.values)) return found;
  }
  if (received.length === 1 && row.grads[slot] === received[0]) return { key: "how.same", values: {} };
  if (!rule?.formula) return { key: null, values: {} };
  return { key: "how.formula", values: { formula: to.code(rule.formula) } };
}
