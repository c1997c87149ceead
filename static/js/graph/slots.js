/**
 * The lower half of a leaf: its `.grad`, what is arriving, and the sum when AccumulateGrad runs. Pure, no
 * DOM.
 */
import { t as word } from "#js/i18n.js";
import { short } from "#js/trace/values.js";
import { fittedValue, MONO, textWidth } from "#js/graph/shapes.js";

/** "1 of 2 paths" for a node that gradients still travel to, or null when none are expected. */
export function paths(state, node) {
  const total = state.expected.get(node) && state.backward ? state.expected.get(node) : 0;
  if (!total) return null;
  const arrived = total - (state.missing.get(node) ?? total);
  return { arrived, total, text: word(total === 1 ? "graph.path" : "graph.paths", { arrived, total }) };
}

/**
 * The row in which the running AccumulateGrad added to `.grad`, for as long as that node is the running
 * one.
 */
export function accumulation(trace, state, node) {
  if (state.phase.get(node) !== "running") return null;
  for (let k = state.k; k >= 0; k -= 1) {
    const row = trace.rows[k];
    if (row.kind === "grad_accumulated" && row.node === node) return row;
    if (row.kind === "node_entered" || row.kind === "backward_began") return null;
  }
  return null;
}

const tone = (value) => (value === null ? "none" : "leaf");

function sum(row, line) {
  const why = { tensor: row.tensor };
  return [
    line([word("graph.before"), ".grad", ""], row.before, tone(row.before)),
    { ...line([word("graph.plus"), "+"], row.arriving, "grad"), why },
    { ...line(["= .grad", "="], row.after, "sum"), why },
  ];
}

function waiting(state, node, line) {
  const phase = state.phase.get(node);
  const count = phase === "running" || phase === "ran" ? null : paths(state, node);
  if (!count) return [];
  const words = { label: "", text: count.text, size: 12, tone: "engine" };
  if (!count.arrived) return [words];
  const labels = count.arrived > 1 ? [word("graph.sum")] : [word("graph.arriving"), "→"];
  const why = { node, input_nr: 0 };
  return [{ ...line(labels, state.buffer.get(node) ?? null, "grad"), why }, words];
}

function changed(row, tensor, line) {
  if (!row || row.tensor !== tensor || !["grad_set", "parameter_updated"].includes(row.kind)) return null;
  const label = row.kind === "grad_set" ? "graph.was" : "graph.valueWas";
  return [line([word(label)], row.before ?? null, "was")];
}

/**
 * The rows [{label, text, size, tone}] under the rule of a leaf, the shown `.grad`, and whether they are a
 * sum.
 */
export function leafRows({ trace, state, row }, ids, room) {
  if (!state.value.has(ids.tensor)) return { rows: [], grad: "", sum: false };
  const line = (labels, value, toneOf) => {
    const left = (label) => room - 6 - textWidth(label, 11);
    const whole = short(trace, value).length * 11 * MONO;
    const label = labels.find((each) => left(each) >= whole) ?? labels[labels.length - 1];
    return { label, tone: toneOf, ...fittedValue(trace, value, left(label)) };
  };
  const added = ids.accumulate ? accumulation(trace, state, ids.accumulate) : null;
  if (added) {
    const rows = sum(added, line);
    return { rows, grad: rows[2].text, sum: true };
  }
  const grad = state.grad.get(ids.tensor) ?? null;
  const why = grad === null ? null : { tensor: ids.tensor };
  const first = { ...line([".grad"], grad, tone(grad)), why };
  const rest = changed(row, ids.tensor, line) ?? waiting(state, ids.accumulate, line);
  return { rows: [first, ...rest], grad: first.text, sum: false };
}
