/** Which hooks are registered, on what, and when each ran: read off the rows. */

/** @typedef {import("#js/trace/reducer.js").Trace} Trace */
/**
 * @typedef {{owner: string, node: string | null, when: string, hook: string, k: number, count: number,
 *   ran: number[]}} Hook  `owner`: a tensor or a node; `k`: where it was registered, `count`: how often
 */

/** @type {WeakMap<object, Hook[]>} */
const known = new WeakMap();

/**
 * Return the hooks of a run in order of registration; those of one function, owner and moment are one.
 * @param {Trace} trace
 * @returns {Hook[]}
 */
export function hooks(trace) {
  let found = known.get(trace);
  if (!found) known.set(trace, (found = read(trace)));
  return found;
}

/** @param {Trace} trace @returns {Hook[]} */
function read(trace) {
  const accumulators = new Map(
    Object.entries(trace.nodes).flatMap(([id, { variable }]) => (variable ? [[variable, id]] : [])),
  );
  const nodeOf = (/** @type {string} */ owner) =>
    trace.nodes[owner] ? owner : (accumulators.get(owner) ?? trace.tensors[owner]?.node ?? null);
  /** @type {Map<string, Hook>} */
  const found = new Map();
  trace.rows.forEach((row, k) => {
    if (row.kind !== "hook_registered" && row.kind !== "hook_ran") return;
    const isNew = row.kind === "hook_registered";
    const node = isNew ? nodeOf(row.owner) : row.node;
    const key = `${node ?? row.owner} ${row.when} ${row.hook}`;
    const { when, hook } = row;
    const entry = found.get(key) ?? {
      owner: isNew ? row.owner : row.node,
      node,
      when,
      hook,
      k,
      count: 0,
      ran: [],
    };
    found.set(key, entry);
    if (isNew) entry.count += 1;
    else entry.ran.push(k);
  });
  return [...found.values()];
}
