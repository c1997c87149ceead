/**
 * Tensors by the place of their making: a name that holds from run to run, when ids and rows may be others.
 * Counted are the rows tensor_made, detached and op_applied, those in place left out. No DOM.
 */

/** @typedef {any} Trace */
/** @typedef {{made: number, output: number, tensor: string, row: number, value: string}} Making */

const MAKES = new Set(["tensor_made", "detached", "op_applied"]);

/** @type {WeakMap<object, Making[]>} */
const known = new WeakMap();

/** Every making of a trace, in order. @param {Trace} trace @returns {Making[]} */
export function makings(trace) {
  const before = known.get(trace);
  if (before) return before;
  /** @type {Making[]} */
  const found = [];
  let made = 0;
  trace.rows.forEach((/** @type {any} */ row, /** @type {number} */ k) => {
    if (!MAKES.has(row.kind) || row.inplace || row.how === "detach_") return;
    const outputs = row.outputs ?? [row.tensor];
    const values = row.values ?? [row.value];
    outputs.forEach((/** @type {string} */ tensor, /** @type {number} */ output) =>
      found.push({ made, output, tensor, row: k, value: values[output] }),
    );
    made += 1;
  });
  known.set(trace, found);
  return found;
}

/** How a tensor came about, or null. @param {Trace} trace @param {string} tensor */
export const makingOf = (trace, tensor) => makings(trace).find((each) => each.tensor === tensor) ?? null;

/** The making of that place, or null. @param {Trace} trace @param {number} made @param {number} output */
export const makingAt = (trace, made, output) =>
  makings(trace).find((each) => each.made === made && each.output === output) ?? null;

/**
 * The value a tensor begins with: a change puts another in place at once.
 * @param {Trace} trace
 * @param {Making} making
 */
export function firstValue(trace, making) {
  const next = trace.rows[making.row + 1];
  const changed = next?.kind === "data_replaced" && next.tensor === making.tensor;
  return changed ? next.after : making.value;
}

/**
 * May a tensor's numbers be moved: a leaf or data that holds numbers.
 * @param {Trace} trace
 * @param {string} tensor
 */
export function isMovable(trace, tensor) {
  const { kind, dtype } = trace.tensors[tensor] ?? {};
  return (kind === "leaf" || kind === "data") && /^(float|bfloat|int|uint)/.test(dtype ?? "");
}
