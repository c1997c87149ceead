/** The trace of a small program, row by row as PyTorch runs it: x is reached by two paths. */

import { builder, shapeOf, tensor } from "./builder.js";

const SOURCE = `import torch
x = torch.tensor([1.0, 2.0], requires_grad=True)
w = torch.tensor([0.5, -1.0], requires_grad=True)
y = w * x
z = (y ** 2).sum() + x.sum()
z.backward()
print(x.grad, w.grad)
`;

/** line, name, tensor, expression, value */
const LEAVES = [
  [2, "x", "t1", "torch.tensor([1.0, 2.0], requires_grad=True)", [1, 2]],
  [3, "w", "t2", "torch.tensor([0.5, -1.0], requires_grad=True)", [0.5, -1]],
];

const BOTH = [
  ["self", tensor("t2")],
  ["other", tensor("t1")],
];
const SQUARE = [
  ["self", tensor("t3")],
  ["exponent", { text: "2" }],
];
const TERMS = [
  ["self", tensor("t5")],
  ["other", tensor("t6")],
];

/** line, expression, node, its name, arguments, edges, output, value, names of what is saved, variable */
const OPERATIONS = [
  [4, "w * x", "n1", "MulBackward0", BOTH, ["n2", "n3"], "t3", [0.5, -2], ["self", "other"], "y"],
  [5, "y ** 2", "n4", "PowBackward0", SQUARE, ["n1"], "t4", [0.25, 4], ["self"]],
  [5, "(y ** 2).sum()", "n5", "SumBackward0", [["self", tensor("t4")]], ["n4"], "t5", 4.25, []],
  [5, "x.sum()", "n6", "SumBackward0", [["self", tensor("t1")]], ["n3"], "t6", 3, []],
  [5, "(y ** 2).sum() + x.sum()", "n7", "AddBackward0", TERMS, ["n5", "n6"], "t7", 7.25, [], "z"],
];

export function twoPaths() {
  const b = builder(SOURCE);
  for (const leaf of LEAVES) make(b, ...leaf);
  b.node("n2", "AccumulateGrad", { variable: "t2" });
  b.node("n3", "AccumulateGrad", { variable: "t1" });
  OPERATIONS.forEach((operation, seq) => applyOperation(b, seq, ...operation));
  b.on(6);
  backward(b, (kind, fields) => b.row(kind, fields, "z.backward()"));
  b.on(7);
  b.row("printed", { text: "tensor([1.5000, 5.0000]) tensor([ 1., -8.])\n" }, "print(x.grad, w.grad)");
  return b.trace;
}

function make(b, line, name, id, text, data) {
  b.on(line);
  const at = b.row("tensor_made", { tensor: id, value: b.value(data) }, text);
  b.tensor(id, "leaf", [name], { at });
  b.row("names_bound", { names: { [name]: id }, unbound: [] }, name);
}

function applyOperation(b, seq, line, text, node, name, args, targets, id, data, kept, bound = null) {
  b.on(line);
  const op = name.replace("Backward0", "").toLowerCase();
  const argument = (wanted) => args.find(([each]) => each === wanted)[1].tensor;
  const saved = kept.map((each) => [each, argument(each), b.value([1, 2])]);
  const made = { outputs: [id], values: [b.value(data)], inplace: false, saved, module: null };
  const at = b.row("op_applied", { op, node, args, ...made }, text);
  b.tensor(id, "result", bound ? [bound] : [], { node, at, shape: shapeOf(data) });
  const edges = targets.map((target) => [target, 0]);
  b.node(node, name, {
    op,
    seq,
    edges,
    inputs: ["self", "other"].slice(0, edges.length),
    args,
    outputs: [id],
  });
  if (bound) b.row("names_bound", { names: { [bound]: id }, unbound: [] }, bound);
}

const CALL = {
  call: 0,
  api: "Tensor.backward",
  implicit: true,
  retain_graph: false,
  create_graph: false,
  inputs: [],
};
const MISSING = { n7: 0, n5: 1, n6: 1, n4: 1, n1: 1, n2: 1, n3: 2 };

function backward(b, row) {
  const v = b.value;
  const [one, ones, back, toW, toX, total] = [
    v(1),
    v([1, 1]),
    v([1, -4]),
    v([1, -8]),
    v([0.5, 4]),
    v([1.5, 5]),
  ];
  const { enter, ran, flow, ready, store } = steps(row);
  row("backward_began", { ...CALL, roots: ["t7"], root_nodes: ["n7"], grads: [one], missing: MISSING });
  ready("n7", ["n7"]);
  enter("n7", one, []);
  ran("n7", [
    ["self", "grad", one],
    ["other", "grad * alpha", one],
  ]);
  flow("n7", 0, "n5", one, 0);
  ready("n5", ["n5"]);
  flow("n7", 1, "n6", one, 0);
  ready("n6", ["n6", "n5"]);
  enter("n6", one, ["n5"]);
  ran("n6", [["self", "grad.expand(self_sym_sizes)", ones]]);
  flow("n6", 0, "n3", ones, 1);
  enter("n5", one, []);
  ran("n5", [["self", "grad.expand(self_sym_sizes)", ones]]);
  flow("n5", 0, "n4", ones, 0);
  ready("n4", ["n4"]);
  enter("n4", ones, []);
  ran("n4", [["self", "grad * (self ** (exponent - 1) * exponent)", back]]);
  row("saved_freed", { node: "n4", names: ["self"] });
  flow("n4", 0, "n1", back, 0);
  ready("n1", ["n1"]);
  enter("n1", back, []);
  ran("n1", [
    ["self", "grad * other", toW],
    ["other", "grad * self", toX],
  ]);
  row("saved_freed", { node: "n1", names: ["self", "other"] });
  flow("n1", 0, "n2", toW, 0);
  ready("n2", ["n2"]);
  flow("n1", 1, "n3", toX, 0);
  row("grad_summed", { node: "n3", input_nr: 0, before: ones, added: toX, after: total });
  ready("n3", ["n2", "n3"]);
  enter("n2", toW, ["n3"]);
  store("n2", "t2", toW);
  enter("n3", total, []);
  store("n3", "t1", total);
  row("backward_ended", { call: 0 });
}

function steps(row) {
  const ran = (node, made) => {
    const rules = made.map(([input, formula, result], slot) => ({ slot, input, formula, terms: {}, result }));
    row("node_ran", { node, grads: rules.map((rule) => rule.result), rules });
  };
  return {
    ran,
    ready: (node, queue) => row("node_ready", { node, queue }),
    enter: (node, grad, queue) => row("node_entered", { node, grads: [grad], queue }),
    flow: (node, slot, target, grad, missing) =>
      row("edge_flowed", { node, slot, target, input_nr: 0, grad, missing }),
    store(node, id, grad) {
      const how = { before: null, arriving: grad, after: grad, how: "stolen" };
      row("grad_accumulated", { node, tensor: id, ...how });
      ran(node, []);
    },
  };
}
