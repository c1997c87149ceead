/** Where a gradient comes from, and whether estimates agree with it. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { callOf, enteredAt, flatOf, gradientOf, indexOf } from "../../static/js/trace/gradients.js";
import { nearestCall, sourceOf, verdict } from "../../static/js/trace/gradients.js";
import { history } from "../../static/js/trace/history.js";
import { everyTrace, goldens, twoPaths } from "./traces.js";

/** Was memory shared with others written between two rows? */
const writtenSince = (trace, from, to) =>
  trace.rows.slice(from + 1, to + 1).some((row) => row.kind === "aliases_changed" || row.inplace);

for (const { name, trace } of everyTrace().filter((each) => each.name !== "every kind")) {
  test(`the source of what an edge or a .grad shows has that value: ${name}`, () => {
    const past = history(trace);
    const step = Math.max(1, Math.floor(trace.rows.length / 60));
    for (let k = 0; k < trace.rows.length; k += step) {
      const state = past.at(k);
      for (const [key, v] of state.flow) {
        const [node, slot] = key.split(":");
        const found = sourceOf(trace, k, { node, slot: Number(slot) });
        if (v !== null) assert.equal(gradientOf(trace, found.row), v);
      }
      for (const [tensor, v] of state.grad) {
        const found = v === null ? null : sourceOf(trace, k, { tensor });
        const isAsWritten = found && found.since.length === 0 && !writtenSince(trace, found.row, k);
        if (isAsWritten) assert.equal(trace.rows[found.row].after, v);
      }
    }
  });
}

test("rows of a pass belong to their call, and those outside to the nearest", () => {
  const trace = twoPaths();
  const began = trace.rows.findIndex((row) => row.kind === "backward_began");
  const ended = trace.rows.findIndex((row) => row.kind === "backward_ended");
  assert.equal(callOf(trace, began - 1), null);
  assert.equal(callOf(trace, began + 1), trace.rows[began].call);
  assert.equal(callOf(trace, ended), null);
  assert.equal(nearestCall(trace, 0), trace.rows[began].call);
  assert.equal(nearestCall(trace, trace.rows.length - 1), trace.rows[began].call);
});

test("a node is entered within its call", () => {
  for (const { trace } of goldens()) {
    trace.rows.forEach((row, k) => {
      const call = row.kind === "node_entered" ? callOf(trace, k) : null;
      if (call !== null) assert.ok(enteredAt(trace, row.node, call) <= k);
    });
  }
});

test("elements are counted in rows, and back", () => {
  for (const shape of [[], [5], [2, 3], [2, 3, 4]]) {
    const size = shape.reduce((a, b) => a * b, 1);
    for (let flat = 0; flat < size; flat += 1) assert.equal(flatOf(shape, indexOf(shape, flat)), flat);
  }
  assert.deepEqual(indexOf([2, 3], 4), [1, 1]);
});

const estimates = (...all) => ({
  estimates: all.map(([step, left, right]) => ({ step, left, right, central: (left + right) / 2 })),
});

test("an estimate agrees to some digits, or differs", () => {
  assert.deepEqual(verdict(4, estimates([1e-3, 3.999, 4.001], [1e-5, 3.99999, 4.00001])).kind, "agrees");
  assert.equal(verdict(2, estimates([1e-3, 3.999, 4.001], [1e-5, 3.99999, 4.00001])).kind, "differs");
  assert.equal(verdict(0, estimates([1e-3, 0, 0], [1e-5, 0, 0])).kind, "agrees");
  assert.equal(verdict(NaN, estimates([1e-3, 0, 0])).kind, "none");
  assert.equal(verdict(1, { estimates: [] }).kind, "none");
});

test("different slopes on both sides are a kink, unless they close in as the step does", () => {
  const found = verdict(0, estimates([1e-3, 0, 1], [1e-5, 0, 1]));
  assert.deepEqual([found.kind, found.left, found.right], ["kink", 0, 1]);
  assert.equal(verdict(0, estimates([1e-3, -500, 500], [1e-5, -5, 5])).kind, "agrees");
});
