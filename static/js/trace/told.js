/**
 * The run as text: for every stop of a level its line, its sentence and the values that it changed.
 * Knows no elements. A part of the run is told at a time, from one folded state, so a long run costs no more.
 */

import * as labels from "#js/trace/labels.js";
import { apply, bufferKey } from "#js/trace/reducer.js";
import { stops, subject } from "#js/trace/stops.js";
import { short } from "#js/trace/values.js";
import { sentence } from "#js/trace/words.js";

/** @typedef {import("#js/trace/reducer.js").Trace} Trace */
/** @typedef {import("#js/trace/reducer.js").State} State */
/** @typedef {import("#js/trace/reducer.js").Row} Row */
/** @typedef {import("#js/trace/labels.js").Part} Part */
/** @typedef {import("#js/trace/labels.js").Translate} Translate */
/** @typedef {string | null} Value */
/** @typedef {{id: string, name: Part, before: Value, after: Value, isNew?: boolean}} Change */
/**
 * @typedef {{n: number, k: number, line: number | null, parts: Part[],
 *   changes: {name: Part, before: string | null, after: string}[]}} Told
 *   `before` is null where there was nothing before
 */

const LONGEST = 40; // characters of one value

/**
 * Which value a row has changed, and to what; called before the row is folded into the state.
 * @type {Record<string, (row: Row, to: {trace: Trace, state: State, t: Translate}) => Change[]>}
 */
const changed = {
  tensor_made: (row, to) => [valueOf(row.tensor, row.value, to)],
  detached: (row, to) => [valueOf(row.tensor, row.value, to)],
  op_applied: (row, to) =>
    row.outputs.map((/** @type {string} */ id, /** @type {number} */ i) => valueOf(id, row.values[i], to)),
  aliases_changed: (row, to) =>
    row.tensors.map((/** @type {[string, string]} */ [id, v]) => valueOf(id, v, to)),
  data_replaced: (row, to) => [valueOf(row.tensor, row.after, to)],
  parameter_updated: (row, to) => [valueOf(row.tensor, row.after, to)],
  grad_set: (row, to) => [gradOf(row.tensor, row.before, row.after, to)],
  grad_retained: (row, to) => [gradOf(row.tensor, row.before, row.after, to)],
  grad_accumulated: (row, to) => [gradOf(row.tensor, row.before, row.after, to)],
  grad_norm_clipped: clipped,
  grad_value_clipped: clipped,
  edge_flowed: (row, to) => {
    const there = to.state.buffer.has(bufferKey(row.target, row.input_nr));
    return row.grad === null || there ? [] : [arrived(row.target, row.input_nr, row.grad, to)];
  },
  grad_summed: (row, to) => [
    { ...arrived(row.node, row.input_nr, row.after, to), before: row.before, isNew: false },
  ],
};

/**
 * Tell some stops of a level in order.
 * @param {Trace} trace
 * @param {{level: import("#js/trace/stops.js").Level, from: number, to: number,
 *   at(k: number): State, t: Translate}} part `from` and `to` (not included) count stops from 0; `at` is the
 *   history's
 * @returns {Told[]}
 */
export function tellSteps(trace, { level, from, to, at, t }) {
  const wanted = stops(trace, level).slice(Math.max(0, from), to);
  if (wanted.length === 0) return [];
  const state = at(from > 0 ? stops(trace, level)[from - 1] : -1);
  return wanted.map((k, i) => {
    /** @type {Map<string, Change>} */
    const found = new Map();
    while (state.k < k) {
      const row = trace.rows[state.k + 1];
      const changes = changed[row.kind]?.(row, { trace, state, t }) ?? [];
      apply(state, row, trace);
      for (const change of changes) found.set(change.id, joined(found.get(change.id), change));
    }
    const line = trace.rows[subject(trace, k)].at?.[0] ?? null;
    const parts = sentence(trace, state, trace.rows[k], t);
    return { n: from + i + 1, k, line, parts, changes: textsOf(trace, [...found.values()], state, t) };
  });
}

/** What a step changes twice is changed once: from what was before the first. */
const joined = (/** @type {Change | undefined} */ first, /** @type {Change} */ next) =>
  first ? { ...next, before: first.before, isNew: first.isNew } : next;

/** Names are those that are known when the step has ended. */
function textsOf(
  /** @type {Trace} */ trace,
  /** @type {Change[]} */ changes,
  /** @type {State} */ state,
  /** @type {Translate} */ t,
) {
  const text = (/** @type {string | null} */ v) => short(trace, v, LONGEST);
  return changes
    .filter(({ before, after, isNew }) => isNew || before !== after)
    .map(({ id, name, before, after, isNew }) => ({
      name: trace.tensors[id] ? labels.tensorPart(trace, state, id, t) : name,
      before: isNew ? null : text(before),
      after: text(after),
    }));
}

/**
 * @param {string} id
 * @param {string} v
 * @param {{trace: Trace, state: State, t: Translate}} to
 * @returns {Change}
 */
function valueOf(id, v, { trace, state, t }) {
  const before = state.value.get(id) ?? null;
  return { id, name: labels.tensorPart(trace, state, id, t), before, after: v, isNew: before === null };
}

/**
 * @param {string} id
 * @param {string | null} before
 * @param {string | null} after
 * @param {{trace: Trace, state: State, t: Translate}} to
 * @returns {Change}
 */
const gradOf = (id, before, after, { trace, state, t }) => ({
  ...{ id: `${id}.grad`, name: labels.gradPart(trace, state, id, t), before, after },
});

/** @param {Row} row @param {{trace: Trace, state: State, t: Translate}} to @returns {Change[]} */
function clipped(row, to) {
  return row.tensors.map((/** @type {string} */ id, /** @type {number} */ i) =>
    gradOf(id, to.state.grad.get(id) ?? null, row.after[i], to),
  );
}

/**
 * A gradient that has come to a node: it stands in the buffer of that input.
 * @param {string} node
 * @param {number} inputNr
 * @param {string} grad
 * @param {{trace: Trace, state: State, t: Translate}} to
 * @returns {Change}
 */
function arrived(node, inputNr, grad, { trace, state, t }) {
  const name = { text: t("steps.buffer", { node: labels.nodePart(trace, state, node).text }) };
  return { id: `${node}:${inputNr}`, name, before: null, after: grad, isNew: true };
}
