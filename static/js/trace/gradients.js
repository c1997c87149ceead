/** Where in a trace a gradient that is shown comes from, and how estimates compare with it. No DOM. */

/** @typedef {any} Trace @typedef {any} Row */
/**
 * A place on the page that shows a gradient: {row} a row itself, or as it is at a moment {node, slot} on an
 * edge, {node, input_nr} waiting at a node, {tensor} in a `.grad`.
 * @typedef {{row?: number, node?: string, slot?: number, input_nr?: number, tensor?: string}} Place
 */

/** The value that a row shows as a gradient. @type {Record<string, (row: Row) => string | null>} */
const SHOWN = {
  edge_flowed: (row) => row.grad,
  grad_summed: (row) => row.after,
  grad_accumulated: (row) => row.arriving,
  grad_retained: (row) => row.arriving,
  grad_captured: (row) => row.grad,
  node_entered: (row) => row.grads[0],
};

/** The value id of the gradient that a row shows, or null. @param {Trace} trace @param {number} k */
export function gradientOf(trace, k) {
  const row = trace.rows[k];
  return (row && SHOWN[row.kind]?.(row)) ?? null;
}

/**
 * The number of the innermost backward call that is going on at a row, or null.
 * @param {Trace} trace
 * @param {number} k
 */
export function callOf(trace, k) {
  /** @type {number[]} */
  const open = [];
  for (let i = 0; i <= k; i += 1) {
    const row = trace.rows[i];
    if (row.kind === "backward_began") open.push(row.call);
    else if (row.kind === "backward_ended") open.splice(open.indexOf(row.call), 1);
  }
  return open.at(-1) ?? null;
}

/**
 * The backward call that a moment is about: the one going on, else the last before, else the first.
 * @param {Trace} trace
 * @param {number} k
 */
export function nearestCall(trace, k) {
  const now = callOf(trace, Math.min(k, trace.rows.length - 1));
  if (now !== null) return now;
  const began = trace.rows.filter((/** @type {Row} */ row) => row.kind === "backward_began");
  const before = trace.rows
    .slice(0, k + 1)
    .findLast((/** @type {Row} */ row) => row.kind === "backward_began");
  return (before ?? began[0])?.call ?? null;
}

/**
 * Does a row set the gradient of a place?
 * @param {Row} row
 * @param {Place} place
 */
function sets(row, { node, slot, input_nr, tensor }) {
  if (tensor !== undefined) {
    return row.tensor === tensor && ["grad_accumulated", "grad_retained", "grad_set"].includes(row.kind);
  }
  if (slot !== undefined) return row.kind === "edge_flowed" && row.node === node && row.slot === slot;
  const at = row.kind === "edge_flowed" ? row.target : row.kind === "grad_summed" ? row.node : null;
  return at === node && row.input_nr === (input_nr ?? 0);
}

/**
 * The row that a place's gradient comes from at a moment, and the rows that have changed it since; null where
 * there is none.
 * @param {Trace} trace
 * @param {number} k
 * @param {Place} place
 * @returns {{row: number, since: number[]} | null}
 */
export function sourceOf(trace, k, place) {
  if (place.row !== undefined)
    return gradientOf(trace, place.row) === null ? null : { row: place.row, since: [] };
  /** @type {number[]} */
  const since = [];
  for (let i = Math.min(k, trace.rows.length - 1); i >= 0; i -= 1) {
    const row = trace.rows[i];
    if (!sets(row, place)) continue;
    if (row.kind !== "grad_set")
      return gradientOf(trace, i) === null ? null : { row: i, since: since.reverse() };
    if (row.after === null) return null;
    since.push(i);
  }
  return null;
}

/**
 * The row in which a node was entered during a call, or null.
 * @param {Trace} trace
 * @param {string} node
 * @param {number} call
 */
export function enteredAt(trace, node, call) {
  const from = trace.rows.findIndex(
    (/** @type {Row} */ row) => row.kind === "backward_began" && row.call === call,
  );
  for (let i = from; from >= 0 && i < trace.rows.length; i += 1) {
    const row = trace.rows[i];
    if (row.kind === "node_entered" && row.node === node) return i;
    if (row.kind === "backward_ended" && row.call === call) return null;
  }
  return null;
}

/**
 * What arrived at a leaf's `.grad` in a call, one element of it; null where that is not written out.
 * @param {Trace} trace
 * @param {string} tensor
 * @param {number} call
 * @param {number[]} element
 */
export function arrivedAt(trace, tensor, call, element) {
  const from = trace.rows.findIndex((/** @type {Row} */ row) => isBegun(row, call));
  const to = trace.rows.findIndex(
    (/** @type {Row} */ row) => row.kind === "backward_ended" && row.call === call,
  );
  const row = trace.rows
    .slice(from, to < 0 ? undefined : to)
    .find((/** @type {Row} */ each) => each.kind === "grad_accumulated" && each.tensor === tensor);
  let data = trace.values[row?.arriving]?.data;
  for (const i of element) data = data?.[i];
  return data === undefined || Array.isArray(data) ? null : real(data);
}

/** @param {Row} row @param {number} call */
const isBegun = (row, call) => row.kind === "backward_began" && row.call === call;

/** The index of the flat-th element of a shape. @param {number[]} shape @param {number} flat */
export function indexOf(shape, flat) {
  const index = [];
  for (let i = shape.length - 1; i >= 0; i -= 1) {
    index.unshift(flat % shape[i]);
    flat = Math.floor(flat / shape[i]);
  }
  return index;
}

/** The flat number of an element. @param {number[]} shape @param {number[]} index */
export const flatOf = (shape, index) => index.reduce((flat, i, axis) => flat * shape[axis] + i, 0);

/** A number of an answer: words stand for what JSON does not know. @param {any} x @returns {number} */
export const real = (x) =>
  ({ nan: NaN, inf: Infinity, "-inf": -Infinity })[/** @type {"nan"} */ (x)] ?? Number(x);

/**
 * Compare a gradient with its estimates: "agrees" (with the number of digits), "kink" (the two sides have
 * different slopes: there is no derivative), "differs", or "none" where nothing was estimated.
 * @param {number} gradient
 * @param {{estimates?: {step: number, central: any, left: any, right: any}[]}} answer
 * @returns {{kind: string, digits?: number, best?: number, left?: number, right?: number}}
 */
export function verdict(gradient, { estimates = [] }) {
  const usable = estimates.filter((each) => each.central !== null && Number.isFinite(real(each.central)));
  if (usable.length === 0 || !Number.isFinite(gradient)) return { kind: "none" };
  const last = usable[usable.length - 1];
  const [left, right] = [real(last.left), real(last.right)];
  const size = Math.max(1, Math.abs(gradient), Math.abs(left), Math.abs(right));
  const bend = Math.abs(right - left);
  const wider = Math.abs(real(usable[0].right) - real(usable[0].left));
  if (bend > 1e-3 * size && bend > 0.2 * wider)
    return { kind: "kink", left, right, best: real(last.central) };
  const best = usable.map((each) => real(each.central)).reduce((a, b) => (off(a) <= off(b) ? a : b));
  /** @param {number} x */
  function off(x) {
    return Math.abs(x - gradient);
  }
  const most = Math.max(Math.abs(gradient), Math.abs(best));
  if (off(best) > 1e-3 * most + 1e-6) return { kind: "differs", best };
  const share = most === 0 ? 0 : off(best) / most;
  return { kind: "agrees", best, digits: Math.max(1, Math.min(7, Math.floor(-Math.log10(share || 1e-9)))) };
}
