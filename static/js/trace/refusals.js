/**
 * What the sandbox says of a program it does not run, or of a limit, in the reader's language. Its messages
 * are English sentences of a known form; what has none (Python's own words, an exception's) stays as it came.
 */

/** @typedef {import("#js/trace/reducer.js").Row} Row */
/** @typedef {(key: string, values?: Record<string, unknown>) => string} Translate */

/**
 * A form of message, and its key in the dictionaries under "refusal."; its groups fill the text.
 * @type {[RegExp, string][]}
 */
export const FORMS = [
  [/^the module '(?<name>.*)' is not available here$/, "module"],
  [/^the attribute '(?<name>.*)' is not available here$/, "attribute"],
  [/^the attribute '(?<name>.*)' can only be called here$/, "called"],
  [/^the name '(?<name>.*)' is not available here$/, "name"],
  [/^the feature '(?<name>.*)' is not available here$/, "feature"],
  [/^(?<name>\w+)\(\) is not available here$/, "builtin"],
  [/^import \* is not supported here$/, "star"],
  [/^relative imports are not available here$/, "relative"],
  [/^async functions are not supported here$/, "async_functions"],
  [/^async loops are not supported here$/, "async_loops"],
  [/^async with is not supported here$/, "async_with"],
  [/^await is not supported here$/, "await"],
  [/^except\* is not supported here$/, "except_star"],
  [/^type statements are not supported here$/, "type"],
  [/^(?<name>\w+) is not supported here$/, "construct"],
  [/^class keywords \(metaclass=\.\.\.\) are not supported$/, "metaclass"],
  [/^(?<name>\w+) cannot be defined here$/, "defined"],
  [/^the program contains a NUL character$/, "nul"],
  [/^the program is longer than (?<number>[\d,]+) bytes$/, "bytes"],
  [/^the program has more than (?<number>[\d,]+) lines$/, "lines"],
  [/^the program has more than (?<number>[\d,]+) parts$/, "parts"],
  [/^the program is nested too deeply$/, "deep"],
  [/^more than (?<number>\d+) nested blocks$/, "blocks"],
  [/^more than (?<number>\d+) nested finally clauses$/, "finals"],
  [/^(?<name>\w+) is no function that a formula may call$/, "formula_function"],
  [/^(?<name>\w+) is no function that a formula may call: did you mean (?<better>\w+)\?$/, "formula_near"],
  [/^(?<name>\w+)\(\) does not take (?<number>\d+) arguments in a formula$/, "formula_arguments"],
  [/^'(?<name>.*)' may be meant below the fraction line or beside it: write .*$/s, "formula_quotient"],
  [/^it is not certain how far the argument goes in '(?<name>.*)': write (?<better>.*)$/s, "formula_unclear"],
  [/^there is nothing to compute: every line only names a number$/, "formula_nothing"],
];

/**
 * Which limit was reached, in the reader's language where its number is known, else as it was written.
 * @param {Row} row
 * @param {Translate} t
 */
export function limitText(row, t) {
  const number = /\d(?:[\d,.]*\d)?/.exec(row.message)?.[0];
  const plain = `limit.${row.limit}.plain`;
  const keys = number === undefined ? [plain] : [`limit.${row.limit}`, plain];
  const key = keys.find((each) => t(each) !== each);
  return key === undefined ? row.message : t(key, { number });
}

/**
 * The message of an error or a limit, as the reader should see it.
 * @param {{message: string, limit?: string, type?: string}} row
 * @param {Translate} t
 */
export function messageText(row, t) {
  if (row.limit !== undefined) return limitText(/** @type {Row} */ (/** @type {unknown} */ (row)), t);
  if (row.type !== undefined && !["NotAllowed", "SyntaxError"].includes(row.type)) return row.message;
  for (const [form, key] of FORMS) {
    const found = form.exec(row.message);
    if (found) return t(`refusal.${key}`, { ...found.groups });
  }
  return row.message;
}
