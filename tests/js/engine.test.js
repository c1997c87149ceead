/** The engine's own state: the heap, who keeps what, versions, hooks; and the cards that show it. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { use } from "../../static/js/i18n.js";
import { panels } from "../../static/js/panels/index.js";
import { behind, depthOf, keyText, slots } from "../../static/js/trace/heap.js";
import { history } from "../../static/js/trace/history.js";
import { hooks } from "../../static/js/trace/hooks.js";
import { isWritten, keepers, versionAt } from "../../static/js/trace/keepers.js";
import { openPage } from "./page.js";
import { builder, dictionary, everyTrace, goldens, twoPaths } from "./traces.js";

use(dictionary("en"));
const golden = (name) => goldens().find((one) => one.name === `${name}.json`).trace;
const at = (trace, k) => history(trace).at(k);

test("the array of a heap is a tree: the children of i are at 2i + 1 and 2i + 2", () => {
  const placed = slots(["a", "b", "c", "d", "e"]).map(({ node, level, place, parent }) => [
    node,
    level,
    place,
    parent,
  ]);
  assert.deepEqual(placed, [
    ["a", 0, 0, null],
    ["b", 1, 0, 0],
    ["c", 1, 1, 0],
    ["d", 2, 0, 1],
    ["e", 2, 1, 1],
  ]);
});

test("every queue of a trace is a heap by sequence number, AccumulateGrad above all", () => {
  for (const { trace } of everyTrace()) {
    const rank = (node) => trace.nodes[node].seq ?? Infinity;
    for (const { queue } of trace.rows)
      for (const { node, parent } of slots(queue ?? [])) {
        if (parent !== null) assert.ok(rank(queue[parent]) >= rank(node));
      }
  }
});

test("what orders a node: how deep its backward is nested, then its number, AccumulateGrad above all", () => {
  const trace = { nodes: { n1: { seq: 7 }, n2: { seq: null } } };
  assert.deepEqual([keyText(trace, "n1", 0), keyText(trace, "n2", 1)], ["(0, 7)", "(1, 2⁶⁴−1)"]);
});

test("behind a nested backward waits the queue of the one around it", () => {
  const outer = { outer: null, kept: null };
  const state = { backward: { outer, kept: { queue: ["n1", "n2"] } } };
  assert.equal(depthOf(state.backward), 1);
  assert.deepEqual(behind(state), [
    { node: "n1", depth: 0 },
    { node: "n2", depth: 0 },
  ]);
  assert.deepEqual(behind({ backward: outer }), []);
});

test("a tensor is kept by the nodes that saved it, until backward frees them", () => {
  const trace = twoPaths();
  const frees = trace.rows.findIndex((row) => row.kind === "saved_freed" && row.names.length > 0);
  const before = keepers(trace, at(trace, frees - 1));
  const { node } = trace.rows[frees];
  const mine = before.flatMap((kept) => kept.keepers).filter((keeper) => keeper.node === node);
  assert.ok(mine.length > 0 && mine.every(({ until }) => until === frees));
  const after = keepers(trace, at(trace, frees)).flatMap((kept) => kept.keepers);
  assert.ok(after.every((keeper) => keeper.node !== node));
});

test("a graph that no backward takes apart has no end", () => {
  const trace = twoPaths();
  const cut = { ...trace, rows: trace.rows.filter(({ kind }) => kind !== "saved_freed") };
  const all = keepers(cut, at(cut, cut.rows.length - 1)).flatMap((kept) => kept.keepers);
  assert.ok(all.length > 0 && all.every(({ until }) => until === null));
});

test("versions are those that rows tell; an optimizer's step tells none", () => {
  const { trace, ...make } = builder("");
  make.row("tensor_made", { tensor: "t1" });
  make.row("version_bumped", { tensor: "t1", before: 0, after: 1 });
  make.row("parameter_updated", { tensor: "t1" });
  make.row("printed", { text: "" });
  make.row("version_bumped", { tensor: "t1", before: 2, after: 3 });
  make.row("parameter_updated", { tensor: "t1" });
  const versions = [0, 1, 3, 4, 5].map((k) => versionAt(trace, "t1", k));
  assert.deepEqual(versions, [0, 1, 2, 3, null]);
  assert.deepEqual([isWritten(trace, "t1", 0, 1), isWritten(trace, "t1", 2, 3)], [true, false]);
});

test("memory that is written through another tensor is written", () => {
  const { trace, ...make } = builder("");
  make.row("printed", { text: "" });
  make.row("aliases_changed", { tensors: [["t2", "v1"]] });
  assert.deepEqual([isWritten(trace, "t2", 0, 1), isWritten(trace, "t1", 0, 1)], [true, false]);
});

test("hooks are told with what they are on and when they ran", () => {
  const trace = golden("hooks");
  const all = hooks(trace);
  assert.equal(
    all.reduce((sum, hook) => sum + hook.ran.length, 0),
    trace.rows.filter(({ kind }) => kind === "hook_ran").length,
  );
  for (const { ran, hook } of all) for (const k of ran) assert.equal(trace.rows[k].hook, hook);
});

/** What the cards show at a row: {id: text}. */
function cards(trace, k, level) {
  const { body } = openPage();
  const shown = {};
  const ctx = {
    trace,
    player: { level, seek() {}, state: at(trace, k) },
    signal: new AbortController().signal,
  };
  for (const panel of panels.filter(({ id }) => ["kept", "hooks", "buffers", "queue"].includes(id))) {
    const root = document.createElement("div");
    body.append(root);
    panel.mount(root, ctx).show(at(trace, k));
    const isShown = root.querySelector(".card")?.getAttribute("hidden") === null || panel.id === "queue";
    if (isShown) shown[panel.id] = root.textContent;
  }
  return shown;
}

test("the engine's cards are there at its level only", () => {
  const trace = golden("hooks");
  const k = trace.rows.findIndex(({ kind }) => kind === "hook_ran");
  assert.deepEqual(Object.keys(cards(trace, k, "chain")), ["queue"]);
  const shown = cards(trace, k, "engine");
  assert.match(shown.hooks, /ran 1 ×/);
  const paths = twoPaths();
  const began = paths.rows.findIndex(({ kind }) => kind === "backward_began");
  assert.match(cards(paths, began, "engine").kept, /Backward0 #\d+ as .*version 0, still 0/);
});

test("a heap shows places, keys and its tree", () => {
  const trace = twoPaths();
  const k = trace.rows.findIndex(({ kind, queue }) => kind === "node_ready" && queue.length > 0);
  assert.match(cards(trace, k, "engine").queue, /0\w+Backward0 #\d+\(0, \d+\)/);
});

for (const { name, trace } of everyTrace()) {
  test(`the engine's cards show every row, and nobody keeps what is freed: ${name}`, () => {
    const past = history(trace);
    for (let k = 0; k < trace.rows.length; k += 1 + (trace.rows.length >> 5)) {
      cards(trace, k, "engine");
      const { saved } = past.at(k);
      for (const { keepers: all } of keepers(trace, past.at(k)))
        for (const { node, since, until } of all) {
          assert.ok(!saved.get(node).freed && since <= k && (until === null || until > k));
        }
    }
  });
}

test("an operation on a .grad shows what backward has added to it, not what its own row told last", () => {
  const { trace, ...make } = builder("w -= 0.1 * w.grad");
  make.tensor("t1", "leaf", ["w"]);
  make.tensor("t2", "data", ["w.grad"]);
  make.tensor("t3", "data", []);
  const [zeros, grad, scaled] = [make.value([0, 0]), make.value([2, 4]), make.value([0.25, 0.5])];
  const fields = { node: null, inplace: false, saved: [], module: null };
  make.row("names_bound", { names: { w: "t1" }, unbound: [] });
  make.row("op_applied", {
    ...fields,
    op: "zero_",
    args: [],
    outputs: ["t2"],
    values: [zeros],
    inplace: true,
  });
  make.row("grad_accumulated", { node: "n1", tensor: "t1", before: zeros, arriving: grad, after: grad });
  const args = [["self", { tensor: "t2" }]];
  make.row("op_applied", { ...fields, op: "mul", args, outputs: ["t3"], values: [scaled] });
  openPage();
  const root = document.createElement("div");
  const operation = panels.find(({ id }) => id === "operation");
  const state = at(trace, trace.rows.length - 1);
  operation
    .mount(root, { trace, player: { level: "chain" }, signal: new AbortController().signal })
    .show(state);
  assert.match(root.textContent, /2\.4\./);
  assert.doesNotMatch(root.textContent, /0\.0\./);
});
