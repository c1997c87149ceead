/**
 * The rounds of training loops, derived from rows: where backward is called, where parameters are written,
 * and the places of the rows between. No name of a variable plays a part.
 *
 * What recurs is grouped: places (spans) of calls of backward and of updates that come by turns belong to one
 * loop. The one that stands furthest to the left in the text, then the rarest, then the last, ends a round:
 * with one step() after four backward() a round has four, where one line updates D and another G it has both.
 * A round begins where the text is gone back in.
 */

import { blocks, holds, loopAround } from "#js/trace/loops.js";

/** @typedef {import("#js/trace/reducer.js").Trace} Trace */
/** @typedef {import("#js/trace/reducer.js").Row} Row */
/** @typedef {{from: number, to: number}} Round rows, both included */
/** @typedef {{from: number, to: number, line: number, rounds: Round[]}} Loop */
/** @typedef {{at: number[], rows: number[]}} Turn a place that recurs, and the rows that are there */
/** @typedef {import("#js/trace/loops.js").Block} Block */
/**
 * @typedef {{line: number, where: ("in" | "called" | "out")[], own: Block | null,
 *   openings: Set<number>}} Place
 */

const MOVES = new Set(["optimizer_step", "data_replaced"]);
/** Without one of these a loop only writes: first values, say. */
const LEARNS = new Set(["backward_began", "optimizer_step"]);

/** @type {WeakMap<object, Loop[]>} */
const known = new WeakMap();

/**
 * Return the training loops of a run that went round at least twice, in order; they never overlap.
 * @param {Trace} trace
 * @returns {Loop[]}
 */
export function loops(trace) {
  let found = known.get(trace);
  if (!found) known.set(trace, (found = find(trace)));
  return found;
}

/**
 * Return the loop and the number of the round that row k is in, or null.
 * @param {Trace} trace
 * @param {number} k
 */
export function roundAt(trace, k) {
  const loop = loops(trace).find(({ from, to }) => from <= k && k <= to);
  return loop ? { loop, i: loop.rounds.findIndex(({ from, to }) => from <= k && k <= to) } : null;
}

/** @param {Trace} trace @returns {Loop[]} */
function find(trace) {
  const all = blocks(trace.source ?? "");
  const groups = group(turns(trace));
  /** @type {Loop[]} */
  const found = [];
  for (const members of groups) {
    const ending = chosen(members);
    if (!ending || !members.some(({ rows }) => rows.some((k) => LEARNS.has(trace.rows[k].kind)))) continue;
    const place = placeOf(trace, all, ending);
    const rounds = cut(trace, place, ending, found[found.length - 1]?.to ?? -1);
    const [from, to] = [rounds[0].from, rounds[rounds.length - 1].to];
    found.push({ from, to, line: place.line, rounds });
  }
  return found;
}

/** Where backward is called or parameters are written, outside of any backward. @param {Trace} trace */
function turns(trace) {
  /** @type {Map<string, Turn>} */
  const found = new Map();
  let depth = 0;
  trace.rows.forEach((row, k) => {
    const outside = depth === 0;
    if (row.kind === "backward_began") depth += 1;
    if (row.kind === "backward_ended") depth -= 1;
    const counts = row.kind === "backward_began" || MOVES.has(row.kind) || isWrite(trace, row);
    if (!outside || !counts || !row.at) return;
    const key = row.at.join();
    const turn = found.get(key) ?? { at: row.at, rows: [] };
    found.set(key, turn);
    turn.rows.push(k);
  });
  return [...found.values()];
}

/** A leaf changed in place: w -= lr * w.grad under no_grad(). @param {Trace} trace @param {Row} row */
const isWrite = (trace, row) =>
  row.kind === "op_applied" && row.inplace && row.node === null && isLeaf(trace, row.outputs[0]);

/** @param {Trace} trace @param {string} tensor */
const isLeaf = (trace, tensor) => trace.tensors[tensor]?.kind === "leaf";

/** Put together what comes by turns: the places whose first and last rows overlap. @param {Turn[]} all */
function group(all) {
  /** @type {{members: Turn[], to: number}[]} */
  const groups = [];
  for (const turn of all) {
    const last = groups[groups.length - 1];
    const to = turn.rows[turn.rows.length - 1];
    if (last && turn.rows[0] <= last.to) {
      last.members.push(turn);
      last.to = Math.max(last.to, to);
    } else groups.push({ members: [turn], to });
  }
  return groups.map(({ members }) => members);
}

/** The place that ends a round. @param {Turn[]} members */
function chosen(members) {
  const often = members.filter(({ rows }) => rows.length > 1);
  const before = (/** @type {Turn} */ a, /** @type {Turn} */ b) =>
    a.at[1] - b.at[1] || a.rows.length - b.rows.length || b.rows[0] - a.rows[0];
  return [...often].sort(before)[0] ?? null;
}

/**
 * Cut a loop's rows into rounds.
 * @param {Trace} trace
 * @param {Place} place
 * @param {Turn} ending
 * @param {number} after no round begins at or before this row
 * @returns {Round[]}
 */
function cut(trace, place, ending, after) {
  const { rows } = ending;
  const starts = [firstOf(place.where, rows[0], after)];
  for (let k = starts[0]; k < rows[0]; k += 1)
    if (place.where[k] === "in") place.openings.add(trace.rows[k].at?.[0] ?? 0);
  for (let i = 1; i < rows.length; i += 1) {
    const next = turnBack(trace, place, ending, rows[i - 1], rows[i]);
    starts.push(next ?? Math.min(behind(trace, rows[i - 1]), rows[i]));
  }
  const end = lastOf(trace, place, ending, rows[rows.length - 1]);
  const rounds = starts.map((from, i) => ({ from, to: (starts[i + 1] ?? end.to + 1) - 1 }));
  if (end.begun !== null) {
    rounds[rounds.length - 1].to = end.begun - 1;
    rounds.push({ from: end.begun, to: end.to });
  }
  return rounds;
}

/**
 * Say of each row whether it stands in the loop ("in"), in a function called ("called") or elsewhere ("out").
 * `own` is the function in which a round ends, where that is called from the loop; `openings` will be the
 * lines of the loop that come before the call.
 * @param {Trace} trace
 * @param {Block[]} all
 * @param {Turn} ending
 * @returns {Place}
 */
function placeOf(trace, all, ending) {
  const around = loopAround(all, ending.at[0]);
  const own = around ? null : (all.findLast((one) => !one.isLoop && holds(one, ending.at[0])) ?? null);
  const block = around ?? callerOf(trace, all, ending) ?? own;
  const line = block?.line ?? ending.at[0];
  const called = all.filter((one) => !one.isLoop && !holds(one, line));
  const memo = new Map();
  const place = (/** @type {number} */ at) => {
    if (block ? holds(block, at) : at === line) return "in";
    return called.some((one) => holds(one, at)) ? "called" : "out";
  };
  let last = /** @type {"in" | "called" | "out"} */ ("out");
  const where = trace.rows.map(({ at }) => {
    if (!at) return last;
    if (!memo.has(at[0])) memo.set(at[0], place(at[0]));
    return (last = memo.get(at[0]));
  });
  return { line, where, own, openings: new Set() };
}

/**
 * The loop that calls the function in which a round ends: one with rows of its own between any two rounds.
 * @param {Trace} trace
 * @param {Block[]} all
 * @param {Turn} ending
 */
function callerOf(trace, all, { at, rows }) {
  const away = all.filter((block) => block.isLoop && !holds(block, at[0]));
  const lives = (/** @type {Block} */ block) =>
    rows.slice(1).every((to, i) => {
      for (let k = rows[i] + 1; k < to; k += 1) if (holds(block, trace.rows[k].at?.[0] ?? 0)) return true;
      return false;
    });
  return away.findLast(lives) ?? null;
}

/**
 * Where the first round begins: the first row in the loop, and what it called just before.
 * @param {string[]} where
 * @param {number} first the row that ends the round
 * @param {number} after
 */
function firstOf(where, first, after) {
  let from = first;
  for (let k = first; k > after && where[k] !== "out"; k -= 1) if (where[k] === "in") from = k;
  return withCalled(where, from, after);
}

/** @param {string[]} where @param {number} k @param {number} after */
function withCalled(where, k, after) {
  let from = k;
  while (from - 1 > after && where[from - 1] === "called") from -= 1;
  return from;
}

/**
 * Where the next round begins after one has ended at row `from`, with what was called on the way; or null.
 * @param {Trace} trace
 * @param {Place} place
 * @param {Turn} ending
 * @param {number} from
 * @param {number} to
 */
function turnBack(trace, place, ending, from, to) {
  const { where, own } = place;
  const found = (own ? calledAgain : goneBack)(trace, place, ending, from, to);
  if (found === null) return null;
  return where[found] === "in" ? withCalled(where, found, behind(trace, from) - 1) : found;
}

/**
 * The first row in the loop after `from` that stands further up than where the round ended, or null.
 * @type {(trace: Trace, place: Place, ending: Turn, from: number, to: number) => number | null}
 */
function goneBack(trace, { where }, ending, from, to) {
  const { rows } = trace;
  let block = null; // a with block is left where it was entered: only what follows tells which of both it is
  for (let k = behind(trace, from); k <= to; k += 1) {
    if (where[k] !== "in") continue;
    const isBack = isBefore(rows[k], ending.at);
    if (rows[k].kind === "grad_mode") block = isBack ? k : null;
    else if (isBack) return block ?? k;
    else block = null;
  }
  return null;
}

/**
 * Does a row stand before a span, or in it? A name that is bound in its line comes after it.
 * @param {Row} row
 * @param {number[]} ending
 */
function isBefore({ kind, at }, [line, column, endLine, endColumn]) {
  if (!at || at[0] !== line) return at !== null && at[0] < line;
  return kind !== "names_bound" && (at[1] < column || (at[2] === endLine && at[3] <= endColumn));
}

/**
 * The first row after `from` at which the function that ends a round is entered again, or the loop is where
 * it was before the first call; or null.
 * @type {(trace: Trace, place: Place, ending: Turn, from: number, to: number) => number | null}
 */
function calledAgain(trace, { where, own, openings }, ending, from, to) {
  for (let k = behind(trace, from); k <= to && k < trace.rows.length; k += 1) {
    const line = trace.rows[k].at?.[0] ?? ending.at[0];
    if (where[k] === "in" && openings.has(line)) return k;
    if (own && holds(own, line) && line < ending.at[0]) return k;
  }
  return null;
}

/** The first row after the call or the update that row k begins. @param {Trace} trace @param {number} k */
function behind({ rows }, k) {
  let next = k + 1;
  if (rows[k].kind === "backward_began") {
    for (let depth = 1; next < rows.length && depth > 0; next += 1) {
      if (rows[next].kind === "backward_began") depth += 1;
      if (rows[next].kind === "backward_ended") depth -= 1;
    }
  }
  const place = String(rows[k].at);
  while (next < rows.length && String(rows[next].at) === place) next += 1;
  return next;
}

/**
 * Where the last round ends, and where one more began that did not come to its end.
 * @param {Trace} trace
 * @param {Place} place
 * @param {Turn} ending
 * @param {number} last
 * @returns {{to: number, begun: number | null}}
 */
function lastOf(trace, place, ending, last) {
  const { where } = place;
  const { length } = trace.rows;
  let to = behind(trace, last) - 1;
  for (let k = to + 1; k < length && where[k] !== "out"; k += 1) if (where[k] === "in") to = k;
  const ends = ["error", "limit"].includes(trace.rows[length - 1]?.kind) && where[length - 1] !== "out";
  if (ends) to = length - 1;
  return { to, begun: turnBack(trace, place, ending, last, to) };
}
