/** Lines left out of a program, and taken in again. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { isOut, toggled } from "../../static/js/code/toggles.js";

const LOOP = `import torch
w = torch.tensor(3.0, requires_grad=True)
for i in range(3):
    loss = (w * 2) ** 2
    loss.backward()
    optimizer.zero_grad()
if True:
    w.grad.zero_()
text = """
a = 1
"""
pair = torch.stack([
    w,
    w,
])
def f():  # opens a block
    return 1
# only words here
`;
const line = (n, text = LOOP) => text.split("\n")[n - 1];

test("a statement is commented out where it stands, and comes back as it was", () => {
  for (const n of [2, 4, 5, 6]) {
    const out = toggled(LOOP, n);
    assert.equal(line(n, out), line(n).replace(/^(\s*)/, "$1# "));
    assert.equal(toggled(out, n), LOOP);
  }
});

test("the only statement of a block leaves pass behind", () => {
  const out = toggled(LOOP, 8);
  assert.equal(line(8, out), "    pass  # w.grad.zero_()");
  assert.equal(toggled(out, 8), LOOP);
  assert.equal(line(17, toggled(LOOP, 17)), "    pass  # return 1");
});

test("lines that are no whole statement stay: blocks, brackets, texts, imports, plain comments", () => {
  const kept = [1, 3, 7, 9, 10, 11, 12, 13, 15, 16, 18, 19, 99];
  for (const n of kept) assert.equal(toggled(LOOP, n), null, line(n));
});

test("code that was commented out is told from words", () => {
  assert.deepEqual(isOut("    # optimizer.zero_grad()"), { indent: "    ", code: "optimizer.zero_grad()" });
  assert.equal(isOut("# the gradient adds up"), null);
  assert.equal(isOut("x = 1  # y = 2"), null);
});
