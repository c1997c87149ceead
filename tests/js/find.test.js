/** Finding variables, nodes and lines, and what an expression stands for. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { aboutRow, find, nodeAt, rowsAbout } from "../../static/js/trace/find.js";

const row = (kind, more) => ({ kind, at: null, ...more });
const trace = {
  source: "weight = make()\ny = weight * 2\nz = (weight * 2).exp()",
  tensors: {
    t1: { kind: "leaf", names: ["weight"], node: null, at: [1, 9, 1, 15] },
    t2: { kind: "result", names: ["y"], node: "n2", at: [2, 4, 2, 14] },
    t3: { kind: "result", names: [], node: "n3", at: [3, 5, 3, 15] },
    t4: { kind: "result", names: ["z"], node: "n4", at: [3, 4, 3, 22] },
  },
  nodes: {
    n1: { name: "AccumulateGrad", seq: null, variable: "t1", outputs: [], at: [1, 9, 1, 15] },
    n2: { name: "MulBackward0", seq: 0, outputs: ["t2"], at: [2, 4, 2, 14] },
    n3: { name: "MulBackward0", seq: 1, outputs: ["t3"], at: [3, 5, 3, 15] },
    n4: { name: "ExpBackward0", seq: 2, outputs: ["t4"], at: [3, 4, 3, 22] },
  },
  rows: [
    row("tensor_made", { tensor: "t1" }),
    row("op_applied", { node: "n2", outputs: ["t2"] }),
    row("op_applied", { node: "n3", outputs: ["t3"] }),
    row("op_applied", { node: "n4", outputs: ["t4"] }),
    row("node_ran", { node: "n4" }),
    row("grad_accumulated", { node: "n1", tensor: "t1" }),
  ],
};
const labels = (query) => find(trace, query).map(({ kind, label }) => `${kind} ${label}`);

test("a variable is found by its name, with the node that stands with it", () => {
  const [first] = find(trace, "wei");
  assert.equal(first.label, "weight");
  assert.deepEqual(first.ids, ["t1", "n1"]);
});

test("a node is found by its name, variables that it made beside it", () => {
  assert.deepEqual(labels("ExpBackward0"), ["node ExpBackward0 #2", "variable z"]);
});

test("a number is a line", () => {
  assert.deepEqual(labels("2")[0], "line y = weight * 2");
  assert.equal(labels(":3")[0], "line z = (weight * 2).exp()");
});

test("nothing is found for nothing, and for what is not there", () => {
  assert.deepEqual(find(trace, "  "), []);
  assert.deepEqual(find(trace, "absent"), []);
});

test("a place in the source is that of the innermost expression around it", () => {
  assert.equal(nodeAt(trace, 3, 8, 9), "n3");
  assert.equal(nodeAt(trace, 3, 20, 9), "n4");
  assert.equal(nodeAt(trace, 2, 0, 9), null);
});

test("rows about what stands together, and back", () => {
  assert.deepEqual(rowsAbout(trace, ["n4", "t4"]), [3, 4]);
  assert.deepEqual(rowsAbout(trace, ["t1", "n1"]), [0, 5]);
  assert.deepEqual(aboutRow(trace, 4), ["n4", "t4"]);
  assert.deepEqual(aboutRow(trace, -1), []);
});
