/** What a node did not compute, and why. */

/** @typedef {import("#js/trace/reducer.js").Trace} Trace */
/** @typedef {import("#js/trace/reducer.js").Row} Row */
/** @typedef {import("#js/trace/labels.js").Part} Part */
/** @typedef {import("#js/trace/speech.js").Saying} Saying */
/** @typedef {import("#js/trace/speech.js").Speaker} Speaker */

/**
 * What the pass did not compute: gradients nobody asked for, those of frozen parameters, undefined ones.
 * @param {Row} row
 * @param {Speaker} to
 * @param {(node: string, slot: number, to: Speaker) => Part | Part[]} inputOf
 * @returns {Saying}
 */
export function skipped(row, to, inputOf) {
  const { args, inputs } = to.trace.nodes[row.node];
  /** @type {Map<string, Part[][]>} */
  const found = new Map();
  for (const [input, why] of row.skipped ?? []) {
    const tensor = args.find(([/** @type {string} */ name]) => name === input)?.[1]?.tensor;
    const frozen = parameterIn(to.trace, tensor);
    if (why === "not required" && !frozen) continue;
    const slot = inputs.indexOf(input);
    const part = why === "not required" ? to.tensor(frozen) : inputOf(row.node, slot, to);
    found.set(why, [...(found.get(why) ?? []), [part].flat()]);
  }
  return [...found].map(([why, parts]) => ({
    key: `row.node_ran.skipped.${why.replaceAll(" ", "_")}`,
    values: { inputs: to.list(parts) },
  }));
}

/** The parameter that a tensor is, or shows transposed. @param {Trace} trace @param {string} tensor */
function parameterIn(trace, tensor) {
  if (trace.tensors[tensor]?.parameter) return tensor;
  const made = trace.rows.find(({ op, outputs }) => op === "t" && outputs[0] === tensor);
  const source = made?.args[0][1].tensor;
  return trace.tensors[source]?.parameter ? source : null;
}
