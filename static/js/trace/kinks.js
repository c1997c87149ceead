/**
 * Points at which an operation has no derivative, found from the numbers it was given: PyTorch takes some
 * value all the same. Only operations whose convention is plain from a number or a tie are known here,
 * and the row
 * of an embedding that is padding. No DOM.
 */

import { flatOf } from "#js/trace/gradients.js";

/** @typedef {any} Trace */

/** Operations with a corner at fixed numbers. @type {Record<string, number[]>} */
const CORNERS = {
  relu: [0],
  abs: [0],
  leaky_relu: [0],
  relu6: [0, 6],
  hardsigmoid: [-3, 3],
  hardswish: [-3, 3],
};
const BOUNDED = new Set(["clamp", "clamp_min", "clamp_max", "hardtanh"]); // corners at what they are given
const JUMPS = new Set(["floor", "ceil", "round", "trunc", "sign"]);
const LARGEST = new Set(["max", "amax", "max.dim", "min", "amin", "min.dim"]);
const PAIRS = new Set(["maximum", "minimum", "fmax", "fmin"]);

/**
 * The value that a tensor had when an operation was given it.
 * @param {Trace} trace
 * @param {string} tensor
 * @param {number} before
 */
function valueBefore(trace, tensor, before) {
  for (let k = before - 1; k >= 0; k -= 1) {
    const row = trace.rows[k];
    if (row.kind === "op_applied" && row.outputs.includes(tensor))
      return row.values[row.outputs.indexOf(tensor)];
    if ((row.kind === "tensor_made" || row.kind === "detached") && row.tensor === tensor) return row.value;
    if (["data_replaced", "parameter_updated"].includes(row.kind) && row.tensor === tensor) return row.after;
  }
  return null;
}

/** @param {Trace} trace @param {string | null} v @returns {{numbers: number[], shape: number[]} | null} */
function numbersOf(trace, v) {
  const value = v === null ? null : trace.values[v];
  if (!value || value.summary) return null;
  return { numbers: [value.data].flat(/** @type {any} */ (Infinity)).map(Number), shape: value.shape };
}

/**
 * What kink there is at an element of an input, or null: {kind: "corner", op, at} a corner of the function,
 * {kind: "padding", op, row} a row that is given no gradient, {kind: "jump", op} a step, {kind: "tie",
 * op, count} several elements are the largest (or smallest).
 * @param {Trace} trace
 * @param {number} _call
 * @param {{node: string, slot: number}} term
 * @param {number[]} element
 */
export function kinkOf(trace, _call, { node, slot }, element) {
  const fact = trace.nodes[node];
  if (isPadding(fact, element)) return { kind: "padding", op: String(fact.op), row: element[0] };
  const applied = trace.rows.findIndex(
    (/** @type {any} */ row) => row.kind === "op_applied" && row.node === node,
  );
  const given = fact.args.find((/** @type {any} */ [name]) => name === fact.inputs[slot])?.[1]?.tensor;
  if (applied < 0 || !given) return null;
  const op = String(fact.op);
  if (JUMPS.has(op)) return { kind: "jump", op };
  const input = numbersOf(trace, valueBefore(trace, given, applied));
  if (!input) return null;
  const x = input.numbers[flatOf(input.shape, element)];
  if (CORNERS[op]?.includes(x) || (BOUNDED.has(op) && boundsOf(fact).includes(x)))
    return { kind: "corner", op, at: x };
  if (PAIRS.has(op)) {
    const other = fact.args.find((/** @type {any} */ [name]) => name === fact.inputs[1 - slot])?.[1]?.tensor;
    const beside = other ? numbersOf(trace, valueBefore(trace, other, applied)) : null;
    const isTie =
      beside?.shape.join() === input.shape.join() && beside.numbers[flatOf(input.shape, element)] === x;
    return isTie ? { kind: "tie", op, count: 2 } : null;
  }
  if (LARGEST.has(op) && isExtreme(trace, applied, x)) {
    const count = input.numbers.filter((each) => each === x).length;
    return count > 1 ? { kind: "tie", op, count } : null;
  }
  return null;
}

/** The numbers that a node was told to stay between. @param {any} fact @returns {number[]} */
function boundsOf({ args }) {
  const told = args.filter((/** @type {any} */ [name]) => /^(min|max)(_val)?$/.test(name));
  return told.map((/** @type {any} */ [, value]) => Number(value?.text ?? NaN));
}

/**
 * Does an element belong to the row that an embedding was told to leave as it is?
 * @param {any} fact
 * @param {number[]} element
 */
function isPadding(fact, element) {
  const told = fact.args.find((/** @type {any} */ [name]) => name === "padding_idx")?.[1];
  return fact.op === "embedding" && told?.text !== undefined && Number(told.text) === element[0];
}

/**
 * Is a number the one result of a row? Of several, each has its own rivals.
 * @param {Trace} trace
 * @param {number} applied
 * @param {number} x
 */
function isExtreme(trace, applied, x) {
  const result = numbersOf(trace, trace.rows[applied].values[0])?.numbers;
  return result?.length === 1 && result[0] === x;
}
