/** Values as the Python text that makes them again. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { python } from "../../static/js/trace/python.js";

const text = (dtype, shape, data) => python({ values: { v1: { dtype, shape, data } } }, "v1");

test("what torch.tensor understands by itself names no dtype", () => {
  assert.equal(text("float32", [2], [1, 2]), "torch.tensor([1., 2.])");
  assert.equal(text("float32", [], 4.25), "torch.tensor(4.25)");
  assert.equal(text("int64", [2, 1], [[1], [-2]]), "torch.tensor([[1], [-2]])");
  assert.equal(text("bool", [2], [true, false]), "torch.tensor([True, False])");
});

test("other dtypes are named", () => {
  assert.equal(text("float64", [1], [0.1]), "torch.tensor([0.1], dtype=torch.float64)");
  assert.equal(text("bfloat16", [1], [1.1015625]), "torch.tensor([1.1015625], dtype=torch.bfloat16)");
  assert.equal(text("int32", [], 7), "torch.tensor(7, dtype=torch.int32)");
});

test("nan, inf and minus zero are Python's", () => {
  const told = "torch.tensor([float('nan'), float('-inf'), -0.])";
  assert.equal(text("float32", [3], ["nan", "-inf", -0]), told);
});

test("a float32 has the digits that tell it apart, and reads back as itself", () => {
  for (const x of [0.1, 1 / 3, 123456789, 1e-30, 3.4e38, 16777216.5].map(Math.fround)) {
    const [, read] = /\((.*)\)/.exec(text("float32", [], x));
    assert.equal(Math.fround(Number(read)), x);
  }
});

test("complex numbers keep both parts", () => {
  const told = "torch.tensor([complex(1.5, -2.)])";
  assert.equal(text("complex64", [1], [{ re: 1.5, im: -2 }]), told);
});

test("without elements the shape says all", () => {
  assert.equal(text("float32", [0, 3], []), "torch.empty((0, 3))");
  assert.equal(text("int64", [0], []), "torch.empty((0,), dtype=torch.int64)");
});

test("None is None; a summary and a lost integer cannot be copied", () => {
  assert.equal(python({ values: {} }, null), "None");
  assert.equal(python({ values: { v1: { dtype: "float32", shape: [999], summary: {} } } }, "v1"), null);
  assert.equal(text("int64", [1], [2 ** 60]), null);
});
