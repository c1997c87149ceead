/** In what two runs differ: at a moment, and row by row. Compares contents, for ids are each trace's own. */

/** @typedef {import("#js/trace/reducer.js").Trace} Trace */
/** @typedef {import("#js/trace/reducer.js").State} State */
/** @typedef {{trace: Trace, state: State}} Side */
/**
 * @typedef {{kind: "value" | "grad", name: string, left: Held, right: Held}
 *   | {kind: "output", line: number, left: string | null, right: string | null}
 *   | {kind: "error", left: string | null, right: string | null}
 *   | {kind: "step", left: Held[], right: Held[]}} Difference
 * @typedef {string | null | undefined} Held a value's id, null for None, undefined without such a name
 */

/** @type {WeakMap<object, Map<string, string>>} */
const written = new WeakMap();

/**
 * Return a value as text in which equal ones are equal, whichever trace they are of.
 * @param {Trace} trace
 * @param {Held} v
 */
export function contentOf(trace, v) {
  if (v === null || v === undefined) return String(v);
  let known = written.get(trace.values);
  if (!known) written.set(trace.values, (known = new Map()));
  let text = known.get(v);
  if (text === undefined) known.set(v, (text = JSON.stringify(trace.values[v] ?? v)));
  return text;
}

/**
 * Return what differs between two moments: values and gradients by name, lines printed, errors.
 * @param {Side} left
 * @param {Side} right
 * @returns {Difference[]}
 */
export function differences(left, right) {
  const [a, b] = [tensorsOf(left), tensorsOf(right)];
  /** @type {Difference[]} */
  const found = [];
  for (const name of new Set([...a.keys(), ...b.keys()])) {
    const pair = /** @type {const} */ ([a.get(name), b.get(name)]);
    const [value, grad] = [pair.map((one) => one?.value), pair.map((one) => one?.grad)];
    const told = (/** @type {"value" | "grad"} */ kind, /** @type {Held[]} */ [a, b]) =>
      void found.push({ kind, name, left: a, right: b });
    if (differ(left, right, value)) told("value", value);
    if (grad.some((one) => one) && differ(left, right, grad)) told("grad", grad);
  }
  return [...failed(left.state, right.state), ...found, ...printed(left.state, right.state)];
}

/** @param {Side} left @param {Side} right @param {Held[]} pair */
const differ = (left, right, [a, b]) => contentOf(left.trace, a) !== contentOf(right.trace, b);

/**
 * Tensors of a moment by the names they have now; a leaf without one (a parameter) by its first.
 * @param {Side} side
 * @returns {Map<string, {value: Held, grad: Held}>}
 */
function tensorsOf({ trace, state }) {
  const named = new Map(state.names);
  const bound = new Set(named.values());
  for (const [id, { kind, names }] of Object.entries(trace.tensors)) {
    if (kind === "leaf" && names[0] && !bound.has(id) && !named.has(names[0])) named.set(names[0], id);
  }
  const held = [...named].filter(([, id]) => state.value.has(id));
  const holds = (/** @type {string} */ id) => ({
    value: state.value.get(id),
    grad: state.grad.get(id) ?? null,
  });
  return new Map(held.map(([name, id]) => [name, holds(id)]));
}

/** @param {State} left @param {State} right @returns {Difference[]} */
function printed(left, right) {
  const [a, b] = [left, right].map(({ output }) => output.join("").replace(/\n$/, "").split("\n"));
  const most = Math.max(a.length, b.length);
  return Array.from({ length: most }, (_, i) => i)
    .filter((i) => (a[i] ?? "") !== (b[i] ?? ""))
    .map((i) => ({ kind: "output", line: i + 1, left: a[i] || null, right: b[i] || null }));
}

/** @param {State} left @param {State} right @returns {Difference[]} */
function failed(left, right) {
  const [a, b] = [left, right].map(({ error }) => {
    const row = /** @type {any} */ (error);
    return row ? [row.type, row.message].filter(Boolean).join(": ") : null;
  });
  return a === b ? [] : [{ kind: "error", left: a, right: b }];
}

const CARRIED = ["values", "grads", "grad", "arriving", "added", "after"];

/**
 * Return the numbers that two rows of one meaning carry, if they differ: gradients in flight have no name.
 * @param {{trace: Trace, row: any}} left
 * @param {{trace: Trace, row: any}} right
 * @returns {Difference[]}
 */
export function carriedDifference(left, right) {
  const [a, b] = [left, right].map(({ trace, row }) =>
    CARRIED.flatMap((field) => row?.[field] ?? []).filter((v) => Object.hasOwn(trace.values, v)),
  );
  const text = (/** @type {Trace} */ trace, /** @type {Held[]} */ ids) => ids.map((v) => contentOf(trace, v));
  const isSame = text(left.trace, a).join() === text(right.trace, b).join();
  return isSame ? [] : [{ kind: "step", left: a, right: b }];
}

const ASIDE = ["at", "kind", "saved"];

/**
 * Do two rows that mean the same carry the same numbers and texts? What is kept for backward is left aside:
 * where `x` is detached the same product keeps less of the same numbers.
 * @param {{trace: Trace, row: any}} left
 * @param {{trace: Trace, row: any}} right
 */
export function sameNumbers(left, right) {
  const [a, b] = [left, right].map(({ trace, row }) => [...carried(trace, row)].join("\u0000"));
  return a === b;
}

/**
 * @param {Trace} trace
 * @param {any} part of a row
 * @returns {Generator<string>}
 */
function* carried(trace, part) {
  if (typeof part === "string" && Object.hasOwn(trace.values, part)) yield contentOf(trace, part);
  else if (part && typeof part === "object") {
    for (const [name, inner] of Object.entries(part)) {
      if (["text", "message"].includes(name) && typeof inner === "string") yield inner;
      else if (!ASIDE.includes(name)) yield* carried(trace, inner);
    }
  }
}
