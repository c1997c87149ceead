/**
 * Questions to the server about a run, each asked once: an answer is kept for as long as the run is shown.
 */

/** @typedef {{waiting: true} | {message: string} | {answer: any}} Known */

/**
 * @param {{
 *   ask(path: string, body: object, signal: AbortSignal): Promise<any>, changed(): void, signal: AbortSignal,
 * }} context `ask` gives {answer}, {message} or {aborted}; `changed` hears of every answer
 */
export function createQuestions({ ask, changed, signal }) {
  /** @type {Map<string, Known>} */
  const known = new Map();
  let version = 0;
  return {
    /** Another number after every answer. */
    version: () => version,
    /**
     * What is known of a question; asks it if nobody has.
     * @param {string} path
     * @param {object} body
     * @returns {Known}
     */
    of(path, body) {
      const key = path + JSON.stringify(body);
      const found = known.get(key);
      if (found) return found;
      /** @type {Known} */
      const waiting = { waiting: true };
      known.set(key, waiting);
      ask(path, body, signal).then((told) => {
        if (signal.aborted) return;
        if (told.aborted) known.delete(key);
        else known.set(key, told);
        version += 1;
        changed();
      });
      return waiting;
    },
  };
}
