/** Parts that an address leaves out of the page. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { frameOf, leftOut, PARTS } from "../../static/js/page/parts.js";

const COLUMNS = ["code", "graph", "inspector"];

/** Every set of the places of the player. */
function* sets() {
  const places = [...COLUMNS, "say"];
  for (let bits = 0; bits < 2 ** places.length; bits += 1) {
    yield new Set(places.filter((_, i) => bits & (1 << i)));
  }
}

test("nothing left out: the page's own grid", () => {
  assert.equal(frameOf(new Set()), null);
  assert.equal(frameOf(new Set(["edit", "output"])), null);
});

test("every grid holds the places that are there, only those, in rows of equal length", () => {
  for (const out of sets()) {
    const frame = frameOf(out);
    if (frame === null) continue;
    const rows = [...frame.matchAll(/"([^"]*)"/g)].map(([, row]) => row.split(" "));
    const shown = new Set(rows.flat());
    const wanted = ["time", ...COLUMNS, "say"].filter((place) => !out.has(place));
    assert.deepEqual([...shown].sort(), wanted.sort(), frame);
    assert.equal(new Set(rows.map((row) => row.length)).size, 1, frame);
    const widths = frame.split(" / ")[1].match(/minmax\([^)]*\)/g);
    assert.equal(widths.length, rows[0].length, frame);
    assert.ok(widths.includes("minmax(0, 1fr)"), "somebody takes the rest of the width");
  }
});

test("the engine is its queue and what is kept; the presenter's view is graph, sentence and timeline", () => {
  const engine = ["buffers", "engine", "hooks", "kept", "memory", "queue", "saved"];
  assert.deepEqual([...leftOut(["engine"])].sort(), engine);
  const out = leftOut([], true);
  for (const place of ["graph", "say", "timeline"]) assert.ok(!out.has(place), place);
  for (const place of ["code", "inspector", "output", "header"]) assert.ok(out.has(place), place);
});

test("the names of parts are words of an address", () => {
  for (const name of PARTS) assert.match(name, /^[a-z]+$/);
});
