/** The operation that ran forward: its arguments and what came out, as numbers. */
import { h } from "#js/dom.js";
import { signOf, term, together } from "#js/panels/numbers.js";
import { tensorName } from "#js/panels/names.js";
import { subject } from "#js/trace/stops.js";
import { valueWritten } from "#js/trace/tracks.js";

const BETWEEN = {
  add: "+",
  sub: "−",
  mul: "×",
  div: "÷",
  pow: "^",
  matmul: "@",
  mm: "@",
  mv: "@",
  dot: "@",
};

/** The value a tensor had before row k: an operation in place writes over its own argument. */
function valueBefore(trace, k, tensor) {
  for (let i = k - 1; i >= 0; i -= 1) {
    const value = valueWritten(trace.rows[i], tensor);
    if (value !== undefined) return value;
  }
  return null;
}

/**
 * What a `.grad` that no variable holds has now: backward writes into it, and only its tensor's rows tell.
 */
function gradNow(trace, state, tensor) {
  const [name] = trace.tensors[tensor]?.names ?? [];
  if (!name?.endsWith(".grad") || [...state.names.values()].includes(tensor)) return null;
  const of = name.slice(0, -".grad".length);
  const isOwner = ([, { kind, names }]) => kind === "leaf" && names.includes(of);
  const owner = state.names.get(of) ?? Object.entries(trace.tensors).find(isOwner)?.[0];
  return state.grad.get(owner) ?? null;
}

function shown(trace, state, value, argument) {
  if (!argument.tensor) return h("span", { class: "sign plain" }, argument.text);
  return term(trace, value(argument.tensor), "value", tensorName(trace, state, argument.tensor));
}

function expression(trace, state, row, value) {
  const parts = row.args.map(([, argument]) => shown(trace, state, value, argument));
  const sign = BETWEEN[row.op];
  if (sign && parts.length === 2) return [parts[0], signOf(sign), parts[1]];
  return [
    signOf(`${row.op}(`),
    parts.flatMap((part, i) => (i ? [signOf(","), part] : [part])),
    signOf(")"),
  ];
}

export const operation = {
  id: "operation",
  title: "panel.operation",
  slot: "inspector",
  render({ trace }, state) {
    const k = subject(trace, state.k);
    const row = trace.rows[k];
    if (row?.kind !== "op_applied") return null;
    const value = (tensor) => gradNow(trace, state, tensor) ?? valueBefore(trace, k, tensor);
    const results = row.outputs.map((tensor, i) =>
      term(trace, row.values[i], "made", tensorName(trace, state, tensor)),
    );
    return h("div", { class: "equation" }, expression(trace, state, row, value), together("=", results));
  },
};
