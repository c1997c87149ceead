import assert from "node:assert/strict";
import { test } from "node:test";
import { mendText, ranges } from "../../static/js/code/notes.js";
import { use } from "../../static/js/i18n.js";

use({
  "mended.tabs": "Tabs ({lines}).",
  "mended.line": "line {n}",
  "mended.lines": "lines {n}",
  "mended.imports": "Added {texts}",
});

test("neighbouring lines are written as a range", () => {
  assert.equal(ranges([1, 2, 3, 7, 9, 10]), "1–3, 7, 9–10");
  assert.equal(ranges([]), "");
});

test("a mend names its lines, or what it added", () => {
  assert.equal(mendText({ kind: "tabs", lines: [4], texts: [] }), "Tabs (line 4).");
  assert.equal(mendText({ kind: "tabs", lines: [4, 5], texts: [] }), "Tabs (lines 4–5).");
  const texts = ["import torch", "import math"];
  assert.equal(mendText({ kind: "imports", lines: [], texts }), "Added import torch; import math");
});
