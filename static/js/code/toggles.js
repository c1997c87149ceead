/** One line of a program in or out: commented out so that what stays is still a program, and back. Pure. */

import { tokenLines } from "#js/code/tokens.js";

const OUT = /^(\s*)(?:pass {2})?# ?(\S.*)$/;
const CODE = /[=(]|^(?:del|return|pass|continue|break|raise)\b/;
const KEPT = /^\s*(?:import|from|@|#|$)/; // lines that are of no use to leave out

/**
 * Return the text with a line commented out, or in again; null where that would leave no program.
 * @param {string} text
 * @param {number} number of the line, from 1
 * @returns {string | null}
 */
export function toggled(text, number) {
  const lines = text.split("\n");
  const line = lines[number - 1] ?? "";
  const out = isOut(line);
  if (out) lines[number - 1] = `${out.indent}${out.code}`;
  else if (isSimple(text, lines, number)) lines[number - 1] = without(lines, number);
  else return null;
  return lines.join("\n");
}

/**
 * Is a line one that was commented out, and what does it say? null for any other comment.
 * @param {string} line
 */
export function isOut(line) {
  const [, indent, code] = OUT.exec(line) ?? [];
  return code && CODE.test(code) ? { indent, code } : null;
}

/**
 * Is a line a whole statement that opens no block?
 * @param {string} text
 * @param {string[]} lines
 * @param {number} n
 */
function isSimple(text, lines, n) {
  const line = lines[n - 1] ?? "";
  const goesOn = (/** @type {string | undefined} */ text) => Boolean(text?.trimEnd().endsWith("\\"));
  if (KEPT.test(line) || goesOn(lines[n - 2]) || goesOn(line)) return false;
  let depth = 0;
  let ending = "";
  for (const [i, tokens] of tokenLines(text).entries()) {
    if (i === n - 1 && depth !== 0) return false;
    for (const { text: piece, kind } of tokens) {
      if (kind === "comment") continue;
      if (i === n - 1 && piece.trim()) ending = piece.trim();
      if (kind !== "string") depth += count(piece, /[([{]/g) - count(piece, /[)\]}]/g);
    }
    if (i === n - 1) break;
  }
  const quoted = /^\s*(?:"""|''')|(?:"""|''')\s*$/.test(line) || insideText(text, n);
  return depth === 0 && !ending.endsWith(":") && !quoted;
}

/** @param {string} text @param {RegExp} sign */
const count = (text, sign) => (text.match(sign) ?? []).length;

/** Does a line stand in a text of several lines? @param {string} text @param {number} n */
function insideText(text, n) {
  const above = text.split("\n").slice(0, n - 1).join("\n");
  return ['"""', "'''"].some((quote) => (above.split(quote).length - 1) % 2 === 1);
}

/**
 * Comment a line out; where it is all of its block, `pass` takes its place.
 * @param {string[]} lines
 * @param {number} n
 */
function without(lines, n) {
  const [, indent, code] = /** @type {RegExpExecArray} */ (/^(\s*)(.*)$/.exec(lines[n - 1]));
  const isCode = (/** @type {string} */ line) => line.trim() && !line.trim().startsWith("#");
  const before = lines.slice(0, n - 1).findLast(isCode) ?? "";
  const after = lines.slice(n).find(isCode) ?? "";
  const opens = /:\s*(?:#.*)?$/.test(before) && depthOf(before) < indent.length;
  const alone = opens && depthOf(after) < indent.length;
  return `${indent}${alone ? "pass  " : ""}# ${code}`;
}

/** @param {string} line */
const depthOf = (line) => /** @type {RegExpExecArray} */ (/^\s*/.exec(line))[0].length;
