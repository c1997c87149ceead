/** The state at any row is the fold of the rows up to it. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { history } from "../../static/js/trace/history.js";
import { apply, initial } from "../../static/js/trace/reducer.js";
import { everyTrace, training, twoPaths } from "./traces.js";

for (const { name, trace } of everyTrace()) {
  test(`at(k) equals the fold for every k: ${name}`, () => {
    const past = history(trace);
    const state = initial(trace);
    assert.deepEqual(past.at(-1), state);
    trace.rows.forEach((row, k) => {
      apply(state, row, trace);
      assert.deepEqual(past.at(k), state, `row ${k}`);
    });
  });

  test(`the order of seeks does not matter: ${name}`, () => {
    const { rows } = trace;
    const forward = history(trace);
    const jumping = history(trace);
    for (let i = 0; i < 60; i += 1) {
      const k = ((i * 7919) % (rows.length + 1)) - 1;
      assert.deepEqual(jumping.at(k), forward.at(k), `row ${k}`);
    }
  });
}

test("k is held inside the run", () => {
  const past = history(twoPaths());
  assert.equal(past.at(-5).k, -1);
  assert.equal(past.at(1e6).k, past.length - 1);
});

test("a state belongs to whoever asked for it", () => {
  const past = history(training(40));
  const state = past.at(300);
  state.value.clear();
  assert.notEqual(past.at(300).value.size, 0);
});

test("what is long past costs no more than what is near: at most 255 rows are folded", () => {
  const trace = training(200);
  let folded = 0;
  const rows = new Proxy(trace.rows, {
    get: (target, key, self) => {
      if (/^\d+$/.test(String(key))) folded += 1;
      return Reflect.get(target, key, self);
    },
  });
  const past = history({ ...trace, rows });
  past.at(3000);
  folded = 0;
  past.at(2815);
  assert.ok(folded <= 255, `${folded} rows were read`);
});
