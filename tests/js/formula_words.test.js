/** Words about a rule are not repeated among its numbers. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { openPage } from "./page.js";
import { formulaNumbers } from "../../static/js/panels/formula.js";

test("what a formula says in words stands once, not among the numbers", () => {
  openPage();
  const trace = { values: { v1: { dtype: "float32", shape: [], data: 1 } } };
  const terms = { grad: "v1", dim: "0" };
  const line = formulaNumbers(trace, "grad.select(dim, i): the part of this tensor", terms, { result: "v1" });
  assert.match(line.textContent, /select\(0, i\)/);
  assert.doesNotMatch(line.textContent, /part of/);
});
