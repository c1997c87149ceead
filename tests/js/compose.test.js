/** One picture from the layouts of a scene: what opens makes room, what is not in its way stays. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { compose, HEAD } from "../../static/js/graph/compose.js";

const box = (role, x, y, column, more = {}) => ({ role, x, y, width: 100, height: 60, column, ...more });

const line = (a, b) => `M${a} 130C${a + 20} 130 ${b - 20} 130 ${b} 130`;

/** leaf -> group -> op, and a second op under the group; inside the group: in -> op -> out. */
const layouts = {
  l0: {
    width: 300,
    height: 100,
    elements: {
      r0: { ...box("in", 0, 50, 0), width: 0, height: 0 },
      r1: box("op", 100, 20, 1),
      r2: { ...box("out", 300, 50, 2), width: 0, height: 0 },
    },
    edges: {
      e_r1_0: { from: "r0", to: "r1", slot: 0, path: "M0.0 50.0C30.0 50.0 70.0 50.0 100.0 50.0" },
      e_r2_0: { from: "r1", to: "r2", slot: null, path: "M200.0 50.0C230.0 50.0 270.0 50.0 300.0 50.0" },
    },
  },
  l1: {
    width: 500,
    height: 260,
    elements: {
      r0: box("leaf", 24, 100, 0),
      r1: box("group", 200, 100, 1, { inside: "l0" }),
      r2: box("op", 200, 180, 1),
      r3: box("op", 376, 100, 2),
    },
    edges: {
      e_r1_0: { from: "r0", to: "r1", slot: null, path: line(124, 200), port: "r0" },
      e_r3_0: { from: "r1", to: "r3", slot: 0, path: line(300, 376), exit: "r2" },
    },
  },
};

const folded = compose(layouts, "l1", () => false);
const open = compose(layouts, "l1", (path) => path === "r1");
const at = (picture, path) => picture.boxes.get(path).box;

test("a folded picture is the layout itself", () => {
  assert.deepEqual([...folded.boxes.keys()], ["r0", "r1", "r2", "r3"]);
  assert.deepEqual(folded.bounds, { x: 0, y: 0, width: 500, height: 260 });
  assert.equal(at(folded, "r3").x, 376);
});

test("what stands left of a group that opens stays where it was", () => {
  assert.deepEqual(at(open, "r0"), at(folded, "r0"));
});

test("what stands right of it moves by what it has grown, and no further up or down", () => {
  assert.equal(at(open, "r3").x - at(folded, "r3").x, 200);
  assert.equal(at(open, "r3").y, at(folded, "r3").y);
});

test("what stands below it in its column makes room", () => {
  assert.equal(at(open, "r2").y - at(folded, "r2").y, (100 + HEAD - 60) / 2);
  assert.equal(at(open, "r2").x, at(folded, "r2").x);
});

test("a group grows around its middle, and its content stands in it by its path", () => {
  const [{ path, box: region }] = open.regions;
  assert.equal(path, "r1");
  assert.equal(region.y + region.height / 2, 130);
  assert.equal(at(open, "r1/r1").x, region.x + 100);
  assert.equal(open.boxes.has("r1"), false);
});

test("an edge into an open group goes on where it ends", () => {
  const [before, inside] = [open.edges.get("e_r1_0").points.at(-1), open.edges.get("r1/e_r1_0").points[0]];
  assert.ok(Math.hypot(before.x - inside.x, before.y - inside.y) < 0.01);
  const [within, after] = [open.edges.get("r1/e_r2_0").points.at(-1), open.edges.get("e_r3_0").points[0]];
  assert.ok(Math.hypot(within.x - after.x, within.y - after.y) < 0.01);
});

test("edges stay curves that begin and end at their boxes", () => {
  for (const { points } of open.edges.values()) assert.equal(points.length % 3, 1);
  const end = open.edges.get("e_r3_0").points.at(-1);
  assert.deepEqual([end.x, end.y], [at(open, "r3").x, 130]);
});

test("opening and folding again gives the same picture", () => {
  assert.deepEqual(compose(layouts, "l1", () => false), folded);
});
