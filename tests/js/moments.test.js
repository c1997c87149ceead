/** The same moment and the same tensor in another run, when rows and ids have shifted. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { firstValue, isMovable, makingAt, makingOf, makings } from "../../static/js/trace/makings.js";
import { sameMoment } from "../../static/js/trace/moments.js";
import { everyTrace, goldens, twoPaths } from "./traces.js";

/** A trace in which the first tensor was given another number: one row and one tensor more. */
function changed(trace) {
  const made = trace.rows.findIndex((row) => row.kind === "tensor_made");
  const { tensor, value, at } = trace.rows[made];
  const row = { kind: "data_replaced", at, tensor, source: "t999", before: value, after: "v999" };
  const rows = [...trace.rows.slice(0, made + 1), row, ...trace.rows.slice(made + 1)];
  const tensors = { ...trace.tensors, t999: { ...trace.tensors[tensor], names: [] } };
  return { trace: { ...trace, rows, tensors }, made, tensor };
}

for (const { name, trace } of everyTrace()) {
  test(`every moment of a run is itself in the same run: ${name}`, () => {
    const step = Math.max(1, Math.floor(trace.rows.length / 40));
    for (let k = -1; k < trace.rows.length; k += step) assert.equal(sameMoment(trace, k, trace), k);
  });
}

for (const { name, trace } of goldens()) {
  if (!trace.rows.some((row) => row.kind === "tensor_made")) continue;
  test(`a moment stays what it means where a number was changed: ${name}`, () => {
    const { trace: other, made } = changed(trace);
    for (let k = 0; k < trace.rows.length; k += 1) {
      assert.equal(sameMoment(trace, k, other), k <= made ? k : k + 1);
      assert.equal(sameMoment(other, sameMoment(trace, k, other), trace), k);
    }
  });
}

test("a moment that does not come is near where it would", () => {
  const trace = twoPaths();
  const short = { ...trace, rows: trace.rows.slice(0, 5) };
  assert.equal(sameMoment(trace, trace.rows.length - 1, short), 4);
  assert.equal(sameMoment(trace, 3, { ...trace, rows: [] }), -1);
});

test("a tensor keeps its place when ids shift, and begins with its changed value", () => {
  const trace = twoPaths();
  const { trace: other, tensor } = changed(trace);
  const making = makingOf(other, tensor);
  assert.equal(makingAt(other, making.made, making.output).tensor, tensor);
  assert.equal(firstValue(other, making), "v999");
  assert.equal(firstValue(trace, makingOf(trace, tensor)), trace.rows[making.row].value);
  assert.deepEqual(
    makings(trace).map((each) => each.tensor),
    makings(other).map((each) => each.tensor),
  );
});

test("leaves and data can be moved, results cannot", () => {
  const trace = twoPaths();
  for (const [id, { kind }] of Object.entries(trace.tensors))
    assert.equal(isMovable(trace, id), kind !== "result");
});
