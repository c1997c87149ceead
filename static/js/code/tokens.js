/**
 * Light colouring of Python text: comments, strings, numbers, keywords. Pure; for reading, not for
 * checking.
 */
const KEYWORDS = new Set(
  (
    "and as assert async await break class continue def del elif else except finally for from global if " +
    "import in is lambda None nonlocal not or pass raise return True False try while with yield"
  ).split(" "),
);
const STRINGS = [
  /"""[\s\S]*?(?:"""|$)/,
  /'''[\s\S]*?(?:'''|$)/,
  /"(?:\\.|[^"\\\n])*"?/,
  /'(?:\\.|[^'\\\n])*'?/,
];
const NUMBER = /(?<![\w.])(?:0[xXbBoO][\da-fA-F_]+|(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][+-]?\d+)?)j?/;
const either = (parts) => parts.map((part) => part.source).join("|");
const KINDS = [
  /(?<comment>#[^\n]*)/,
  new RegExp(`(?<string>[rbfuRBFU]{0,2}(?:${either(STRINGS)}))`),
  new RegExp(`(?<number>${NUMBER.source})`),
  /(?<word>[^\W\d]\w*)/,
];
const TOKEN = new RegExp(either(KINDS), "gu");

/** Cut one text into tokens {text, kind}, kind null for plain text. */
function tokens(source) {
  const found = [];
  let from = 0;
  for (const match of source.matchAll(TOKEN)) {
    const { comment, string, number, word } = match.groups;
    const keyword = word !== undefined && KEYWORDS.has(word);
    const kind =
      (comment && "comment") ||
      (string && "string") ||
      (number && "number") ||
      (keyword && "keyword") ||
      null;
    if (!kind) continue;
    if (match.index > from) found.push({ text: source.slice(from, match.index), kind: null });
    found.push({ text: match[0], kind });
    from = match.index + match[0].length;
  }
  if (from < source.length) found.push({ text: source.slice(from), kind: null });
  return found;
}

/** The tokens of each line of a source, with the column at which each begins. */
export function tokenLines(source) {
  const lines = [[]];
  let column = 0;
  for (const { text, kind } of tokens(source)) {
    text.split("\n").forEach((piece, i) => {
      if (i > 0) {
        lines.push([]);
        column = 0;
      }
      if (piece) lines[lines.length - 1].push({ text: piece, kind, column });
      column += piece.length;
    });
  }
  return lines;
}

/** Cut the tokens of a line where a marked stretch [from, to) begins and ends: runs of {marked, tokens}. */
export function markedRuns(line, from, to) {
  const runs = [];
  for (const token of line) {
    const end = token.column + token.text.length;
    const cuts = [token.column, ...[from, to].filter((cut) => cut > token.column && cut < end), end];
    for (let i = 0; i + 1 < cuts.length; i += 1) {
      const marked = cuts[i] >= from && cuts[i + 1] <= to;
      const piece = {
        ...token,
        text: token.text.slice(cuts[i] - token.column, cuts[i + 1] - token.column),
        column: cuts[i],
      };
      const last = runs[runs.length - 1];
      if (last && last.marked === marked) last.tokens.push(piece);
      else runs.push({ marked, tokens: [piece] });
    }
  }
  return runs;
}
