/** Where each level of detail halts. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { history } from "../../static/js/trace/history.js";
import * as S from "../../static/js/trace/stops.js";
import { builder, everyTrace, training, twoPaths } from "./traces.js";

const kindsAt = (trace, level) => S.stops(trace, level).map((k) => trace.rows[S.subject(trace, k)].kind);

for (const { name, trace } of everyTrace()) {
  test(`stops are sorted, each level holds the one above, and the last row is always one: ${name}`, () => {
    const [story, chain, engine] = S.levels.map((level) => S.stops(trace, level));
    for (const found of [story, chain, engine]) {
      assert.deepEqual(
        found,
        [...new Set(found)].sort((a, b) => a - b),
      );
      assert.equal(found.at(-1), trace.rows.length - 1);
    }
    assert.equal(engine.length, trace.rows.length);
    assert.deepEqual(
      story.filter((k) => !chain.includes(k)),
      [],
    );
  });

  test(`a named result is on the screen with its name: ${name}`, () => {
    const past = history(trace);
    for (const k of S.stops(trace, "chain")) {
      const made = S.subject(trace, k);
      if (made === k) continue;
      const { names } = past.at(k);
      for (const [variable, tensor] of Object.entries(trace.rows[k].names))
        assert.equal(names.get(variable), tensor);
    }
  });
}

test("chain tells every operation, node, edge, sum and write, once each", () => {
  const trace = twoPaths();
  const told = kindsAt(trace, "chain");
  const count = (kind) => trace.rows.filter((row) => row.kind === kind).length;
  const once = ["tensor_made", "op_applied", "edge_flowed", "grad_summed", "grad_accumulated", "printed"];
  for (const kind of once) assert.equal(told.filter((each) => each === kind).length, count(kind), kind);
  assert.equal(told.filter((kind) => kind === "node_ran").length, 5, "AccumulateGrad is told by its write");
  for (const kind of ["names_bound", "node_ready", "node_entered", "saved_freed"])
    assert.ok(!told.includes(kind));
});

test("story tells lines, gradients of variables, writes and output", () => {
  const trace = twoPaths();
  assert.deepEqual(kindsAt(trace, "story"), [
    "tensor_made",
    "tensor_made",
    "op_applied",
    "op_applied",
    "backward_began",
    "edge_flowed",
    "grad_accumulated",
    "grad_accumulated",
    "printed",
  ]);
  const flow = trace.rows[S.stops(trace, "story")[5]];
  assert.equal(flow.target, "n1", "the gradient of y arrives");
});

test("in a loop every line is told again", () => {
  const trace = training(2);
  const round = [
    "op_applied",
    "backward_began",
    "grad_accumulated",
    "parameter_updated",
    "grad_set",
    "printed",
  ];
  assert.deepEqual(kindsAt(trace, "story"), ["tensor_made", ...round, ...round]);
});

test("a line that only gives another name is a stop of its own", () => {
  const trace = twoPaths();
  trace.rows.splice(11, 0, { kind: "names_bound", at: [5, 0, 5, 4], names: { loss: "t7" }, unbound: [] });
  assert.ok(S.stops(trace, "chain").includes(11));
  assert.equal(S.subject(trace, 11), 11);
});

test("names are bound after the module that made the value has returned", () => {
  const rows = [
    { kind: "module_entered", at: null, module: "m1" },
    { kind: "op_applied", at: null, node: "n1", outputs: ["t1"], values: ["v1"] },
    { kind: "module_left", at: null, module: "m1" },
    { kind: "names_bound", at: null, names: { out: "t1" }, unbound: [] },
  ];
  const trace = { rows, nodes: {}, tensors: {} };
  assert.deepEqual(S.stops(trace, "chain"), [3]);
  assert.equal(S.subject(trace, 3), 1);
});

test("zero_grad and step() are told by what they do, and by themselves where they do nothing", () => {
  const set = (before) => ({
    kind: "grad_set",
    at: null,
    tensor: "t1",
    before,
    after: null,
    cause: "zero_grad",
  });
  const zero = { kind: "zero_grad", at: null, owner: "optimizer", set_to_none: true };
  const end = { kind: "printed", at: null, text: "" };
  const chain = (...rows) => S.stops({ rows: [...rows, end], nodes: {}, tensors: {} }, "chain");
  assert.deepEqual(chain(zero, set("v1")), [1, 2]);
  assert.deepEqual(chain(zero, set(null)), [0, 2]);
  assert.deepEqual(chain({ kind: "optimizer_step", at: null }), [0, 1]);
});

test("the zero_ of w.grad.zero_() is told once", () => {
  const rows = [
    { kind: "op_applied", at: null, node: null, outputs: ["t2"], values: ["v1"], inplace: true },
    { kind: "grad_set", at: null, tensor: "t1", before: "v2", after: "v1", cause: "zero_" },
  ];
  assert.deepEqual(S.stops({ rows, nodes: {}, tensors: {} }, "chain"), [1]);
});

test("a line, a node and a backward() know their stops", () => {
  const trace = twoPaths();
  assert.deepEqual(S.lineStops(trace, 4), [5]);
  assert.equal(S.lineStops(trace, 5).length, 4);
  assert.equal(S.lineStops(trace, 99).length, 0);
  const [made, ran] = S.nodeStops(trace, "n4").map((k) => trace.rows[k].kind);
  assert.deepEqual([made, ran], ["op_applied", "node_ran"]);
  assert.equal(S.nodeStops(trace).length, 5 + 5 + 2);
  assert.deepEqual(S.backwardStops(trace), [11]);
});

test("an empty trace has no stops", () => {
  for (const level of S.levels) assert.deepEqual(S.stops({ rows: [], nodes: {}, tensors: {} }, level), []);
});

test("countUpTo counts what is not greater", () => {
  assert.deepEqual(
    [-1, 0, 2, 3, 9].map((k) => S.countUpTo([0, 3, 5], k)),
    [0, 1, 1, 2, 3],
  );
});

test("what a hook computes inside backward is no forward line of the story", () => {
  const b = builder("w\nloss.backward()\nlambda g: g * 2");
  b.tensor("t1", "data", [], { shape: [] });
  const row = (kind, line, fields = {}) => b.trace.rows.push({ kind, at: [line, 0, line, 1], ...fields });
  row("tensor_made", 1, { tensor: "t1", value: b.value(1) });
  row("backward_began", 2, { root_nodes: [], roots: [] });
  row("op_applied", 3, { op: "mul", node: null, args: [], outputs: ["t1"], values: [b.value(2)], saved: [] });
  row("backward_ended", 2);
  row("printed", 1, { text: "" });
  assert.deepEqual(S.stops(b.trace, "story"), [0, 1, 4]);
  assert.ok(S.stops(b.trace, "chain").includes(2));
});
