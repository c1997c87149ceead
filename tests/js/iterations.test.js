/** Which rows belong to which iteration of a training loop: told from places in the text, not from names. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { loops, roundAt } from "../../static/js/trace/iterations.js";
import { blocks, loopAround } from "../../static/js/trace/loops.js";
import { everyTrace, training } from "./traces.js";

/**
 * A trace of a text whose lines run in the order given. What a line does is read off its text: a call of
 * backward is three rows, step() and zero_grad() are one row each, any other line is one operation.
 */
function ran(source, order) {
  const lines = source.split("\n");
  const rows = order.flatMap((line) => {
    const text = lines[line - 1];
    const column = text.length - text.trimStart().length;
    const at = [line, column, line, text.length];
    if (text.includes("fails")) return [{ kind: "error", at, type: "ValueError", message: "", node: null }];
    if (text.includes("backward"))
      return ["backward_began", "node_ran", "backward_ended"].map((kind) => ({ kind, at }));
    if (text.includes("step()")) return [{ kind: "optimizer_step", at }];
    if (text.includes("with ")) return [{ kind: "grad_mode", at }];
    return [{ kind: "op_applied", at, node: null, inplace: false, outputs: [], values: [] }];
  });
  return { source, rows, tensors: {}, nodes: {}, values: {} };
}

/** The lines of each iteration's first and last row. */
function cuts(source, order) {
  const trace = ran(source, order);
  const line = (k) => trace.rows[k].at[0];
  return loops(trace).map(({ rounds }) => rounds.map(({ from, to }) => [line(from), line(to)]));
}

const times = (count, order) => Array.from({ length: count }, () => order).flat();

test("an iteration goes from the top of the loop to its end", () => {
  const source = "w\nfor i in r:\n    a\n    l.backward()\n    o.step()\n    p\nq";
  assert.deepEqual(cuts(source, [1, ...times(3, [3, 4, 5, 6]), 7]), [times(3, [[3, 6]])]);
});

test("what runs once is no loop", () => {
  assert.deepEqual(cuts("a\nl.backward()\no.step()", [1, 2, 3]), []);
  assert.deepEqual(loops(ran("", [])), []);
});

test("giving first values to weights, again and again, is no training", () => {
  const source = "for m in r:\n    m.w.fill_(0)\n    a";
  const trace = ran(source, times(3, [2, 3]));
  for (const row of trace.rows) if (row.at[0] === 2) Object.assign(row, { inplace: true, outputs: ["t1"] });
  trace.tensors = { t1: { kind: "leaf" } };
  assert.deepEqual(loops(trace), []);
  trace.rows.splice(3, 0, { kind: "backward_began", at: [3, 4, 3, 5] }, { kind: "backward_ended", at: null });
  assert.equal(loops({ ...trace })[0].rounds.length, 3);
});

test("several backward() before one step() are one iteration", () => {
  const source = "for e in r:\n    z\n    for i in r:\n        a\n        l.backward()\n    o.step()";
  assert.deepEqual(cuts(source, times(2, [2, ...times(4, [4, 5]), 6])), [
    [
      [2, 6],
      [2, 6],
    ],
  ]);
});

test("a step() on some iterations only leaves each batch an iteration", () => {
  const source = "for i in r:\n    a\n    l.backward()\n    if i % 2:\n        o.step()";
  assert.deepEqual(cuts(source, times(2, [2, 3, 2, 3, 5])), [
    [
      [2, 3],
      [2, 5],
      [2, 3],
      [2, 5],
    ],
  ]);
});

test("two networks that take turns are one iteration", () => {
  const source =
    "for i in r:\n    a\n    d.backward()\n    od.step()\n    b\n    g.backward()\n    og.step()";
  assert.deepEqual(cuts(source, times(3, [2, 3, 4, 5, 6, 7])), [times(3, [[2, 7]])]);
});

test("five turns of one and one of the other are one iteration", () => {
  const source =
    "for i in r:\n    for j in r:\n        d.backward()\n        od.step()\n    g.backward()\n    og.step()";
  assert.deepEqual(cuts(source, times(2, [...times(5, [3, 4]), 5, 6])), [
    [
      [3, 6],
      [3, 6],
    ],
  ]);
});

test("batches are the iterations of epochs, and what an epoch does after them belongs to its last", () => {
  const source = "for e in r:\n    for b in r:\n        a\n        l.backward()\n        o.step()\n    c";
  const found = cuts(source, times(2, [...times(2, [3, 4, 5]), 6]));
  assert.deepEqual(found, [
    [
      [3, 5],
      [3, 6],
      [3, 5],
      [3, 5],
    ],
  ]);
});

test("two loops after each other are two", () => {
  const source =
    "for i in r:\n    l.backward()\n    o.step()\nz\nfor i in r:\n    a\n    l.backward()\n    o.step()";
  const found = cuts(source, [...times(2, [2, 3]), 4, ...times(3, [6, 7, 8])]);
  assert.deepEqual(found, [times(2, [[2, 3]]), times(3, [[6, 8]])]);
});

test("a function called in the loop belongs to the iteration that calls it", () => {
  const source =
    "def f():\n    a\n    l.backward()\n    o.step()\ndef g():\n    b\nfor i in r:\n    f()\n    p\n    g()";
  const found = cuts(source, times(3, [2, 3, 4, 9, 6]));
  assert.deepEqual(found, [
    [
      [2, 6],
      [2, 6],
      [2, 9],
    ],
  ]);
});

test("a method that trains, called from another's loop", () => {
  const lines = ["class T:", "    def s(self):", "        a", "        l.backward()", "    def fit(self):"];
  const source = [...lines, "        for x in d:", "            n", "            self.s()"].join("\n");
  assert.deepEqual(cuts(source, times(3, [7, 3, 4])), [times(3, [[7, 4]])]);
});

test("a loop of one line", () => {
  const source = "for i in r: l.backward()";
  assert.deepEqual(cuts(source, [1, 1, 1]), [times(3, [[1, 1]])]);
});

test("an iteration that fails is one as well", () => {
  const source = "for i in r:\n    a\n    fails\n    l.backward()\n    o.step()";
  assert.deepEqual(cuts(source, [...times(2, [2, 4, 5]), 2, 3]), [
    [
      [2, 5],
      [2, 5],
      [2, 3],
    ],
  ]);
});

test("leaving a with block is not the next iteration", () => {
  const source = "for i in r:\n    with g():\n        a\n        l.backward()\n    p";
  assert.deepEqual(cuts(source, times(2, [2, 3, 4, 2, 5])), [
    [
      [2, 5],
      [2, 5],
    ],
  ]);
});

for (const { name, trace } of everyTrace()) {
  test(`iterations follow each other without a gap, in order: ${name}`, () => {
    let last = -1;
    for (const { from, to, rounds } of loops(trace)) {
      assert.ok(from > last && rounds.length > 1);
      assert.equal(rounds[0].from, from);
      assert.equal(rounds.at(-1).to, to);
      rounds.forEach((round, i) => {
        assert.ok(round.from <= round.to);
        if (i > 0) assert.equal(round.from, rounds[i - 1].to + 1);
      });
      last = to;
    }
  });
}

test("a row knows its iteration; one outside of a loop has none", () => {
  const trace = training(3);
  const [loop] = loops(trace);
  assert.equal(loop.rounds.length, 3);
  assert.equal(roundAt(trace, loop.rounds[2].from).i, 2);
  assert.equal(roundAt(trace, 0), null);
});

test("a loop's block ends with its last line of code, brackets and comments aside", () => {
  const source = "for i in r:\n    f(\n1,\n)\n\n# note\n    g\nh\nwhile x: pass\ndef f():\n    y";
  const shown = blocks(source).map(({ line, end, isLoop }) => [line, end, isLoop]);
  assert.deepEqual(shown, [
    [1, 7, true],
    [9, 9, true],
    [10, 11, false],
  ]);
  assert.equal(loopAround(blocks(source), 7).line, 1);
  assert.equal(loopAround(blocks(source), 11), null);
});
