/** Whether an answer is right, and what is said to it. Knows no elements. */

/**
 * @typedef {{
 *   id: string, kind: "number" | "choice" | "node" | "line", ask: string, reveal: number, answer: any,
 *   because: string, otherwise: string, choices: {text: string, right: boolean, reason: string}[],
 *   wrong: {is: any, reason: string}[],
 * }} Checkpoint
 * @typedef {{right: boolean, reason: string}} Verdict
 */

const NUMBER = /[-−]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?|[-−]?(?:inf|nan)/gi;
const CLOSE = 5e-3; // of the number itself: two or three figures are enough

/**
 * Return the numbers in a text, as a reader types them: "[2, −4.]", "2 -4", "0.33".
 * @param {string} text
 */
export function numbersIn(text) {
  return (text.match(NUMBER) ?? []).map((each) => {
    const plain = each.replace("−", "-").toLowerCase();
    if (plain.endsWith("inf")) return plain.startsWith("-") ? -Infinity : Infinity;
    return Number(plain);
  });
}

/** @param {any} data @returns {number[]} */
const flat = (data) => (Array.isArray(data) ? data.flatMap(flat) : numbersIn(String(data)));

/** @param {number} a @param {number} b */
const close = (a, b) => Object.is(a, b) || Math.abs(a - b) <= CLOSE * Math.max(Math.abs(a), Math.abs(b));

/**
 * Return whether what was typed are these numbers.
 * @param {number[]} typed
 * @param {any} wanted
 */
function fits(typed, wanted) {
  const numbers = flat(wanted);
  return typed.length === numbers.length && typed.every((each, i) => close(each, numbers[i]));
}

/**
 * Judge an answer: a text for a number, a position for a choice, ids of what was clicked, a line.
 * @param {Checkpoint} asked
 * @param {any} given
 * @returns {Verdict}
 */
export function judge(asked, given) {
  if (asked.kind === "choice") {
    const { right, reason } = asked.choices[given];
    return { right, reason: right ? "" : reason };
  }
  if (asked.kind === "number") {
    const typed = numbersIn(given);
    if (fits(typed, asked.answer)) return { right: true, reason: "" };
    const known = asked.wrong.find((each) => fits(typed, each.is));
    return { right: false, reason: known?.reason ?? asked.otherwise };
  }
  const right =
    asked.kind === "node"
      ? asked.answer.some((/** @type {string} */ id) => given.includes(id))
      : given === asked.answer;
  return { right, reason: right ? "" : asked.otherwise };
}
