/** Points without a derivative are found from the numbers, and only there. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { kinkOf } from "../../static/js/trace/kinks.js";

const value = (data, shape) => ({ dtype: "float32", shape, data });

/** A trace with one operation on tensors of these numbers. */
function one(op, inputs, result) {
  const names = ["self", "other"].slice(0, inputs.length);
  const args = names.map((name, i) => [name, { tensor: `t${i + 1}` }]);
  const made = inputs.map((_, i) => ({ kind: "tensor_made", tensor: `t${i + 1}`, value: `v${i + 1}` }));
  const row = { kind: "op_applied", op, node: "n1", args, outputs: ["t9"], values: ["v9"] };
  const values = Object.fromEntries(inputs.map((data, i) => [`v${i + 1}`, value(data, [data.length])]));
  return {
    rows: [...made, row],
    values: { ...values, v9: value(result, Array.isArray(result) ? [result.length] : []) },
    nodes: { n1: { op, inputs: names, args, edges: names.map(() => null) } },
    tensors: {},
  };
}

const at = (trace, element, slot = 0) => kinkOf(trace, 0, { node: "n1", slot }, [element]);

test("relu and abs have a corner at 0 and nowhere else", () => {
  const relu = one("relu", [[0, 1, -1]], [0, 1, 0]);
  assert.deepEqual(at(relu, 0), { kind: "corner", op: "relu", at: 0 });
  assert.equal(at(relu, 1), null);
  assert.equal(at(relu, 2), null);
  assert.equal(at(one("abs", [[0]], [0]), 0).kind, "corner");
  assert.equal(at(one("exp", [[0]], [1]), 0), null);
});

test("clamp has a corner at each bound that is a number", () => {
  const clamp = one("clamp", [[0, 1, 0.5]], [0, 1, 0.5]);
  clamp.nodes.n1.args.push(["min", { text: "0" }], ["max", { text: "1" }]);
  assert.deepEqual([0, 1, 2].map((i) => at(clamp, i)?.at), [0, 1, undefined]);
  clamp.nodes.n1.args.pop();
  assert.equal(at(clamp, 1), null);
});

test("the padding row of an embedding is given nothing, the other rows are", () => {
  const table = one("embedding", [[0, 1, 2]], [1, 2]);
  table.nodes.n1.args.push(["padding_idx", { text: "1" }]);
  assert.deepEqual(at(table, 1), { kind: "padding", op: "embedding", row: 1 });
  assert.equal(at(table, 0), null);
  assert.equal(at(one("embedding", [[0, 1, 2]], [1, 2]), 1), null);
});

test("several largest numbers are a tie, one is not, and the others are none", () => {
  const tie = one("max", [[3, 1, 3]], 3);
  assert.deepEqual(at(tie, 0), { kind: "tie", op: "max", count: 2 });
  assert.equal(at(tie, 1), null);
  assert.equal(at(one("max", [[3, 1, 2]], 3), 0), null);
});

test("two operands tie where their numbers meet", () => {
  const both = one(
    "maximum",
    [
      [1, 2],
      [1, 5],
    ],
    [1, 5],
  );
  assert.equal(at(both, 0, 0).kind, "tie");
  assert.equal(at(both, 0, 1).kind, "tie");
  assert.equal(at(both, 1, 0), null);
});

test("step functions say so", () => {
  assert.deepEqual(at(one("round", [[0.3]], [0]), 0), { kind: "jump", op: "round" });
});
