/** A typed formula above its program: a field for the value of each free name, and the program to keep. */
import { h, set, write } from "#js/dom.js";
import { t as word } from "#js/i18n.js";

/**
 * @typedef {number | number[] | number[][]} Value
 * @typedef {{
 *   typed: string, leaves: {name: string, shape: number[], value: Value}[], result: string,
 *   shape: number[] | null, ones: boolean, problem: {kind: string, about: string, better: string} | null,
 * }} Expression as the trace's schema describes it
 */

const NUMBER = /^[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?$/i;
const [LOOKALIKES, MEANT] = ["，、；［］【】−。", ",,;[][]-."];
const LONGEST = 64; // numbers in a row, and rows
const PAUSE = 350; // milliseconds after the last key

/**
 * Write a value as the program does.
 * @param {Value} value
 * @returns {string}
 */
export function valueText(value) {
  if (Array.isArray(value)) return `[${value.map(valueText).join(", ")}]`;
  return Number.isInteger(value) && Math.abs(value) < 1e16 ? value.toFixed(1) : String(value);
}

/**
 * Read a number, a vector (`1, 2` or `[1, 2]`) or a matrix (`1 2; 3 4` or `[[1, 2], [3, 4]]`), or null.
 * @param {string} text
 * @returns {Value | null}
 */
export function valueOf(text) {
  const plain = [...text].map((sign) => MEANT[LOOKALIKES.indexOf(sign)] ?? sign).join("").trim();
  const rowwise = plain.replace(/^\[\s*(\[.*\])\s*\]$/s, "$1").replace(/\]\s*,?\s*\[/g, ";");
  const body = rowwise.replace(/^\[|\]$/g, "");
  if (plain.split("[").length !== plain.split("]").length || /[[\]]/.test(body)) return null;
  const rows = body.split(/[;\n]/).map((row) => row.trim().split(/\s*,\s*|\s+/));
  if (rows.some((row) => row.length !== rows[0].length || row.length > LONGEST) || rows.length > LONGEST) {
    return null;
  }
  if (!rows.flat().every((each) => NUMBER.test(each) && Math.abs(Number(each)) < 1e38)) return null;
  const numbers = rows.map((row) => row.map(Number));
  if (numbers.length > 1 || plain.startsWith("[[")) return numbers;
  return numbers[0].length > 1 || plain.startsWith("[") ? numbers[0] : numbers[0][0];
}

/**
 * @param {string} shown
 * @param {number} by
 */
function stepped(shown, by) {
  const value = valueOf(shown);
  return typeof value === "number" ? valueText(Math.round((value + by) * 1e6) / 1e6) : null;
}

/**
 * Make the field of one name; `changed` hears of every value that can be read, at once or after a pause.
 * @param {string} name
 * @param {(name: string, value: Value | null, soon: boolean) => void} changed
 */
function makeField(name, changed) {
  const input = /** @type {HTMLInputElement} */ (
    h("input", {
      type: "text",
      autocomplete: "off",
      autocapitalize: "off",
      spellcheck: "false",
      "data-leaf": name,
      "aria-label": word("formula.value", { name }),
    })
  );
  const tell = (/** @type {boolean} */ soon) => {
    const value = valueOf(input.value);
    set(input, "aria-invalid", value === null ? "true" : null);
    fit(input);
    changed(name, value, soon);
  };
  input.addEventListener("input", () => tell(false));
  input.addEventListener("keydown", (event) => {
    const by = { ArrowUp: 0.1, ArrowDown: -0.1 }[event.key];
    const next = by && stepped(input.value, by * (event.shiftKey ? 10 : 1));
    if (event.key === "Enter") tell(true);
    else if (next) {
      input.value = next;
      tell(false);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  });
  return { input, label: h("label", null, h("span", { "aria-hidden": "true" }, `${name} =`), input) };
}

/**
 * Write a shape as Python does.
 * @param {number[]} shape
 */
const shapeText = (shape) => `(${shape.join(", ")}${shape.length === 1 ? "," : ""})`;

/** @param {HTMLInputElement} input */
const fit = (input) => input.style.setProperty("width", `${Math.max(4, input.value.length) + 3}ch`);

/**
 * @param {string} label
 * @param {string} id
 * @param {() => void} onClick
 */
function button(label, id, onClick) {
  const made = h("button", { class: "button small", type: "button", "data-testid": id }, label);
  made.addEventListener("click", onClick);
  return made;
}

/**
 * Make the fields of a formula; they stay the same elements as long as the names do, so that focus stays.
 * @param {Parameters<typeof makeField>[1]} changed
 */
function makeFields(changed) {
  /** @type {Map<string, ReturnType<typeof makeField>>} */
  let fields = new Map();
  const row = h("div", { class: "formula-leaves", role: "group", "aria-label": word("formula.values") });
  return {
    row,
    isBad: () => [...fields.values()].some(({ input }) => input.hasAttribute("aria-invalid")),
    /** @param {Expression["leaves"]} leaves */
    show(leaves) {
      const names = leaves.map(({ name }) => name);
      if (names.join() !== [...fields.keys()].join()) {
        fields = new Map(names.map((name) => [name, makeField(name, changed)]));
        row.replaceChildren(...[...fields.values()].map(({ label }) => label));
      }
      for (const { name, value } of leaves) {
        const { input } = /** @type {ReturnType<typeof makeField>} */ (fields.get(name));
        const own = document.activeElement === input ? valueOf(input.value) : null;
        if (own === null || valueText(own) !== valueText(value)) input.value = valueText(value);
        set(input, "aria-invalid", null);
        fit(input);
      }
    },
  };
}

/**
 * Say what follows from the shape of the last value, and what is wrong.
 * @param {Expression} expression
 */
function remarks({ result, shape, ones, problem }) {
  const gradient = ones ? word("formula.ones", { result, shape: shapeText(shape ?? []) }) : null;
  return [
    gradient && h("p", { "data-testid": "ones" }, gradient),
    problem &&
      h("p", { class: "formula-problem", role: "alert" }, word(`formula.${problem.kind}`, { ...problem })),
  ];
}

/**
 * Mount the place of formulas; it is empty until one is shown.
 * @param {Element} root
 * @param {{
 *   stored: () => [string, Record<string, Value>] | null,
 *   onValues(typed: string, values: Record<string, Value>): void, onKeep(): void,
 * }} options
 */
export function mountFormula(root, { stored, onValues, onKeep }) {
  /** @type {Expression | null} */
  let shown = null;
  let [typed, values] = stored() ?? ["", /** @type {Record<string, Value>} */ ({})];
  let timer = 0;
  const fields = makeFields((name, value, soon) => {
    clearTimeout(timer);
    set(bad, "hidden", !fields.isBad());
    if (value === null) return;
    values = { ...values, [name]: value };
    timer = setTimeout(() => onValues(typed, values), soon ? 0 : PAUSE);
  });
  const bad = h("p", { class: "formula-problem", role: "alert", hidden: true }, word("formula.bad"));
  const keep = button(word("formula.keep"), "keep-program", onKeep);
  const reset = button(word("formula.reset"), "first-values", () => onValues(typed, (values = {})));
  const controls = h("div", { class: "formula-controls" }, fields.row, keep, reset);
  const formula = h("code", null);
  const stands = h("p", { class: "formula-stands" }, formula, " ", word("formula.stands"));

  return {
    /** The values to run a text with. @param {string} text */
    valuesFor: (text) => (text === typed ? values : {}),
    /** Fields of another text than the one in the editor would say nothing about it. @param {string} text */
    match: (text) => set(root, "hidden", shown === null || text !== shown.typed),
    /** @param {Expression | null | undefined} expression */
    show(expression) {
      clearTimeout(timer);
      shown = expression ?? null;
      set(root, "hidden", shown === null);
      if (!shown) return;
      if (shown.typed !== typed) [typed, values] = [shown.typed, {}];
      write(formula, typed);
      fields.show(shown.leaves);
      set(bad, "hidden", true);
      set(reset, "hidden", Object.keys(values).length === 0);
      fill(root, [stands, controls, bad, ...remarks(shown)]);
    },
  };
}

/**
 * Put parts into a place; those that stay are not taken out in between, so that focus is not lost.
 * @param {Element} root
 * @param {(Node | null | "")[]} parts
 */
function fill(root, parts) {
  const kept = parts.filter((part) => part instanceof Node);
  for (const child of [...root.childNodes]) if (!kept.includes(child)) child.remove();
  kept.forEach((part, i) => {
    if (root.childNodes[i] !== part) root.insertBefore(part, root.childNodes[i] ?? null);
  });
}
