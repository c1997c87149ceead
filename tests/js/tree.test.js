/** What stands where in a scene, and which drawn edges a gradient travels through groups. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { createFolds } from "../../static/js/graph/folds.js";
import { around, createTree } from "../../static/js/graph/tree.js";

const edge = (from, to, slot, more = {}) => ({ from, to, slot, path: "M0 0C0 0 0 0 0 0", ...more });
const drawing = {
  layouts: {
    l0: {
      elements: { r0: { role: "in" }, r1: { role: "op" }, r2: { role: "out" } },
      edges: { e_r1_0: edge("r0", "r1", 0), e_r2_0: edge("r1", "r2", null) },
    },
    l1: {
      elements: {
        r0: { role: "leaf" },
        r1: { role: "group", inside: "l0" },
        r2: { role: "group", inside: "l0" },
      },
      edges: {
        e_r1_0: edge("r0", "r1", null, { port: "r0" }),
        e_r2_0: edge("r1", "r2", null, { port: "r0", exit: "r2" }),
      },
    },
  },
  scenes: [
    {
      layout: "l1",
      place: { t1: "r0", n1: "r0", n2: "r1/r1", t2: "r1/r1", n3: "r2/r1", t3: "r2/r1" },
      groups: { r1: { kind: "loop", label: "for" }, r2: { kind: "loop", label: "for" } },
    },
  ],
  scene_at: [[0, 0]],
};
const row = (kind, more) => ({ kind, at: null, ...more });
const trace = {
  tensors: { t1: {}, t2: {}, t3: {} },
  nodes: {
    n1: { variable: "t1", edges: [], outputs: [] },
    n2: { edges: [["n1", 0]], outputs: ["t2"] },
    n3: { edges: [["n2", 0]], outputs: ["t3"] },
  },
  rows: [
    row("tensor_made", { tensor: "t1" }),
    row("op_applied", { node: "n2", outputs: ["t2"] }),
    row("op_applied", { node: "n3", outputs: ["t3"] }),
    row("backward_began", { root_nodes: ["n3"], roots: ["t3"] }),
    row("node_entered", { node: "n3" }),
    row("edge_flowed", { node: "n3", slot: 0, target: "n2" }),
    row("printed", { text: "" }),
  ],
};
const tree = createTree(trace, drawing, drawing.scenes[0]);

test("a gradient between two groups goes out of one, across, and into the other", () => {
  assert.deepEqual(tree.edgeOf("n3", 0).way, ["r1/e_r2_0", "e_r2_0", "r2/e_r1_0"]);
  assert.deepEqual(tree.edgeOf("n2", 0).way, ["e_r1_0", "r1/e_r1_0"]);
});

test("a drawn edge tells all that it carries", () => {
  assert.deepEqual(
    tree.carriedBy("e_r2_0").map(({ name }) => name),
    ["n3:0"],
  );
});

test("a group has as members what stands in it", () => {
  assert.deepEqual(
    tree.membersOf("r1").map(({ node }) => node),
    ["n2"],
  );
  assert.deepEqual(around("r1/r2/r0"), ["r1", "r1/r2"]);
});

test("the group the step is in is open; in backward that of the node which runs", () => {
  const folds = createFolds(trace);
  const openAt = (k) => [...folds.openAt(k, tree, null)];
  assert.deepEqual(openAt(-1), []);
  assert.deepEqual(openAt(0), []);
  assert.deepEqual(openAt(1), ["r1"]);
  assert.deepEqual(openAt(5), ["r2"], "a gradient on its way has not arrived");
  assert.deepEqual(openAt(6), ["r2"], "a step that is about nothing leaves things as they are");
});

test("what the reader opens or folds is as they want it, and what was sought is open", () => {
  const folds = createFolds(trace);
  folds.choose(tree, "r1", true);
  folds.choose(tree, "r2", false);
  assert.deepEqual([...folds.openAt(2, tree, null)], ["r1"]);
  assert.deepEqual([...folds.openAt(2, tree, ["t3"])], ["r1", "r2"]);
});
