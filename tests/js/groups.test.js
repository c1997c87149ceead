/** What the box of a folded group shows fits into it. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { groupLook } from "../../static/js/graph/groups.js";
import { MONO } from "../../static/js/graph/shapes.js";

/** A module with one parameter of this name, whose value is two numbers. */
function shown(name, width) {
  const trace = {
    tensors: { t1: { kind: "leaf", names: [name] } },
    nodes: { n1: { name: "AddmmBackward0", op: "addmm" } },
    values: { v1: { dtype: "float32", shape: [2], data: [0.5, -1.25] } },
  };
  const state = { value: new Map([["t1", "v1"]]), phase: new Map(), grad: new Map() };
  const members = [{ tensors: ["t1"], tensor: "t1" }, { tensors: [], node: "n1" }];
  const group = { kind: "module", label: "0 · Linear", elements: 2 };
  return groupLook({ trace, state, names: new Map(), row: null }, group, members, width).texts.value;
}

const isInside = ({ text, size }, width) => text.length * size * MONO <= width - 24 + 1;

test("a short name stands whole beside the value", () => {
  assert.equal(shown("w", 180).text, "w = [0.5, -1.25]");
});

test("of a long dotted name the end is shown, and all of it stays in the box", () => {
  for (const width of [110, 130, 180]) {
    const value = shown("blocks.0.attention.projection.bias", width);
    assert.match(value.text, /^….*bias = /);
    assert.ok(isInside(value, width), `${value.text} at ${value.size} in ${width}`);
  }
  const long = shown("a_name_that_goes_on_and_on_without_end", 120);
  assert.ok(isInside(long, 120), long.text);
});
