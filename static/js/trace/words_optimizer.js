/** What is said of optimizers and schedulers: a step, the numbers of an update, what is kept for the next. */

import { shortNumber } from "#js/trace/values.js";

/** @typedef {import("#js/trace/reducer.js").Row} Row */
/** @typedef {import("#js/trace/labels.js").Part} Part */
/** @typedef {import("#js/trace/speech.js").Saying} Saying */
/** @typedef {import("#js/trace/speech.js").Speaker} Speaker */

/** @type {Record<string, (row: Row, to: Speaker) => Saying>} */
export const optimizerWords = {
  zero_grad: (row, to) => [
    {
      key: row.set_to_none ? "row.zero_grad.none" : "row.zero_grad.zeros",
      values: { owner: to.code(row.owner) },
    },
  ],
  optimizer_step: (row, to) => [
    { key: "row.optimizer_step", values: { optimizer: to.code(row.optimizer), type: to.code(row.type) } },
  ],
  parameter_updated: (row, to) => [...updated(row, to), ...keeps(row, to)],
  grad_norm_clipped(row, to) {
    const values = {
      grads: gradsOf(row, to),
      total: to.value(row.total),
      most: to.code(rate(row.max_norm)),
      factor: to.value(row.factor),
    };
    const stays = to.trace.values[row.factor].data === 1;
    return [{ key: stays ? "row.grad_norm_clipped.same" : "row.grad_norm_clipped", values }];
  },
  grad_value_clipped(row, to) {
    const most = to.code(rate(row.clip_value));
    const least = to.code(rate(-row.clip_value));
    const same = row.before.every((/** @type {string} */ v, /** @type {number} */ i) => v === row.after[i]);
    const values = { grads: gradsOf(row, to), least, most };
    return [{ key: same ? "row.grad_value_clipped.same" : "row.grad_value_clipped", values }];
  },
  lr_scheduled(row, to) {
    const values = {
      scheduler: to.code(`${row.scheduler}.step()`),
      optimizer: to.code(row.optimizer),
      group: String(row.group),
      epoch: String(row.epoch),
      before: to.code(rate(row.before)),
      after: to.code(rate(row.after)),
      formula: to.code(row.formula),
    };
    const form = row.before === row.after ? "same" : row.formula ? "formula" : "plain";
    return [{ key: `row.lr_scheduled.${form}`, values }];
  },
};

/** @param {Row} row @param {Speaker} to */
const gradsOf = (row, to) => to.list(row.tensors.map((/** @type {string} */ id) => [to.gradOf(id)].flat()));

/** @param {number | string} x */
const rate = (x) => shortNumber(x, "float64");

/** @param {Row} row @param {Speaker} to @returns {Saying} */
function updated(row, to) {
  const values = {
    name: to.tensor(row.tensor),
    type: to.code(to.state.optimizer?.type ?? "optimizer"),
    formula: to.code(row.formula),
    before: to.value(row.before),
    after: to.value(row.after),
  };
  if (row.formula.includes(";")) return [{ key: "row.parameter_updated.steps", values }];
  const numbers = substituted(row, to);
  if (!numbers) return [{ key: "row.parameter_updated.plain", values }];
  return [{ key: "row.parameter_updated", values: { ...values, numbers } }];
}

/**
 * What the optimizer keeps for this parameter until the next step.
 * @param {Row} row
 * @param {Speaker} to
 * @returns {Saying}
 */
function keeps(row, to) {
  if (row.state.length === 0) return [];
  const kept = row.state.map((/** @type {any[]} */ [name, , , now]) => [
    to.code(name),
    { text: " " },
    to.value(now),
  ]);
  return [{ key: "row.parameter_updated.keeps", values: { kept: to.list(kept) } }];
}

/**
 * The formula with numbers for its names; null if one of them is unknown.
 * @param {Row} row
 * @param {Speaker} to
 * @returns {Part[] | null}
 */
function substituted(row, to) {
  /** @type {Record<string, Part>} */
  const known = { p: to.value(row.before), g: to.grad(row.grad), grad: to.grad(row.grad) };
  for (const [name, term] of Object.entries(row.terms)) {
    known[name] = Object.hasOwn(to.trace.values, term) ? to.value(term) : to.code(String(term));
  }
  const pieces = row.formula.split(/([A-Za-z_]\w*)(?!\w*\()/);
  const parts = pieces.map((/** @type {string} */ piece, /** @type {number} */ i) => {
    if (i % 2 === 0) return piece ? to.code(piece) : null;
    return known[piece] ?? undefined;
  });
  return parts.includes(undefined) ? null : parts.filter((/** @type {Part | null} */ part) => part !== null);
}
