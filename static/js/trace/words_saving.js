/** What is said of saved tensors that go through hooks, of checkpoints, of sparse gradients. */

/** @typedef {import("#js/trace/reducer.js").Row} Row */
/** @typedef {import("#js/trace/speech.js").Saying} Saying */
/** @typedef {import("#js/trace/speech.js").Speaker} Speaker */

/** @type {Record<string, (row: Row, to: Speaker) => Saying>} */
export const savingWords = {
  saved_packed(row, to) {
    const values = {
      hook: to.code(row.hook),
      value: to.value(row.value),
      kept: to.code(row.kept),
      packed: to.value(row.packed),
    };
    if (row.hook === "checkpoint()") return [{ key: "row.saved_packed.again", values }];
    if (row.kept === "Placeholder") return [{ key: "row.saved_packed.placeholder", values }];
    if (row.packed === row.value) return [{ key: "row.saved_packed.same", values }];
    return [{ key: row.packed === null ? "row.saved_packed.other" : "row.saved_packed.tensor", values }];
  },
  saved_unpacked(row, to) {
    const values = {
      node: to.node(row.node),
      hook: to.code(row.hook),
      kept: to.code(row.kept),
      value: to.value(row.value),
    };
    return [{ key: `row.saved_unpacked.${row.kept === "Placeholder" ? "again" : "hook"}`, values }];
  },
  sparse_accumulated(row, to) {
    const values = {
      grad: to.gradOf(row.tensor),
      indices: to.code(rowNumbers(to.trace.values[row.indices])),
      rows: to.grad(row.rows),
      entries: String(row.entries),
    };
    const form = row.entries === 0 ? "dense" : row.coalesced ? "ordered" : "loose";
    return [{ key: "row.sparse_accumulated", values }, { key: `row.sparse_accumulated.${form}`, values }];
  },
  coalesced(row, to) {
    const values = {
      before: String(to.trace.values[row.indices].shape[1]),
      after: String(to.trace.values[row.new_indices].shape[1]),
      indices: to.value(row.new_indices),
      rows: to.value(row.new_rows),
    };
    return [{ key: "row.coalesced", values }];
  },
  checkpoint_began: (row, to) => [
    {
      key: row.reentrant ? "row.checkpoint_began.reentrant" : "row.checkpoint_began",
      values: { function: to.code(row.function) },
    },
  ],
  checkpoint_ended: (row, to) => [
    {
      key: row.tensors === null ? "row.checkpoint_ended.reentrant" : "row.checkpoint_ended",
      values: {
        function: to.code(row.function),
        tensors: String(row.tensors ?? 0),
        bytes: String(row.bytes ?? 0),
      },
    },
  ],
  recompute_began: (row, to) => [{ key: "row.recompute_began", values: { function: to.code(row.function) } }],
  recompute_ended(row, to) {
    const recorded = row.tensors === null ? "recorded" : "all";
    const values = { function: to.code(row.function), tensors: String(row.tensors ?? 0) };
    return [{ key: `row.recompute_ended.${row.early ? "early" : recorded}`, values }];
  },
};

/**
 * Write the rows of a matrix that an embedding looked up, of shape [1, entries], as one list.
 * @param {any} value
 */
const rowNumbers = ({ data, shape }) =>
  data && shape[0] === 1 ? `[${data[0].join(", ")}]` : `(${shape.join(", ")})`;
