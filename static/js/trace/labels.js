/** What things are called: variables, the learner's own expressions, nodes. Parts of text, no sentences. */

import { wasBound } from "#js/trace/bindings.js";
import { shapeText } from "#js/trace/values.js";

/** @typedef {import("#js/trace/reducer.js").Trace} Trace */
/** @typedef {import("#js/trace/reducer.js").State} State */
/** @typedef {import("#js/trace/reducer.js").Span} Span */
/** @typedef {"grad" | "value" | "leaf" | "engine"} Tone */
/** @typedef {{text: string, tone?: Tone, code?: boolean, ref?: string, v?: string | null}} Part */
/** @typedef {(key: string, values?: Record<string, unknown>) => string} Translate */

const LONGEST = 48;
const QUALIFIER = 16;
const ASSIGNMENT = /^[\w.[\]'"]+\s*(?:[-+*/@%&|^]|\*\*|\/\/|<<|>>)?=[^=]/;
/** @type {Record<string, string>} */
const SIGNS = { add: "+", sub: "-", mul: "*", div: "/", pow: "**", matmul: "@", mm: "@", mv: "@" };
/** @type {Record<string, string[]>} */
const DEFAULTS = { alpha: ["1", "1."], beta: ["1", "1."], reduction: ["1"] };
const REDUCTIONS = ["none", "mean", "sum"];
const MAKES_ONE = new Set(["tensor_made", "detached"]);
const ATOM = /^(?:[\w.]+|[\w.]+\([^()]*\)|[\w.]+\[[^[\]]*\]|\([^()]*\))$/;

/**
 * Return the source text of a span if it is one short line, else null.
 * @param {Trace} trace
 * @param {Span} at
 * @param {number} [longest]
 * @returns {string | null}
 */
export function sourceText(trace, at, longest = LONGEST) {
  if (!at || at[0] !== at[2]) return null;
  const text = (trace.source.split("\n")[at[0] - 1] ?? "").slice(at[1], at[3]);
  return text.length > 0 && text.length <= longest ? text : null;
}

/**
 * Return the name a tensor is known by: a variable bound to it now, else one that was or will be and now
 * means nothing else; else null.
 * @param {Trace} trace
 * @param {State} state
 * @param {string} tensor
 * @returns {string | null}
 */
export function nameOf(trace, state, tensor) {
  const names = trace.tensors[tensor]?.names ?? [];
  const bound = names.find((/** @type {string} */ name) => state.names.get(name) === tensor);
  return bound ?? names.find((/** @type {string} */ name) => !state.names.has(name)) ?? null;
}

/**
 * Return the expression whose value a tensor is, or null where the span's value is another tensor.
 * @param {Trace} trace
 * @param {string} tensor
 * @param {number} [longest]
 */
export function expressionOf(trace, tensor, longest = LONGEST) {
  if (!finals(trace).has(tensor)) return null;
  const text = sourceText(trace, trace.tensors[tensor]?.at ?? null, longest);
  return text === null || ASSIGNMENT.test(text) ? null : text;
}

/**
 * Return a tensor as the call that made it, where the source shows only something larger: `t(model.weight)`.
 * @param {Trace} trace
 * @param {State} state
 * @param {string} tensor
 * @param {number} [longest]
 * @returns {string | null}
 */
export function callOf(trace, state, tensor, longest = LONGEST) {
  const { node, names } = trace.tensors[tensor];
  if (names.length > 0 || !trace.nodes[node]?.op) return null;
  return callText(trace, state, trace.nodes[node], longest);
}

/**
 * Write an operation as a call of what its arguments are called; null if that is long or unknown.
 * @param {Trace} trace
 * @param {State} state
 * @param {{op: string, args: [string, {tensor?: string, text?: string}][]}} applied
 * @param {number} [longest]
 * @returns {string | null}
 */
export function callText(trace, state, { op, args }, longest = LONGEST) {
  const texts = args.filter(isTold).map(([name, { tensor, text }]) => {
    if (tensor) return nameOf(trace, state, tensor) ?? expressionOf(trace, tensor, longest);
    return name === "reduction" ? `reduction="${REDUCTIONS[Number(text)] ?? text}"` : text;
  });
  const sign = texts.length === 2 ? SIGNS[op] : undefined;
  const call = sign
    ? texts.map((text) => operand(text ?? "")).join(` ${sign} `)
    : `${op}(${texts.join(", ")})`;
  return texts.some((text) => text === null || text === undefined) || call.length > longest ? null : call;
}

/**
 * Is an argument worth saying? Not if it is what PyTorch fills in.
 * @param {[string, {tensor?: string, text?: string}]} argument
 */
const isTold = ([name, { text }]) => text === undefined || !DEFAULTS[name]?.includes(text);

/**
 * Name a tensor: its variable, its expression, or what made it.
 * @param {Trace} trace
 * @param {State} state
 * @param {string} tensor
 * @param {Translate} t
 * @returns {Part}
 */
export function tensorPart(trace, state, tensor, t) {
  const known = nameOf(trace, state, tensor) ?? expressionOf(trace, tensor) ?? callOf(trace, state, tensor);
  if (known !== null) return { text: known, code: true, tone: toneOf(trace, tensor), ref: tensor };
  return { text: unnamed(trace, state, tensor, t), ref: tensor };
}

/** @param {Trace} trace @param {State} state @param {string} tensor @param {Translate} t */
function unnamed(trace, state, tensor, t) {
  const { names, node, shape } = trace.tensors[tensor];
  if (names.length > 0 && wasBound(trace, state, tensor)) return t("label.former", { name: names[0] });
  const op = trace.nodes[node]?.op;
  return op ? t("label.result", { op }) : t("label.tensor", { shape: shapeText(shape) });
}

/**
 * Name a tensor as the output of a node; one that was changed in place later is named as it was before.
 * @param {Trace} trace
 * @param {State} state
 * @param {string} node
 * @param {string} tensor
 * @param {Translate} t
 * @returns {Part}
 */
export function outputPart(trace, state, node, tensor, t) {
  const part = tensorPart(trace, state, tensor, t);
  const isChanged = !trace.nodes[node].variable && trace.tensors[tensor].node !== node;
  return isChanged ? { text: t("label.before", { name: part.text }), ref: tensor } : part;
}

/**
 * Name a node: `AccumulateGrad (x)`, `MulBackward0 (y)`; the plain name where nothing short tells it apart.
 * @param {Trace} trace
 * @param {State} state
 * @param {string} node
 * @returns {Part}
 */
export function nodePart(trace, state, node) {
  const { name, variable } = trace.nodes[node];
  const tensor = variable ?? outputsOf(trace, node)[0];
  const of = tensor && (nameOf(trace, state, tensor) ?? expressionOf(trace, tensor, QUALIFIER));
  return { text: of ? `${name} (${of})` : name, code: true, ref: node };
}

/**
 * Name a node by its type alone.
 * @param {Trace} trace
 * @param {string} node
 * @returns {Part}
 */
export const plainNode = (trace, node) => ({ text: trace.nodes[node].name, code: true, ref: node });

/**
 * Name the `.grad` of a tensor.
 * @param {Trace} trace
 * @param {State} state
 * @param {string} tensor
 * @param {Translate} t
 * @returns {Part}
 */
export function gradPart(trace, state, tensor, t) {
  const part = tensorPart(trace, state, tensor, t);
  return { text: `${operand(part.text)}.grad`, code: part.code ?? false, tone: "leaf", ref: tensor };
}

/** Put parentheses round what could be misread inside a formula. @param {string} text */
export const operand = (text) => (ATOM.test(text) ? text : `(${text})`);

/**
 * Return the tensor that the edge at `slot` leads to, or null.
 * @param {Trace} trace
 * @param {string} node
 * @param {number} slot
 * @returns {string | null}
 */
export function edgeTensor(trace, node, slot) {
  const edge = trace.nodes[node]?.edges[slot];
  return edge ? inputTensor(trace, edge[0], edge[1]) : null;
}

/**
 * Return the tensor whose gradient is input `inputNr` of a node: a leaf, or an output of the operation.
 * @param {Trace} trace
 * @param {string} node
 * @param {number} inputNr
 * @returns {string | null}
 */
export function inputTensor(trace, node, inputNr) {
  const { variable } = trace.nodes[node];
  if (variable) return variable;
  return outputsOf(trace, node).find((tensor) => (trace.tensors[tensor]?.output_nr ?? 0) === inputNr) ?? null;
}

/** @type {WeakMap<object, Map<string, string[]>>} */
const made = new WeakMap();

/**
 * Return the tensors that a node made: what its row says, else (made inside a rule) those that say so.
 * @param {Trace} trace
 * @param {string} node
 * @returns {string[]}
 */
export function outputsOf(trace, node) {
  const { outputs } = trace.nodes[node];
  if (outputs.length > 0) return outputs;
  let found = made.get(trace);
  if (!found) {
    made.set(trace, (found = new Map()));
    for (const [id, tensor] of Object.entries(trace.tensors)) {
      if (tensor.node) found.set(tensor.node, [...(found.get(tensor.node) ?? []), id]);
    }
  }
  return found.get(node) ?? [];
}

/** @type {WeakMap<object, Map<string, number>>} */
const arrivals = new WeakMap();

/**
 * Do several paths of this pass lead to where an edge leads? Then what it carries is only a share.
 * @param {Trace} trace
 * @param {State} state
 * @param {string} node
 * @param {number} slot
 */
export function isShare(trace, state, node, slot) {
  const pass = state.backward;
  const edge = trace.nodes[node].edges[slot];
  if (!pass || !edge) return true;
  let counts = arrivals.get(pass.missing);
  if (!counts) arrivals.set(pass.missing, (counts = countArrivals(trace, pass)));
  return (counts.get(edge.join(":")) ?? 0) > 1;
}

/**
 * @param {Trace} trace
 * @param {import("#js/trace/reducer.js").Backward} pass
 */
function countArrivals(trace, pass) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  const add = (/** @type {string} */ key) => counts.set(key, (counts.get(key) ?? 0) + 1);
  const roots = /** @type {string[]} */ (pass.root_nodes.filter(Boolean));
  for (const node of new Set([...Object.keys(pass.missing), ...roots])) {
    for (const edge of trace.nodes[node]?.edges ?? []) if (edge) add(edge.join(":"));
  }
  pass.root_nodes.forEach((node, i) => {
    const inputNr = trace.nodes[node]?.variable ? 0 : (trace.tensors[pass.roots[i]]?.output_nr ?? 0);
    if (node) add(`${node}:${inputNr}`);
  });
  return counts;
}

/** @type {WeakMap<object, Set<string>>} */
const known = new WeakMap();

/**
 * The tensors that are the value of their own span. One expression may apply several operations
 * (`2 / x`, a call of a module): only the last one's result is what the text stands for; and one that
 * makes several tensors is none of them. A row of another kind in between means that a loop came round.
 * @param {Trace} trace
 */
function finals(trace) {
  if (known.has(trace)) return known.get(trace) ?? new Set();
  const fresh = new Set();
  trace.rows.forEach((row, k) => {
    if (row.inplace || goesOn(trace, k, 1)) return;
    if (row.kind === "op_applied" && row.outputs.length === 1) fresh.add(row.outputs[0]);
    if (MAKES_ONE.has(row.kind) && !goesOn(trace, k, -1)) fresh.add(row.tensor);
  });
  known.set(trace, fresh);
  return fresh;
}

/**
 * Does the next row (or, with -1, the one before) belong to the same evaluation of the same span?
 * @param {Trace} trace
 * @param {number} k
 * @param {1 | -1} step
 */
function goesOn({ rows }, k, step) {
  let other = k + step;
  while (rows[other]?.kind.startsWith("module_")) other += step;
  const { kind, at } = rows[other] ?? {};
  return (kind === "op_applied" || MAKES_ONE.has(kind)) && String(at) === String(rows[k].at);
}

/** @param {Trace} trace @param {string} tensor @returns {Part["tone"]} */
const toneOf = (trace, tensor) => (trace.tensors[tensor]?.kind === "leaf" ? "leaf" : "value");
