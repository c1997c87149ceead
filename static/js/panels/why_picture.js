/** Which elements of the gradient before went into a number, and the row or column that they met. */
import { h } from "#js/dom.js";
import { t as word } from "#js/i18n.js";
import { matrix } from "#js/panels/numbers.js";
import { enteredAt, flatOf, real } from "#js/trace/gradients.js";
import { cells } from "#js/trace/values.js";

const MOST_CELLS = 36;

/**
 * Which elements of the gradient before were added, and for a matrix product which row or column they met.
 */
export function picture(how, place) {
  const { trace, call } = how;
  const terms = place.terms.filter((term) => term.node !== null && term.element !== null);
  const { node, slot, output } = terms[0] ?? {};
  if (
    terms.length < 2 ||
    !terms.every((term) => term.node === node && term.slot === slot && term.output === output)
  )
    return null;
  const entered = enteredAt(trace, node, call);
  const v = entered === null ? null : trace.rows[entered].grads[output];
  const value = v ? trace.values[v] : null;
  if (!value || value.summary || cells(trace, v).data.flat().length > MOST_CELLS) return null;
  const lit = new Set(terms.map((term) => flatOf(value.shape, term.element)));
  return h(
    "div",
    { class: "equation why-picture" },
    h(
      "div",
      { class: "term" },
      matrix(trace, v, "grad", lit),
      h("small", null, word("why.added", { count: lit.size })),
    ),
    place.more > 0 ? null : met(how, entered, slot, terms),
  );
}

/** The row or column of another operand whose numbers the local derivatives are. */
function met({ trace }, entered, slot, terms) {
  const node = trace.rows[entered].node;
  const ran = trace.rows.findIndex((row, k) => k > entered && row.kind === "node_ran" && row.node === node);
  const rule = trace.rows[ran]?.rules.find((each) => each.slot === slot);
  const wanted = terms.map((term) => real(term.derivative)).join();
  for (const [name, v] of Object.entries(rule?.terms ?? {})) {
    const value = trace.values[v];
    if (name === "grad" || !value || value.summary || value.shape.length !== 2) continue;
    const { rows, columns, data } = cells(trace, v);
    if (rows * columns > MOST_CELLS) continue;
    const found = lineOf(data, wanted);
    if (!found) continue;
    const lit = new Set(
      found.row === null
        ? data.map((_, i) => i * columns + found.column)
        : data[0].map((_, j) => found.row * columns + j),
    );
    const told =
      found.row === null
        ? word("why.column", { n: found.column, name })
        : word("why.row", { n: found.row, name });
    return [
      h("span", { class: "sign" }, "×"),
      h("div", { class: "term" }, matrix(trace, v, "value", lit), h("small", null, told)),
    ];
  }
  return null;
}

/** The row or the column of a matrix that has these numbers. */
function lineOf(data, wanted) {
  const row = data.findIndex((each) => each.map(Number).join() === wanted);
  if (row >= 0) return { row, column: null };
  const column = data[0].findIndex((_, j) => data.map((each) => Number(each[j])).join() === wanted);
  return column >= 0 ? { row: null, column } : null;
}
