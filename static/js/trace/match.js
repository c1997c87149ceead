/** The longest common subsequence of two lists of texts, by Myers' greedy search. Knows no rows. */

const NEVER = -1000; // an x that no path has come to, nor one step further
const MOST = 400; // differences looked through at a time; lists that differ more are matched piece by piece

/**
 * Return pairs of positions [i, j] with a[i] === b[j], both ascending: as many as there can be, or nearly so
 * where the lists differ in more than `most` places. What can be matched early is: of rounds that are alike,
 * the first stand beside each other.
 * @param {string[]} a
 * @param {string[]} b
 * @param {number} [most]
 * @returns {[number, number][]}
 */
export function matches(a, b, most = MOST) {
  const least = Math.min(a.length, b.length);
  let begin = 0;
  while (begin < least && a[begin] === b[begin]) begin += 1;
  let end = 0;
  while (end < least - begin && a.at(-1 - end) === b.at(-1 - end)) end += 1;
  const [rows, columns] = [a.length - end, b.length - end];
  /** @type {[number, number][]} */
  const pairs = Array.from({ length: begin }, (_, i) => [i, i]);
  let at = { x: begin, y: begin };
  while (at.x < rows && at.y < columns) {
    const piece = search({ a, b, ...at, rows, columns, most });
    pairs.push(...piece.pairs);
    at = piece.end;
  }
  for (let i = 0; i < end; i += 1) pairs.push([rows + i, columns + i]);
  return pairs;
}

/**
 * Search from (x, y) towards the end, as far as `most` differences lead.
 * @param {{
 *   a: string[], b: string[], x: number, y: number, rows: number, columns: number, most: number,
 * }} field
 */
function search({ a, b, x: left, y: top, rows, columns, most }) {
  const [width, height] = [rows - left, columns - top];
  /** The furthest x on each diagonal -d..d, kept for every number of differences. @type {Int32Array[]} */
  const reached = [];
  let best = { x: 0, y: 0, d: 0, k: 0 };
  for (let d = 0; d <= Math.min(most, width + height); d += 1) {
    const [before, now] = [reached[d - 1], new Int32Array(2 * d + 1).fill(NEVER)];
    for (let k = Math.max(-d, -height + ((d + height) % 2)); k <= Math.min(d, width); k += 2) {
      let x = d === 0 ? 0 : from(before, d - 1, k);
      if (x < 0 || x > width || x - k > height) continue;
      while (x < width && x - k < height && a[left + x] === b[top + x - k]) x += 1;
      now[k + d] = x;
      if (2 * x - k > best.x + best.y) best = { x, y: x - k, d, k };
    }
    reached.push(now);
    if (best.x === width && best.y === height) break;
  }
  return { pairs: walkBack(reached, best, left, top), end: { x: left + best.x, y: top + best.y } };
}

/**
 * The x at which a diagonal is entered: by a step down from the one above, or right from the one below.
 * @param {Int32Array} before
 * @param {number} d the differences that `before` is of
 * @param {number} k
 */
const from = (before, d, k) => Math.max(before[k + 1 + d] ?? NEVER, (before[k - 1 + d] ?? NEVER) + 1);

/**
 * @param {Int32Array[]} reached
 * @param {{x: number, d: number, k: number}} best
 * @param {number} left
 * @param {number} top
 */
function walkBack(reached, best, left, top) {
  /** @type {[number, number][]} */
  const pairs = [];
  let { x, k } = best;
  for (let { d } = best; d >= 0; d -= 1) {
    const before = reached[d - 1];
    const start = d === 0 ? 0 : from(before, d - 1, k);
    for (; x > start; x -= 1) pairs.push([left + x - 1, top + x - 1 - k]);
    if (d === 0) break;
    const isDown = (before[k + 1 + d - 1] ?? NEVER) === start;
    x = isDown ? start : start - 1;
    k += isDown ? 1 : -1;
  }
  return pairs.reverse();
}
