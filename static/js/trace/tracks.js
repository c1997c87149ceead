/** One subject over the whole run: where `.grad` is written, what phase a row is in, what memory is held. */

/** @typedef {import("#js/trace/reducer.js").Trace} Trace */
/** @typedef {import("#js/trace/reducer.js").Row} Row */
/** @typedef {{k: number, v: string | null}} Point */
/** @typedef {{from: number, to: number, phase: "forward" | "backward"}} Stretch */

const WRITES_GRAD = new Set(["grad_accumulated", "grad_retained", "grad_set"]);
const BYTES = { float64: 8, int64: 8, float32: 4, int32: 4, float16: 2, bfloat16: 2, int16: 2 };

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

/**
 * Return the bytes of distinct tensors that nodes hold for backward, after every row.
 * A tensor saved by two nodes is held until both let go.
 * @param {Trace} trace
 * @returns {number[]}
 */
export function memory(trace) {
  /** @type {Map<string, string[]>} */
  const held = new Map();
  /** @type {Map<string, number>} */
  const holders = new Map();
  let bytes = 0;
  /** @param {string} tensor @param {1 | -1} change */
  const count = (tensor, change) => {
    const before = holders.get(tensor) ?? 0;
    holders.set(tensor, before + change);
    if (before === 0 || before + change === 0) bytes += change * size(trace, tensor);
  };
  return trace.rows.map((row) => {
    if (row.kind === "op_applied" && row.node !== null) {
      const tensors = [...new Set(row.saved.map((/** @type {any[]} */ entry) => entry[1]))].filter(Boolean);
      held.set(row.node, tensors);
      for (const tensor of tensors) count(tensor, 1);
    }
    if (row.kind === "saved_freed" && row.names.length > 0) {
      for (const tensor of held.get(row.node) ?? []) count(tensor, -1);
      held.delete(row.node);
    }
    return bytes;
  });
}

/** @param {Row} row @param {string} tensor */
const gradWritten = (row, tensor) =>
  WRITES_GRAD.has(row.kind) && row.tensor === tensor ? row.after : undefined;

/** @param {Row} row @param {string} tensor */
function valueWritten(row, tensor) {
  if (row.tensor === tensor && (row.kind === "tensor_made" || row.kind === "detached")) return row.value;
  if (row.kind === "data_replaced" && row.tensor === tensor) return row.after;
  if (row.kind === "parameter_updated" && row.tensor === tensor) return row.after;
  const index = row.kind === "op_applied" ? row.outputs.indexOf(tensor) : -1;
  return index < 0 ? undefined : row.values[index];
}

/** @param {Trace} trace @param {string} tensor */
function size(trace, tensor) {
  const { shape, dtype } = trace.tensors[tensor] ?? { shape: [], dtype: "float32" };
  const width = /** @type {Record<string, number>} */ (BYTES)[dtype] ?? 1;
  return shape.reduce((/** @type {number} */ product, /** @type {number} */ n) => product * n, width);
}
