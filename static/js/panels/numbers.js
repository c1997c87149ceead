/** Tensors as cells: small ones number by number, large ones as a heat map with their summary. */
import { h, svg } from "#js/dom.js";
import { t as word } from "#js/i18n.js";
import { isMovable } from "#js/trace/makings.js";
import { cells, picture, shapeText, short, shortNumber } from "#js/trace/values.js";

const MOST_ROWS = 6;
const MOST_COLUMNS = 6;
const PIXEL = 7;
const WIDEST = 104; // px, so that two stand beside each other

const finite = (x) => typeof x === "number" && Number.isFinite(x);

function sign(x) {
  if (!finite(x)) return typeof x === "boolean" ? null : "bad";
  if (x === 0) return "zero";
  return x < 0 ? "minus" : "plus";
}

function grid(value, { rows, columns, data }, tone, lit) {
  const spans = data
    .flat()
    .map((x, i) =>
      h("span", { "data-sign": sign(x), "data-lit": lit?.has(i) ?? null }, shortNumber(x, value.dtype)),
    );
  const style = `--columns: ${columns}`;
  return h(
    "div",
    { class: "cells", "data-tone": tone, "data-matrix": rows > 1 ? "true" : null, style },
    spans,
  );
}

function range(value, data) {
  if (value.summary) return value.summary;
  const numbers = data.flat().filter(finite);
  const count = (test) => data.flat().filter(test).length;
  return {
    min: Math.min(...numbers),
    max: Math.max(...numbers),
    nan: count((x) => x === "nan"),
    inf: count((x) => x === "inf" || x === "-inf"),
  };
}

function facts(value, { min, max, norm, nan, inf }) {
  const show = (x) => (finite(x) ? shortNumber(x, "float64") : "–");
  const list = [shapeText(value.shape), `${show(min)} … ${show(max)}`];
  if (finite(norm)) list.push(`${word("numbers.norm")} ${show(norm)}`);
  if (nan) list.push(`nan × ${nan}`);
  if (inf) list.push(`inf × ${inf}`);
  return list;
}

function heat(value, { rows, columns, shares }, summary, tone) {
  const squares = shares.map((share, i) =>
    svg("rect", {
      x: (i % columns) * PIXEL,
      y: Math.floor(i / columns) * PIXEL,
      width: PIXEL,
      height: PIXEL,
      "data-sign": sign(share),
      "fill-opacity": share === null ? 1 : (0.08 + 0.92 * Math.abs(share)).toFixed(3),
    }),
  );
  const drawn = svg(
    "svg",
    {
      viewBox: `0 0 ${columns * PIXEL} ${rows * PIXEL}`,
      width: Math.min(WIDEST, columns * PIXEL),
      preserveAspectRatio: "xMidYMid meet",
      role: "img",
      "aria-label": facts(value, summary).join(", "),
    },
    squares,
  );
  return h(
    "figure",
    { class: "heat", "data-tone": tone },
    drawn,
    h(
      "figcaption",
      null,
      facts(value, summary).map((fact) => h("span", null, fact)),
    ),
  );
}

/**
 * A value as cells in a tone ("grad", "value", "leaf", "result"); null is None. `lit`: cells that stand
 * out.
 */
export function matrix(trace, v, tone, lit = null) {
  const value = v === null || v === undefined ? null : trace.values[v];
  if (!value) return h("div", { class: "cells", "data-tone": "none" }, h("span", null, "None"));
  const shown = cells(trace, v);
  const small = !value.summary && shown.rows <= MOST_ROWS && shown.columns <= MOST_COLUMNS;
  const element = small
    ? grid(value, shown, tone, lit)
    : heat(value, picture(trace, v), range(value, shown.data), tone);
  return held(element, v);
}

/** A term of an equation: cells with a caption beneath; `place` says where a gradient comes from. */
export function term(trace, v, tone, caption = null, place = null) {
  const cells = matrix(trace, v, tone);
  return h(
    "div",
    { class: "term" },
    place ? asked(cells, place) : cells,
    caption ? h("small", null, caption) : null,
  );
}

/** Let an element that shows a gradient be asked why: `place` as in trace/gradients.js. */
export function asked(element, place) {
  element.setAttribute("data-why", JSON.stringify(place));
  element.setAttribute("title", word("why.ask"));
  return element;
}

/** A sign between terms. */
export const signOf = (text) => h("span", { class: "sign" }, text);

/** A sign that stays with the term after it. */
export const together = (text, next) => h("span", { class: "together" }, signOf(text), next);

/** A value in one line of text, whole on hover; `label` says what it is to who copies it. */
export function inline(trace, v, tone, most = 22, label = "") {
  const element = h("code", { class: "inline-value", "data-tone": tone }, short(trace, v, most));
  return held(element, v, label);
}

/** Say which value an element shows: it is shown whole, and can be copied, at the pointer and the focus. */
function held(element, v, label = "") {
  element.setAttribute("data-values", JSON.stringify([[label, v ?? null]]));
  element.setAttribute("tabindex", "0");
  return element;
}

/** Let an element that shows a tensor's numbers be asked what if they were others, where they can be. */
export function moved(element, trace, tensor) {
  if (!isMovable(trace, tensor)) return element;
  element.setAttribute("data-move", JSON.stringify({ tensor }));
  element.setAttribute("title", word("why.move"));
  return element;
}
