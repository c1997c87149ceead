/** A rule's own text, and the same text with the actual numbers in the place of its names. */
import { h } from "#js/dom.js";
import { signOf, term, together } from "#js/panels/numbers.js";

/** Cut a formula into parts: {name} for a term that has a value, {text} for the rest. */
export function formulaParts(formula, terms) {
  const parts = [];
  const push = (text) => {
    const last = parts[parts.length - 1];
    if (last && "text" in last) last.text += text;
    else if (text) parts.push({ text });
  };
  formula.split(/(?<![\w.])([A-Za-z_]\w*)/).forEach((piece, i) => {
    if (i % 2 === 1 && Object.hasOwn(terms, piece)) parts.push({ name: piece });
    else push(piece);
  });
  return parts;
}

/** Python's signs as they are written by hand; names and calls stay as they are. */
export function readable(text) {
  return text
    .replace(/\*\*/g, "^")
    .replace(/\*/g, "×")
    .replace(/(^|[\s(,])-/g, "$1−")
    .replace(/ \/ /g, " ÷ ");
}

const INTERNAL = [
  [/^(\w+?)_sym_sizes$/, "$1.shape"],
  [/^(\w+?)_sym_numel$/, "$1.numel()"],
  [/^(\w+?)_sym_strides$/, "$1.stride()"],
  [/^(\w+?)_scalar_type$/, "$1.dtype"],
];

/** PyTorch's internal name for a fact about an argument, as a program would write it. */
export function shownName(name) {
  const [pattern, shown] = INTERNAL.find(([each]) => each.test(name)) ?? [];
  return pattern ? name.replace(pattern, shown) : name;
}

const isValue = (trace, x) => typeof x === "string" && Object.hasOwn(trace.values, x);
const toneOf = (name) => (name === "grad" || name === "g" ? "grad" : "value");

/** The formula as text, each name in the colour of its kind. */
export function formulaText(trace, formula, terms) {
  const parts = formulaParts(formula, terms).map((part) => {
    if ("text" in part) return readable(part.text);
    const tone = isValue(trace, terms[part.name]) ? toneOf(part.name) : "plain";
    return h("span", { class: "formula-name", "data-tone": tone }, shownName(part.name));
  });
  return h("code", { class: "formula" }, parts);
}

function plainText(trace, part, terms) {
  if ("text" in part) return readable(part.text);
  return isValue(trace, terms[part.name]) ? null : String(terms[part.name] ?? "None");
}

/** Put what has no cells (numbers, shapes) into the text around it. */
function plainParts(trace, formula, terms) {
  const parts = [];
  for (const part of formulaParts(formula, terms)) {
    const plain = plainText(trace, part, terms);
    const last = parts[parts.length - 1];
    if (plain === null) parts.push(part);
    else if (last && "text" in last) last.text += plain;
    else parts.push({ text: plain });
  }
  return parts;
}

/** The formula with its numbers: "[1. 1.] × (2 × [0.5 -2.] ^ (2 − 1)) = [1. -4.]". */
export function formulaNumbers(
  trace,
  formula,
  terms,
  { result, captions = {}, into = null, tone = "result" },
) {
  const [said] = formula.split(/: (?=[a-z])/); // what stands behind are words about it
  const line = plainParts(trace, said, terms).map((part) => {
    if ("text" in part) return part.text.trim() ? signOf(part.text.trim()) : null;
    return term(trace, terms[part.name], toneOf(part.name), captions[part.name] ?? part.name);
  });
  return h("div", { class: "equation" }, line, together("=", term(trace, result, tone, into)));
}
