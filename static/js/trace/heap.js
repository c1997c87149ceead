/** The ready queue as the heap it is: places in the array, the tree that they mean, what orders it. */

/** @typedef {import("#js/trace/reducer.js").Trace} Trace */
/** @typedef {{node: string, i: number, level: number, place: number, parent: number | null}} Slot */

/**
 * Return where each node of a heap stands: `level` 0 is the root, `place` counts within the level from 0.
 * The children of i are at 2i + 1 and 2i + 2.
 * @param {string[]} queue the heap's array
 * @returns {Slot[]}
 */
export function slots(queue) {
  return queue.map((node, i) => {
    const level = Math.floor(Math.log2(i + 1));
    return { node, i, level, place: i + 1 - 2 ** level, parent: i === 0 ? null : (i - 1) >> 1 };
  });
}

/**
 * Return what a node is ordered by, as PyTorch compares: how deep its backward is nested, then the sequence
 * number; an AccumulateGrad has the largest there is.
 * @param {Trace} trace
 * @param {string} node
 * @param {number} depth
 */
export const keyText = (trace, node, depth) => `(${depth}, ${trace.nodes[node].seq ?? "2⁶⁴−1"})`;

/** How deep a backward is nested in others. @param {import("#js/trace/reducer.js").Backward | null} pass */
export function depthOf(pass) {
  let depth = 0;
  for (let outer = pass?.outer ?? null; outer; outer = outer.outer) depth += 1;
  return depth;
}

/**
 * Return what waits behind the queue of a nested backward: the nodes of those around it, with their depth.
 * @param {import("#js/trace/reducer.js").State} state
 * @returns {{node: string, depth: number}[]}
 */
export function behind(state) {
  const found = [];
  let depth = depthOf(state.backward);
  for (let pass = state.backward; pass?.kept; pass = pass.outer) {
    depth -= 1;
    for (const node of pass.kept.queue) found.push({ node, depth });
  }
  return found;
}
