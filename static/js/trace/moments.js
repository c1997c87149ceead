/**
 * The same moment in another run of a program: what a row is about, and which time that happens. No DOM.
 */

import { makings } from "#js/trace/makings.js";

/** @typedef {any} Trace @typedef {any} Row */

const NAMED = ["node", "target", "module", "optimizer", "call", "slot", "input_nr", "op", "hook", "limit"];

/**
 * What a row is about, whatever its numbers: kind, place in the text, and the things it names.
 * @param {Trace} trace
 */
function meaningIn(trace) {
  const made = new Map(makings(trace).map((each) => [each.tensor, `${each.made}:${each.output}`]));
  const tensor = (/** @type {Row} */ row) => made.get(row.tensor ?? row.outputs?.[0]) ?? null;
  return (/** @type {Row} */ row) =>
    JSON.stringify([row.kind, row.at, NAMED.map((name) => row[name] ?? null), tensor(row)]);
}

/** The same without ids: they may shift where a run takes another way. */
const looselyIn = () => (/** @type {Row} */ row) =>
  JSON.stringify([row.kind, row.at, row.op ?? null, row.slot ?? null]);

/**
 * What is where in another run of the same program: a row, and what the reader had picked.
 * @param {Trace} from
 * @param {Trace} to
 */
export function momentsOf(from, to) {
  const row = (/** @type {number} */ k) => sameMoment(from, k, to);
  return {
    row,
    picked: (/** @type {any} */ thing) =>
      thing?.kind === "why" ? { ...thing, row: row(thing.row), since: thing.since.map(keep(row)) } : null,
  };
}

/** @param {(k: number) => number} row */
const keep = (row) => (/** @type {number | null} */ k) => (k === null ? null : row(k));

/**
 * The row of another run that means what row k of this one does: the same thing, for the same time. Where it
 * does not happen there, the row as far from the end of what both have in common.
 * @param {Trace} from
 * @param {number} k
 * @param {Trace} to
 */
export function sameMoment(from, k, to) {
  if (k < 0 || from.rows.length === 0 || to.rows.length === 0) return -1;
  const at = Math.min(k, from.rows.length - 1);
  for (const keyIn of [meaningIn, looselyIn]) {
    const [here, there] = [keyIn(from), keyIn(to)];
    const wanted = here(from.rows[at]);
    let time = 0;
    for (let i = 0; i < at; i += 1) if (here(from.rows[i]) === wanted) time += 1;
    for (let i = 0; i < to.rows.length; i += 1) {
      if (there(to.rows[i]) !== wanted) continue;
      if (time === 0) return i;
      time -= 1;
    }
  }
  return Math.min(at, to.rows.length - 1);
}
