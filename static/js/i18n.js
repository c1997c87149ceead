/** Words of the page in the reader's language. Holds one flat dictionary; knows no rows, no elements. */

/** @typedef {(key: string, values?: Record<string, unknown>) => string} Translate */

/** @type {Record<string, string>} */
let words = {};

/**
 * Take the dictionary that `t` answers from.
 * @param {Record<string, string>} dictionary
 */
export function use(dictionary) {
  words = dictionary;
}

/**
 * Return the text of `key` with every `{name}` that `values` holds filled in; an unknown key is its own text.
 * @type {Translate}
 */
export function t(key, values = {}) {
  return fill(Object.hasOwn(words, key) ? words[key] : key, values);
}

/**
 * Return whether there is a text for a key.
 * @param {string} key
 */
export const has = (key) => Object.hasOwn(words, key);

/**
 * Return a `t` that answers from `dictionary` alone.
 * @param {Record<string, string>} dictionary
 * @returns {Translate}
 */
export function translator(dictionary) {
  return (key, values = {}) => fill(Object.hasOwn(dictionary, key) ? dictionary[key] : key, values);
}

/** The language of the page, as the dictionary names it. */
export function language() {
  return words.lang ?? "en";
}

/**
 * @param {string} template
 * @param {Record<string, unknown>} values
 */
function fill(template, values) {
  return template.replace(/\{(\w+)\}/g, (whole, name) =>
    Object.hasOwn(values, name) ? String(values[name]) : whole,
  );
}
