/** What sentences are made with: templates filled with parts, names of things, numbers in their colour. */

import * as labels from "#js/trace/labels.js";
import { short, troubles } from "#js/trace/values.js";

/** @typedef {import("#js/trace/reducer.js").Trace} Trace */
/** @typedef {import("#js/trace/reducer.js").State} State */
/** @typedef {import("#js/trace/labels.js").Part} Part */
/** @typedef {import("#js/trace/labels.js").Translate} Translate */
/** @typedef {Record<string, Part | Part[] | string>} Values */
/** @typedef {{key: string, values?: Values}[]} Saying */
/** @typedef {ReturnType<typeof speaker>} Speaker */

const LONGEST = 32; // characters of one value in a sentence

/**
 * Put parts where a template names them. "3." at the end of a sentence ends the sentence too;
 * before "。" it keeps its distance.
 * @param {string} template
 * @param {Values} values
 * @returns {Part[]}
 */
export function fill(template, values) {
  /** @type {Part[]} */
  const parts = [];
  for (const piece of template.split(/(\{\w+\})/)) {
    const name = /^\{(\w+)\}$/.exec(piece)?.[1];
    const value = name !== undefined && Object.hasOwn(values, name) ? values[name] : piece;
    if (typeof value !== "string") parts.push(...[value].flat());
    else {
      const dotted = value.startsWith(".") && parts[parts.length - 1]?.text.endsWith(".");
      const apart = value.startsWith("。") && parts[parts.length - 1]?.text.endsWith(".");
      const text = dotted ? value.slice(1) : `${apart ? " " : ""}${value}`;
      if (text) parts.push({ text });
    }
  }
  return parts;
}

/**
 * What every row's words are made with: names of things at this moment, numbers in their colour.
 * @param {Trace} trace
 * @param {State} state
 * @param {Translate} t
 */
export function speaker(trace, state, t) {
  const number = (/** @type {Part["tone"]} */ tone) => (/** @type {string | null | undefined} */ v) => ({
    text: short(trace, v, LONGEST),
    code: true,
    tone,
    v: v ?? null,
  });
  /** @param {Part[][]} items @param {string} [last] @returns {Part[]} */
  const list = (items, last = "list.and") =>
    items.flatMap((item, i) => {
      const comma = i === items.length - 1 ? last : "list.comma";
      return i === 0 ? item : [{ text: t(comma) }, ...item];
    });
  /**
   * "It contains nan": said only where it does.
   * @param {string} key
   * @param {(string | null)[]} vs
   * @returns {Saying}
   */
  const notFinite = (key, vs) => {
    const found = [...new Set(vs.flatMap((v) => troubles(trace, v)))];
    const what = list(found.map((text) => [{ text, code: true }]));
    return found.length > 0 ? [{ key, values: { what } }] : [];
  };
  return {
    trace,
    state,
    notFinite,
    t,
    list,
    fill,
    grad: number("grad"),
    value: number("value"),
    stored: number("leaf"),
    tensor: (/** @type {string} */ id) => labels.tensorPart(trace, state, id, t),
    gradOf: (/** @type {string} */ id) => labels.gradPart(trace, state, id, t),
    output: (/** @type {string} */ node, /** @type {string} */ id) =>
      labels.outputPart(trace, state, node, id, t),
    node: (/** @type {string} */ id) => labels.nodePart(trace, state, id),
    code: (/** @type {string} */ text) => ({ text, code: true }),
  };
}
