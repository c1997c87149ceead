/** What is wrong with a run, as its trace tells it: where a finding shows, and what its change would make. */

/**
 * @typedef {{at: number[], text: string}} Edit
 * @typedef {{
 *   code: string, variant: string, severity: "fault" | "note", row: number, at: number[] | null,
 *   node: string | null, tensor: string | null, terms: Record<string, string>,
 *   values: Record<string, string>, links: {row: number, at: number[] | null}[], fix: Edit[] | null,
 * }} Finding
 * @typedef {{sign: " " | "-" | "+", line: number, text: string}} Difference
 */

const WHOLE = 4_000_000; // pairs of lines that are compared at most
const NONE = /** @type {Finding[]} */ ([]);

/**
 * The findings to be told at row k: those that show there and, where the run has ended, all of them.
 * @param {{findings?: Finding[], rows: any[]}} trace
 * @param {number} k
 */
export function findingsAt({ findings = NONE, rows }, k) {
  if (findings === NONE || k < 0) return NONE;
  return k === rows.length - 1 ? findings : findings.filter(({ row }) => row === k);
}

/**
 * The keys of a finding's words, the more special first: `word` takes the first that is there.
 * @param {Finding} finding
 * @param {"title" | "what" | "do"} part
 */
export const keysOf = ({ code, variant }, part) =>
  [variant && `doctor.${code}.${variant}.${part}`, `doctor.${code}.${part}`].filter(Boolean);

/** @param {string} text */
const linesOf = (text) => text.split(/\r\n|\r|\n/);

/**
 * The text with all edits made.
 * @param {string} source
 * @param {Edit[]} edits
 */
export function edited(source, edits) {
  const starts = [0];
  for (const { 0: newline, index } of source.matchAll(/\r\n|\r|\n/g)) starts.push(index + newline.length);
  const offset = (/** @type {number} */ line, /** @type {number} */ column) =>
    Math.min((starts[line - 1] ?? source.length) + column, source.length);
  const spots = edits.map(({ at, text }) => ({
    from: offset(at[0], at[1]),
    to: offset(at[2], at[3]),
    text,
  }));
  spots.sort((a, b) => b.from - a.from || b.to - a.to);
  return spots.reduce((whole, { from, to, text }) => whole.slice(0, from) + text + whole.slice(to), source);
}

/**
 * The lines that differ between two texts, with one line around them; a gap is a line with the sign " " and
 * no text.
 * @param {string} before
 * @param {string} after
 * @returns {Difference[]}
 */
export function difference(before, after) {
  const [old, now] = [linesOf(before), linesOf(after)];
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start += 1;
  let end = 0;
  const most = Math.min(old.length, now.length) - start;
  while (end < most && old[old.length - 1 - end] === now[now.length - 1 - end]) end += 1;
  start = Math.max(start - 1, 0);
  end = Math.max(end - 1, 0);
  const middle = compare(old.slice(start, old.length - end), now.slice(start, now.length - end), start);
  return middle.filter(({ sign }, i) => sign !== " " || near(middle, i));
}

/** @param {Difference[]} all @param {number} i */
const near = (all, i) => [all[i - 1], all[i + 1]].some((other) => other !== undefined && other.sign !== " ");

/**
 * @param {string[]} old
 * @param {string[]} now
 * @param {number} start lines before both
 * @returns {Difference[]}
 */
function compare(old, now, start) {
  const line = (/** @type {any} */ sign, /** @type {number} */ i, /** @type {string} */ text) => ({
    sign,
    line: start + i + 1,
    text,
  });
  if (old.length * now.length > WHOLE)
    return [...old.map((text, i) => line("-", i, text)), ...now.map((text, i) => line("+", i, text))];
  const common = commonLengths(old, now);
  /** @type {Difference[]} */
  const found = [];
  let [i, j] = [0, 0];
  while (i < old.length || j < now.length) {
    if (i < old.length && j < now.length && old[i] === now[j]) {
      found.push(line(" ", j, now[j]));
      [i, j] = [i + 1, j + 1];
    } else if (i < old.length && (j >= now.length || common[i + 1][j] >= common[i][j + 1])) {
      found.push(line("-", i, old[i]));
      i += 1;
    } else {
      found.push(line("+", j, now[j]));
      j += 1;
    }
  }
  return found;
}

/** How many lines the rests of two lists have in common, by where they begin. */
function commonLengths(/** @type {string[]} */ old, /** @type {string[]} */ now) {
  const common = Array.from({ length: old.length + 1 }, () => new Uint16Array(now.length + 1));
  for (let i = old.length - 1; i >= 0; i -= 1)
    for (let j = now.length - 1; j >= 0; j -= 1)
      common[i][j] =
        old[i] === now[j] ? common[i + 1][j + 1] + 1 : Math.max(common[i + 1][j], common[i][j + 1]);
  return common;
}

/**
 * What is marked as the cause at row k: ids of the graph, and spans of the text.
 * @param {{findings?: Finding[], rows: any[]}} trace
 * @param {number} k
 */
export function culprits(trace, k) {
  const found = findingsAt(trace, k);
  const ids = found.flatMap(({ node, tensor }) => (node ? [node] : tensor ? [tensor] : []));
  return { ids: new Set(ids), spans: found.flatMap(({ at }) => (at ? [at] : [])) };
}
