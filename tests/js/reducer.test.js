/** What every kind of row does to the state. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { history } from "../../static/js/trace/history.js";
import { apply, copy, initial, on } from "../../static/js/trace/reducer.js";
import { goldens, rowKinds, training, twoPaths } from "./traces.js";

const trace = twoPaths();
const past = history(trace);
const find = (kind, test = () => true) => trace.rows.findIndex((row) => row.kind === kind && test(row));
const after = (kind, test) => past.at(find(kind, test));

/** Fold rows of a made-up trace. */
function fold(rows, more = {}) {
  const made = { nodes: {}, tensors: {}, rows, ...more };
  return rows.reduce((state, row) => apply(state, { at: null, ...row }, made), initial(made));
}

test("every kind of row has a handler", () => {
  assert.deepEqual(
    rowKinds().filter((kind) => !Object.hasOwn(on, kind)),
    [],
  );
});

test("a kind nobody knows is a plain step", () => {
  const state = fold([{ kind: "comet_seen", tensor: "t1" }]);
  assert.equal(state.k, 0);
  assert.equal(state.focus, "t1");
});

test("a copy shares nothing that is written to", () => {
  const state = past.at(20);
  const other = copy(state);
  apply(other, trace.rows[21], trace);
  assert.deepEqual(state, past.at(20));
});

test("an operation makes its node, its output and the leaves' accumulators", () => {
  const state = after("op_applied");
  assert.equal(state.phase.get("n1"), "made");
  assert.equal(state.phase.get("t3"), "made");
  assert.equal(state.phase.get("n3"), "made");
  assert.equal(state.value.get("t3"), trace.rows[4].values[0]);
  assert.deepEqual(
    state.saved.get("n1").names.map(([name]) => name),
    ["self", "other"],
  );
});

test("a name is there with the row that binds it, and the expression stays marked", () => {
  const state = past.at(5);
  assert.equal(state.names.get("y"), "t3");
  assert.deepEqual(state.at, trace.rows[4].at);
});

test("a pass begins with what every node waits for and the gradient at its root", () => {
  const state = after("backward_began");
  assert.equal(state.expected.get("n3"), 2);
  assert.equal(state.missing.get("n3"), 2);
  assert.equal(state.buffer.get("n7"), trace.rows[11].grads[0]);
  assert.equal(state.backward.call, 0);
});

test("a gradient waits in the buffer until its node runs; a second is summed", () => {
  const summed = find("grad_summed");
  assert.equal(past.at(summed - 1).buffer.get("n3"), trace.rows[summed].before);
  assert.equal(past.at(summed).buffer.get("n3"), trace.rows[summed].after);
  assert.equal(past.at(summed).missing.get("n3"), 0);
  const entered = find("node_entered", (row) => row.node === "n3");
  assert.equal(past.at(entered).buffer.has("n3"), false);
  assert.deepEqual(past.at(entered).received.get("n3"), [trace.rows[summed].after]);
});

test("a node is ready, runs until the next begins, and is then freed or has run", () => {
  const phases = (node) => trace.rows.map((_, k) => past.at(k).phase.get(node) ?? "ghost");
  const changes = (node) => phases(node).filter((phase, k, all) => phase !== all[k - 1]);
  assert.deepEqual(changes("n4"), ["ghost", "made", "ready", "running", "freed"]);
  assert.deepEqual(changes("n6"), ["ghost", "made", "ready", "running", "ran"]);
  assert.deepEqual(changes("n3"), ["ghost", "made", "ready", "running", "ran"]);
});

test("a node runs until the next one is taken, not only while its rows last", () => {
  const ran = find("node_ran", (row) => row.node === "n4");
  const next = find("node_entered", (row) => row.node === "n1");
  for (let k = ran; k < next; k += 1) assert.equal(past.at(k).phase.get("n4"), "running");
  assert.equal(past.at(next).phase.get("n4"), "freed");
});

test(".grad is written by accumulation and emptied by zero_grad", () => {
  const looped = training(2);
  const states = history(looped);
  const at = (kind) => states.at(looped.rows.findIndex((row) => row.kind === kind)).grad.get("t1");
  assert.equal(at("tensor_made"), undefined);
  assert.equal(at("grad_accumulated"), looped.rows.find((row) => row.kind === "grad_accumulated").after);
  assert.equal(at("grad_set"), null);
});

test("an updated parameter has its new value", () => {
  const looped = training(1);
  const state = history(looped).at(looped.rows.length - 1);
  assert.equal(looped.values[state.value.get("t1")].data, 3 - 1 / 8);
});

test("a new pass forgets the gradients of the pass before, but not what was freed", () => {
  const again = { ...trace, rows: [...trace.rows, { ...trace.rows[11], call: 1 }] };
  const state = history(again).at(again.rows.length - 1);
  assert.equal(state.flow.size, 0);
  assert.equal(state.rules.size, 0);
  assert.equal(state.phase.get("n4"), "freed");
  assert.equal(state.phase.get("n6"), "made");
  assert.equal(state.missing.get("n3"), 2);
});

test("a pass inside another gives back what the outer one waits for", () => {
  const nodes = { n1: { edges: [["n2", 0]], outputs: [] }, n2: { edges: [], outputs: [], variable: "t1" } };
  const began = (call) => ({
    kind: "backward_began",
    call,
    roots: ["t9"],
    root_nodes: ["n1"],
    grads: ["v1"],
    missing: { n1: 0, n2: 1 },
  });
  const outer = [
    began(0),
    { kind: "node_entered", node: "n1", grads: ["v1"], queue: [] },
    { kind: "edge_flowed", node: "n1", slot: 0, target: "n2", input_nr: 0, grad: "v2", missing: 0 },
  ];
  const inside = fold([...outer, began(1)], { nodes });
  assert.equal(inside.missing.get("n2"), 1);
  assert.equal(inside.backward.outer.call, 0);
  const back = fold([...outer, began(1), { kind: "backward_ended", call: 1 }], { nodes });
  assert.equal(back.backward.call, 0);
  assert.equal(back.missing.get("n2"), 0);
  assert.equal(back.buffer.get("n2"), "v2");
});

test("gradients for different outputs of one node wait apart", () => {
  const flow = (inputNr, grad) => ({
    kind: "edge_flowed",
    node: "n9",
    slot: 0,
    target: "n1",
    input_nr: inputNr,
    grad,
    missing: 0,
  });
  const state = fold([flow(0, "v1"), flow(1, "v2")]);
  assert.deepEqual(
    [...state.buffer],
    [
      ["n1", "v1"],
      ["n1:1", "v2"],
    ],
  );
  const entered = fold([
    flow(0, "v1"),
    flow(1, "v2"),
    { kind: "node_entered", node: "n1", grads: [], queue: [] },
  ]);
  assert.equal(entered.buffer.size, 0);
});

test("a hook before the rules changes what the node received", () => {
  const entered = { kind: "node_entered", node: "n1", grads: ["v1", "v2"], queue: [] };
  const hook = (when) => ({ kind: "hook_ran", node: "n1", when, hook: "double", before: "v2", after: "v3" });
  assert.deepEqual(fold([entered, hook("tensor")]).received.get("n1"), ["v1", "v3"]);
  assert.deepEqual(fold([entered, hook("after the node")]).received.get("n1"), ["v1", "v2"]);
});

test("modules stack, and grad mode is remembered", () => {
  const rows = [
    { kind: "module_entered", module: "m1" },
    { kind: "module_entered", module: "m2" },
  ];
  assert.deepEqual(fold(rows).modules, ["m1", "m2"]);
  assert.deepEqual(fold([...rows, { kind: "module_left", module: "m2" }]).modules, ["m1"]);
  assert.equal(fold([{ kind: "grad_mode", enabled: false }]).gradEnabled, false);
});

test("output is what was printed so far, and an end is kept", () => {
  assert.deepEqual(
    fold([
      { kind: "printed", text: "a\n" },
      { kind: "printed", text: "b" },
    ]).output,
    ["a\n", "b"],
  );
  assert.equal(fold([{ kind: "error", type: "E", message: "m", node: null, cause: null }]).error.type, "E");
  assert.equal(fold([{ kind: "limit", limit: "rows", message: "m" }]).limit.limit, "rows");
});

for (const { name, trace: golden } of goldens()) {
  test(`every state of a real run is sound: ${name}`, () => {
    const states = history(golden);
    golden.rows.forEach((row, k) => {
      const state = states.at(k);
      for (const [node, left] of state.missing)
        assert.ok(left >= 0 && left <= (state.expected.get(node) ?? left));
      for (const v of [...state.value.values(), ...state.buffer.values()])
        assert.ok(golden.values[v], `row ${k}: ${v}`);
      if (row.kind === "node_entered") assert.equal(state.phase.get(row.node), "running");
    });
  });
}
