/** The state at any row: a keyframe every 256 rows, folded on from there. Stepping back is `at(k - 1)`. */

import { apply, copy, initial } from "#js/trace/reducer.js";

/** @typedef {import("#js/trace/reducer.js").State} State */
/** @typedef {import("#js/trace/reducer.js").Trace} Trace */

const EVERY = 256;

/**
 * Return the history of a trace: `at(k)` for k from -1 (before the first row) to length - 1.
 * Keyframes are made when they are first passed. A state belongs to whoever asked for it.
 * @param {Trace} trace
 * @returns {{length: number, at(k: number): State}}
 */
export function history(trace) {
  const { rows } = trace;
  const keyframes = [initial(trace)];

  /** @param {number} k */
  function at(k) {
    const wanted = Math.max(-1, Math.min(k, rows.length - 1));
    const nearest = Math.min(keyframes.length - 1, Math.floor((wanted + 1) / EVERY));
    const state = copy(keyframes[nearest]);
    while (state.k < wanted) {
      apply(state, rows[state.k + 1], trace);
      if ((state.k + 1) % EVERY === 0 && (state.k + 1) / EVERY === keyframes.length) {
        keyframes.push(copy(state));
      }
    }
    return state;
  }

  return { length: rows.length, at };
}
