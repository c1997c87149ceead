/** Traces for tests: two made by hand, one of every kind of row, and the golden ones that Python writes. */

import { readFileSync, readdirSync } from "node:fs";

import { ROWS_A_ROUND, training } from "./training.js";
import { twoPaths } from "./two_paths.js";

export { builder } from "./builder.js";
export { training, twoPaths };

const read = (path) => JSON.parse(readFileSync(new URL(path, import.meta.url), "utf8"));

/** The golden traces: [{name, trace}]. */
export function goldens() {
  const folder = new URL("../trace/golden/", import.meta.url);
  const names = readdirSync(folder)
    .filter((name) => name.endsWith(".json"))
    .sort();
  return names.map((name) => ({ name, trace: read(`../trace/golden/${name}`) }));
}

/** Every trace that properties are held against. */
export const everyTrace = () => [
  { name: "two paths", trace: twoPaths() },
  { name: "training, 3,000 rows", trace: training(Math.ceil(3000 / ROWS_A_ROUND)) },
  { name: "every kind", trace: everyKind() },
  ...goldens(),
];

export const rowKinds = () =>
  Object.keys(read("../../static/trace.schema.json").$defs)
    .filter((name) => name.startsWith("row_"))
    .map((name) => name.slice(4));

export const dictionary = (language) => read(`../../static/i18n/${language}.json`);

/** What a row says of a parameter that an optimizer moved. */
const updated = (formula, terms, state) => ({
  ...{ tensor: "t1", before: "v1", grad: "v2", after: "v3", formula, terms, group: 0, state },
});

/** What a row says of gradients that are held within bounds. */
const clipped = { tensors: ["t1"], before: ["v2"], after: ["v3"] };

/** What a row says of a planned learning rate. */
const scheduled = (plan) => ({
  ...{ scheduler: "scheduler", type: "StepLR", optimizer: "optimizer", which: 0, group: 0, epoch: 1 },
  ...plan,
});

/** Rows of saved tensors that go through hooks, and of checkpoints. */
const savingRows = [
  ["saved_packed", { hook: "pack", value: "v1", kept: "Placeholder", packed: null }],
  ["saved_packed", { hook: "pack", value: "v1", kept: "Tensor", packed: "v1" }],
  ["saved_packed", { hook: "pack", value: "v1", kept: "Tensor", packed: "v2" }],
  ["saved_packed", { hook: "pack", value: "v1", kept: "ndarray", packed: null }],
  ["saved_unpacked", { node: "n1", hook: "unpack", kept: "ndarray", value: "v1" }],
  ["saved_unpacked", { node: "n1", hook: "unpack", kept: "Placeholder", value: "v1" }],
  ["checkpoint_began", { function: "block", reentrant: false }],
  ["checkpoint_ended", { function: "block", tensors: 3, bytes: 24 }],
  ["checkpoint_ended", { function: "block", tensors: null, bytes: null }],
  [
    "sparse_accumulated",
    { node: "n3", tensor: "t1", indices: "v1", rows: "v2", entries: 3, coalesced: false },
  ],
  ["coalesced", { indices: "m1", rows: "v2", new_indices: "m1", new_rows: "v2" }],
  ["recompute_began", { function: "block" }],
  ["recompute_ended", { function: "block", tensors: 3, early: true }],
  ["recompute_ended", { function: "block", tensors: null, early: false }],
];

const sharedRows = [
  ["aliases_changed", { by: "tensor", written: "t3", tensors: [["t1", "v1"]] }],
  ["aliases_changed", { by: "grad", written: "t1", tensors: [["t3", "v1"]] }],
  ["aliases_changed", { by: "gradients", written: null, tensors: [["t3", "v1"]] }],
  ["aliases_changed", { by: "buffer", written: null, tensors: [["t3", "v1"]] }],
  ["aliases_changed", { by: "numpy", written: null, tensors: [["t1", "v1"], ["t3", "v1"]] }],
];

/** One plausible row of every kind, after the rows of `twoPaths`. */
export function everyKind() {
  const trace = twoPaths();
  trace.modules.m1 = { type: "Linear", path: "model", text: "Linear(in_features=2, out_features=1)" };
  trace.values.m1 = { dtype: "int64", shape: [1, 2], data: [[0, 1]] };
  const at = [6, 0, 6, 12];
  const more = [
    ["detached", { tensor: "t4", source: "t3", how: "detach", value: "v1" }],
    ["detached", { tensor: "t3", source: "t3", how: "detach_", value: "v1" }],
    ...savingRows,
    ...sharedRows,
    ["version_bumped", { tensor: "t3", before: 0, after: 1 }],
    ["rebased", { tensor: "t3", before: "n1", after: "n2" }],
    ["rebased", { tensor: "t3", before: null, after: "n1" }],
    ["data_replaced", { tensor: "t1", source: "t4", before: "v1", after: "v2" }],
    ["value_read", { tensor: "t3", how: "tolist", value: "v1" }],
    ["value_read", { tensor: "t3", how: "numpy", value: "v1" }],
    ["module_entered", { module: "m1" }],
    ["module_left", { module: "m1" }],
    ["grad_mode", { enabled: false }],
    ["retain_grad", { tensor: "t3" }],
    ["hook_registered", { owner: "n1", when: "before the node", hook: "double" }],
    ["hook_registered", { owner: "t1", when: "after .grad was written", hook: "log" }],
    ["hook_ran", { node: "n1", when: "tensor", hook: "double", before: "v3", after: "v4" }],
    ["grad_retained", { node: "n1", tensor: "t3", before: null, arriving: "v3", after: "v3" }],
    ["reduced_to_shape", { node: "n1", slot: 0, before: "v3", after: "v4" }],
    ["grad_captured", { node: "n3", input_nr: 0, grad: "v3" }],
    ["optimizer_step", { optimizer: "optimizer", type: "SGD", which: 0 }],
    ["parameter_updated", updated("p - lr * g", { lr: 0.1 }, [])],
    [
      "parameter_updated",
      updated("buf = g; p - lr * buf", { lr: 0.1, buf: "v2" }, [["momentum_buffer", "buf", null, "v2"]]),
    ],
    ["grad_norm_clipped", { ...clipped, norm_type: 2, max_norm: 1, total: "v2", factor: "v3" }],
    ["grad_value_clipped", { ...clipped, clip_value: 0.5 }],
    ["grad_value_clipped", { ...clipped, clip_value: 0.5, after: ["v2"] }],
    ["lr_scheduled", scheduled({ before: 0.1, after: 0.05, formula: "lr * gamma", terms: { gamma: 0.5 } })],
    ["lr_scheduled", scheduled({ before: 0.05, after: 0.05, formula: "lr", terms: {} })],
    ["lr_scheduled", scheduled({ before: 0.05, after: 0.5, formula: "", terms: {} })],
    ["zero_grad", { owner: "optimizer", set_to_none: false }],
    ["grad_set", { tensor: "t1", before: "v3", after: null, cause: "zero_grad" }],
    ["names_bound", { names: {}, unbound: ["y"] }],
    ["echo", { text: "tensor([2., 4.])" }],
    ["stand_in", { module: "torchviz", call: "torchviz.make_dot" }],
    ["plotted", { title: "", x: "", y: "", series: [{ kind: "line", label: "", x: [0, 1], y: [2, "nan"] }] }],
    ["seeded", { generator: "torch", seed: 0 }],
    ["warning", { category: "UserWarning", message: "The .grad attribute is being accessed.", line: 6 }],
    ["limit", { limit: "rows", message: "More than 20,000 steps." }],
    [
      "error",
      {
        type: "RuntimeError",
        message: "Trying to backward through the graph a second time",
        node: "n4",
        cause: { what: "freed", by: 30, at },
      },
    ],
  ];
  for (const [kind, fields] of more) trace.rows.push({ kind, at, ...fields });
  return trace;
}
