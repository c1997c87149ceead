/** The trace of a training loop of any length: every round makes a node and writes the one leaf. */

import { builder, tensor } from "./builder.js";

const SOURCE = `w = torch.tensor(3.0, requires_grad=True)
for step in range(n):
    loss = w * 2
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    print(step)
`;
export const ROWS_A_ROUND = 18;

export function training(rounds) {
  const b = builder(SOURCE);
  b.on(1);
  b.tensor("t1", "leaf", ["w"], { shape: [] });
  b.node("n1", "AccumulateGrad", { variable: "t1" });
  b.row("tensor_made", { tensor: "t1", value: b.value(3) }, "torch.tensor(3.0, requires_grad=True)");
  b.row("names_bound", { names: { w: "t1" }, unbound: [] }, "w");
  for (let i = 0; i < rounds; i += 1) {
    forward(b, i, `n${i + 2}`, `t${i + 2}`);
    backward(b, i, `n${i + 2}`, `t${i + 2}`);
    update(b, i);
  }
  return b.trace;
}

function forward(b, i, node, id) {
  b.on(3);
  const args = [
    ["self", tensor("t1")],
    ["other", { text: "2" }],
  ];
  const made = {
    outputs: [id],
    values: [b.value(6 - i / 4)],
    inplace: false,
    saved: [["other", null, null]],
  };
  const at = b.row("op_applied", { op: "mul", node, args, ...made, module: null }, "w * 2");
  b.tensor(id, "result", ["loss"], { shape: [], node, at });
  b.node(node, "MulBackward0", { op: "mul", seq: i, edges: [["n1", 0], null], args, outputs: [id] });
  b.row("names_bound", { names: { loss: id }, unbound: [] }, "loss");
}

const CALL = { api: "Tensor.backward", implicit: true, retain_graph: false, create_graph: false, inputs: [] };

function backward(b, i, node, id) {
  b.on(4);
  const [one, two] = [b.value(1), b.value(2)];
  const row = (kind, fields) => b.row(kind, fields, "loss.backward()");
  const rules = [{ slot: 0, input: "self", formula: "grad * other", terms: {}, result: two }];
  const missing = { [node]: 0, n1: 1 };
  row("backward_began", { call: i, ...CALL, roots: [id], root_nodes: [node], grads: [one], missing });
  row("node_ready", { node, queue: [node] });
  row("node_entered", { node, grads: [one], queue: [] });
  row("node_ran", { node, grads: [two, null], rules });
  row("saved_freed", { node, names: ["other"] });
  row("edge_flowed", { node, slot: 0, target: "n1", input_nr: 0, grad: two, missing: 0 });
  row("node_ready", { node: "n1", queue: ["n1"] });
  row("node_entered", { node: "n1", grads: [two], queue: [] });
  const how = { before: null, arriving: two, after: two, how: "stolen" };
  row("grad_accumulated", { node: "n1", tensor: "t1", ...how });
  row("node_ran", { node: "n1", grads: [], rules: [] });
  row("backward_ended", { call: i });
}

function update(b, i) {
  const grad = b.value(2);
  const change = { before: b.value(3 - i / 8), grad, after: b.value(3 - (i + 1) / 8) };
  b.on(5);
  b.row("optimizer_step", { optimizer: "optimizer", type: "SGD", which: 0 }, "optimizer.step()");
  const formula = { formula: "p - lr * g", terms: { lr: 0.0625 } };
  const more = { group: 0, state: [] };
  b.row("parameter_updated", { tensor: "t1", ...change, ...formula, ...more }, "optimizer.step()");
  b.on(6);
  b.row("zero_grad", { owner: "optimizer", set_to_none: true }, "optimizer.zero_grad()");
  const set = { tensor: "t1", before: grad, after: null, cause: "zero_grad" };
  b.row("grad_set", set, "optimizer.zero_grad()");
  b.on(7);
  b.row("printed", { text: `${i}\n` }, "print(step)");
}
