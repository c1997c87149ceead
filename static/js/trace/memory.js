/**
 * Memory after every row, in bytes, by what it is for: as the trace tells it, and the check counts again.
 * If its end is missing, the same is read off the rows.
 *
 * graph: the storages that nodes keep for backward, from their operation's row until backward frees them.
 *   A storage counts once, however many nodes or views keep it. A leaf's storage (a transposed weight looks
 *   into the weight's) does not count: it is there with or without a graph. Data and results count, even if
 *   a variable holds them as well: they cannot go as long as the graph is there.
 *   A plain number that a node keeps (the 2 of x * 2) is not counted.
 * grads: every `.grad` that is not None. optimizer: what `step()` keeps for the next step, per parameter.
 */

/** @typedef {import("#js/trace/reducer.js").Trace} Trace */
/** @typedef {import("#js/trace/reducer.js").State} State */
/** @typedef {{graph: number, grads: number, optimizer: number}} Held */
/** @typedef {Map<string, number>} Storages bytes by storage */

const WIDTHS = {
  ...{ bool: 1, uint8: 1, int8: 1, int16: 2, float16: 2, bfloat16: 2, int32: 4, float32: 4 },
  ...{ int64: 8, float64: 8, complex64: 8, complex128: 16 },
};

/** Operations whose results look into the memory of their first tensor. */
export const VIEWS = new Set([
  ...["alias", "as_strided", "diagonal", "expand", "permute", "reshape_alias", "select", "slice", "split"],
  ...["split_with_sizes", "squeeze", "squeeze.dim", "squeeze.dims", "t", "transpose", "unbind", "unfold"],
  ...["unsqueeze", "view", "view_as_complex", "view_as_real"],
]);

const WRITES_GRAD = new Set(["grad_accumulated", "grad_retained", "grad_set"]);

/** @type {WeakMap<Trace, Held[]>} */
const folded = new WeakMap();
/** @type {WeakMap<Trace, Map<string, Storages>>} */
const known = new WeakMap();
/** @type {WeakMap<Trace, number>} the row in which a backward first records a graph of its own, or -1 */
const hiding = new WeakMap();

/**
 * Return what is held after every row.
 * @param {Trace} trace
 * @returns {Held[]}
 */
export function memory(trace) {
  const before = folded.get(trace);
  if (before) return before;
  const made = trace.memory ? spread(trace) : fold(trace);
  folded.set(trace, made);
  return made;
}

/**
 * Return the bytes of the graph that a variable, the present statement or a running backward leads to. What
 * memory() counts beyond that is held by a list, say, or was let go: no row tells when a program drops it.
 * @param {Trace} trace
 * @param {State} state
 */
export function reached(trace, state) {
  /** @type {Set<string>} */
  const storages = new Set();
  let sum = 0;
  for (const [node, kept] of keepersFrom(trace, starts(trace, state))) {
    if (state.saved.get(node)?.freed ?? true) continue;
    for (const [storage, bytes] of kept) {
      if (storages.has(storage)) continue;
      storages.add(storage);
      sum += bytes;
    }
  }
  return sum;
}

/** @type {WeakMap<Trace, {key: string, found: [string, Storages][]}>} */
const asked = new WeakMap();

/**
 * The nodes behind some others that keep anything, with what they keep; the last answer is known.
 * @param {Trace} trace
 * @param {string[]} from
 */
function keepersFrom(trace, from) {
  const nodes = new Set(from);
  const key = [...nodes].sort().join(" ");
  const before = asked.get(trace);
  if (before?.key === key) return before.found;
  for (const node of nodes) {
    for (const edge of trace.nodes[node]?.edges ?? []) if (edge) nodes.add(edge[0]);
  }
  const found = [...nodes].flatMap((node) => {
    const kept = keeps(trace).get(node);
    return kept ? [/** @type {[string, Storages]} */ ([node, kept])] : [];
  });
  asked.set(trace, { key, found });
  return found;
}

/**
 * Say whether a backward has recorded a graph of its own (create_graph), which no row shows in full.
 * @param {Trace} trace
 * @param {number} k
 */
export function hasHidden(trace, k) {
  let first = hiding.get(trace);
  if (first === undefined) {
    first = trace.rows.findIndex((row) => row.kind === "backward_began" && row.create_graph);
    hiding.set(trace, first);
  }
  return first >= 0 && first <= k;
}

/**
 * Write a number of bytes: 96 B, 1.2 kB, 34 MB.
 * @param {number} bytes
 */
export function bytesText(bytes) {
  const units = ["B", "kB", "MB", "GB"];
  let [size, unit] = [bytes, 0];
  for (; size >= 999.5 && unit < units.length - 1; unit += 1) size /= 1000;
  return `${unit === 0 || size >= 9.95 ? Math.round(size) : size.toFixed(1)} ${units[unit]}`;
}

/** From the rows after which something changes to every row. @param {Trace} trace @returns {Held[]} */
function spread(trace) {
  /** @type {Held} */
  let held = { graph: 0, grads: 0, optimizer: 0 };
  let next = 0;
  return trace.rows.map((/** @type {any} */ _, /** @type {number} */ k) => {
    const told = trace.memory[next];
    if (told?.[0] === k) {
      held = { graph: told[1], grads: told[2], optimizer: told[3] };
      next += 1;
    }
    return held;
  });
}

/** @param {Trace} trace @returns {Held[]} */
export function fold(trace) {
  const graph = tally();
  const grads = tally();
  const optimizer = tally();
  /** @type {Held} */
  let held = { graph: 0, grads: 0, optimizer: 0 };
  let which = 0;
  return trace.rows.map((row) => {
    const storages = keeps(trace).get(row.node);
    if (row.kind === "op_applied" && storages) graph.keep(row.node, storages);
    if (row.kind === "saved_freed" && row.names.length > 0) graph.drop(row.node);
    if (WRITES_GRAD.has(row.kind)) grads.keep(row.tensor, sizes(trace, { grad: row.after }, row.tensor));
    if (row.kind === "optimizer_step") which = row.which;
    if (row.kind === "parameter_updated") {
      const key = `${which} ${row.tensor}`;
      const kept = row.state.map((/** @type {any[]} */ [name, , , after]) => [name, after]);
      if (kept.length > 0) optimizer.keep(key, sizes(trace, Object.fromEntries(kept), key));
    }
    const now = { graph: graph.bytes(), grads: grads.bytes(), optimizer: optimizer.bytes() };
    const same = now.graph === held.graph && now.grads === held.grads && now.optimizer === held.optimizer;
    if (!same) held = now;
    return held;
  });
}

/** Counts storages once, as long as somebody keeps them. */
function tally() {
  /** @type {Map<string, Storages>} */
  const owners = new Map();
  /** @type {Map<string, number>} */
  const holders = new Map();
  let total = 0;
  const count = (/** @type {Storages} */ storages, /** @type {1 | -1} */ change) => {
    for (const [storage, bytes] of storages) {
      const before = holders.get(storage) ?? 0;
      holders.set(storage, before + change);
      if (before === 0 || before + change === 0) total += change * bytes;
    }
  };
  const drop = (/** @type {string} */ owner) => {
    count(owners.get(owner) ?? new Map(), -1);
    owners.delete(owner);
  };
  return {
    drop,
    bytes: () => total,
    keep(/** @type {string} */ owner, /** @type {Storages} */ storages) {
      drop(owner);
      owners.set(owner, storages);
      count(storages, 1);
    },
  };
}

/**
 * Return the storages that each node keeps.
 * @param {Trace} trace
 * @returns {Map<string, Storages>}
 */
function keeps(trace) {
  const before = known.get(trace);
  if (before) return before;
  /** @type {Map<string, Storages>} */
  const found = new Map();
  /** @type {Map<string, string>} */
  const roots = new Map(); // tensor → the tensor whose memory it looks into
  /** @type {Map<string, string>} */
  const holders = new Map(); // value → what held it last: for tensors that no row has made, such as `.grad`
  const root = (/** @type {string} */ tensor, /** @type {string | null} */ v) =>
    roots.get(tensor) ?? holders.get(v ?? "") ?? tensor;
  const hold = (/** @type {string} */ tensor, /** @type {string} */ v) => {
    if (!roots.has(tensor)) roots.set(tensor, tensor);
    holders.set(v, root(tensor, v));
  };
  for (const row of trace.rows) {
    if (row.kind === "tensor_made") hold(row.tensor, row.value);
    if (row.kind === "parameter_updated") hold(row.tensor, row.after);
    if (row.kind === "data_replaced") roots.set(row.source, root(row.tensor, null));
    if (row.kind === "detached" && !roots.has(row.tensor)) roots.set(row.tensor, root(row.source, null));
    if (WRITES_GRAD.has(row.kind) && row.after !== null) holders.set(row.after, `.grad ${row.tensor}`);
    if (row.kind !== "op_applied") continue;
    const first = row.args.find((/** @type {any[]} */ [, what]) => what.tensor)?.[1].tensor;
    const looksInto = first && VIEWS.has(row.op.replace(/_$/, "")) ? root(first, null) : null;
    for (const tensor of row.outputs) if (!roots.has(tensor)) roots.set(tensor, looksInto ?? tensor);
    if (row.node !== null) found.set(row.node, storagesOf(trace, row, root));
    for (const [i, tensor] of row.outputs.entries()) hold(tensor, row.values[i]);
  }
  known.set(trace, found);
  return found;
}

/**
 * @param {Trace} trace
 * @param {import("#js/trace/reducer.js").Row} row
 * @param {(tensor: string, v: string | null) => string} root
 * @returns {Storages}
 */
function storagesOf(trace, row, root) {
  /** @type {Storages} */
  const storages = new Map();
  for (const [name, tensor, v] of row.saved) {
    if (tensor === null) {
      if (v !== null) storages.set(`${row.node} ${name}`, size(trace.values[v]));
      continue;
    }
    const storage = root(tensor, v);
    const entry = trace.tensors[storage];
    const isLeaf = [entry, trace.tensors[tensor]].some((one) => one?.kind === "leaf" || one?.parameter);
    if (entry && !isLeaf) storages.set(storage, size(entry));
  }
  return storages;
}

/**
 * @param {Trace} trace
 * @param {Record<string, string | null>} values
 * @param {string} owner
 * @returns {Storages}
 */
function sizes(trace, values, owner) {
  const there = Object.entries(values).filter(([, v]) => v !== null && trace.values[v]);
  return new Map(there.map(([name, v]) => [`${owner} ${name}`, size(trace.values[v ?? ""])]));
}

/** @param {Trace} trace @param {State} state */
function starts(trace, state) {
  const found = [...state.names.values()].map((tensor) => trace.tensors[tensor]?.node);
  for (let call = state.backward; call !== null; call = call.outer) found.push(...call.root_nodes);
  for (let k = state.k; k >= 0 && trace.rows[k].kind !== "names_bound"; k -= 1) {
    if (trace.rows[k].kind === "op_applied") found.push(trace.rows[k].node);
  }
  return found.filter(Boolean);
}

/** @param {{shape: number[], dtype: string}} what */
function size({ shape, dtype }) {
  const width = /** @type {Record<string, number>} */ (WIDTHS)[dtype] ?? 4;
  return shape.reduce((product, n) => product * n, width);
}
