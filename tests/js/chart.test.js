/** The small chart of plotted numbers. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { ends, path } from "../../static/js/panels/chart.js";

test("the ends of an axis leave out what is no number, and a single number gets room", () => {
  assert.deepEqual(ends([1, "nan", 3, "inf"]), [1, 3]);
  assert.deepEqual(ends([2]), [1, 3]);
  assert.deepEqual(ends(["nan"]), [0, 1]);
});

test("a line is broken where a number is missing", () => {
  const points = [
    [0, 1],
    [1, 2],
    [2, NaN],
    [3, 4],
  ];
  assert.equal(path(points), "M0.0 1.0L1.0 2.0M3.0 4.0");
});
