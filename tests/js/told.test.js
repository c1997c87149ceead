/** The run as text: a line for every stop, told alike in one go and in parts. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { t, use } from "../../static/js/i18n.js";
import { history } from "../../static/js/trace/history.js";
import { levels, stops } from "../../static/js/trace/stops.js";
import { tellSteps } from "../../static/js/trace/told.js";
import { plainText, say } from "./said.js";
import { dictionary, everyTrace, training, twoPaths } from "./traces.js";

use(dictionary("en"));

const told = (trace, level, from = 0, to = Infinity) =>
  tellSteps(trace, { level, from, to, at: history(trace).at, t });
const changesOf = ({ changes }) =>
  changes.map(({ name, before, after }) => [name.text, before, after].filter((part) => part !== null));

for (const { name, trace } of everyTrace()) {
  test(`every stop of every level has the sentence of its step: ${name}`, () => {
    for (const level of levels) {
      const all = told(trace, level);
      assert.deepEqual(
        all.map(({ k }) => k),
        stops(trace, level),
      );
      for (const { k, parts } of all.slice(0, 40)) assert.equal(plainText(parts), say(trace, k));
    }
  });

  test(`a part is told as the whole tells it: ${name}`, () => {
    const all = told(trace, "chain");
    const middle = all.length >> 1;
    assert.deepEqual(told(trace, "chain", middle, middle + 5), all.slice(middle, middle + 5));
  });
}

test("a .grad that is written is told with what it was before", () => {
  const all = told(twoPaths(), "chain");
  const changes = all.flatMap(changesOf).filter(([name]) => name.endsWith(".grad"));
  assert.ok(changes.length > 0);
  assert.equal(changes[0].length, 3);
  assert.equal(changes[0][1], "None");
});

test("two gradients that meet are told as one change of the buffer", () => {
  const summed = told(twoPaths(), "chain").filter(({ k }) => twoPaths().rows[k].kind === "grad_summed");
  assert.ok(summed.length > 0);
  for (const step of summed) {
    const [[name, before, after]] = changesOf(step);
    assert.match(name, /^gradient at /);
    assert.notEqual(before, after);
  }
});

test("a parameter that the optimizer moves is told with both values", () => {
  const trace = training(2);
  const moved = told(trace, "chain").filter(({ k }) => trace.rows[k].kind === "parameter_updated");
  assert.ok(moved.length > 0);
  for (const step of moved) assert.equal(changesOf(step)[0].length, 3);
});

test("what is empty tells nothing", () => {
  assert.deepEqual(told({ ...twoPaths(), rows: [] }, "chain"), []);
  assert.deepEqual(told(twoPaths(), "chain", 9000), []);
});
