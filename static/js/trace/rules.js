/**
 * What a node's rule does to the gradient, in words: one row per PyTorch node, one text per input
 * (`op.<family>.<input>`). What has no row is told by its formula, which is true for any node.
 */

import { callOf, expressionOf, nameOf, operand } from "#js/trace/labels.js";

/** @typedef {import("#js/trace/reducer.js").Trace} Trace */
/** @typedef {import("#js/trace/reducer.js").State} State */
/** @typedef {import("#js/trace/labels.js").Part} Part */
/** @typedef {{slot: number, input: string, formula: string}} Rule */
/** @typedef {{key: string, values: Record<string, Part>}} How */
/** @typedef {{trace: Trace, node: string, tensor: string}} Context */

const SHORT = 24; // longer names make a formula unreadable

/** PyTorch's node → the family whose texts fit it. Overloads with another rule are left out on purpose. */
const FAMILIES = {
  MulBackward0: "mul",
  MulBackward1: "mul",
  DivBackward0: "div",
  DivBackward1: "div",
  NegBackward0: "neg",
  SubBackward0: "sub",
  RsubBackward0: "rsub",
  RsubBackward1: "rsub",
  AbsBackward0: "abs",
  PowBackward0: "pow",
  ReciprocalBackward0: "reciprocal",
  SqrtBackward0: "sqrt",
  ExpBackward0: "exp",
  LogBackward0: "log",
  Log1PBackward0: "log1p",
  SinBackward0: "sin",
  CosBackward0: "cos",
  TanBackward0: "tan",
  TanhBackward0: "tanh",
  SigmoidBackward0: "sigmoid",
  ReluBackward0: "relu",
  SumBackward0: "sum",
  SumBackward1: "sum",
  MeanBackward0: "mean",
  MeanBackward1: "mean",
  MmBackward0: "mm",
  MvBackward0: "mv",
  DotBackward0: "dot",
  BmmBackward0: "bmm",
  AddmmBackward0: "addmm",
  TBackward0: "transpose",
  TransposeBackward0: "transpose",
  PermuteBackward0: "transpose",
  ViewBackward0: "view",
  ReshapeAliasBackward0: "view",
  UnsafeViewBackward0: "view",
  UnsqueezeBackward0: "view",
  SqueezeBackward0: "view",
  SqueezeBackward1: "view",
  SqueezeBackward2: "view",
  ExpandBackward0: "expand",
  SelectBackward0: "select",
  SliceBackward0: "select",
  IndexBackward0: "index",
  WhereBackward0: "where",
  MseLossBackward0: "mse",
};

/**
 * Where a family's text holds only under a condition, or names more than the arguments: the values to add,
 * another text's key, or null for the formula.
 * @type {Record<string, (context: Context) => {key?: string, values?: Record<string, string>} | null>}
 */
const DETAILS = {
  "pow.self": ({ trace, node }) => powerOf(Number(argument(trace, node, "exponent"))),
  "sub.other": plainAlpha,
  "rsub.self": plainAlpha,
  "addmm.mat1": plainAlpha,
  "addmm.mat2": plainAlpha,
  "mean.self": ({ trace, node, tensor }) => {
    const count = numel(trace, tensor) / numel(trace, trace.nodes[node].outputs[0]);
    return Number.isInteger(count) ? { values: { count: String(count) } } : null;
  },
  "mse.self": meanOfSquares,
  "mse.target": meanOfSquares,
};

/**
 * Return how a rule makes its result, as a text's key and the parts it may name; null where no text fits.
 * @param {Trace} trace
 * @param {State} state
 * @param {string} node
 * @param {Rule} rule
 * @param {string | null} tensor what the result is the gradient of
 * @returns {How | null}
 */
export function how(trace, state, node, rule, tensor) {
  const family = /** @type {Record<string, string>} */ (FAMILIES)[trace.nodes[node].name];
  if (!family || !tensor) return null;
  const name = `${family}.${rule.input}`;
  const detail = DETAILS[name] ? DETAILS[name]({ trace, node, tensor }) : {};
  const values = detail && operands(trace, state, node);
  if (!values) return null;
  for (const [key, text] of Object.entries(detail.values ?? {})) values[key] = code(text);
  return { key: `op.${detail.key ?? name}`, values };
}

/**
 * Does a text name something that has no name here?
 * @param {string} template
 * @param {Record<string, Part>} values
 */
export function lacks(template, values) {
  return [...template.matchAll(/\{(\w+)\}/g)].some(([, name]) => !Object.hasOwn(values, name));
}

/**
 * What a node's arguments and result are called, where they have a name; `x_factor` can stand in a product.
 * @param {Trace} trace
 * @param {State} state
 * @param {string} node
 */
function operands(trace, state, node) {
  /** @type {Record<string, Part>} */
  const values = {};
  const { args, outputs } = trace.nodes[node];
  const add = (/** @type {string} */ name, /** @type {string | null} */ text, /** @type {string} */ ref) => {
    if (text === null) return;
    values[name] = { text, code: true, tone: "value", ref };
    values[`${name}_factor`] = { ...values[name], text: operand(text) };
  };
  for (const [name, argument] of args) {
    if (argument.tensor) add(name, called(trace, state, argument.tensor), argument.tensor);
    else if (argument.text.length <= 12) values[name] = values[`${name}_factor`] = code(argument.text);
  }
  if (outputs.length === 1) add("result", called(trace, state, outputs[0]), outputs[0]);
  return values;
}

/**
 * @param {Trace} trace
 * @param {State} state
 * @param {string} tensor
 */
const called = (trace, state, tensor) =>
  nameOf(trace, state, tensor) ?? expressionOf(trace, tensor, SHORT) ?? callOf(trace, state, tensor, SHORT);

/** @param {string} text @returns {Part} */
const code = (text) => ({ text, code: true });

/**
 * The text of an argument that is no tensor.
 * @param {Trace} trace
 * @param {string} node
 * @param {string} name
 * @returns {string | undefined}
 */
const argument = (trace, node, name) =>
  trace.nodes[node].args.find((/** @type {[string, any]} */ [each]) => each === name)?.[1].text;

/** The text holds where nothing is scaled by `alpha`. @param {Context} context */
function plainAlpha({ trace, node }) {
  return Number(argument(trace, node, "alpha") ?? 1) === 1 ? {} : null;
}

/** @param {number} n */
function powerOf(n) {
  if (Number.isNaN(n)) return null;
  if (n === 0) return { key: "pow.zero" };
  if (n === 2) return { key: "pow.square" };
  return { values: { n: String(n), less: n - 1 < 0 ? `(${n - 1})` : String(n - 1) } };
}

/** The mean (reduction 1) divides by the count; a sum or none does not. @param {Context} context */
function meanOfSquares({ trace, node }) {
  const input = trace.nodes[node].args.find((/** @type {[string, any]} */ [name]) => name === "self")?.[1]
    .tensor;
  const isMean = ["1", "mean", "'mean'"].includes(argument(trace, node, "reduction") ?? "");
  return isMean && input ? { values: { count: String(numel(trace, input)) } } : null;
}

/** @param {Trace} trace @param {string} tensor */
const numel = (trace, tensor) =>
  (trace.tensors[tensor]?.shape ?? []).reduce(
    (/** @type {number} */ all, /** @type {number} */ n) => all * n,
    1,
  );
