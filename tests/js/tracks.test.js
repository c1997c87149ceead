/** One subject over the whole run. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { history } from "../../static/js/trace/history.js";
import { gradWrites, phases, track } from "../../static/js/trace/tracks.js";
import { everyTrace, training, twoPaths } from "./traces.js";

for (const { name, trace } of everyTrace()) {
  test(`stretches cover the run without gaps: ${name}`, () => {
    const found = phases(trace);
    assert.equal(found[0].from, 0);
    assert.equal(found.at(-1).to, trace.rows.length - 1);
    found.slice(1).forEach((part, i) => assert.equal(part.from, found[i].to + 1));
  });

  test(`a track agrees with the states: ${name}`, () => {
    const past = history(trace);
    for (const id of Object.keys(trace.tensors).slice(0, 4)) {
      for (const { k, v } of track(trace, id, "value")) assert.equal(past.at(k).value.get(id), v);
      for (const { k, v } of track(trace, id, "grad")) assert.equal(past.at(k).grad.get(id), v);
    }
  });
}

test("every pass is a stretch of its own", () => {
  assert.deepEqual(
    phases(training(2)).map((part) => part.phase),
    ["forward", "backward", "forward", "backward", "forward"],
  );
});

test("only rows that change a .grad are marked", () => {
  const writes = gradWrites(twoPaths());
  assert.deepEqual(
    writes.map((write) => write.tensor),
    ["t2", "t1"],
  );
  assert.equal(gradWrites(training(3)).length, 6);
});

test("the next change of a .grad can be looked up", () => {
  const points = track(training(2), "t1", "grad");
  assert.deepEqual(
    points.map((point) => point.v === null),
    [false, true, false, true],
  );
});
