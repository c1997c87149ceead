/** Losses, norms, ratios, clipping and what optimizers keep, read off rows: worked out by hand. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { loops } from "../../static/js/trace/iterations.js";
import { distance, dot, norm, single } from "../../static/js/trace/norms.js";
import { training as curves } from "../../static/js/trace/training.js";
import { builder } from "./builder.js";
import { everyTrace, goldens, training } from "./traces.js";

const of = (trace, which = 0) => curves(trace, loops(trace)[which]);
const numbers = (curve) => curve.points.map(({ y }) => y);
const golden = (name) => goldens().find((one) => one.name === `${name}.json`).trace;

test("the loss is what backward starts from, and its point is that call", () => {
  const trace = training(3);
  const [loss] = of(trace).losses;
  assert.equal(loss.name, "loss");
  assert.deepEqual(numbers(loss), [6, 5.75, 5.5]);
  for (const { k } of loss.points) assert.equal(trace.rows[k].kind, "backward_began");
});

test("a gradient's norm is that of .grad when it is complete, and its point is where it is written", () => {
  const trace = training(3);
  const [grad] = of(trace).grads;
  assert.deepEqual([grad.name, numbers(grad)], ["w", [2, 2, 2]]);
  for (const { k } of grad.points) assert.equal(trace.rows[k].kind, "grad_accumulated");
});

test("the ratio is how far a parameter moved against its own size", () => {
  const [ratio] = of(training(2)).ratios;
  assert.deepEqual(numbers(ratio), [0.125 / 3, 0.125 / 2.875]);
});

/** A loop whose iterations are given as lists of [kind, line, fields]; w is a leaf with the value [3, 4]. */
function looped(source, rounds) {
  const b = builder(source);
  b.tensor("t1", "leaf", ["w"], {});
  b.tensor("t2", "result", ["loss"], { shape: [], node: "n2" });
  b.node("n1", "AccumulateGrad", { variable: "t1" });
  b.row("tensor_made", { tensor: "t1", value: b.value([3, 4]) });
  b.trace.rows[0].at = [1, 0, 1, 1];
  for (const rows of rounds)
    for (const [kind, line, fields] of rows(b))
      b.trace.rows.push({ kind, at: [line, 4, line, 5], ...fields });
  return b.trace;
}
const SOURCE = "w\nfor i in r:\n    l\n    l.backward()\n    clip\n    o.step()";

const backward = (b, loss, after) => [
  ["op_applied", 3, { node: null, inplace: false, outputs: ["t2"], values: [b.value(loss)] }],
  ["backward_began", 4, { roots: ["t2"], grads: [b.value(1)], implicit: true, api: "Tensor.backward" }],
  ["grad_accumulated", 4, { node: "n1", tensor: "t1", after: b.value(after) }],
  ["backward_ended", 4, {}],
];
const step = (b, after, state = [], which = 0) => [
  ["optimizer_step", 6, { optimizer: "o", which }],
  ["parameter_updated", 6, { tensor: "t1", after: b.value(after), group: 0, terms: { lr: 0.5 }, state }],
];

test("several calls of one place are several points of one curve, and the gradient is the sum", () => {
  const round = (b) => [...backward(b, 5, [3, 4]), ...backward(b, 7, [6, 8]), ...step(b, [0, 0])];
  const { losses, grads } = of(looped(SOURCE, [round, round]));
  assert.deepEqual(losses.map(numbers), [[5, 7, 5, 7]]);
  assert.deepEqual(
    losses[0].points.map((point) => point.round),
    [0, 0, 1, 1],
  );
  assert.deepEqual(grads.map(numbers), [[10, 10]]);
});

test("what a later backward adds after a parameter's update is not its gradient of this iteration", () => {
  const at =
    (line) =>
    ([kind, , fields]) => [kind, line, fields];
  const late = (b) => [...backward(b, 7, [30, 40]).slice(1).map(at(7)), ...step(b, [0, 2]).map(at(8))];
  const round = (b) => [...backward(b, 5, [3, 4]), ...step(b, [0, 1]), ...late(b)];
  const trace = looped(`${SOURCE}\n    g.backward()\n    g.step()`, [round, round]);
  assert.deepEqual(of(trace).grads.map(numbers), [[5, 5]]);
});

test("clipping keeps the norm before, the bound, the factor; the gradient's own norm is that before", () => {
  const clip = (b) => {
    const fields = { norm_type: 2, max_norm: 1, total: b.value(5), factor: b.value(0.2), tensors: ["t1"] };
    return [["grad_norm_clipped", 5, { ...fields, before: [b.value([3, 4])], after: [b.value([0.6, 0.8])] }]];
  };
  const round = (b) => [...backward(b, 5, [3, 4]), ...clip(b), ...step(b, [1, 1])];
  const { clips, grads } = of(looped(SOURCE, [round, round]));
  assert.deepEqual(
    clips.map(({ total, factor, bound }) => [total, factor, bound]),
    [
      [5, Math.fround(0.2), 1],
      [5, Math.fround(0.2), 1],
    ],
  );
  assert.deepEqual(grads.map(numbers), [[5, 5]]);
});

test("what an optimizer keeps is followed by its name, and the learning rate it used", () => {
  const round = (b) => [
    ...backward(b, 5, [3, 4]),
    ...step(b, [1, 1], [["buf", "buf", null, b.value([6, 8])]]),
  ];
  const { states, rates } = of(looped(SOURCE, [round, round]));
  assert.deepEqual(
    states.map(({ name, curves: all }) => [name, all.map(numbers)]),
    [["buf", [[10, 10]]]],
  );
  assert.deepEqual(rates.map(numbers), [[0.5, 0.5]]);
});

test("a parameter that is bound anew in every iteration is one curve, by its name", () => {
  const b = builder("w\nfor i in r:\n    l.backward()\n    w");
  b.tensor("t1", "leaf", ["w"], {});
  b.row("tensor_made", { tensor: "t1", value: b.value([3, 4]) });
  for (let i = 2; i < 5; i += 1) {
    const fields = { roots: [], grads: [], implicit: true, api: "Tensor.backward" };
    b.trace.rows.push({ kind: "backward_began", at: [3, 4, 3, 5], ...fields });
    b.trace.rows.push({ kind: "backward_ended", at: [3, 4, 3, 5] });
    b.tensor(`t${i}`, "leaf", ["w"], {});
    b.trace.rows.push({ kind: "detached", at: [4, 4, 4, 5], tensor: `t${i}`, value: b.value([3 + i, 4]) });
  }
  const { ratios } = of(b.trace);
  assert.deepEqual([ratios.length, ratios[0].points.length], [1, 3]);
  assert.equal(ratios[0].points[0].y, 2 / 5);
});

test("norms are exact for written numbers, and what the recording says of large ones", () => {
  const summary = { min: 0, max: 1, mean: 0, norm: 12.5, nan: 0, inf: 0 };
  const values = {
    v1: { dtype: "float32", shape: [2], data: [0.1, 0] },
    v2: { dtype: "float32", shape: [500], summary },
    v3: { dtype: "float32", shape: [500], summary: { ...summary, nan: 2 } },
    v4: { dtype: "float64", shape: [2], data: [3e200, 4e200] },
    v5: { dtype: "float32", shape: [1], data: ["inf"] },
    v6: { dtype: "complex64", shape: [1], data: ["1+2j"] },
    v7: { dtype: "float64", shape: [2], data: [0, 4e200] },
  };
  const trace = { values };
  assert.equal(norm(trace, "v1"), Math.fround(0.1));
  assert.deepEqual(
    ["v2", "v3", "v5", "v6", null].map((v) => norm(trace, v)),
    [12.5, NaN, Infinity, null, null],
  );
  assert.ok(Math.abs(norm(trace, "v4") / 5e200 - 1) < 1e-15);
  assert.equal(distance(trace, "v4", "v7"), 3e200);
  assert.deepEqual([distance(trace, "v2", "v2"), distance(trace, "v1", "v2")], [0, null]);
  assert.equal(dot(trace, "v7", "v7"), Infinity);
  assert.deepEqual([single(trace, "v5"), single(trace, "v4")], [Infinity, null]);
});

test("the golden training's curves are those of its rows", () => {
  const { losses, grads, ratios } = of(golden("training"));
  assert.ok(losses[0].points.length >= 2);
  assert.ok(grads.length >= 1 && ratios.length >= 1);
});

for (const { name, trace } of everyTrace()) {
  test(`every point of a curve lies in its iteration: ${name}`, () => {
    for (const loop of loops(trace)) {
      const made = curves(trace, loop);
      const all = [
        ...made.losses,
        ...made.grads,
        ...made.ratios,
        ...made.states.flatMap((one) => one.curves),
      ];
      for (const { points } of all)
        for (const { round, k } of points)
          assert.ok(loop.rounds[round].from <= k && k <= loop.rounds[round].to);
    }
  });
}

test("of a large tensor the way of one SGD step is lr times the norm it steps along", () => {
  const large = (norm) => ({ dtype: "float32", shape: [500], summary: { norm, nan: 0, inf: 0 } });
  const moved = (formula, terms) => {
    const round = (b) => {
      Object.assign(b.trace.values, { v90: large(10), v91: large(2), v92: large(9.9), v93: large(4) });
      const fields = { tensor: "t1", before: "v90", grad: "v91", after: "v92", group: 0, state: [] };
      return [...backward(b, 5, [3, 4]), ["parameter_updated", 6, { ...fields, formula, terms }]];
    };
    const trace = looped(SOURCE, [round, round]);
    trace.rows[0].value = "v90";
    return of(trace).ratios[0].points[0].y;
  };
  assert.equal(moved("p - lr * g", { lr: 0.5 }), 0.1);
  assert.equal(moved("buf = g; p - lr * buf", { lr: 0.5, buf: "v93" }), 0.2);
  assert.equal(moved("p - lr * g / (sqrt(v) + eps)", { lr: 0.5 }), null);
});
