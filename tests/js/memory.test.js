/** Bytes held by graph, gradients and optimizers: every expected number is worked out by hand. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { history } from "../../static/js/trace/history.js";
import { bytesText, fold, hasHidden, memory, reached } from "../../static/js/trace/memory.js";
import { builder, tensor } from "./builder.js";
import { everyTrace, goldens, twoPaths } from "./traces.js";

const golden = (name) => goldens().find((one) => one.name === `${name}.json`).trace;

/** A trace of rows that says only what memory is read from; x is a leaf, d is data of 3 float64. */
function program(rows) {
  const { trace, ...make } = builder("");
  make.tensor("t1", "leaf", ["x"], { shape: [2, 3] });
  make.tensor("t2", "data", ["d"], { shape: [3], dtype: "float64" });
  const [v, w] = [make.value([1, 2]), make.value([1, 2, 3], "float64")];
  make.row("tensor_made", { tensor: "t1", value: v });
  make.row("tensor_made", { tensor: "t2", value: w });
  rows({ ...make, v, w });
  return trace;
}

/** An operation that makes `output` (shape [2, 3]) and keeps `saved`, a list of tensors. */
function applied(make, { op = "mul", node, args, output, saved = [], edges = [] }) {
  make.tensor(output, "result", [], { shape: [2, 3], node });
  if (node) make.node(node, "AnyBackward0", { edges });
  const fields = { op, node, args: args.map((id, i) => [`a${i}`, tensor(id)]), outputs: [output] };
  const kept = saved.map((id, i) => [`s${i}`, id, make.v]);
  make.row("op_applied", { ...fields, values: [make.v], inplace: false, saved: kept, module: null });
}

const graph = (trace) => memory(trace).map((held) => held.graph);
const freed = (make, node) => make.row("saved_freed", { node, names: ["s0"] });
const began = (more = {}) => ({
  ...{ call: 0, api: "backward", roots: [], root_nodes: [], grads: [], missing: {}, ...more },
});

for (const { name, trace } of everyTrace()) {
  test(`memory is never negative, and what is reached is no more than what is held: ${name}`, () => {
    const [past, all] = [history(trace), memory(trace)];
    assert.equal(all.length, trace.rows.length);
    for (const held of all) for (const bytes of Object.values(held)) assert.ok(bytes >= 0);
    for (let k = 0; k < all.length; k += 7) assert.ok(reached(trace, past.at(k)) <= all[k].graph);
  });
}

for (const { name, trace } of goldens()) {
  test(`the bytes that a trace tells are those that its rows tell: ${name}`, () => {
    assert.ok(trace.memory, "python -m tests.trace.golden");
    assert.deepEqual(memory(trace), fold(trace));
  });
}

test("leaves cost nothing, a result costs its bytes until backward frees it", () => {
  const bytes = graph(twoPaths());
  assert.equal(bytes[4], 0, "w and x are leaves");
  assert.equal(bytes[6], 8, "y: two float32");
  assert.equal(bytes.at(-1), 0);
});

test("accumulating: the square keeps one float32 of each round, the leaf has one", () => {
  const all = memory(golden("accumulates"));
  assert.deepEqual([3, 4, 9, 10].map((k) => all[k].graph), [0, 4, 4, 0]);
  assert.deepEqual([22, 23, 47, 48].map((k) => all[k].grads), [0, 4, 4, 4]);
});

test("a storage that two nodes keep is held until both let go", () => {
  const trace = program((make) => {
    applied(make, { node: "n1", args: ["t1", "t2"], output: "t3", saved: ["t2"] });
    applied(make, { node: "n2", args: ["t1", "t2"], output: "t4", saved: ["t2", "t1"] });
    freed(make, "n1");
    freed(make, "n2");
  });
  assert.deepEqual(graph(trace), [0, 0, 24, 24, 24, 0], "3 float64");
});

test("a view of a leaf costs nothing, a view of a result the whole storage, once", () => {
  const trace = program((make) => {
    applied(make, { op: "t", node: "n1", args: ["t1"], output: "t3" });
    applied(make, { node: "n2", args: ["t2", "t3"], output: "t4", saved: ["t3"] });
    applied(make, { op: "select", node: "n3", args: ["t4"], output: "t5" });
    applied(make, { node: "n4", args: ["t5", "t4"], output: "t6", saved: ["t5", "t4"] });
  });
  assert.deepEqual(graph(trace).slice(2), [0, 0, 0, 24], "t4 has six float32");
});

test("retain_graph keeps: without saved_freed nothing is let go", () => {
  const trace = program((make) => {
    applied(make, { node: "n1", args: ["t1", "t2"], output: "t3", saved: ["t2"] });
    make.row("backward_began", began({ retain_graph: true }));
    make.row("saved_freed", { node: "n1", names: [] });
    make.row("backward_ended", { call: 0 });
  });
  assert.deepEqual(graph(trace).slice(2), [24, 24, 24, 24]);
});

test("a checkpoint keeps nothing until its forward is run again inside backward", () => {
  const trace = program((make) => {
    applied(make, { node: null, args: ["t1", "t2"], output: "t3" });
    make.row("backward_began", began());
    applied(make, { node: "n1", args: ["t1", "t2"], output: "t4", saved: ["t2"] });
    freed(make, "n1");
  });
  assert.deepEqual(graph(trace).slice(2), [0, 0, 24, 0]);
});

test("what a hook has packed costs what was packed, or nothing if that is no tensor", () => {
  const trace = program((make) => {
    make.node("n1", "AnyBackward0");
    const saved = [["s0", null, make.w], ["s1", null, null]];
    make.row("op_applied", { op: "mul", node: "n1", args: [], outputs: [], values: [], saved });
  });
  assert.equal(graph(trace).at(-1), 24);
});

test("detach() is the same storage: of a leaf it costs nothing, of a kept result nothing more", () => {
  const trace = program((make) => {
    make.tensor("t9", "data", ["old"], { shape: [2, 3] });
    const detached = (source) => ({ tensor: "t9", source, how: "detach", value: make.v });
    applied(make, { node: "n1", args: ["t1", "t2"], output: "t3", saved: ["t3"] });
    make.row("detached", detached("t3"));
    applied(make, { node: "n2", args: ["t1", "t9"], output: "t4", saved: ["t9"] });
  });
  assert.deepEqual(graph(trace).slice(2), [24, 24, 24]);
});

test("a parameter given other memory by .data is a leaf's memory still", () => {
  const trace = program((make) => {
    applied(make, { node: null, args: ["t2"], output: "t3" });
    make.row("data_replaced", { tensor: "t1", source: "t3", before: make.v, after: make.v });
    applied(make, { node: "n1", args: ["t1", "t3"], output: "t4", saved: ["t1", "t3"] });
  });
  assert.equal(graph(trace).at(-1), 0);
});

test("a .grad that a node keeps is counted as .grad", () => {
  const trace = program((make) => {
    make.tensor("t9", "data", [], { shape: [2] });
    make.row("grad_set", { tensor: "t1", before: null, after: make.v, cause: "assigned" });
    applied(make, { node: "n1", args: ["t1", "t9"], output: "t3", saved: ["t9"] });
  });
  assert.deepEqual(memory(trace).at(-1), { graph: 0, grads: 8, optimizer: 0 });
});

test("Adam keeps two averages and a count: 8 + 8 + 4 bytes for two float32", () => {
  const trace = golden("optimised");
  const first = trace.rows.findIndex((row) => row.kind === "parameter_updated");
  assert.deepEqual([first - 1, first].map((k) => memory(trace)[k].optimizer), [0, 20]);
  assert.equal(memory(trace).at(-1).optimizer, 20, "each step replaces what it keeps");
});

test("emptying .grad to None gives its bytes back, zeros keep them", () => {
  const trace = program((make) => {
    const set = (before, after) => make.row("grad_set", { tensor: "t1", before, after, cause: "assigned" });
    set(null, make.v);
    set(make.v, make.v);
    set(make.v, null);
  });
  assert.deepEqual(memory(trace).map((held) => held.grads), [0, 0, 8, 8, 0]);
});

test("a graph that no variable leads to may be gone: only what is reached is sure", () => {
  const trace = program((make) => {
    applied(make, { node: "n1", args: ["t1", "t2"], output: "t3", saved: ["t2"] });
    make.row("names_bound", { names: { y: "t3" }, unbound: [] });
    make.row("names_bound", { names: {}, unbound: ["y"] });
  });
  const past = history(trace);
  assert.deepEqual([2, 3, 4].map((k) => reached(trace, past.at(k))), [24, 24, 0]);
  assert.equal(memory(trace).at(-1).graph, 24);
});

test("a running backward holds the graph of its roots", () => {
  const trace = program((make) => {
    applied(make, { node: "n1", args: ["t1", "t2"], output: "t3", saved: ["t2"] });
    make.row("names_bound", { names: {}, unbound: [] });
    make.row("backward_began", began({ roots: ["t3"], root_nodes: ["n1"], grads: [null] }));
  });
  const past = history(trace);
  assert.deepEqual([3, 4].map((k) => reached(trace, past.at(k))), [0, 24]);
});

test("after create_graph the rows show only a part of the graph", () => {
  const trace = program((make) => make.row("backward_began", began({ create_graph: true })));
  assert.deepEqual([1, 2].map((k) => hasHidden(trace, k)), [false, true]);
});

test("bytes are written short and never rounded to another unit's thousand", () => {
  const shown = [0, 96, 999, 1000, 1234, 9949, 9950, 123_456, 999_499, 999_500, 32e6].map(bytesText);
  assert.deepEqual(
    shown,
    ["0 B", "96 B", "999 B", "1.0 kB", "1.2 kB", "9.9 kB", "10 kB", "123 kB", "999 kB", "1.0 MB", "32 MB"],
  );
});
