/** A value as the Python text that makes it again, to the last bit; null where only a summary is held. */

import { number } from "#js/trace/values.js";

const UNDERSTOOD = ["float32", "int64", "bool", "complex64"]; // dtypes that torch.tensor gives by itself

/**
 * @param {any} trace
 * @param {string | null | undefined} v
 * @returns {string | null}
 */
export function python(trace, v) {
  const value = v === null || v === undefined ? null : trace.values[v];
  if (!value) return "None";
  if (value.data === undefined) return null;
  const { dtype, shape } = value;
  const named = UNDERSTOOD.includes(dtype) ? "" : `, dtype=torch.${dtype}`;
  if (shape.includes(0)) {
    return `torch.empty((${shape.join(", ")}${shape.length === 1 ? "," : ""})${emptyDtype(dtype)})`;
  }
  const text = written(value.data, dtype);
  return text === null ? null : `torch.tensor(${text}${named})`;
}

/** @param {string} dtype */
const emptyDtype = (dtype) => (dtype === "float32" ? "" : `, dtype=torch.${dtype}`);

/**
 * @param {any} data
 * @param {string} dtype
 * @returns {string | null}
 */
function written(data, dtype) {
  if (!Array.isArray(data)) return single(data, dtype);
  const parts = data.map((part) => written(part, dtype));
  return parts.includes(null) ? null : `[${parts.join(", ")}]`;
}

/**
 * One number; null if it has been lost on the way, as an integer beyond 2**53 is.
 * @param {any} x
 * @param {string} dtype
 * @returns {string | null}
 */
function single(x, dtype) {
  if (typeof x === "object") return `complex(${part(x.re, dtype)}, ${part(x.im, dtype)})`;
  if (typeof x === "string") return `float('${x}')`;
  const isWhole = dtype.includes("int");
  if (isWhole && !Number.isSafeInteger(x)) return null;
  return number(x, dtype);
}

/** @param {number | string} x @param {string} dtype */
function part(x, dtype) {
  return single(x, dtype === "complex64" ? "float32" : "float64");
}
