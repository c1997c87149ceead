/** What a reader sees at one row, before any row: the shape of the state that rows are folded into. */

/** @typedef {import("#js/trace/reducer.js").Trace} Trace */
/** @typedef {import("#js/trace/reducer.js").State} State */
/** @typedef {import("#js/trace/reducer.js").Row} Row */
/** @typedef {import("#js/trace/reducer.js").Span} Span */
/** @typedef {import("#js/trace/reducer.js").Phase} Phase */
/** @typedef {import("#js/trace/reducer.js").Backward} Backward */

/**
 * Return the state before the first row.
 * @param {Trace} _trace
 */
export function initial(_trace) {
  return {
    k: -1,
    row: /** @type {Row | null} */ (null),
    /** @type {Map<string, Phase>} */ phase: new Map(),
    /** @type {Map<string, string>} */ value: new Map(),
    /** @type {Map<string, string | null>} */ grad: new Map(),
    /** How often a tensor's memory was written, where a row has told it. */
    /** @type {Map<string, number>} */ version: new Map(),
    /** @type {Map<string, string>} */ names: new Map(),
    /** @type {Map<string, number>} */ expected: new Map(),
    /** @type {Map<string, number>} */ missing: new Map(),
    /** @type {Map<string, string>} */ buffer: new Map(),
    /** @type {Map<string, string | null>} */ flow: new Map(),
    /** @type {Map<string, any[]>} */ rules: new Map(),
    /** @type {Map<string, (string | null)[]>} */ received: new Map(),
    /** @type {string[]} */ queue: [],
    /** @type {Map<string, {names: any[], packed: Row[], freed: boolean}>} */ saved: new Map(),
    /** What hooks have kept for the operation that is being applied. */
    /** @type {Row[]} */ packing: [],
    /** @type {string[]} */ output: [],
    /** Warnings so far: the row, and which piece of the output shows it. */
    /** @type {{row: Row, piece: number}[]} */ warnings: [],
    /** The step that is being taken, or was last. */
    optimizer: /** @type {Row | null} */ (null),
    /** What an optimizer keeps for a parameter, by `keptKey`: [name, its name in formulas, before, now]. */
    /** @type {Map<string, any[]>} */ kept: new Map(),
    /** Learning rates that a scheduler has planned, by `keptKey`. */
    /** @type {Map<string, number | string>} */ rates: new Map(),
    /** @type {{row: Row, piece: number}[]} */ extras: [], // what stands at an empty piece of the output
    /** @type {Map<number, string>} */ echoes: new Map(), // what bare expressions showed last, by line
    at: /** @type {Span} */ (null),
    focus: /** @type {string | null} */ (null),
    backward: /** @type {Backward | null} */ (null),
    error: /** @type {Row | null} */ (null),
    limit: /** @type {Row | null} */ (null),
    /** @type {string[]} */ modules: [],
    gradEnabled: true,
  };
}

/**
 * Return a copy that can be folded further without touching the original.
 * @param {State} state
 * @returns {State}
 */
export function copy(state) {
  /** @type {any} */
  const fresh = { ...state };
  for (const [field, value] of Object.entries(state)) {
    if (value instanceof Map) fresh[field] = new Map(/** @type {Map<any, any>} */ (value));
  }
  return fresh;
}
