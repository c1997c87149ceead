/**
 * A number's parts: the paths it came along, or where there are many, what it is a sum of, opened step by
 * step.
 */
import { h } from "#js/dom.js";
import { t as word } from "#js/i18n.js";
import { picture } from "#js/panels/why_picture.js";
import { enteredAt, real } from "#js/trace/gradients.js";
import { kinkOf } from "#js/trace/kinks.js";
import { expressionOf, nameOf, operand } from "#js/trace/labels.js";
import { shortNumber } from "#js/trace/values.js";

const LONGEST = 14; // characters of a name in a path

/** A number in a formula; null is one that cannot be told. @param {number | null} x */
export function chip(x) {
  if (x === null) return "…";
  if (Number.isNaN(x)) return "nan";
  if (!Number.isFinite(x)) return x > 0 ? "inf" : "-inf";
  return shortNumber(Object.is(x, -0) ? 0 : x, "float32")
    .replace(/^-/, "−")
    .replace(/\.$/, "");
}

/**
 * The index of an element as Python writes it; nothing for a single number.
 * @param {number[] | null} element
 */
export const elementText = (element) => (element && element.length > 0 ? `[${element.join(", ")}]` : "");

/** What a tensor is called in a product: its variable, a short expression, else its operation. */
function shortName({ trace, state }, tensor, otherwise) {
  if (!trace.tensors[tensor]) return otherwise;
  const name = nameOf(trace, state, tensor) ?? expressionOf(trace, tensor, LONGEST);
  return name !== null && name.length <= LONGEST + 8 && !name.includes("…") ? name : otherwise;
}

/** A number of an answer that may be missing. @param {any} x */
const known = (x) => (x === null ? null : real(x));

/** The number of paths; more than are listed have their digits grouped. @param {number | string} count */
const countText = (count) => String(count).replace(/^10\^(\d+)$/, "10^$1");

/** What a node's result is called, with the element. */
function resultName(how, node, element) {
  const { op, name, outputs } = how.trace.nodes[node];
  return operand(shortName(how, outputs[0] ?? null, op ?? name)) + elementText(element);
}

/** What an input of a node is called. */
function inputName(how, node, slot) {
  const fact = how.trace.nodes[node];
  const given = fact.args.find(([name]) => name === fact.inputs[slot])?.[1]?.tensor;
  const made = given ? how.trace.nodes[how.trace.tensors[given].node] : null;
  const otherwise = made?.op ?? made?.name ?? fact.inputs[slot];
  return operand(given ? shortName(how, given, otherwise) : otherwise);
}

/** A local derivative: the number, and beneath it what is derived by what. */
function factor(how, term, place) {
  const by = inputName(how, term.node, term.slot) + elementText(place.element);
  const of = resultName(how, term.node, term.element);
  const fact = how.trace.nodes[term.node];
  const rule = fact.formulas[fact.inputs[term.slot]] ?? "";
  return h(
    "span",
    { class: "factor", title: `${fact.name}: ${rule}` },
    h("span", null, chip(real(term.derivative))),
    h("small", null, `∂${of}/∂${by}`),
  );
}

/** Where a path begins: what the call was given, or a number that is not taken apart, or goes no further. */
function seed(kind, number) {
  const label = kind === "start" ? word("why.seed") : word(`why.short.${kind}`);
  return h(
    "span",
    { class: "factor", "data-seed": kind },
    h("span", null, chip(number)),
    h("small", null, label),
  );
}

const times = () => h("span", { class: "times" }, "×");

/** A way through the graph, for its light: nodes and edges. */
function wayOf(terms) {
  const nodes = terms.map((term) => term.node).filter(Boolean);
  return {
    kind: "path",
    nodes,
    edges: terms.filter((term) => term.node).map((term) => `${term.node}:${term.slot}`),
  };
}

function light(element, selection, way) {
  for (const on of ["pointerenter", "focus"]) element.addEventListener(on, () => selection.hover(way));
  for (const off of ["pointerleave", "blur"]) element.addEventListener(off, () => selection.hover(null));
  return element;
}

/** One path, from the root on. */
function pathRow(how, path) {
  const { answer, selection } = how;
  const hops = path.hops.map(([place, term]) => ({
    place: answer.places[place],
    term: answer.places[place].terms[term],
  }));
  const last = hops[hops.length - 1];
  const end = last?.term.to === null || !last ? null : answer.places[last.term.to];
  const inner = hops.filter(({ term }) => term.node !== null).reverse();
  const first = end ? real(end.number) : last ? known(last.term.grad) : real(answer.number);
  const kind = (end ?? (last ? null : answer.places[0]))?.stop ?? "start";
  const line = [seed(last?.term.blocked ? "arrives" : kind, first)];
  for (const { place, term } of inner) line.push(times(), factor(how, term, place));
  const row = h(
    "li",
    { class: "why-path", tabindex: 0, "data-blocked": hops.some(({ term }) => term.blocked) },
    h(
      "span",
      { class: "factors" },
      line,
      h("span", { class: "times" }, "="),
      h("strong", null, chip(real(path.product))),
    ),
    inner.map(({ place, term }) => note(how, place, term)),
  );
  return light(row, selection, wayOf(hops.map(({ term }) => term)));
}

/** What has to be said of a hop: there is no derivative at this point, or nothing comes through. */
function note(how, place, term) {
  const kink = kinkOf(how.trace, how.call, term, place.element);
  if (kink)
    return h(
      "small",
      { class: "why-kink" },
      word(`why.kink.${kink.kind}`, { ...kink, derivative: chip(real(term.derivative)) }),
    );
  return term.blocked
    ? h("small", null, word("why.blocked", { name: how.trace.nodes[term.node].name }))
    : null;
}

/** Every path, and their sum. */
export function pathList(how) {
  const { answer } = how;
  const products = answer.paths.map((path) => real(path.product));
  const count = answer.paths.length;
  const sum = products
    .map((x, i) => (i === 0 ? chip(x) : x < 0 ? ` − ${chip(-x)}` : ` + ${chip(x)}`))
    .join("");
  return [
    h("p", { class: "why-count" }, word(count === 1 ? "why.path" : "why.paths", { count })),
    stopNote(answer.places[0]),
    h(
      "ol",
      { class: "why-paths", "data-testid": "why-paths" },
      answer.paths.map((path) => pathRow(how, path)),
    ),
    count > 1
      ? h(
          "p",
          { class: "why-sum", "data-testid": "why-sum" },
          `${sum} = `,
          h("strong", null, chip(real(answer.number))),
        )
      : null,
    picture(how, answer.places[0]),
  ];
}

/** The parts of the number where there are too many paths to list: merged where they meet. */
export function parts(how) {
  const { answer } = how;
  const counts = {
    count: answer.count === null ? null : countText(answer.count),
    nodes: countText(answer.node_paths),
  };
  const single = answer.places[0].terms.length === 0;
  return [
    single
      ? null
      : h("p", { class: "why-count" }, word(answer.count === null ? "why.many" : "why.merged", counts)),
    stopNote(answer.places[0]),
    termList(how, answer.places[0]),
    picture(how, answer.places[0]),
  ];
}

/** Why a place is not taken apart further. */
function stopNote(place) {
  if (place.stop === null || place.stop === "closed" || place.terms.length > 0) return null;
  const values = {
    before: place.before === null ? "" : chip(real(place.before)),
    after: chip(real(place.number)),
  };
  return h("p", { class: "card-note" }, word(`why.stop.${place.stop}`, values));
}

function termList(how, place) {
  if (place.terms.length === 0) return null;
  const more =
    place.more > 0
      ? h("li", { class: "card-note" }, word("why.more", { count: place.more, rest: chip(real(place.rest)) }))
      : null;
  return h(
    "ul",
    { class: "why-terms" },
    place.terms.map((term) => termRow(how, place, term)),
    more,
  );
}

/** One part: a local derivative times the gradient before it, which can be opened in its turn. */
function termRow(how, place, term) {
  if (term.node === null)
    return h("li", null, word("why.seed"), " ", h("strong", null, chip(real(term.product))));
  const grad = h(
    "span",
    { class: "factor" },
    h("span", null, chip(known(term.grad))),
    h("small", null, `∂/∂${resultName(how, term.node, term.element)}`),
  );
  const line = h(
    "span",
    { class: "factors" },
    grad,
    times(),
    factor(how, term, place),
    h("span", { class: "times" }, "="),
    h("strong", null, chip(real(term.product))),
  );
  const next = term.to === null ? null : how.answer.places[term.to];
  const row = h("li", { class: "why-term", tabindex: next && next.stop === null ? null : 0 });
  row.append(...(next ? [opened(how, term, next, line)] : [line]));
  const told = note(how, place, term);
  if (told) row.append(told);
  return light(row, how.selection, wayOf([term]));
}

function opened(how, term, next, line) {
  if (next.stop === "closed") {
    const go = h("button", { class: "button small", type: "button" }, word("why.further"));
    go.addEventListener("click", () => {
      const row = enteredAt(how.trace, next.node, how.call);
      if (row !== null)
        how.selection.pick({ kind: "why", row, input_nr: next.input_nr, element: next.element });
    });
    return h("div", null, line, " ", go);
  }
  if (next.terms.length === 0) return h("div", null, line, next.stop === "start" ? null : stopNote(next));
  const inside = h("details", null, h("summary", null, line));
  inside.addEventListener("toggle", () => {
    if (inside.open && inside.childNodes.length === 1) inside.append(termList(how, next));
  });
  return inside;
}
