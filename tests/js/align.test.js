/** Two runs beside each other. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { align, commonLines } from "../../static/js/trace/align.js";
import { differences, sameNumbers } from "../../static/js/trace/differences.js";
import { history } from "../../static/js/trace/history.js";
import { matches } from "../../static/js/trace/match.js";
import { everyTrace, training, twoPaths } from "./traces.js";

/** Numbers that look random and are the same in every run. */
function* chance(seed) {
  for (let x = seed; ; ) yield (x = (x * 48271) % 2147483647) / 2147483647;
}

function words(next, length, letters) {
  return Array.from({ length }, () => String(Math.floor(next.next().value * letters)));
}

/** The length of the longest common subsequence, by the plain table. */
function longest(a, b) {
  let row = new Array(b.length + 1).fill(0);
  for (const x of a) {
    const next = [0];
    b.forEach((y, j) => next.push(x === y ? row[j] + 1 : Math.max(next[j], row[j + 1])));
    row = next;
  }
  return row[b.length];
}

function isMatching(pairs, a, b) {
  let [i, j] = [-1, -1];
  for (const [x, y] of pairs) {
    assert.ok(x > i && y > j && x < a.length && y < b.length, "ascending");
    assert.equal(a[x], b[y]);
    [i, j] = [x, y];
  }
}

test("as many are matched as there can be, each once and in order", () => {
  const next = chance(7);
  for (let round = 0; round < 400; round += 1) {
    const [n, m] = [next.next().value * 14, next.next().value * 14].map(Math.floor);
    const [a, b] = [words(next, n, 4), words(next, m, 4)];
    const pairs = matches(a, b);
    isMatching(pairs, a, b);
    assert.equal(pairs.length, longest(a, b), `${a} | ${b}`);
  }
});

test("lists that differ more than is looked through at a time are matched piece by piece", () => {
  const next = chance(11);
  for (let round = 0; round < 200; round += 1) {
    const [a, b] = [words(next, 40, 5), words(next, 30, 5)];
    isMatching(matches(a, b, 3), a, b);
  }
  const [a, b] = [words(next, 4000, 90), words(next, 4000, 90)];
  isMatching(matches(a, b), a, b);
});

test("every row of both runs appears once, in order, whatever the two programs are", () => {
  const traces = everyTrace().map((each) => each.trace ?? each);
  for (const left of traces.slice(0, 12)) {
    for (const right of traces.slice(0, 12)) {
      const pairs = align(left, right);
      const numbers = (side) => pairs.map((pair) => pair[side]).filter((k) => k !== null);
      assert.deepEqual(numbers(0), left.rows.map((_, k) => k));
      assert.deepEqual(numbers(1), right.rows.map((_, k) => k));
      for (const [i, j] of pairs) {
        assert.ok(i !== null || j !== null);
        if (i !== null && j !== null) assert.equal(left.rows[i].kind, right.rows[j].kind);
      }
    }
  }
});

test("a run beside itself has no gap and no difference", () => {
  for (const trace of [training(4), twoPaths()]) {
    const pairs = align(trace, trace);
    assert.ok(pairs.every(([i, j]) => i === j));
    const states = history(trace);
    for (const [k] of pairs) {
      const side = { trace, state: states.at(k) };
      assert.deepEqual(differences(side, side), []);
      assert.ok(sameNumbers({ trace, row: trace.rows[k] }, { trace, row: trace.rows[k] }));
    }
  }
});

/** The same run without some rows, from a text without a line. */
function without(trace, kind, line) {
  const moved = ([from, a, to, b]) => (from > line ? [from - 1, a, to - 1, b] : [from, a, to, b]);
  const at = (thing) => ({ ...thing, at: thing.at && moved(thing.at) });
  const all = (things) => Object.fromEntries(Object.entries(things).map(([id, thing]) => [id, at(thing)]));
  return {
    ...trace,
    source: trace.source.split("\n").filter((_, i) => i !== line - 1).join("\n"),
    nodes: all(trace.nodes),
    tensors: all(trace.tensors),
    rows: trace.rows.filter((row) => row.at?.[0] !== line).map(at),
  };
}

test("a line less is a gap at its own rows, in every round, and moves nothing else", () => {
  const whole = training(3);
  const line = whole.source.split("\n").findIndex((text) => text.includes("zero_grad")) + 1;
  const pairs = align(whole, without(whole, "zero_grad", line));
  const alone = pairs.filter(([, j]) => j === null).map(([i]) => whole.rows[i]);
  assert.ok(alone.length >= 3);
  assert.ok(alone.every((row) => row.at[0] === line));
  assert.ok(pairs.every(([i]) => i !== null));
});

test("lines that differ are told by number on both sides; a blank line more is no difference", () => {
  const told = commonLines("a = 1\nb = 2\nc = 3", "a = 1\n\nb = 20\nc = 3\nd = 4").changed;
  assert.deepEqual(told, { left: [2], right: [3, 5] });
});

test("numbers that differ at a moment are told by name, with both", () => {
  const left = twoPaths();
  const right = structuredClone(left);
  const row = right.rows.find((each) => each.kind === "tensor_made");
  right.values.v999 = { dtype: "float32", shape: [2], data: [8, 9] };
  const was = row.value;
  row.value = "v999";
  const name = left.tensors[row.tensor].names[0];
  const at = (trace) => ({ trace, state: history(trace).at(trace.rows.length - 1) });
  const isAsked = (each) => each.name === name && each.kind === "value";
  const found = differences(at(left), at(right)).filter(isAsked);
  assert.deepEqual(found, [{ kind: "value", name, left: was, right: "v999" }]);
  assert.ok(!sameNumbers({ trace: left, row: left.rows[0] }, { trace: right, row }));
});

test("a step that only keeps less for backward carries the same numbers", () => {
  const trace = twoPaths();
  const row = trace.rows.find((each) => each.kind === "op_applied" && each.saved?.length);
  assert.ok(sameNumbers({ trace, row }, { trace, row: { ...row, saved: [] } }));
  assert.ok(!sameNumbers({ trace, row }, { trace, row: { ...row, values: [] } }));
});
