/** The editor's text as it is changed from outside. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { change } from "../../static/js/code/editor.js";

const apply = (text, { from, to, insert }) => text.slice(0, from) + insert + text.slice(to);

test("the least change makes one text of the other", () => {
  const words = ["", "a", "ab", "aa", "aaa", "aba", "import torch\nx = 1\n", "x = 1\n", "x = 12\n", "xx"];
  for (const before of words) {
    for (const after of words) assert.equal(apply(before, change(before, after)), after);
  }
});

test("what is the same at both ends is not touched", () => {
  assert.deepEqual(change("x = 1\ny = 2\n", "x = 1\nz = 3\ny = 2\n"), { from: 6, to: 6, insert: "z = 3\n" });
  assert.deepEqual(change("same", "same"), { from: 4, to: 4, insert: "" });
});
