/** What things are called in a panel, in one short text. */
import { t as word } from "#js/i18n.js";
import { expressionOf, nameOf, operand, tensorPart } from "#js/trace/labels.js";

const LONGEST = 24;

/** A tensor's name at a moment: its variable, its expression, or what made it. */
export function tensorName(trace, state, tensor) {
  if (!trace.tensors[tensor]) return "";
  return (
    nameOf(trace, state, tensor) ??
    expressionOf(trace, tensor, LONGEST) ??
    tensorPart(trace, state, tensor, word).text
  );
}

/** The `.grad` of a tensor. */
export const gradName = (trace, state, tensor) => `${operand(tensorName(trace, state, tensor))}.grad`;

/** What a node is for: the variable of an AccumulateGrad, else the name of its first output. */
export function nodeSubject(trace, state, node) {
  const fact = trace.nodes[node];
  const tensor = fact?.variable ?? fact?.outputs[0];
  return tensor ? tensorName(trace, state, tensor) : "";
}

/** A short name for where a gradient goes: the leaf's name, or the operation. */
export function receiver(trace, state, node) {
  const fact = trace.nodes[node];
  return fact?.variable ? tensorName(trace, state, fact.variable) : (fact?.op ?? fact?.name ?? "");
}

/** A node of the queue: "AccumulateGrad w", "MulBackward0 #12". */
export function queueLabel(trace, state, node) {
  const { name, seq } = trace.nodes[node];
  return seq === null ? `${name} ${nodeSubject(trace, state, node)}` : `${name} #${seq}`;
}
