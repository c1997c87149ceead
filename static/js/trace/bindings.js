/** Since when a tensor has had a name. */

/** @typedef {import("#js/trace/reducer.js").Trace} Trace */
/** @typedef {import("#js/trace/reducer.js").State} State */

/** @type {WeakMap<object, Map<string, number>>} */
const firsts = new WeakMap();

/**
 * Has a variable been bound to a tensor by now? If not, a name it will have is not an earlier one.
 * @param {Trace} trace
 * @param {State} state
 * @param {string} tensor
 */
export function wasBound(trace, state, tensor) {
  let found = firsts.get(trace);
  if (!found) firsts.set(trace, (found = firstBindings(trace)));
  return (found.get(tensor) ?? Infinity) <= state.k;
}

/** @param {Trace} trace */
function firstBindings(trace) {
  /** @type {Map<string, number>} */
  const found = new Map();
  trace.rows.forEach((row, k) => {
    if (row.kind !== "names_bound") return;
    for (const tensor of Object.values(row.names)) if (!found.has(tensor)) found.set(tensor, k);
  });
  return found;
}
