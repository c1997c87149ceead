/** What each device's worker does in passes that devices share, and what is handed from one to another. */

/** @typedef {import("#js/trace/reducer.js").Trace} Trace */
/** @typedef {{from: number, to: number}} Busy rows, both included */
/** @typedef {{k: number, from: string, to: string}} Handing */
/** @typedef {{devices: {name: string, busy: Busy[]}[], handed: Handing[]}} Devices */

/** @type {WeakMap<object, Devices>} */
const known = new WeakMap();

/**
 * Return the devices with the rows in which each one's worker runs a node, and every node that was handed to
 * another device's queue. Nothing where all runs on the CPU: its rows name no device.
 * @param {Trace} trace
 * @returns {Devices}
 */
export function devices(trace) {
  let found = known.get(trace);
  if (!found) known.set(trace, (found = read(trace)));
  return found;
}

/** @param {Trace} trace @returns {Devices} */
function read(trace) {
  /** @type {Map<string, Busy[]>} */
  const busy = new Map();
  /** @type {Handing[]} */
  const handed = [];
  /** @type {{device: string, from: number} | null} */
  let running = null;
  const end = (/** @type {number} */ to) => {
    if (running) busy.get(running.device)?.push({ from: running.from, to });
    running = null;
  };
  trace.rows.forEach((row, k) => {
    const { kind, device } = row;
    if (device && !busy.has(device)) busy.set(device, []);
    if (kind === "node_ready" && row.handed_by) handed.push({ k, from: row.handed_by, to: device });
    if (kind === "node_entered" || kind === "backward_ended") end(k - 1);
    if (kind === "node_entered" && device) running = { device, from: k };
  });
  end(trace.rows.length - 1);
  const names = [...busy.keys()].sort();
  return { devices: names.map((name) => ({ name, busy: busy.get(name) ?? [] })), handed };
}
