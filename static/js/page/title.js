/** The title of the window: the step first, for a tab shows little, then the program. Knows no elements. */

import { t } from "#js/i18n.js";

const LONGEST = 40;

/**
 * Name a program in a few words: the formula that was typed, the comment it begins with, its first class or
 * function, else the statement that starts backward, else its last line.
 * @param {string} source
 * @param {string | null} [typed]
 */
export function nameOf(source, typed = null) {
  if (typed) return cut(typed);
  const lines = source.split("\n").map((line) => line.trim());
  const first = lines.find(Boolean) ?? "";
  const comment = /^#+\s*([^!\s-].*)$/.exec(first)?.[1];
  const made = lines.map((line) => /^(?:class|def)\s+(\w+)/.exec(line)?.[1]).find(Boolean);
  const passes = lines.find((line) => /^[\w.]+\.backward\(/.test(line))?.replace(/\s*#.*$/, "");
  return cut(comment ?? made ?? passes ?? lines.findLast(Boolean) ?? "");
}

/** @param {string} text */
function cut(text) {
  const letters = [...text.replace(/\s+/g, " ").trim()];
  return letters.length > LONGEST ? `${letters.slice(0, LONGEST - 1).join("")}…` : letters.join("");
}

/**
 * @param {string} program
 * @param {{position: number, stops: number[]}} player
 */
export function titleOf(program, { position, stops }) {
  const site = t("page.name");
  if (!program) return site;
  return `${position}/${stops.length} · ${program} · ${site}`;
}
