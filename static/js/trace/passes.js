/**
 * What the beginning and the end of a backward pass, and of a node's turn in it, do to the state.
 * The reducer's handlers call these; they touch nothing else.
 */

/** @typedef {import("#js/trace/reducer.js").Trace} Trace */
/** @typedef {import("#js/trace/reducer.js").State} State */
/** @typedef {import("#js/trace/reducer.js").Row} Row */

/** @param {string} node @param {number} slot */
export const edgeKey = (node, slot) => `${node}:${slot}`;

/** @param {string} node @param {number} inputNr */
export const bufferKey = (node, inputNr) => (inputNr === 0 ? node : `${node}:${inputNr}`);

/**
 * Start a pass: what it reaches waits again, and forgets the gradients of the pass before.
 * @param {State} s
 * @param {Row} row
 * @param {Trace} trace
 */
export function begin(s, row, trace) {
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
export function emptyBuffers(s, node) {
  for (const key of s.buffer.keys()) {
    if (key === node || key.startsWith(`${node}:`)) s.buffer.delete(key);
  }
}

/**
 * The node that was running is done: "freed" if it let go of what it had saved, else "ran".
 * @param {State} s
 */
export function settle(s) {
  const node = s.backward?.running;
  if (node) s.phase.set(node, s.saved.get(node)?.freed ? "freed" : "ran");
}

/**
 * A pass is over; one that ran inside another gives back what the outer one waits for.
 * @param {State} s
 */
export function finish(s) {
  const ended = s.backward;
  s.backward = ended?.outer ?? null;
  s.queue = ended?.kept?.queue ?? [];
  if (!ended?.kept) return;
  s.expected = new Map(ended.kept.expected);
  s.missing = new Map(ended.kept.missing);
  s.buffer = new Map(ended.kept.buffer);
}
