/** The loops of a Python text, by lines and indentation: what a row's place says of the round it is in. */

/** @typedef {{line: number, end: number, column: number, isLoop: boolean}} Block from 1, `end` included */

const HEADER = /^(\s*)(?:async\s+)?(for|while|def|class)\b/;

/**
 * Return the `for`, `while`, `def` and `class` blocks of a text, outer ones before inner ones.
 * @param {string} source
 * @returns {Block[]}
 */
export function blocks(source) {
  /** @type {Block[]} */
  const found = [];
  /** @type {Block[]} */
  let open = [];
  let last = 0; // the last line that holds code
  let nesting = 0; // open brackets: their lines may stand anywhere
  source.split("\n").forEach((text, i) => {
    const bare = text.replace(/#.*$/, "");
    if (!bare.trim()) return;
    if (nesting === 0) {
      const column = bare.length - bare.trimStart().length;
      for (const block of open) if (block.column >= column) block.end = last;
      open = open.filter((block) => block.column < column);
      const [, , word] = HEADER.exec(bare) ?? [];
      if (word) {
        const isLoop = word === "for" || word === "while";
        open.push({ line: i + 1, end: i + 1, column, isLoop });
        found.push(open[open.length - 1]);
      }
    }
    nesting = Math.max(0, nesting + balance(bare));
    last = i + 1;
  });
  for (const block of open) block.end = last;
  return found;
}

/** @param {Block} block @param {number} line */
export const holds = (block, line) => block.line <= line && line <= block.end;

/**
 * Return the innermost loop around a line, within the function that the line is in; or null.
 * @param {Block[]} all
 * @param {number} line
 */
export function loopAround(all, line) {
  const around = all.filter((block) => holds(block, line));
  const inner = around.findLast((block) => block.isLoop || block.line < line) ?? null;
  return inner?.isLoop ? inner : null;
}

/** How many brackets a line opens and leaves open. @param {string} text */
function balance(text) {
  const plain = text.replace(/"[^"]*"|'[^']*'/g, "");
  return (plain.match(/[([{]/g) ?? []).length - (plain.match(/[)\]}]/g) ?? []).length;
}
