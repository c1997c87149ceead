/** The title of the window. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { use } from "../../static/js/i18n.js";
import { nameOf, titleOf } from "../../static/js/page/title.js";
import { dictionary } from "./traces.js";

use(dictionary("en"));

test("a program is called by its formula, first comment, first definition, or what starts backward", () => {
  assert.equal(nameOf("x = 1\n", "x*y"), "x*y");
  assert.equal(nameOf("# Linear regression\nimport torch\n"), "Linear regression");
  assert.equal(nameOf("import torch\nclass Net(nn.Module):\n  pass\nz.backward()\n"), "Net");
  assert.equal(nameOf("import torch\nz = w * x\nz.backward()  # now\nprint(w.grad)\n"), "z.backward()");
  assert.equal(nameOf("import torch\nprint(1)\n"), "print(1)");
  assert.equal(nameOf(""), "");
});

test("a long name is cut, by letters", () => {
  assert.equal([...nameOf(`# ${"𝛁".repeat(80)}`)].length, 40);
});

test("the step stands first", () => {
  const player = { position: 14, stops: new Array(22) };
  assert.equal(titleOf("z.backward()", player), "14/22 · z.backward() · gradstep");
  assert.equal(titleOf("", player), "gradstep");
});
