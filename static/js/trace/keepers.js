/** Who keeps what for backward, since when, until when, and whether it is still what it was. */

/** @typedef {import("#js/trace/reducer.js").Trace} Trace */
/** @typedef {import("#js/trace/reducer.js").State} State */
/** @typedef {{node: string, name: string, since: number, until: number | null}} Keeper rows */
/** @typedef {{tensor: string, v: string | null, keepers: Keeper[]}} Kept */

/** @type {WeakMap<object, {made: Map<string, number>, freed: Map<string, number[]>}>} */
const known = new WeakMap();

/** Where each node was made, and where it lets go. @param {Trace} trace */
function places(trace) {
  let found = known.get(trace);
  if (found) return found;
  found = { made: new Map(), freed: new Map() };
  for (const [k, { kind, node, names }] of trace.rows.entries()) {
    if (kind === "op_applied" && node) found.made.set(node, k);
    if (kind === "saved_freed" && names.length > 0)
      found.freed.set(node, [...(found.freed.get(node) ?? []), k]);
  }
  known.set(trace, found);
  return found;
}

/**
 * Return every tensor that some node keeps after a row, the one kept last first, each with its keepers. Of a
 * graph that no backward takes apart `until` is null: it goes when nothing leads to it any more.
 * @param {Trace} trace
 * @param {State} state
 * @returns {Kept[]}
 */
export function keepers(trace, state) {
  const { made, freed } = places(trace);
  /** @type {Map<string, Kept>} */
  const found = new Map();
  for (const [node, fact] of state.saved) {
    if (fact.freed) continue;
    const since = made.get(node) ?? 0;
    const until = freed.get(node)?.find((k) => k > state.k) ?? null;
    for (const [name, tensor, v] of fact.names) {
      if (tensor === null) continue;
      const kept = found.get(tensor) ?? { tensor, v, keepers: [] };
      kept.keepers.push({ node, name, since, until });
      found.delete(tensor); // so that what is kept last stands last
      found.set(tensor, kept);
    }
  }
  return [...found.values()].reverse();
}

/** What writes a tensor without a row that tells its version. */
const SILENT = new Set(["parameter_updated", "data_replaced"]);

/**
 * Return the version counter of a tensor after row k, or null where no row tells it.
 * @param {Trace} trace
 * @param {string} tensor
 * @param {number} k
 */
export function versionAt({ rows }, tensor, k) {
  for (let i = k; i >= 0; i -= 1) {
    if (rows[i].tensor !== tensor) continue;
    if (rows[i].kind === "version_bumped") return rows[i].after;
    if (SILENT.has(rows[i].kind)) return versionBefore(rows, tensor, k + 1);
  }
  return 0;
}

/**
 * The version that the next write of a tensor finds.
 * @param {any[]} rows
 * @param {string} tensor
 * @param {number} from
 */
function versionBefore(rows, tensor, from) {
  for (let i = from; i < rows.length; i += 1) {
    if (rows[i].tensor !== tensor) continue;
    if (rows[i].kind === "version_bumped") return rows[i].before;
    if (SILENT.has(rows[i].kind)) return null;
  }
  return null;
}

/**
 * Say whether a tensor's memory was written between two rows, as far as rows tell.
 * @param {Trace} trace
 * @param {string} tensor
 * @param {number} from
 * @param {number} to
 */
export function isWritten({ rows }, tensor, from, to) {
  for (let i = from + 1; i <= to; i += 1) {
    const { kind, tensor: written, tensors } = rows[i];
    if (written === tensor && (kind === "version_bumped" || SILENT.has(kind))) return true;
    if (kind === "aliases_changed" && tensors.some((/** @type {string[]} */ [id]) => id === tensor))
      return true;
  }
  return false;
}
