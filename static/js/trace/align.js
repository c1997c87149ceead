/**
 * Two runs beside each other: which row of one means the same as which row of the other. Rows are alike when
 * they are of one kind, about the same expression, node and variable; lines are matched first, so that a
 * line more or less moves nothing.
 */

import { matches } from "#js/trace/match.js";

/** @typedef {import("#js/trace/reducer.js").Trace} Trace */
/** @typedef {import("#js/trace/reducer.js").Row} Row */
/** @typedef {[number | null, number | null]} Pair a row of each; null: the other has none like it */

/**
 * @param {Trace} left
 * @param {Trace} right
 * @returns {Pair[]} every row of both once, in order
 */
export function align(left, right) {
  const lines = commonLines(left.source, right.source);
  const [a, b] = [keys(left, lines.left), keys(right, lines.right)];
  const exact = matches(a.map((key) => key.exact), b.map((key) => key.exact));
  /** @type {[number, number][]} */
  const found = [];
  let [i, j] = [0, 0];
  for (const [x, y] of [...exact, [a.length, b.length]]) {
    const rest = matches(a.slice(i, x).map((key) => key.loose), b.slice(j, y).map((key) => key.loose));
    for (const [p, q] of rest) found.push([i + p, j + q]);
    if (x < a.length || y < b.length) found.push([x, y]);
    [i, j] = [x + 1, y + 1];
  }
  return interleave(found, a.length, b.length);
}

/**
 * Put what has no partner between what has, the shorter stretch first: where one run fails, that is seen
 * before the other goes on.
 * @param {[number, number][]} found
 * @param {number} rows
 * @param {number} columns
 */
function interleave(found, rows, columns) {
  /** @type {Pair[]} */
  const pairs = [];
  let [i, j] = [0, 0];
  const upTo = (/** @type {number} */ x, /** @type {number} */ y) => {
    const isRightFirst = y - j < x - i;
    for (; isRightFirst && j < y; j += 1) pairs.push([null, j]);
    for (; i < x; i += 1) pairs.push([i, null]);
    for (; j < y; j += 1) pairs.push([null, j]);
  };
  for (const [x, y] of found) {
    upTo(x, y);
    pairs.push([x, y]);
    [i, j] = [x + 1, y + 1];
  }
  upTo(rows, columns);
  return pairs;
}

/**
 * Give each line of two texts a name that it shares with its like in the other; lines that stand at the same
 * place of a difference share one too. Which lines differ is told by `changed`, by number.
 * @param {string} left
 * @param {string} right
 */
export function commonLines(left, right) {
  const [a, b] = [linesOf(left), linesOf(right)];
  const names = { left: /** @type {string[]} */ ([]), right: /** @type {string[]} */ ([]) };
  const changed = { left: /** @type {number[]} */ ([]), right: /** @type {number[]} */ ([]) };
  let [i, j] = [0, 0];
  for (const [x, y] of [...matches(a, b), [a.length, b.length]]) {
    for (let at = i; at < x; at += 1) names.left[at] = `${i}+${at - i}`;
    for (let at = j; at < y; at += 1) names.right[at] = `${i}+${at - j}`;
    for (let at = i; at < x; at += 1) if (a[at]) changed.left.push(at + 1);
    for (let at = j; at < y; at += 1) if (b[at]) changed.right.push(at + 1);
    if (x < a.length) names.left[x] = names.right[y] = `${x}`;
    [i, j] = [x + 1, y + 1];
  }
  return { ...names, changed };
}

/** @param {string} text */
const linesOf = (text) => text.split("\n").map((line) => line.trimEnd());

/**
 * What a row means, exactly and loosely: loosely it stands on the same line and is of the same kind.
 * @param {Trace} trace
 * @param {string[]} lines
 */
function keys(trace, lines) {
  const lineOf = (/** @type {any} */ at) => (at ? (lines[at[0] - 1] ?? "") : "");
  const place = (/** @type {any} */ at) =>
    at ? `${lineOf(at)}:${at[1]}-${lines[at[2] - 1] ?? ""}:${at[3]}` : "";
  const node = (/** @type {string} */ id) => {
    const fact = id ? trace.nodes[id] : null;
    return fact ? `${fact.name} ${place(fact.at)}` : "";
  };
  const tensor = (/** @type {string} */ id) => {
    const fact = id ? trace.tensors[id] : null;
    return fact ? `${fact.names[0] ?? ""} ${place(fact.at)}` : "";
  };
  return trace.rows.map((/** @type {any} */ row) => {
    const about = [row.op, row.slot, row.cause, row.optimizer, row.owner, row.when, row.enabled];
    const names = Object.keys(row.names ?? {}).join();
    const things = [node(row.node), node(row.target), tensor(row.tensor)];
    const loose = [row.kind, lineOf(row.at), names].join("|");
    return { loose, exact: [loose, place(row.at), ...about, ...things].join("|") };
  });
}
