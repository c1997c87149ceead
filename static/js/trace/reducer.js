/**
 * What every kind of row means: one handler per kind folds a row into the state.
 * Knows no elements, no words, no clock.
 *
 * Maps and arrays hold values that are replaced, never changed, so a shallow copy of a state is a keyframe.
 */

/**
 * @typedef {[number, number, number, number] | null} Span
 * @typedef {"ghost" | "made" | "ready" | "running" | "ran" | "freed"} Phase
 * @typedef {{kind: string, at: Span, [field: string]: any}} Row
 * @typedef {{
 *   call: number, api: string, roots: string[], root_nodes: (string | null)[], grads: (string | null)[],
 *   missing: Record<string, number>, running: string | null, k: number,
 *   outer: Backward | null, kept: Kept | null,
 * }} Backward
 * @typedef {{expected: Map<string, number>, missing: Map<string, number>, buffer: Map<string, string>,
 *   queue: string[]}} Kept
 * @typedef {{source: string, rows: Row[], tensors: Record<string, any>, nodes: Record<string, any>,
 *   modules: Record<string, any>, values: Record<string, any>, outcome: any}} Trace
 * @typedef {ReturnType<typeof initial>} State
 */

/**
 * Return the state before the first row.
 * @param {Trace} _trace
 */
export function initial(_trace) {
  return {
    k: -1,
    row: /** @type {Row | null} */ (null),
    /** @type {Map<string, Phase>} */ phase: new Map(),
    /** @type {Map<string, string>} */ value: new Map(),
    /** @type {Map<string, string | null>} */ grad: new Map(),
    /** @type {Map<string, string>} */ names: new Map(),
    /** @type {Map<string, number>} */ expected: new Map(),
    /** @type {Map<string, number>} */ missing: new Map(),
    /** @type {Map<string, string>} */ buffer: new Map(),
    /** @type {Map<string, string | null>} */ flow: new Map(),
    /** @type {Map<string, any[]>} */ rules: new Map(),
    /** @type {Map<string, (string | null)[]>} */ received: new Map(),
    /** @type {string[]} */ queue: [],
    /** @type {Map<string, {names: any[], freed: boolean}>} */ saved: new Map(),
    /** @type {string[]} */ output: [],
    at: /** @type {Span} */ (null),
    focus: /** @type {string | null} */ (null),
    backward: /** @type {Backward | null} */ (null),
    error: /** @type {Row | null} */ (null),
    limit: /** @type {Row | null} */ (null),
    /** @type {string[]} */ modules: [],
    gradEnabled: true,
  };
}

/**
 * Return a copy that can be folded further without touching the original.
 * @param {State} state
 * @returns {State}
 */
export function copy(state) {
  /** @type {any} */
  const fresh = { ...state };
  for (const [field, value] of Object.entries(state)) {
    if (value instanceof Map) fresh[field] = new Map(/** @type {Map<any, any>} */ (value));
  }
  return fresh;
}

/**
 * Fold one row into `state` (in place) and return it. A kind without a handler is a plain step.
 * @param {State} state
 * @param {Row} row
 * @param {Trace} trace
 * @returns {State}
 */
export function apply(state, row, trace) {
  state.k += 1;
  state.row = row;
  if (row.kind !== "names_bound" || !sameLine(state.at, row.at)) state.at = row.at;
  state.focus = subjectOf(row) ?? state.focus;
  on[row.kind]?.(state, row, trace);
  return state;
}

/** @param {string} node @param {number} slot */
export const edgeKey = (node, slot) => `${node}:${slot}`;

/** @param {string} node @param {number} inputNr */
export const bufferKey = (node, inputNr) => (inputNr === 0 ? node : `${node}:${inputNr}`);

/** Hooks whose answer is what the node's rules get. */
const BEFORE_RULES = new Set(["tensor", "before the node"]);

/** @type {Record<string, (state: State, row: Row, trace: Trace) => void>} */
export const on = {
  // ----- forward -----
  tensor_made(s, row) {
    s.phase.set(row.tensor, "made");
    s.value.set(row.tensor, row.value);
  },
  op_applied(s, row, trace) {
    row.outputs.forEach((/** @type {string} */ tensor, /** @type {number} */ i) => {
      s.phase.set(tensor, "made");
      s.value.set(tensor, row.values[i]);
    });
    if (row.node === null) return;
    s.phase.set(row.node, "made");
    s.saved.set(row.node, { names: row.saved, freed: false });
    for (const edge of trace.nodes[row.node]?.edges ?? []) {
      if (edge && !s.phase.has(edge[0])) s.phase.set(edge[0], "made");
    }
  },
  names_bound(s, row) {
    for (const name of row.unbound) s.names.delete(name);
    for (const [name, tensor] of Object.entries(row.names)) s.names.set(name, tensor);
  },
  printed(s, row) {
    s.output = [...s.output, row.text];
  },
  module_entered(s, row) {
    s.modules = [...s.modules, row.module];
  },
  module_left(s) {
    s.modules = s.modules.slice(0, -1);
  },
  grad_mode(s, row) {
    s.gradEnabled = row.enabled;
  },
  retain_grad() {},
  hook_registered() {},

  // ----- .grad and parameters -----
  grad_set: setGrad,
  zero_grad() {},
  optimizer_step() {},
  parameter_updated(s, row) {
    s.value.set(row.tensor, row.after);
  },

  // ----- backward -----
  backward_began(s, row, trace) {
    begin(s, row, trace);
  },
  node_ready(s, row) {
    s.phase.set(row.node, "ready");
    s.queue = row.queue;
  },
  node_entered(s, row) {
    settle(s);
    if (s.backward) s.backward = { ...s.backward, running: row.node };
    s.phase.set(row.node, "running");
    s.received.set(row.node, row.grads);
    s.queue = row.queue;
    emptyBuffers(s, row.node);
  },
  hook_ran(s, row) {
    const received = s.received.get(row.node) ?? [];
    const index = BEFORE_RULES.has(row.when) ? received.indexOf(row.before) : -1;
    if (index >= 0) s.received.set(row.node, received.with(index, row.after));
  },
  grad_retained: setGrad,
  grad_accumulated: setGrad,
  node_ran(s, row) {
    s.rules.set(row.node, row.rules);
  },
  reduced_to_shape() {},
  saved_freed(s, row) {
    const saved = s.saved.get(row.node);
    if (saved && row.names.length > 0) s.saved.set(row.node, { ...saved, freed: true });
  },
  edge_flowed(s, row) {
    s.flow.set(edgeKey(row.node, row.slot), row.grad);
    s.missing.set(row.target, row.missing);
    const key = bufferKey(row.target, row.input_nr);
    if (row.grad !== null && !s.buffer.has(key)) s.buffer.set(key, row.grad);
  },
  grad_summed(s, row) {
    s.buffer.set(bufferKey(row.node, row.input_nr), row.after);
  },
  grad_captured() {},
  backward_ended(s) {
    settle(s);
    finish(s);
  },

  // ----- the end -----
  error(s, row) {
    s.error = row;
  },
  limit(s, row) {
    s.limit = row;
  },
};

/** @param {State} s @param {Row} row */
function setGrad(s, row) {
  s.grad.set(row.tensor, row.after);
}

/**
 * Start a pass: what it reaches waits again, and forgets the gradients of the pass before.
 * @param {State} s
 * @param {Row} row
 * @param {Trace} trace
 */
function begin(s, row, trace) {
  const { call, api, roots, root_nodes, grads, missing } = row;
  const outer = s.backward;
  const kept = outer && {
    expected: new Map(s.expected),
    missing: new Map(s.missing),
    buffer: new Map(s.buffer),
    queue: s.queue,
  };
  s.backward = { call, api, roots, root_nodes, grads, missing, running: null, k: s.k, outer, kept };
  s.expected.clear();
  s.missing.clear();
  s.queue = [];
  const reached = new Set([...Object.keys(missing), ...root_nodes.filter(Boolean)]);
  for (const node of reached) forget(s, node, trace);
  for (const [node, count] of Object.entries(missing)) {
    s.expected.set(node, count);
    s.missing.set(node, count);
  }
  root_nodes.forEach((/** @type {string | null} */ node, /** @type {number} */ i) => {
    const isLeaf = node !== null && trace.nodes[node]?.name === "AccumulateGrad";
    const inputNr = isLeaf ? 0 : (trace.tensors[roots[i]]?.output_nr ?? 0);
    const key = node && bufferKey(node, inputNr);
    if (key && grads[i] !== null && !s.buffer.has(key)) s.buffer.set(key, grads[i]);
  });
}

/**
 * @param {State} s
 * @param {string} node
 * @param {Trace} trace
 */
function forget(s, node, trace) {
  const edges = trace.nodes[node]?.edges ?? [];
  for (let slot = 0; slot < edges.length; slot += 1) s.flow.delete(edgeKey(node, slot));
  emptyBuffers(s, node);
  s.rules.delete(node);
  s.received.delete(node);
  if (s.phase.has(node) && s.phase.get(node) !== "freed") s.phase.set(node, "made");
}

/** @param {State} s @param {string} node */
function emptyBuffers(s, node) {
  for (const key of s.buffer.keys()) {
    if (key === node || key.startsWith(`${node}:`)) s.buffer.delete(key);
  }
}

/**
 * The node that was running is done: "freed" if it let go of what it had saved, else "ran".
 * @param {State} s
 */
function settle(s) {
  const node = s.backward?.running;
  if (node) s.phase.set(node, s.saved.get(node)?.freed ? "freed" : "ran");
}

/**
 * A pass is over; one that ran inside another gives back what the outer one waits for.
 * @param {State} s
 */
function finish(s) {
  const ended = s.backward;
  s.backward = ended?.outer ?? null;
  s.queue = ended?.kept?.queue ?? [];
  if (!ended?.kept) return;
  s.expected = new Map(ended.kept.expected);
  s.missing = new Map(ended.kept.missing);
  s.buffer = new Map(ended.kept.buffer);
}

/**
 * Return the id of the node or tensor that a row is about.
 * @param {Row} row
 * @returns {string | null}
 */
function subjectOf(row) {
  if (row.kind === "op_applied") return row.node ?? row.outputs[0] ?? null;
  if (row.kind === "backward_began") return row.root_nodes[0] ?? row.roots[0] ?? null;
  return row.target ?? row.tensor ?? row.node ?? null;
}

/** @param {Span} a @param {Span} b */
const sameLine = (a, b) => a !== null && b !== null && a[0] <= b[2] && b[0] <= a[2];
