/** The value fields of a formula: what is typed into them, and what they show. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { valueOf, valueText } from "../../static/js/code/formula.js";

test("a value reads as the program says it", () => {
  assert.equal(valueText(2), "2.0");
  assert.equal(valueText(-0.5), "-0.5");
  assert.equal(valueText([1, 2.5]), "[1.0, 2.5]");
  assert.equal(valueText([[1], [-2]]), "[[1.0], [-2.0]]");
});

test("a number, a vector and a matrix can be typed with and without brackets", () => {
  for (const [text, value] of [
    ["2", 2],
    [" -2.5e-1 ", -0.25],
    ["3.", 3],
    [".5", 0.5],
    ["+1", 1],
    ["[4]", [4]],
    ["1, 2", [1, 2]],
    ["1 2 3", [1, 2, 3]],
    ["[1., 2.]", [1, 2]],
    ["［1，2］", [1, 2]],
    ["−1", -1],
    ["1 2; 3 4", [[1, 2], [3, 4]]],
    ["[[1, 2], [3, 4]]", [[1, 2], [3, 4]]],
    ["[[1, 2]\n [3, 4]]", [[1, 2], [3, 4]]],
    ["[[5]]", [[5]]],
    ["[1, 2; 3, 4]", [[1, 2], [3, 4]]],
  ])
    assert.deepEqual(valueOf(text), value, text);
});

test("what is no value, not yet or never, is none", () => {
  for (const text of ["", " ", "-", "x", "1,", "1,,2", "[1", "1]", "[1, 2], 3", "1 2; 3", "[[1, 2], [3]]",
    "[[[1]]]",    "inf", "nan", "1e99", "0x10", "1_000", "1;", "[]", "[[]]", "][", `${"1 ".repeat(65)}`])
    assert.equal(valueOf(text), null, text);
});

test("every value comes back from its own text", () => {
  for (const value of [2, -0.1, 1e20, 1e-7, 123456.789, [1, 2, 3], [[1, 2.5], [-3, 4]], [7], [[7]]])
    assert.deepEqual(valueOf(valueText(value)), value);
});
