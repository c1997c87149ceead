/** A look is made again when a value that it read is another, and only then. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { isSame, watch } from "../../static/js/graph/watch.js";

const moment = (more = {}) => ({
  ...{ trace: { nodes: {} }, names: new Map([["t1", "x"]]), level: "chain" },
  ...more,
  state: { phase: new Map([["n1", "made"]]), grad: new Map(), k: 3, backward: null, ...more.state },
});

test("what was not read may change", () => {
  const { made, reads } = watch(moment())(null, ({ state }) => state.phase.get("n1"));
  assert.equal(made, "made");
  const other = { k: 9, phase: new Map([["n1", "made"], ["n2", "ran"]]), grad: new Map([["t1", "v1"]]) };
  assert.ok(isSame(reads, moment({ level: "engine", state: other })));
  assert.ok(!isSame(reads, moment({ state: { phase: new Map([["n1", "ran"]]) } })));
});

test("a name, a level, a number of the state, a value that was not there: each is watched", () => {
  const look = watch(moment());
  const cases = [
    [({ names }) => names.get("t1"), { names: new Map([["t1", "y"]]) }],
    [({ level }) => level, { level: "story" }],
    [({ state }) => state.k, { state: { k: 4 } }],
    [({ state }) => state.grad.has("t1"), { state: { grad: new Map([["t1", "v1"]]) } }],
  ];
  for (const [read, change] of cases) {
    const { reads } = look(null, read);
    assert.ok(isSame(reads, moment()), String(read));
    assert.ok(!isSame(reads, moment(change)), String(read));
  }
});

test("of a running backward a look may ask whether there is one, and no more", () => {
  const now = moment({ state: { backward: { k: 1, running: "n1" } } });
  const { reads } = watch(now)(null, ({ state }) => Boolean(state.backward));
  assert.ok(isSame(reads, moment({ state: { backward: { k: 1, running: "n2" } } })));
  assert.ok(!isSame(reads, moment()));
  assert.throws(() => watch(now)(null, ({ state }) => state.backward.running), /backward.running/);
});

test("a row is handed on as it is given for this look", () => {
  const row = { kind: "error" };
  assert.equal(watch(moment())(row, (seen) => seen.row).made, row);
});
