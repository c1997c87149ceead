/** A warning as Python prints it on standard error, and the line it is shown beside. */

/** @typedef {import("#js/trace/reducer.js").Trace} Trace */
/** @typedef {import("#js/trace/reducer.js").Row} Row */

const FILE = "<snippet>"; // what Python calls a program that is no file

/**
 * The line of the program that a warning is about: Python's, or that of the call into the library.
 * @param {Row} row
 * @returns {number | null}
 */
export const warningLine = (row) => row.line ?? row.at?.[0] ?? null;

/**
 * "<snippet>:7: UserWarning: …" and the line itself below it.
 * @param {Trace} trace
 * @param {Row} row
 */
export function warningText(trace, row) {
  const line = warningLine(row);
  const source = line === null ? "" : (trace.source.split("\n")[line - 1] ?? "").trim();
  const place = line === null ? FILE : `${FILE}:${line}`;
  return `${place}: ${row.category}: ${row.message}\n${source ? `  ${source}\n` : ""}`;
}
