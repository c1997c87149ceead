/** What a trace says of faults: where it is told, what its change makes, which lines differ. */
import assert from "node:assert/strict";
import test from "node:test";

import { culprits, difference, edited, findingsAt, keysOf } from "../../static/js/trace/findings.js";

const PLAIN = { code: "x", variant: "", at: [1, 0, 1, 2], node: null, tensor: null };
const finding = (row, more = {}) => ({ ...PLAIN, row, ...more });
const trace = (findings) => ({ rows: [{}, {}, {}, {}], findings });

test("a finding is told where it shows, and all of them at the end", () => {
  const [a, b] = [finding(1), finding(2)];
  const told = [-1, 0, 1, 2, 3].map((k) => findingsAt(trace([a, b]), k));
  assert.deepEqual(told, [[], [], [a], [b], [a, b]]);
  assert.deepEqual(findingsAt({ rows: [{}] }, 0), []);
});

test("what is marked is the node, or else the tensor", () => {
  const found = culprits(trace([finding(1, { node: "n1", tensor: "t1" }), finding(1, { tensor: "t2" })]), 1);
  assert.deepEqual([...found.ids], ["n1", "t2"]);
  assert.equal(found.spans.length, 2);
});

test("edits are places in the text as it was, in any order and with any line ends", () => {
  const edits = [
    { at: [3, 0, 3, 0], text: "new\r\n" },
    { at: [1, 2, 1, 3], text: "β" },
    { at: [2, 0, 3, 0], text: "" },
  ];
  assert.equal(edited("a😀b\r\nsecond\r\nthird", [edits[0], edits[2]]), "a😀b\r\nnew\r\nthird");
  assert.equal(edited("a b\nx", [edits[1]]), "a β\nx");
  assert.equal(edited("x", [{ at: [1, 1, 1, 1], text: "\ny" }]), "x\ny");
});

test("a difference is the lines that changed with one around them", () => {
  const rows = difference("a\nb\nc\nd\ne", "a\nb\nC\nd\ne");
  assert.deepEqual(rows.map(({ sign, line, text }) => sign + line + text), [" 2b", "-3c", "+3C", " 4d"]);
  const moved = difference("a\nb\nc", "b\na\nc").map(({ sign, text }) => sign + text);
  assert.deepEqual(moved.filter((row) => row[0] !== " ").length, 2);
  assert.deepEqual(difference("a", "a"), []);
});

test("the words of a variant come before those of all", () => {
  assert.deepEqual(keysOf(finding(0, { code: "freed", variant: "loop" }), "do"), [
    "doctor.freed.loop.do",
    "doctor.freed.do",
  ]);
});
