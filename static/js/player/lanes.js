/** The lanes of the timeline as shapes: phases, marks, memory, devices, over a stretch of rows. */

import { svg } from "#js/dom.js";
import { devices } from "#js/trace/devices.js";
import { memory } from "#js/trace/memory.js";

/** @typedef {import("#js/trace/reducer.js").Trace} Trace */
/** @typedef {{from: number, to: number}} Part rows, both included */
/** @typedef {Part & {phase: string}} Stretch */

export const WIDTH = 1000;
export const KINDS = ["graph", "grads", "optimizer"];
export const COLUMNS = 500; // a line of more rows is drawn from the highest of so many columns
const LANE = { top: 14, height: 12 };
const MARK = { top: 10, height: 20, width: 5 };
const MEMORY = { top: 36, bottom: 58 };

/** Two decimals are enough on a width of 1000. @param {number} x */
export const round = (x) => Math.round(x * 100) / 100;

/** How wide one row is. @param {Part} part */
export const unitOf = ({ from, to }) => WIDTH / Math.max(1, to - from + 1);

/**
 * A stretch as a rectangle of the lane.
 * @param {Stretch} stretch
 * @param {Part} part what the whole width shows
 * @param {string} name
 */
export function lane(stretch, part, name) {
  const unit = unitOf(part);
  const [from, to] = [Math.max(stretch.from, part.from), Math.min(stretch.to, part.to)];
  const width = round((to - from + 1) * unit);
  const x = round((from - part.from) * unit);
  return svg("rect", {
    class: name,
    "data-phase": stretch.phase,
    x,
    y: LANE.top,
    width,
    height: LANE.height,
    rx: 2,
  });
}

/** @param {number} k @param {Part} part */
export const mark = (k, part) =>
  svg("rect", {
    class: "mark",
    "data-row": k + 1,
    x: round((k + 1 - part.from) * unitOf(part) - MARK.width / 2),
    y: MARK.top,
    width: MARK.width,
    height: MARK.height,
  });

/**
 * A line of steps: bytes held for backward, against the most of the whole run. Null where none was ever held.
 * @param {Trace} trace
 * @param {Part} part
 * @param {number} [columns]
 */
export function memoryLine(trace, part, columns = COLUMNS) {
  const { bytes, most } = graphBytes(trace);
  if (most === 0) return null;
  const d = steps(bytes, part, most, columns);
  return svg("path", { class: "memory", d, fill: "none", "vector-effect": "non-scaling-stroke" });
}

/** @type {WeakMap<object, {bytes: number[], most: number}>} */
const known = new WeakMap();

/** @param {Trace} trace */
function graphBytes(trace) {
  let found = known.get(trace);
  if (found) return found;
  const bytes = memory(trace).map(({ graph }) => graph);
  known.set(trace, (found = { bytes, most: highest(bytes, 0, bytes.length) }));
  return found;
}

/**
 * Bytes by what they are for, upon each other: graph, `.grad`, optimizer. The top is all that is held.
 * @param {Trace} trace
 * @param {Part} part
 * @param {number} [columns]
 */
export function memoryKinds(trace, part, columns = COLUMNS) {
  const all = memory(trace);
  const sums = KINDS.map((_, n) =>
    all.map((held) => KINDS.slice(0, n + 1).reduce((sum, kind) => sum + /** @type {any} */ (held)[kind], 0)),
  );
  const most = highest(sums[KINDS.length - 1], 0, all.length);
  if (most === 0) return [];
  const areas = KINDS.map((kind, n) =>
    svg("path", {
      class: "held",
      "data-memory": kind,
      d: `${steps(sums[n], part, most, columns)}V${MEMORY.bottom}Z`,
    }),
  );
  return areas.reverse(); // the lower ones are drawn over the higher ones
}

/** @param {number[]} bytes @param {number} from @param {number} to */
function highest(bytes, from, to) {
  let most = 0;
  for (let k = from; k < to; k += 1) most = Math.max(most, bytes[k]);
  return most;
}

/** @param {number[]} bytes @param {Part} part @param {number} most @param {number} wanted columns */
function steps(bytes, { from, to }, most, wanted) {
  const count = to - from + 1;
  const columns = Math.max(1, Math.min(count, wanted));
  const y = (/** @type {number} */ x) => round(MEMORY.bottom - (x / most) * (MEMORY.bottom - MEMORY.top));
  const at = (/** @type {number} */ column) => from + Math.floor((column * count) / columns);
  let last = bytes[from - 1] ?? 0;
  let d = `M0 ${MEMORY.bottom}${last ? `V${y(last)}` : ""}`;
  for (let column = 0; column < columns; column += 1) {
    const now = highest(bytes, at(column), at(column + 1));
    if (now !== last) d += `H${round(((column + (columns === count ? 1 : 0)) * WIDTH) / columns)}V${y(now)}`;
    last = now;
  }
  return `${d}H${WIDTH}`;
}

const DEVICE = { height: 12, bar: 8 };

/** How high the lanes of so many devices are. @param {number} count */
export const devicesHeight = (count) => count * DEVICE.height;

/**
 * A lane for each device: when its worker runs a node, and a line where a node is handed to another's queue.
 * @param {Trace} trace
 * @param {Part} part
 */
export function deviceLanes(trace, part) {
  const { devices: all, handed } = devices(trace);
  const unit = unitOf(part);
  const x = (/** @type {number} */ k) => round((k - part.from) * unit);
  const middle = (/** @type {string} */ name) => {
    const row = all.findIndex((device) => device.name === name);
    return row * DEVICE.height + DEVICE.height / 2;
  };
  const bars = all.flatMap(({ name, busy }) =>
    busy.map(({ from, to }) => {
      const y = middle(name) - DEVICE.bar / 2;
      const box = { x: x(from), y, width: Math.max(1, round((to - from + 1) * unit)), height: DEVICE.bar };
      return svg("rect", { class: "busy", "data-device": name, ...box });
    }),
  );
  const lines = all.map(({ name }) =>
    svg("path", { class: "device-line", d: `M0 ${middle(name)}H${WIDTH}` }),
  );
  const ways = handed.map(({ k, from, to }) =>
    svg("path", {
      class: "handed",
      d: `M${x(k)} ${middle(from)}V${middle(to)}m0 0h0`,
      "vector-effect": "non-scaling-stroke",
    }),
  );
  return [lines, bars, ways];
}
