/** In a pass that simulated devices share, the queue of each device is followed for itself. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { apply, initial } from "../../static/js/trace/reducer.js";

const TRACE = {
  nodes: { n1: { seq: 1 }, n2: { seq: 2, device: "sim:0" }, n3: { seq: 3 } },
  tensors: {},
  values: {},
};

function after(rows) {
  let state = initial(TRACE);
  for (const row of rows) state = apply(state, { at: null, ...row }, TRACE);
  return state;
}

test("a row about one device's queue leaves the other queues as they are", () => {
  const rows = [
    { kind: "node_ready", node: "n1", queue: ["n1"], device: "cpu" },
    { kind: "node_ready", node: "n2", queue: ["n2"], device: "sim:0", handed_by: "cpu" },
    { kind: "node_ready", node: "n3", queue: ["n3", "n1"], device: "cpu" },
  ];
  assert.deepEqual(after(rows).queue, ["n2", "n3", "n1"]);
  const taken = { kind: "node_entered", node: "n2", grads: [null], queue: [], device: "sim:0" };
  assert.deepEqual(after([...rows, taken]).queue, ["n3", "n1"]);
});

test("a pass on the CPU alone has one queue, as its rows tell it", () => {
  const rows = [
    { kind: "node_ready", node: "n1", queue: ["n1"] },
    { kind: "node_ready", node: "n3", queue: ["n3"] },
  ];
  assert.deepEqual(after(rows).queue, ["n3"]);
});
