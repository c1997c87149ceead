/** Numbers as text: value id → what PyTorch would print, whole or honestly shortened. Knows no rows. */

/** @typedef {{re: number | string, im: number | string}} Complex */
/** @typedef {number | string | boolean | Complex | Data[]} Data */
/** @typedef {{dtype: string, shape: number[], data?: Data, summary?: any}} Value */
/** @typedef {{rows: number, columns: number, data: (number | string | boolean)[][]}} Cells */
/** @typedef {{rows: number, columns: number, shares: (number | null)[]}} Picture */

const MORE = "…";
const DECIMALS = 4;
const SURE = 6; // a float32 is not sure of more digits: what has them is shown as rounded, 630.0470
const SMALL = 1e-3;
const LARGE = 1e8;
const STEPS = 12; // shades of each sign in the picture of a large tensor

/**
 * Return the whole value as text: every digit that tells it apart from its neighbours.
 * @param {any} trace
 * @param {string | null | undefined} v
 * @returns {string}
 */
export function full(trace, v) {
  const value = valueOf(trace, v);
  if (!value) return "None";
  if (value.summary) return summary(value);
  return write(value, value.data, number, { left: Infinity });
}

/** @type {WeakMap<object, Map<string, string>>} */
const shortened = new WeakMap();

/**
 * Return the value in at most `maxChars` characters: numbers with four decimals as PyTorch prints them,
 * then elements left out with "…", then only the shape.
 * @param {any} trace
 * @param {string | null | undefined} v
 * @param {number} [maxChars]
 * @returns {string}
 */
export function short(trace, v, maxChars = 22) {
  const value = valueOf(trace, v);
  if (!value) return "None";
  let known = shortened.get(trace.values);
  if (!known) shortened.set(trace.values, (known = new Map()));
  const key = `${v} ${maxChars}`;
  let text = known.get(key);
  if (text === undefined) known.set(key, (text = fit(value, maxChars)));
  return text;
}

/**
 * Return a value as the matrix it is shown as; n dimensions become (all but the last) × last. Of a large one
 * these are some of its elements.
 * @param {any} trace
 * @param {string | null | undefined} v
 * @returns {Cells}
 */
export function cells(trace, v) {
  const value = valueOf(trace, v);
  if (!value) return { rows: 0, columns: 0, data: [] };
  if (value.summary) return value.summary.cells;
  const { shape } = value;
  if (shape.length === 0) return { rows: 1, columns: 1, data: [[held(value.data, value.dtype)]] };
  const columns = shape[shape.length - 1];
  const rows = shape.slice(0, -1).reduce((product, size) => product * size, 1);
  const flat = /** @type {any[]} */ ([value.data]).flat(shape.length).map((x) => held(x, value.dtype));
  const data = Array.from({ length: rows }, (_, i) => flat.slice(i * columns, (i + 1) * columns));
  return { rows, columns, data };
}

/**
 * Return a value as a picture: each element's share of the largest one, -1 to 1, in rows; null for nan and
 * inf. The shares of a large tensor are the middles of twelfths, good for a shade and not for a number.
 * @param {any} trace
 * @param {string | null | undefined} v
 * @returns {Picture}
 */
export function picture(trace, v) {
  const drawn = valueOf(trace, v)?.summary?.picture;
  if (drawn) return { ...drawn, shares: [...drawn.levels].map(shareOf) };
  const { rows, columns, data } = cells(trace, v);
  const numbers = data.flat().map((x) => (typeof x === "string" ? NaN : sizeOf(x)));
  const most = Math.max(...numbers.filter(Number.isFinite).map(Math.abs)) || 1;
  return { rows, columns, shares: numbers.map((x) => (Number.isFinite(x) ? x / most : null)) };
}

/** @param {any} x @returns {x is Complex} */
const isComplex = (x) => typeof x === "object" && x !== null && "re" in x;

/** A number as it is drawn: of a complex one its modulus. @param {any} x */
const sizeOf = (x) => (isComplex(x) ? Math.hypot(Number(x.re), Number(x.im)) : Number(x));

/**
 * Return a complex number as PyTorch writes it, "1.5-2.j"; its parts are floats of half the size.
 * @param {Complex} x
 * @param {string} dtype
 * @param {(x: any, dtype: string) => string} format
 */
function complex(x, dtype, format) {
  const part = dtype === "complex64" ? "float32" : "float64";
  const [re, im] = [format(x.re, part), format(x.im, part)];
  return `${re}${im.startsWith("-") ? "" : "+"}${im}j`;
}

/** @param {string} letter */
function shareOf(letter) {
  if (letter === "0") return 0;
  if (letter === "!") return null;
  const minus = letter >= "a";
  const step = letter.charCodeAt(0) - (minus ? "a" : "A").charCodeAt(0);
  return ((minus ? -1 : 1) * (step + 0.5)) / STEPS;
}

/**
 * Return which of nan and inf a value holds.
 * @param {any} trace
 * @param {string | null | undefined} v
 * @returns {string[]}
 */
export function troubles(trace, v) {
  const value = valueOf(trace, v);
  if (!value) return [];
  const { summary: counts } = value;
  const all = counts ? [] : [value.data].flat(/** @type {any} */ (Infinity));
  const flat = all.flatMap((x) => (isComplex(x) ? [x.re, x.im] : [x]));
  const holds = (/** @type {string} */ what) => flat.some((x) => x === what || x === `-${what}`);
  return ["nan", "inf"].filter((what) => counts?.[what] > 0 || holds(what));
}

/**
 * Return a shape as Python prints it: `()`, `(2,)`, `(2, 3)`.
 * @param {number[]} shape
 */
export function shapeText(shape) {
  return shape.length === 1 ? `(${shape[0]},)` : `(${shape.join(", ")})`;
}

/**
 * Return one number with all the digits its dtype holds.
 * @param {number | string | boolean | Complex} x
 * @param {string} dtype
 * @returns {string}
 */
export function number(x, dtype) {
  if (isComplex(x)) return complex(x, dtype, number);
  const special = notFinite(x, dtype);
  if (special !== null) return special;
  x = held(x, dtype);
  const size = Math.abs(Number(x));
  const sign = Number(x) < 0 || Object.is(x, -0) ? "-" : "";
  if (size !== 0 && (size > 1e8 || size < 1e-4)) return sign + scientific(shortest(size, dtype));
  return sign + pointed(String(shortest(size, dtype)));
}

/**
 * Return one number with at most four decimals; with an exponent, as PyTorch, where four would show nothing
 * of it or far too many digits stand before the point: "1.2000e-04". What is rounded keeps its four decimals
 * and never looks like an integer: 0.50001 is "0.5000", 2.99999 stays "2.99999".
 * @param {number | string | boolean | Complex} x
 * @param {string} dtype
 * @returns {string}
 */
export function shortNumber(x, dtype) {
  if (isComplex(x)) return complex(x, dtype, shortNumber);
  const special = notFinite(x, dtype);
  if (special !== null) return special;
  x = held(x, dtype);
  const size = Math.abs(Number(x));
  if (size !== 0 && (size < SMALL || size >= LARGE)) return scientific(Number(x), DECIMALS);
  const whole = number(x, dtype);
  const digits = whole.replace(/^-?0*\.?0*|\./g, "").length;
  const isRounded = whole.split(".")[1].length > DECIMALS || digits >= SURE;
  const rounded = Number(x).toFixed(DECIMALS);
  if (!isRounded || Number.isInteger(Number(rounded)) || Number(rounded) === x) return whole;
  return rounded;
}

/**
 * Return one number in few characters: an exponent and one decimal. The exponent is never cut off.
 * @param {number | string | boolean | Complex} x
 * @param {string} dtype
 * @returns {string}
 */
function rough(x, dtype) {
  if (isComplex(x)) return complex(x, dtype, rough);
  const text = shortNumber(x, dtype);
  const brief = notFinite(x, dtype) ?? scientific(Number(x), 1);
  return brief.length < text.length ? brief : text;
}

/**
 * @param {any} trace
 * @param {string | null | undefined} v
 * @returns {Value | null}
 */
function valueOf(trace, v) {
  return v === null || v === undefined ? null : (trace.values[v] ?? null);
}

/**
 * Return the number that is meant: a float32 is written with only as many digits as tell it from its
 * neighbours.
 * @param {any} x
 * @param {string} dtype
 */
const held = (x, dtype) => (dtype === "float32" && typeof x === "number" ? Math.fround(x) : x);

/**
 * @param {number | string | boolean} x
 * @param {string} dtype
 * @returns {string | null}
 */
function notFinite(x, dtype) {
  if (typeof x === "string") return x;
  if (dtype === "bool") return x ? "True" : "False";
  return dtype.includes("int") ? String(x) : null;
}

/**
 * Return the shortest decimal that reads back as the same number in its dtype.
 * @param {number} x
 * @param {string} dtype
 */
function shortest(x, dtype) {
  if (dtype !== "float32" || (Number.isInteger(x) && x < 2 ** 24)) return x;
  for (let digits = 1; digits < 9; digits += 1) {
    const tried = Number(x.toPrecision(digits));
    if (Math.fround(tried) === Math.fround(x)) return tried;
  }
  return Number(x.toPrecision(9));
}

/** @param {string} text */
const pointed = (text) => (text.includes(".") ? text : `${text}.`);

/**
 * Write a number as Python does: 1e-05, 2.5e+09.
 * @param {number} x
 * @param {number} [decimals]
 */
function scientific(x, decimals) {
  const [mantissa, exponent] = x.toExponential(decimals).split("e");
  return `${mantissa}e${exponent[0]}${exponent.slice(1).padStart(2, "0")}`;
}

/**
 * @param {Value} value
 * @param {Data | undefined} data
 * @param {(x: any, dtype: string) => string} format
 * @param {{left: number}} budget how many numbers may still be written
 * @returns {string}
 */
function write(value, data, format, budget) {
  if (!Array.isArray(data)) {
    budget.left -= 1;
    return format(data, value.dtype);
  }
  const parts = [];
  for (const part of data) {
    if (budget.left <= 0) {
      parts.push(MORE);
      break;
    }
    parts.push(write(value, part, format, budget));
  }
  return `[${parts.join(", ")}]`;
}

/**
 * @param {Value} value
 * @param {number} maxChars
 */
function fit(value, maxChars) {
  const shape = `${shapeText(value.shape)} tensor`;
  if (value.summary) return shape;
  const count = value.shape.reduce((product, size) => product * size, 1);
  const most = value.shape.length === 0 ? 1 : Math.min(count, Math.ceil(maxChars / 2));
  for (const format of [shortNumber, rough]) {
    for (let n = most; n > 0; n -= 1) {
      const text = write(value, value.data, format, { left: n });
      if (text.length <= maxChars) return text;
    }
  }
  if (count === 0) return write(value, value.data, shortNumber, { left: 1 });
  return value.shape.length === 0 ? shortNumber(/** @type {any} */ (value.data), value.dtype) : shape;
}

/** @param {Value} value */
function summary(value) {
  const { min, max, mean, norm, nan, inf } = value.summary;
  const facts = Object.entries({ min, max, mean, norm })
    .filter(([, x]) => x !== null && x !== undefined)
    .map(([name, x]) => `${name} ${shortNumber(x, "float64")}`);
  if (nan) facts.push(`nan ${nan}`);
  if (inf) facts.push(`inf ${inf}`);
  return `${shapeText(value.shape)} tensor: ${facts.join(", ")}`;
}
