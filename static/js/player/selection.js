/**
 * What the reader has picked out and what they point at, shared by all views of a run.
 *
 * A thing picked or pointed at is `{kind, ...}`: {kind: "element", ids: [n.., t..]} an element of the graph,
 * {kind: "grad", node, slot} a gradient on an edge, {kind: "buffer", node, input_nr} a sum at a node,
 * {kind: "leaf", tensor} a `.grad`, {kind: "line", line} a line of code, {kind: "why", row, since, input_nr}
 * a
 * gradient that is taken apart, {kind: "path", nodes, edges: ["n1:0"..]} one way it has come; `element` is
 * the position of one
 * number in it, `[row, column]`, where one was picked.
 */

/** @typedef {{kind: string, element?: number[], [field: string]: any} | null} Picked */
/** @typedef {(selection: Selection) => void} Listener */

/** @param {{signal: AbortSignal}} options */
export const createSelection = ({ signal }) => new Selection(signal);

class Selection {
  /** @type {Set<Listener>} */ #listeners = new Set();
  /** @type {Picked} */ #picked = null;
  /** @type {Picked} */ #hovered = null;

  /** @param {AbortSignal} signal */
  constructor(signal) {
    signal.addEventListener("abort", () => this.#listeners.clear(), { once: true });
  }

  /** What a click has picked: it stays until something else is picked. */
  get picked() {
    return this.#picked;
  }

  /** What the pointer or the focus is on now. */
  get hovered() {
    return this.#hovered;
  }

  /** @param {Picked} thing */
  pick(thing) {
    if (same(thing, this.#picked)) return;
    this.#picked = thing;
    this.#tell();
  }

  /** @param {Picked} thing */
  hover(thing) {
    if (same(thing, this.#hovered)) return;
    this.#hovered = thing;
    this.#tell();
  }

  /** @param {Listener} listener */
  onChange(listener) {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #tell() {
    for (const listener of this.#listeners) listener(this);
  }
}

/** @param {Picked} a @param {Picked} b */
const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);
