/** What nodes and edges say: the rule in words, a whole gradient or a share of it. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { find, say, sayRow } from "./said.js";
import { builder, goldens, twoPaths } from "./traces.js";

const ofNode = (node) => (row) => row.node === node;

test("a node that runs says what it did to which gradient", () => {
  const trace = twoPaths();
  assert.equal(
    sayRow(trace, "node_ran", ofNode("n4")),
    "PowBackward0 turns [1., 1.], the gradient of y ** 2, into [1., -4.], the gradient of y: " +
      "each element is multiplied by 2·y.",
  );
  assert.equal(
    sayRow(trace, "node_ran", ofNode("n7")),
    "AddBackward0 passes 1., the gradient of z, on unchanged to (y ** 2).sum() and x.sum().",
  );
  assert.equal(
    sayRow(trace, "node_ran", ofNode("n4"), "zh"),
    "PowBackward0 把 y ** 2 的梯度 [1., 1.] 变成 y 的梯度 [1., -4.]：每个元素乘以 2·y。",
  );
});

test("a gradient on one of several paths is called a share, never the gradient", () => {
  const text = sayRow(twoPaths(), "node_ran", ofNode("n1"));
  assert.match(text, /\[1\., -8\.\], the gradient of w \(each element is multiplied by x\)/);
  assert.match(text, /\[0\.5, 4\.\], one path's share of the gradient of x/);
});

test("a gradient on an edge says from where to where, and how many paths have arrived", () => {
  const trace = twoPaths();
  const flow = (node, slot) => sayRow(trace, "edge_flowed", (row) => row.node === node && row.slot === slot);
  assert.equal(
    flow("n6", 0),
    "The gradient [1., 1.] travels from SumBackward0 (x.sum()) to AccumulateGrad (x). 1 of 2 paths arrived.",
  );
  assert.match(flow("n1", 1), /2 of 2 paths arrived\.$/);
  assert.match(flow("n4", 0), /to MulBackward0 \(y\)\. That is the whole gradient of y\.$/);
  assert.equal(
    sayRow(trace, "grad_summed"),
    "Two gradients meet at AccumulateGrad (x): [1.5, 5.] = [1., 1.] + [0.5, 4.].",
  );
});

test("after a hook the rule is told with the gradient that the hook made", () => {
  const { trace } = goldens().find(({ name }) => name === "hooks.json");
  const told = sayRow(trace, "node_ran", (row) => trace.nodes[row.node].name === "MulBackward0");
  assert.match(
    told,
    /^MulBackward0 turns \[2\., 2\.\], the gradient of y, into \[6\., 6\.\], the gradient of x: /,
  );
});

/** One op with one input, run backward: the sentence of its node. */
function sayRule(name, args, rules, { text = "f(x)", names = ["y"], shape = [2] } = {}) {
  const b = builder(`y = ${text}\ny.backward()\n`);
  const leaf = (id, variable) => b.tensor(id, "leaf", [variable], { shape });
  leaf("t1", "x");
  leaf("t2", "u");
  const at = b.row(
    "op_applied",
    {
      op: "op",
      node: "n1",
      args,
      outputs: ["t3"],
      values: [b.value([5, 6])],
      inplace: false,
      saved: [],
      module: null,
    },
    text,
  );
  b.tensor("t3", "result", names, { at, node: "n1" });
  const edges = rules.map((_, i) => [`n${i + 2}`, 0]);
  b.node("n1", name, { op: "op", edges, inputs: rules.map((rule) => rule.input), args, outputs: ["t3"] });
  rules.forEach((_, i) => b.node(`n${i + 2}`, "AccumulateGrad", { variable: `t${i + 1}` }));
  const missing = Object.fromEntries(edges.map(([node]) => [node, 1]));
  b.row("backward_began", {
    call: 0,
    api: "backward",
    roots: ["t3"],
    root_nodes: ["n1"],
    grads: [b.value([1, 2])],
    implicit: false,
    missing,
  });
  b.row("node_entered", { node: "n1", grads: [b.value([1, 2])], queue: [] });
  const made = rules.map((rule, slot) => ({
    slot,
    formula: "rule",
    terms: {},
    ...rule,
    result: b.value(rule.result),
  }));
  b.row("node_ran", { node: "n1", grads: made.map((rule) => rule.result), rules: made });
  return say(b.trace, b.trace.rows.length - 1);
}

const x = ["self", { tensor: "t1" }];
const u = ["other", { tensor: "t2" }];

test("one rule, one clause: each family says what its rule does", () => {
  const one = (name, rest = [], input = "self") => sayRule(name, [x, ...rest], [{ input, result: [3, 4] }]);
  const exponent = (text) => [["exponent", { text }]];
  assert.match(one("PowBackward0", exponent("3")), /multiplied by 3·x\^2\.$/);
  assert.match(one("PowBackward0", exponent("0.5")), /multiplied by 0\.5·x\^\(-0\.5\)\.$/);
  assert.match(one("PowBackward0", exponent("0")), /the exponent is 0, so the gradient is 0\.$/);
  assert.match(one("MulBackward0", [["other", { text: "2" }]]), /multiplied by 2\.$/);
  assert.match(one("ExpBackward0"), /multiplied by exp\(x\)\.$/);
  assert.match(one("NegBackward0"), /the sign is flipped\.$/);
  assert.match(one("ReluBackward0"), /it passes where x > 0 and is 0 elsewhere\.$/);
  assert.match(one("MeanBackward0"), /gradient of the mean it went into, divided by 1\.$/);
});

test("two inputs, two clauses", () => {
  const text = sayRule(
    "DivBackward0",
    [x, u],
    [
      { input: "self", result: [3, 4] },
      { input: "other", result: [5, 6] },
    ],
  );
  assert.match(text, /\[3\., 4\.\], the gradient of x \(each element is divided by u\), and/);
  assert.match(text, /\[5\., 6\.\], the gradient of u \(each element is multiplied by -x \/ u²\)\.$/);
});

test("a node without texts of its own is told by its formula", () => {
  const rule = { input: "self", formula: "grad * digamma(self)", result: [3, 4] };
  assert.match(
    sayRule("LgammaBackward0", [x], [rule]),
    /the gradient of x: the rule is grad \* digamma\(self\)\.$/,
  );
});

test("a text whose condition does not hold is not used", () => {
  const rule = { input: "other", formula: "-grad * alpha", result: [3, 4] };
  assert.match(
    sayRule("SubBackward0", [x, u, ["alpha", { text: "2" }]], [rule]),
    /the rule is -grad \* alpha\.$/,
  );
  assert.match(
    sayRule("PowBackward0", [x, ["exponent", { tensor: "t2" }]], [{ input: "self", result: [3, 4] }]),
    /the rule is rule\.$/,
  );
});

test("a gradient that still has the shape of the broadcast is not called the gradient", () => {
  const text = sayRule(
    "MulBackward0",
    [x, u],
    [
      {
        input: "self",
        result: [
          [1, 2],
          [3, 4],
        ],
      },
    ],
  );
  assert.match(
    text,
    /\[\[1\., 2\.\], \[3\., 4\.\]\] for x, still to be summed to its shape: each element is /,
  );
});

test("a factor that is an expression gets parentheses, a sentence does not", () => {
  const trace = twoPaths();
  trace.tensors.t3.names = [];
  trace.rows[5].names = {};
  assert.match(
    sayRow(trace, "node_ran", ofNode("n4")),
    /the gradient of w \* x: each element is multiplied by 2·\(w \* x\)\.$/,
  );
});
