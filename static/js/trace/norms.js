/** The 2-norm of a value, the distance of two, its one number: exact where they are known, else null. */

/** @typedef {import("#js/trace/reducer.js").Trace} Trace */

/** @type {WeakMap<object, Map<string, number | null>>} */
const known = new WeakMap();

/**
 * Return the 2-norm of a value; nan where it holds a nan, Infinity where it holds an inf. A large tensor's
 * comes with it. null: not known, as of complex numbers that are written out.
 * @param {Trace} trace
 * @param {string | null | undefined} v
 * @returns {number | null}
 */
export function norm(trace, v) {
  if (!v || !trace.values[v]) return null;
  let found = known.get(trace.values);
  if (!found) known.set(trace.values, (found = new Map()));
  if (!found.has(v)) found.set(v, normOf(trace.values[v]));
  return found.get(v) ?? null;
}

/**
 * Return the 2-norm of what is between two values of one shape, or null where their numbers are not there.
 * @param {Trace} trace
 * @param {string | null} before
 * @param {string | null} after
 */
export function distance(trace, before, after) {
  if (before !== null && before === after) return 0;
  const [a, b] = [numbers(trace, before), numbers(trace, after)];
  if (!a || !b || a.length !== b.length) return null;
  return root(a.map((x, i) => b[i] - x));
}

/**
 * Return the product of two values of one shape, summed: of a scalar and 1 the scalar itself.
 * @param {Trace} trace
 * @param {string | null} v
 * @param {string | null} grad
 */
export function dot(trace, v, grad) {
  const [a, b] = [numbers(trace, v), numbers(trace, grad)];
  if (!a || !b || a.length !== b.length) return null;
  return a.reduce((sum, x, i) => sum + x * b[i], 0);
}

/**
 * Return the one number of a value, or null if it has none or several.
 * @param {Trace} trace
 * @param {string | null | undefined} v
 */
export function single(trace, v) {
  const all = numbers(trace, v ?? null);
  return all?.length === 1 ? all[0] : null;
}

/** @param {any} value @returns {number | null} */
function normOf(value) {
  const { summary } = value;
  if (!summary) {
    const all = read(value);
    return all && root(all);
  }
  if (summary.nan > 0) return NaN;
  if (summary.inf > 0) return Infinity;
  return typeof summary.norm === "number" ? summary.norm : null;
}

/** @param {Trace} trace @param {string | null} v */
const numbers = (trace, v) => (v && trace.values[v]?.data !== undefined ? read(trace.values[v]) : null);

/**
 * The numbers of a value in one list: a float32 is the number that its digits stand for.
 * @param {any} value
 * @returns {number[] | null}
 */
function read({ data, dtype }) {
  const all = Array.isArray(data) ? data.flat(/** @type {any} */ (Infinity)) : [data];
  const found = all.map((x) => (typeof x === "string" ? (SPECIAL[x] ?? null) : Number(x)));
  if (found.some((x) => x === null)) return null;
  return dtype === "float32"
    ? found.map((x) => Math.fround(/** @type {number} */ (x)))
    : /** @type {any} */ (found);
}

/** @type {Record<string, number>} */
const SPECIAL = { nan: NaN, inf: Infinity, "-inf": -Infinity };

/** The root of the sum of squares, without overflow on the way. @param {number[]} all */
function root(all) {
  const most = all.reduce((high, x) => Math.max(high, Math.abs(x)), 0);
  if (most === 0 || !Number.isFinite(most)) return most;
  return most * Math.sqrt(all.reduce((sum, x) => sum + (x / most) ** 2, 0));
}
