/** Scales of the charts over rounds: where a number lies between two ends, how it is written. No elements. */

export const SHADES = 20;

/**
 * @typedef {{low: number, high: number, isLog: boolean, place(y: number | null): number | null}} Scale
 *   `place`: 0 at `low`, 1 at `high`
 */

/** @param {(number | null)[]} numbers */
const finite = (numbers) => /** @type {number[]} */ (numbers.filter((x) => x !== null && Number.isFinite(x)));

/**
 * Return a linear scale over some numbers; equal ones get room on both sides.
 * @param {(number | null)[]} numbers
 * @returns {Scale}
 */
export function linear(numbers) {
  const all = finite(numbers);
  const [least, most] = [lowest(all, 0), highest(all, 1)];
  const room = least === most ? Math.abs(most) / 2 || 1 : 0;
  const [low, high] = [least - room, most + room];
  return { low, high, isLog: false, place: (y) => (isNumber(y) ? (y - low) / (high - low) : null) };
}

/**
 * Return a logarithmic scale from a power of ten to a power of ten; zero and less have no place on it.
 * @param {(number | null)[]} numbers
 * @returns {Scale}
 */
export function logarithmic(numbers) {
  const all = finite(numbers).filter((x) => x > 0);
  const bottom = Math.floor(Math.log10(lowest(all, 1)));
  const top = Math.max(bottom + 1, Math.ceil(Math.log10(highest(all, 1))));
  const place = (/** @type {number | null} */ y) =>
    isNumber(y) && y > 0 ? Math.min(1, Math.max(0, (Math.log10(y) - bottom) / (top - bottom))) : null;
  return { low: 10 ** bottom, high: 10 ** top, isLog: true, place };
}

/**
 * Return what a cell shows: a shade from 1 to SHADES, "zero", "bad" (nan, inf), or null (not known).
 * @param {Scale} scale
 * @param {number | null | undefined} y
 * @returns {number | "zero" | "bad" | null}
 */
export function shade(scale, y) {
  if (y === null || y === undefined) return null;
  if (!Number.isFinite(y)) return "bad";
  const share = scale.place(y);
  return share === null ? "zero" : 1 + Math.min(SHADES - 1, Math.floor(share * SHADES));
}

/** How dark a shade is, 0 to 1. @param {number} step */
export const opacity = (step) => Math.round((0.06 + (0.94 * step) / SHADES) * 100) / 100;

/**
 * Write a number in few characters: 0.0123, 12.3, 1.2e-7.
 * @param {number | null | undefined} y
 */
export function brief(y) {
  if (y === null || y === undefined) return "–";
  if (Number.isNaN(y)) return "nan";
  if (!Number.isFinite(y)) return y > 0 ? "inf" : "-inf";
  const size = Math.abs(y);
  if (size === 0) return "0";
  if (size < 1e-3 || size >= 1e5) return y.toExponential(1).replace("e+", "e");
  const text = y.toPrecision(3);
  return Number(text) === y || text.includes("e") ? String(Number(text)) : text; // 0.5; but 0.5004 is 0.500
}

/** Write an end of a scale: a power of ten as 1e-10, 0.01, 1, 10. @param {Scale} scale @param {number} y */
export const end = ({ isLog }, y) => (isLog && y < 1e5 ? String(Number(y.toPrecision(1))) : ends(y, isLog));

/** @param {number} y @param {boolean} isLog */
const ends = (y, isLog) => (isLog ? y.toExponential(0).replace("e+", "e") : brief(y));

/** @param {any} y */
const isNumber = (y) => typeof y === "number" && Number.isFinite(y);
/** @param {number[]} all @param {number} none */
const lowest = (all, none) => (all.length ? all.reduce((a, b) => Math.min(a, b)) : none);
/** @param {number[]} all @param {number} none */
const highest = (all, none) => (all.length ? all.reduce((a, b) => Math.max(a, b)) : none);
