/** One subject over the whole run: where `.grad` is written, what phase a row is in. */

/** @typedef {import("#js/trace/reducer.js").Trace} Trace */
/** @typedef {import("#js/trace/reducer.js").Row} Row */
/** @typedef {{k: number, v: string | null}} Point */
/** @typedef {{from: number, to: number, phase: "forward" | "backward"}} Stretch */

const WRITES_GRAD = new Set(["grad_accumulated", "grad_retained", "grad_set"]);

/**
 * Return every change of a tensor's value or `.grad`, in order.
 * @param {Trace} trace
 * @param {string} tensor
 * @param {"value" | "grad"} what
 * @returns {Point[]}
 */
export function track(trace, tensor, what) {
  /** @type {Point[]} */
  const points = [];
  trace.rows.forEach((row, k) => {
    const v = what === "grad" ? gradWritten(row, tensor) : valueWritten(row, tensor);
    if (v !== undefined && (points.length === 0 || points[points.length - 1].v !== v)) {
      points.push({ k, v });
    }
  });
  return points;
}

/**
 * Return the rows that change a `.grad`: what was accumulated, retained, set or emptied.
 * @param {Trace} trace
 * @returns {{k: number, tensor: string, after: string | null}[]}
 */
export function gradWrites(trace) {
  return trace.rows.flatMap((row, k) => {
    const changes = WRITES_GRAD.has(row.kind) && row.before !== row.after;
    return changes ? [{ k, tensor: row.tensor, after: row.after }] : [];
  });
}

/**
 * Return the run as stretches of forward and backward rows, without gaps.
 * @param {Trace} trace
 * @returns {Stretch[]}
 */
export function phases(trace) {
  /** @type {Stretch[]} */
  const stretches = [];
  let depth = 0;
  trace.rows.forEach((row, k) => {
    if (row.kind === "backward_began") depth += 1;
    const phase = depth > 0 ? "backward" : "forward";
    if (row.kind === "backward_ended") depth = Math.max(0, depth - 1);
    const last = stretches[stretches.length - 1];
    if (last?.phase === phase && row.kind !== "backward_began") last.to = k;
    else stretches.push({ from: k, to: k, phase });
  });
  return stretches;
}

/** @param {Row} row @param {string} tensor */
const gradWritten = (row, tensor) =>
  WRITES_GRAD.has(row.kind) && row.tensor === tensor ? row.after : undefined;

/**
 * Return what a row tells that a tensor holds from then on, undefined if it tells nothing of it.
 * @param {Row} row
 * @param {string} tensor
 * @returns {string | undefined}
 */
export function valueWritten(row, tensor) {
  if (row.tensor === tensor && (row.kind === "tensor_made" || row.kind === "detached")) return row.value;
  if (row.kind === "data_replaced" && row.tensor === tensor) return row.after;
  if (row.kind === "parameter_updated" && row.tensor === tensor) return row.after;
  if (row.kind === "aliases_changed")
    return row.tensors.find((/** @type {string[]} */ [id]) => id === tensor)?.[1];
  const index = row.kind === "op_applied" ? row.outputs.indexOf(tensor) : -1;
  return index < 0 ? row.seen?.[tensor] : row.values[index];
}
