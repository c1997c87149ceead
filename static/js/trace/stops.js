/**
 * Where each level of detail halts: sorted arrays of row positions. Story ⊆ chain ⊆ engine.
 * A stop sits on the last row of what belongs together, so a name is on the screen with its value.
 */

/** @typedef {import("#js/trace/reducer.js").Trace} Trace */
/** @typedef {import("#js/trace/reducer.js").Row} Row */
/** @typedef {"story" | "chain" | "engine"} Level */

/** @type {Level[]} */
export const levels = ["story", "chain", "engine"];

const MADE = new Set(["tensor_made", "detached", "op_applied"]);
/** What is told of an operation after its row, and belongs to it. */
const BESIDE = new Set(["module_left", "aliases_changed", "version_bumped", "rebased"]);
const FORWARD = new Set([
  ...[...MADE, ...BESIDE, "names_bound", "module_entered", "grad_mode"],
  ...["saved_packed", "checkpoint_began", "checkpoint_ended"],
]);

/**
 * In which levels (besides engine) a row halts. A kind without an entry halts in engine only;
 * story's forward lines are found by `lineEnds`.
 * @type {Record<string, (trace: Trace, k: number) => Level[]>}
 */
const halts = {
  tensor_made: () => ["chain"],
  detached: () => ["chain"],
  saved_packed: (trace, k) => (isKeptElsewhere(trace.rows[k]) ? ["chain"] : []),
  saved_unpacked: (trace, k) => (trace.rows[k].kept === "Placeholder" ? [] : ["chain"]),
  checkpoint_began: () => ["chain"],
  checkpoint_ended: () => ["chain"],
  recompute_began: () => ["story", "chain"],
  recompute_ended: () => ["chain"],
  aliases_changed: () => ["chain"],
  rebased: (trace, k) => (isThroughView(trace, trace.rows[k].after) ? ["chain"] : []),
  data_replaced: () => ["story", "chain"],
  value_read: (trace, k) => (trace.tensors[trace.rows[k].tensor].kind === "data" ? [] : ["chain"]),
  op_applied: (trace, k) => (isWriteOfGrad(trace, k) ? [] : ["chain"]),
  names_bound: (trace, k) => (isAlias(trace, k) ? ["chain"] : []),
  printed: () => ["story", "chain"],
  echo: () => ["story", "chain"],
  seeded: () => ["chain"],
  stand_in: () => ["chain"],
  plotted: () => ["story", "chain"],
  warning: () => ["story", "chain"],
  retain_grad: () => ["chain"],
  grad_set: (trace, k) => (changesGrad(trace.rows[k]) ? ["story", "chain"] : []),
  zero_grad: (trace, k) => (isFollowedBy(trace, k, changesGrad) ? [] : ["story", "chain"]),
  optimizer_step: (trace, k) => (isFollowedBy(trace, k, isUpdate) ? [] : ["story", "chain"]),
  parameter_updated: () => ["story", "chain"],
  grad_norm_clipped: () => ["story", "chain"],
  grad_value_clipped: () => ["story", "chain"],
  lr_scheduled: (trace, k) => (trace.rows[k].before === trace.rows[k].after ? ["chain"] : ["story", "chain"]),
  backward_began: () => ["story", "chain"],
  hook_ran: (trace, k) => (trace.rows[k].before === trace.rows[k].after ? [] : ["chain"]),
  sparse_accumulated: () => ["chain"],
  coalesced: () => ["chain"],
  grad_retained: () => ["story", "chain"],
  grad_accumulated: () => ["story", "chain"],
  node_ran: (trace, k) => (isLeafNode(trace, trace.rows[k].node) ? [] : ["chain"]),
  reduced_to_shape: () => ["chain"],
  edge_flowed: (trace, k) => (completesVariable(trace, k) ? ["story", "chain"] : ["chain"]),
  grad_summed: (trace, k) => (completesVariable(trace, k - 1) ? ["story", "chain"] : ["chain"]),
  grad_captured: () => ["story", "chain"],
  error: () => ["story", "chain"],
  limit: () => ["story", "chain"],
};

/** @type {WeakMap<object, Record<string, number[]>>} */
const known = new WeakMap();

/**
 * Return where `level` halts: a sorted array of k. The last row always is a stop.
 * @param {Trace} trace
 * @param {Level} level
 * @returns {number[]}
 */
export function stops(trace, level) {
  let found = known.get(trace);
  if (!found) known.set(trace, (found = find(trace)));
  return found[level];
}

/**
 * Return the position of the row that a stop at k is about: for a `names_bound`, the row that made the value.
 * @param {Trace} trace
 * @param {number} k
 */
export function subject(trace, k) {
  const made = trace.rows[k]?.kind === "names_bound" ? makerOf(trace, k) : -1;
  return made >= 0 ? made : k;
}

/**
 * Return the stops of `level` whose expression begins in `line`.
 * @param {Trace} trace
 * @param {number} line
 * @param {Level} [level]
 */
export function lineStops(trace, line, level = "chain") {
  return stops(trace, level).filter((k) => trace.rows[subject(trace, k)].at?.[0] === line);
}

/**
 * Return the stops at which a node is made and runs; without a node, those of all nodes.
 * @param {Trace} trace
 * @param {string | null} [node]
 */
export function nodeStops(trace, node = null) {
  return stops(trace, "chain").filter((k) => {
    const row = trace.rows[subject(trace, k)];
    const runs = row.kind === "node_ran" || row.kind === "grad_accumulated";
    const makes = row.kind === "op_applied" && row.node !== null;
    return (runs || makes) && (node === null || row.node === node);
  });
}

/**
 * Return where each `backward()` begins.
 * @param {Trace} trace
 */
export function backwardStops(trace) {
  return stops(trace, "chain").filter((k) => trace.rows[k].kind === "backward_began");
}

/**
 * Return how many of the sorted positions are ≤ k.
 * @param {number[]} sorted
 * @param {number} k
 */
export function countUpTo(sorted, k) {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle] <= k) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * @param {Trace} trace
 * @returns {Record<Level, number[]>}
 */
function find(trace) {
  const last = trace.rows.length - 1;
  const chain = new Set(last >= 0 ? [last] : []);
  const story = new Set(chain);
  trace.rows.forEach((row, k) => {
    const where = halts[row.kind]?.(trace, k) ?? [];
    const end = MADE.has(row.kind) ? endOfGroup(trace, k) : k;
    if (where.includes("chain")) chain.add(end);
    if (where.includes("story")) story.add(end);
  });
  for (const k of lineEnds(trace, chain)) story.add(k);
  const sorted = (/** @type {Set<number>} */ set) => [...set].sort((a, b) => a - b);
  return { story: sorted(story), chain: sorted(chain), engine: trace.rows.map((_, k) => k) };
}

/**
 * The last chain stop of every forward line, each time the line runs.
 * @param {Trace} trace
 * @param {Set<number>} chain
 */
function lineEnds(trace, chain) {
  /** @type {number[]} */
  const ends = [];
  let open = -1;
  let depth = 0; // what a hook or a rule of the learner's own computes inside backward is no forward line
  trace.rows.forEach((row, k) => {
    if (row.kind === "backward_began") depth += 1;
    if (row.kind === "backward_ended") depth -= 1;
    const forward = depth === 0 && FORWARD.has(row.kind);
    if (open >= 0 && (!forward || lineOf(row) !== lineOf(trace.rows[open]))) {
      ends.push(open);
      open = -1;
    }
    if (forward && chain.has(k)) open = k;
    if (row.kind === "names_bound" && open >= 0) {
      ends.push(open);
      open = -1;
    }
  });
  return open >= 0 ? [...ends, open] : ends;
}

/** @param {Row} row */
const lineOf = (row) => row.at?.[0] ?? null;

/**
 * The `names_bound` that names what row k made, or k itself.
 * @param {Trace} trace
 * @param {number} k
 */
function endOfGroup(trace, k) {
  let next = k + 1;
  while (BESIDE.has(trace.rows[next]?.kind)) next += 1;
  return trace.rows[next]?.kind === "names_bound" && makerOf(trace, next) === k ? next : k;
}

/**
 * The row that made what a `names_bound` row names, if it is the one right before; else -1.
 * @param {Trace} trace
 * @param {number} k
 */
function makerOf(trace, k) {
  let before = k - 1;
  while (BESIDE.has(trace.rows[before]?.kind)) before -= 1;
  const maker = trace.rows[before];
  if (!maker || !MADE.has(maker.kind)) return -1;
  const outputs = maker.kind === "op_applied" ? maker.outputs : [maker.tensor];
  return Object.values(trace.rows[k].names).some((tensor) => outputs.includes(tensor)) ? before : -1;
}

/**
 * `w.grad.zero_()`: the write is told by the `grad_set` that follows.
 * @param {Trace} trace
 * @param {number} k
 */
const isWriteOfGrad = (trace, k) => trace.rows[k].inplace && trace.rows[k + 1]?.kind === "grad_set";

/**
 * A line that computes nothing and gives an existing tensor another name.
 * @param {Trace} trace
 * @param {number} k
 */
function isAlias(trace, k) {
  return Object.keys(trace.rows[k].names).length > 0 && makerOf(trace, k) < 0;
}

/**
 * A write that went through a view, or a view that is looked at after its memory was written.
 * @param {Trace} trace
 * @param {string} node
 */
const isThroughView = (trace, node) =>
  ["CopySlices", "AsStridedBackward0"].includes(trace.nodes[node]?.name ?? "");

/** @param {Row} row */
const isKeptElsewhere = (row) => row.kept !== "Placeholder" && row.packed !== row.value;

/** @param {Row} row */
const changesGrad = (row) =>
  row.kind === "grad_set" && (row.before !== row.after || row.cause !== "zero_grad");

/** @param {Row} row */
const isUpdate = (row) => row.kind === "parameter_updated";

/**
 * Does a row that `test` accepts follow within the same expression?
 * @param {Trace} trace
 * @param {number} k
 * @param {(row: Row) => boolean} test
 */
function isFollowedBy(trace, k, test) {
  const kind = trace.rows[k].kind === "zero_grad" ? "grad_set" : "parameter_updated";
  for (let next = k + 1; trace.rows[next]?.kind === kind; next += 1) {
    if (test(trace.rows[next])) return true;
  }
  return false;
}

/**
 * The last path arrives at a variable with a name: its gradient is complete. Leaves are told by
 * `grad_accumulated`; where a sum follows, the sum is the moment.
 * @param {Trace} trace
 * @param {number} k
 */
function completesVariable(trace, k) {
  const row = trace.rows[k];
  if (row?.kind !== "edge_flowed" || row.missing > 0 || row.grad === null) return false;
  const target = trace.nodes[row.target];
  const tensor = target.outputs.find(
    (/** @type {string} */ t) => trace.tensors[t]?.output_nr === row.input_nr,
  );
  return target.name !== "AccumulateGrad" && (trace.tensors[tensor]?.names.length ?? 0) > 0;
}

/** @param {Trace} trace @param {string} node */
const isLeafNode = (trace, node) => trace.nodes[node]?.name === "AccumulateGrad";
